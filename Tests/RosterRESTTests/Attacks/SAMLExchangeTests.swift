import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// An assertion in its canonical form, so that it can be signed with nothing but a digest and a key.
struct Assertion {
    static let endpoint = TrustingService.base + "/mobile/platform/sso/exchange-token"

    var id = "_" + UUID().uuidString
    var issuer: String
    /// `NameID`, or nothing.
    var named = Self.name("mira")
    var recipient = Self.endpoint
    var audience = Self.endpoint
    /// When the confirmation ends, in seconds from now.
    var lifetime: TimeInterval = 300
    var inResponseTo: String?
    var groups = "staff"
    var mail = "mira@example.com"

    static func name(_ text: String) -> String { "<saml:NameID>\(text)</saml:NameID>" }

    private static func time(_ seconds: TimeInterval) -> String {
        Date().addingTimeInterval(seconds).formatted(.iso8601)
    }

    private func xml(_ signature: String) -> String {
        let answered = inResponseTo.map { #"InResponseTo="\#($0)" "# } ?? ""
        return
            #"<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="\#(id)" "#
            + #"IssueInstant="\#(Self.time(-5))" Version="2.0"><saml:Issuer>\#(issuer)</saml:Issuer>"# + signature
            + #"<saml:Subject>\#(named)"#
            + #"<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">"#
            + #"<saml:SubjectConfirmationData \#(answered)NotOnOrAfter="\#(Self.time(lifetime))" "#
            + #"Recipient="\#(recipient)"></saml:SubjectConfirmationData></saml:SubjectConfirmation></saml:Subject>"#
            + #"<saml:Conditions NotBefore="\#(Self.time(-10))" NotOnOrAfter="\#(Self.time(3_600))">"#
            + "<saml:AudienceRestriction><saml:Audience>\(audience)</saml:Audience></saml:AudienceRestriction>"
            + #"</saml:Conditions><saml:AuthnStatement AuthnInstant="\#(Self.time(-5))"><saml:AuthnContext>"#
            + "<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password"
            + "</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement><saml:AttributeStatement>"
            + #"<saml:Attribute Name="groups"><saml:AttributeValue>\#(groups)</saml:AttributeValue></saml:Attribute>"#
            + #"<saml:Attribute Name="mail"><saml:AttributeValue>\#(mail)</saml:AttributeValue></saml:Attribute>"#
            + "</saml:AttributeStatement></saml:Assertion>"
    }

    /// In base64, signed by somebody.
    func signed(by party: Party) throws -> String {
        let plain = xml("")
        let canonical = "http://www.w3.org/2001/10/xml-exc-c14n#"
        let digest = Data(try SHA256.digest(Array(plain.utf8))).base64EncodedString()
        func element(_ name: String, _ algorithm: String, _ content: String = "") -> String {
            #"<ds:\#(name) Algorithm="\#(algorithm)">\#(content)</ds:\#(name)>"#
        }
        let parts =
            element("CanonicalizationMethod", canonical)
            + element("SignatureMethod", "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256")
            + ##"<ds:Reference URI="#\##(id)"><ds:Transforms>"##
            + element("Transform", "http://www.w3.org/2000/09/xmldsig#enveloped-signature")
            + element("Transform", canonical) + "</ds:Transforms>"
            + element("DigestMethod", "http://www.w3.org/2001/04/xmlenc#sha256")
            + "<ds:DigestValue>\(digest)</ds:DigestValue></ds:Reference></ds:SignedInfo>"
        let names = #"xmlns:ds="http://www.w3.org/2000/09/xmldsig#""#
        let key = try #require(KeyHandle(.rsa, pkcs8: party.key))
        let value = try key.sign(Array("<ds:SignedInfo \(names)>\(parts)".utf8), .init(digest: .sha256))
        let signature =
            "<ds:Signature \(names)><ds:SignedInfo>\(parts)"
            + "<ds:SignatureValue>\(Data(value).base64EncodedString())</ds:SignatureValue></ds:Signature>"
        // The times are those of the digest: what is sent is the very text that was digested.
        return Data(try plain.changing("</saml:Issuer>", to: "</saml:Issuer>" + signature).utf8).base64EncodedString()
    }

    /// The same in a response, which is not signed itself.
    func response(to destination: String, signedBy party: Party) throws -> String {
        let bytes = Data(base64Encoded: try signed(by: party))
        let assertion = String(decoding: try #require(bytes), as: UTF8.self)
        let xml =
            #"<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_\#(UUID().uuidString)" "#
            + #"Version="2.0" IssueInstant="\#(Self.time(-5))" Destination="\#(destination)"><samlp:Status>"#
            + #"<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>"#
            + assertion + "</samlp:Response>"
        return Data(xml.utf8).base64EncodedString()
    }
}

extension String {
    fileprivate func changing(_ part: String, to other: String) throws -> String {
        let place = try #require(self.range(of: part))
        return replacingCharacters(in: place, with: other)
    }
}

@Suite("Attacks on the exchange of SAML assertions", .timeLimit(.minutes(2)))
struct SAMLExchangeTests {
    private func running(_ body: (TrustingService, Party, Party) async throws -> Void) async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let saml: JSONValue = [
            TrustingService.issuer(one, ["virtualUserEnabled": true, "roleAttributes": "groups"]),
            TrustingService.issuer(two, ["virtualUserEnabled": true]),
        ]
        try await TrustingService.running(issuers: [], saml: saml) { service in
            for name in ["admins", "staff"] { try await service.directory.unrestricted.roles.create(name) }
            try await body(service, one, two)
        }
    }

    @Test("An assertion is taken once, by whichever way it comes again, and by one of many that bring it at once")
    func replay() async throws {
        try await running { service, one, _ in
            let text = try Assertion(issuer: one.issuer).signed(by: one)
            let first = await service.bring(text)
            #expect(first.status == 200, "\(first.text)")
            #expect(await service.everyWay(text).isEmpty)
            // The same bytes in other base64, and the same XML with white space around it, are the same assertion.
            let xml = try #require(Data(base64Encoded: text))
            for again in [
                text.replacing("=", with: ""), text.replacing("+", with: "-").replacing("/", with: "_"),
                (xml + Data("\n".utf8)).base64EncodedString(), (Data(" ".utf8) + xml).base64EncodedString(),
            ] { #expect(await service.everyWay(again).isEmpty) }
            let raced = try Assertion(issuer: one.issuer).signed(by: one)
            let statuses = await withTaskGroup(of: Int.self) { group in
                for _ in 0..<20 { group.addTask { await service.bring(raced).status } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(statuses.filter { $0 == 200 }.count == 1, "\(statuses)")
        }
    }

    @Test("An assertion that was refused for its client or its scope is not used up by that")
    func refusedFirst() async throws {
        try await running { service, one, _ in
            let text = try Assertion(issuer: one.issuer).signed(by: one)
            #expect(await service.bring(text, ("scope", "nuclear")).givesNothing)
            let form = [("grant_type", TrustingService.jwtGrant), ("assertion", text)]
            #expect(await service.send("POST", "/oauth2/token", nil, form: form).givesNothing)
            #expect(await service.bring(text).status == 200)
        }
    }

    @Test("Nobody signs for another issuer, and one name of two issuers is two people")
    func crossed() async throws {
        try await running { service, one, two in
            let spoof = try Assertion(issuer: one.issuer).signed(by: two)
            #expect(await service.everyWay(spoof).isEmpty)
            #expect(await service.everyWay(try Assertion(issuer: two.issuer).signed(by: one)).isEmpty)
            #expect(await service.everyWay(try Assertion(issuer: "https://evil.example").signed(by: one)).isEmpty)
            var claims: [JSONValue] = []
            for party in [one, two] {
                let text = try Assertion(issuer: party.issuer, groups: "admins").signed(by: party)
                let answer = await service.bring(text)
                claims.append(try JSONWebToken(try #require(answer["access_token"]?.text, "\(answer.text)")).claims)
            }
            #expect(claims[0]["sub"] != claims[1]["sub"])
            #expect(claims[0]["roles"] == ["admins"] && claims[1]["roles"] == [], "a role of one is none of the other")
        }
    }

    @Test("Who has no name, or another one each time, is the same person by the attribute that names them")
    func unnamed() async throws {
        let (one, two) = (try Party.first.get(), try Party.second.get())
        let saml: JSONValue = [
            TrustingService.issuer(one, ["virtualUserEnabled": true, "usernameAttribute": "mail"]),
            TrustingService.issuer(two, ["virtualUserEnabled": true]),
        ]
        try await TrustingService.running(issuers: [], saml: saml) { service in
            func transient() -> String {
                #"<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:transient">_"#
                    + UUID().uuidString + "</saml:NameID>"
            }
            func subject(_ party: Party, _ named: String, _ mail: String = "mira@example.com") async throws
                -> JSONValue?
            {
                let assertion = Assertion(issuer: party.issuer, named: named, mail: mail)
                let answer = await service.bring(try assertion.signed(by: party))
                return try answer["access_token"]?.text.flatMap { try JSONWebToken($0).claims["sub"] }
            }
            let mira = try #require(try await subject(one, ""))
            #expect(try await subject(one, "") == mira)
            #expect(try await subject(one, transient()) == mira)
            #expect(try await subject(one, transient(), "noa@example.com") != mira)
            #expect(try await subject(one, "", "") == nil, "nobody's")
            #expect(try await subject(one, "", " mira@example.com") != mira)
            let lasting = try #require(try await subject(one, Assertion.name("p-1")))
            #expect(lasting != mira, "a lasting name is who somebody is, whatever their address")
            #expect(try await subject(one, Assertion.name("p-1"), "noa@example.com") == lasting)
            #expect(try await subject(two, "") == nil, "no attribute names the user")
            let first = try #require(try await subject(two, transient()))
            #expect(try await subject(two, transient()) != first, "as many people as names")
        }
    }

    @Test("White space around a role is not part of it")
    func indented() async throws {
        try await running { service, one, _ in
            for groups in ["\n    staff\n  ", "\t\u{A0}staff "] {
                let answer = await service.bring(try Assertion(issuer: one.issuer, groups: groups).signed(by: one))
                let claims = try JSONWebToken(try #require(answer["access_token"]?.text, "\(answer.text)")).claims
                #expect(claims["roles"] == ["staff"])
            }
        }
    }

    @Test("Providers may send people to the redirect address of the reference, or to where tokens are exchanged")
    func recipients() async throws {
        try await running { service, one, _ in
            for path in [
                "/mobile/platform/sso/redirect", "/mobile/platform/sso/exchange-token", "/mobile/platform/auth/token",
                "/oauth2/token",
            ] {
                for recipient in [TrustingService.base + path, "https://other.example.com" + path] {
                    let isOurs = recipient.hasPrefix(TrustingService.base)
                    let direct = Assertion(issuer: one.issuer, recipient: recipient)
                    #expect(
                        await service.bring(try direct.signed(by: one)).status == (isOurs ? 200 : 400), "\(recipient)")
                    let answer = try Assertion(issuer: one.issuer).response(to: recipient, signedBy: one)
                    #expect(await service.bring(answer).status == (isOurs ? 200 : 400), "response to \(recipient)")
                    var asked = direct
                    asked.inResponseTo = "_1"
                    #expect(await service.bring(try asked.signed(by: one)).status == 400, "\(recipient)")
                }
            }
        }
    }

    @Test("An assertion is for us, at our address, now, and the answer to nobody's question")
    func conditions() async throws {
        try await running { service, one, _ in
            var wrong: [(String, Assertion)] = []
            func add(_ why: String, _ change: (inout Assertion) -> Void) {
                var assertion = Assertion(issuer: one.issuer)
                change(&assertion)
                wrong.append((why, assertion))
            }
            add("another recipient") { $0.recipient = "https://other.example.com/mobile/platform/sso/exchange-token" }
            add("nearly our address") { $0.recipient += "/" }
            add("another audience") { $0.audience = "https://other.example.com" }
            add("nearly our name") { $0.audience = $0.audience.replacing("https", with: "http") }
            add("ended") { $0.lifetime = -61 }
            add("an answer") { $0.inResponseTo = "_1" }
            add("a name with a comment") { $0.named = Assertion.name("mira<!---->.admin") }
            add("a name with white space") { $0.named = Assertion.name(" mira") }
            add("no name") { $0.named = Assertion.name("") }
            for (why, assertion) in wrong {
                let given = await service.everyWay(try assertion.signed(by: one))
                #expect(given.isEmpty, "\(why): \(given)")
            }
            let good = try Assertion(issuer: one.issuer).signed(by: one)
            let xml = String(decoding: try #require(Data(base64Encoded: good)), as: UTF8.self)
            for (part, other) in [
                ("mira", "boss"), ("staff", "admins"), ("<saml:Subject>", "<saml:Subject a=\"b\">"),
                ("rsa-sha256", "hmac-sha256"), ("<saml:Assertion", "<!DOCTYPE a [<!ENTITY b \"c\">]><saml:Assertion"),
            ] {
                let altered = Data(try xml.changing(part, to: other).utf8).base64EncodedString()
                #expect(await service.everyWay(altered).isEmpty, "\(part) altered")
            }
            #expect(await service.bring(good).status == 200, "none of it has used the good one up")
        }
    }
}

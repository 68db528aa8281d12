import Foundation
import Roster
import RosterText
import Testing

@testable import RosterSignIn

@Suite("A token is exchanged when every rule of its issuer lets it pass")
struct ExchangeRulesTests {
    typealias Documents = IssuerDocuments

    @Test("What is accepted says who, where, with which roles and for how long")
    func accepted() throws {
        let decision = try Documents.decision(
            ["virtualUserEnabled": true, "roleAttributes": ["roles"]], ["roles": ["a", "b"]])
        let identity = try #require(decision.identity)
        #expect(
            identity
                == ExchangedIdentity(
                    format: .jwt, issuer: Documents.issuerName, subject: "ada", username: "ada", user: .virtual,
                    roles: ["a", "b"].map { GrantedRole($0, isMapped: false) }, lifetimeSeconds: 28_800,
                    expires: Documents.now.addingTimeInterval(28_800)))
        #expect(decision.refusal == nil)
        #expect(decision.steps.map(\.rule) == [.issuer, .enabled, .backend, .audience, .username, .lifetime, .roles])
        #expect(decision.steps.allSatisfy { $0.hasPassed && !$0.explanation.isEmpty })
    }

    @Test("A token of another issuer, of none, or of another kind is refused")
    func issuer() throws {
        for name in ["https://idp.example/", "HTTPS://idp.example", "https://evil.example", "", .null, 5] as [JSONValue]
        {
            #expect(try Documents.refusal([:], ["iss": name]) == .issuer, "\(name)")
        }
        #expect(try Documents.refusal([:], ["iss": nil]) == .issuer)
        #expect(try Documents.refusal([:], ["iss": [.string(Documents.issuerName)]]) == .issuer)
        let saml = VerifiedToken(
            samlIssuer: Documents.issuerName, subject: "ada", audiences: [], expires: nil, attributes: [:])
        #expect(try Documents.readIssuer().decide(saml).steps.last?.rule == .issuer)
        #expect(
            try Documents.readIssuer().decide(VerifiedToken(jwt: ["ada"])).identity == nil)
    }

    @Test("An issuer that is switched off refuses every token")
    func enabled() throws {
        #expect(try Documents.refusal(["enabled": false]) == .enabled)
        #expect(try Documents.refusal(["enabled": true]) == nil)
    }

    @Test("Without a list, the audience is one of ten addresses of ours, exactly")
    func defaultAudience() throws {
        let paths = ["", "/mobile", "/mobile/platform", "/mobile/platform/auth", "/mobile/platform/auth/token"]
        let addresses = paths.flatMap { ["https://roster.example" + $0, "https://roster.example" + $0 + "/"] }
        #expect(try Documents.readIssuer().defaultAudience(baseURL: "https://roster.example") == addresses)
        #expect(try Documents.readIssuer().defaultAudience(baseURL: "https://roster.example/") == addresses)
        for address in addresses {
            #expect(try Documents.refusal([:], ["aud": .string(address)]) == nil)
            #expect(try Documents.refusal(["audience": []], ["aud": ["x", .string(address)]]) == nil)
        }
        for address in [
            "http://roster.example", "https://roster.example//", "https://roster.example/mobile/platform/sso",
            "https://ROSTER.example", "https://roster.example/mobile ", "https://roster.example.evil", "", "*",
        ] {
            #expect(try Documents.refusal([:], ["aud": .string(address)]) == .audience, "\(address)")
        }
    }

    @Test("With a list, the audience is one of it; a token without any is refused, and so is one with a wrong type")
    func audience() throws {
        let fields: [String: JSONValue?] = ["audience": ["GUID-1", "https://app.example"]]
        #expect(try Documents.refusal(fields, ["aud": "GUID-1"]) == nil)
        #expect(try Documents.refusal(fields, ["aud": ["other", "https://app.example"]]) == nil)
        #expect(try Documents.refusal(fields, ["aud": nil]) == .audience)
        for wrong in [
            "guid-1", "GUID-", .string(Documents.base), [], ["other"], .null, 5, ["GUID-1", 5], [["GUID-1"]],
            ["GUID-1": "GUID-1"],
        ] as [JSONValue] {
            #expect(try Documents.refusal(fields, ["aud": wrong]) == .audience, "\(wrong)")
        }
    }

    @Test("An assertion must be meant for the exchange endpoint")
    func samlAudience() throws {
        let issuer = try Documents.readSAML()
        func passes(_ audiences: [String]) -> Bool {
            let token = VerifiedToken(
                samlIssuer: Documents.issuerName, subject: "ada", audiences: audiences, expires: nil, attributes: [:])
            return issuer.decide(token).identity != nil
        }
        let endpoint = "https://roster.example/mobile/platform/sso/exchange-token"
        #expect(passes([endpoint]) && passes(["x", endpoint]))
        #expect(!passes([]) && !passes(["x"]) && !passes(["https://roster.example"]) && !passes([endpoint + "?"]))
    }

    @Test("Only the backends of the list may use the issuer, and a wrong entry allows none")
    func backends() throws {
        let good: [JSONValue] = [
            ["name": "FixItFast", "version": "1.0"], ["clientId": "client-7"],
            ["name": "FixItFast", "version": "1.0", "clientId": "client-7"],
        ]
        let wrong: [JSONValue] = [
            ["name": "FixItFast"], ["version": "1.0"], ["name": "FixItFast", "version": "1.1"],
            ["name": "fixitfast", "version": "1.0"], ["clientId": "client-8"], ["clientId": ""], [:], "FixItFast",
            .null,
            ["name": "FixItFast", "version": .decimal(1.0)], ["clientId": "client-7", "name": "FixItFast"],
            ["name": "FixItFast", "version": "1.0", "clientId": "client-8"], ["clientID": "client-7"],
            ["clientId": "client-7", "enabled": true], ["name": "*", "version": "*"], ["clientId": "*"],
        ]
        for entry in good { #expect(try Documents.refusal(["allowedMbes": [entry]]) == nil, "\(entry)") }
        for entry in wrong { #expect(try Documents.refusal(["allowedMbes": [entry]]) == .backend, "\(entry)") }
        #expect(try Documents.refusal(["allowedMbes": .array(wrong + good)]) == nil)
        #expect(try Documents.refusal(["allowedMbes": []]) == .backend)
    }

    @Test("The user is named by sub, or by the claim that the issuer has for it")
    func username() throws {
        #expect(try Documents.decision().identity?.username == "ada")
        let named = try Documents.decision(["usernameAttribute": "upn"], ["upn": "grace@navy.example"]).identity
        #expect(named?.username == "grace@navy.example" && named?.subject == "ada")
        let bare = try Documents.decision(["usernameAttribute": "upn"], ["upn": "grace", "sub": nil]).identity
        #expect(bare?.username == "grace" && bare?.subject == "grace")
        #expect(try Documents.refusal(["usernameAttribute": "upn"]) == .username)
        #expect(try Documents.refusal(["usernameAttribute": "UPN"], ["upn": "grace"]) == .username)
        for wrong in [
            "", " ", .null, 5, true, ["ada"], ["name": "ada"], "a\0b", "a\nb", "ada\u{200B}", "\u{202E}ada",
            "\u{2800}", "ada\u{2800}", "\u{3164}", "\u{301}",
            .string(String(repeating: "a", count: 1_025)),
        ] as [JSONValue] {
            #expect(try Documents.refusal([:], ["sub": wrong]) == .username, "\(wrong)")
            #expect(try Documents.refusal(["usernameAttribute": "upn"], ["upn": wrong]) == .username, "\(wrong)")
            if (try? EntityName(wrong.text ?? "")) == nil,
                ![" ", "ada\u{200B}", "\u{202E}ada", "\u{3164}"].contains(wrong)
            {
                let refusal = try Documents.refusal(["usernameAttribute": "upn"], ["upn": "ada", "sub": wrong])
                #expect(refusal == .username, "\(wrong)")
            }
        }
    }

    @Test("Users with an account may be named by prn for want of sub; virtual ones may not")
    func prn() throws {
        #expect(try Documents.decision([:], ["sub": nil, "prn": "ada"]).identity?.username == "ada")
        #expect(try Documents.decision([:], ["sub": "ada", "prn": "grace"]).identity?.username == "ada")
        #expect(try Documents.refusal([:], ["sub": .null, "prn": "ada"]) == .username)
        #expect(try Documents.refusal([:], ["sub": 5, "prn": "ada"]) == .username)
        #expect(try Documents.refusal([:], ["sub": nil]) == .username)
        #expect(try Documents.refusal(["virtualUserEnabled": true], ["sub": nil, "prn": "ada"]) == .username)
        #expect(try Documents.refusal(["usernameAttribute": "sub"], ["sub": nil, "prn": "ada"]) == .username)
    }

    @Test("Local users are found by name or mail; of virtual ones that is ignored")
    func mapping() throws {
        #expect(try Documents.decision().identity?.user == .local(.name, .exact))
        let mail: [String: JSONValue?] = ["userMappingAttribute": "mail", "emailVerificationWaived": true]
        #expect(try Documents.decision(mail).identity?.user == .local(.mail, .exact))
        #expect(try Documents.decision(["userMappingAttribute": "uid"]).identity?.user == .local(.name, .exact))
        for exact in [nil, false] as [JSONValue?] {
            #expect(try Documents.decision(["userMappingIgnoresCase": exact]).identity?.user == .local(.name, .exact))
        }
        let loose = try Documents.decision(["userMappingIgnoresCase": true])
        #expect(loose.identity?.user == .local(.name, .ignoringASCIICase))
        let virtual = try Documents.decision(["userMappingAttribute": "mail", "virtualUserEnabled": true])
        #expect(virtual.identity?.user == .virtual)
    }

    @Test("An address finds a user only where the token says that it was verified, or the entry waives that by name")
    func verifiedMail() throws {
        let fields: [String: JSONValue?] = ["userMappingAttribute": "mail", "usernameAttribute": "email"]
        let waived = fields.merging(["emailVerificationWaived": true]) { $1 }
        func refusal(_ fields: [String: JSONValue?], _ verified: JSONValue?) throws -> ExchangeStep.Rule? {
            try Documents.refusal(fields, ["email": "ada@x.example", "email_verified": verified])
        }
        #expect(try refusal(fields, true) == nil && refusal(waived, true) == nil)
        #expect(try refusal(fields, nil) == .verifiedMail && refusal(waived, nil) == nil)
        for wrong in [false, .null, "true", "false", 1, [true], [:]] as [JSONValue] {
            #expect(try refusal(fields, wrong) == .verifiedMail && refusal(waived, wrong) == .verifiedMail, "\(wrong)")
        }
        // The claim speaks of 'email', and of no other address.
        let named: [String: JSONValue?] = ["userMappingAttribute": "mail", "usernameAttribute": "upn"]
        func other(_ email: JSONValue?) throws -> ExchangeStep.Rule? {
            try Documents.refusal(named, ["upn": "boss@x.example", "email": email, "email_verified": true])
        }
        #expect(try other("ada@x.example") == .verifiedMail && other("BOSS@x.example") == .verifiedMail)
        #expect(try other("boss@x.example") == nil && other(nil) == nil)
        // Virtual users and names have nothing to do with it.
        #expect(try Documents.refusal([:], ["email_verified": false]) == nil)
        #expect(try Documents.refusal(["virtualUserEnabled": true].merging(fields) { $1 }, ["email": "a"]) == nil)
    }

    @Test("An assertion's address finds a user only where the entry waives verification, or an attribute says 'true'")
    func verifiedMailOfAssertions() throws {
        func passes(_ fields: [String: JSONValue?], _ attributes: [String: [String]]) throws -> Bool {
            let token = VerifiedToken(
                samlIssuer: Documents.issuerName, subject: "ada@x.example",
                audiences: [Documents.base + "/mobile/platform/sso/exchange-token"],
                expires: Documents.now.addingTimeInterval(300), attributes: attributes)
            let all = ["userMappingAttribute": "mail"].merging(fields) { $1 }
            return try Documents.readSAML(all).decide(token).identity != nil
        }
        #expect(try !passes([:], [:]) && passes(["emailVerificationWaived": true], [:]))
        #expect(try passes([:], ["email_verified": ["true"]]))
        #expect(try !passes(["emailVerificationWaived": true], ["email_verified": ["false"]]))
    }

    @Test("A client's own token is not exchanged for a user's")
    func clientToken() throws {
        let fields: [String: JSONValue?] = ["clientIdAttribute": "client_id"]
        #expect(try Documents.refusal(fields, ["client_id": "ada"]) == .clientToken)
        #expect(try Documents.refusal(fields, ["client_id": ["x", "ada"]]) == .clientToken)
        #expect(try Documents.refusal(fields, ["client_id": 42, "sub": "42"]) == .clientToken)
        #expect(try Documents.refusal(fields, ["client_id": "app"]) == nil)
        #expect(try Documents.refusal(fields) == nil)
        #expect(try Documents.refusal([:], ["client_id": "ada"]) == nil)
        let other: [String: JSONValue?] = ["clientIdAttribute": "azp", "usernameAttribute": "upn"]
        #expect(try Documents.refusal(other, ["azp": "grace", "upn": "grace"]) == .clientToken)
    }

    @Test("The lifetime is the issuer's, else the policy's, else 8 hours")
    func timeout() throws {
        let policy = TokenExchangePolicy(lifetime: .seconds(21_600))
        #expect(try Documents.decision().identity?.lifetimeSeconds == 28_800)
        #expect(try Documents.decision(policy: policy).identity?.lifetimeSeconds == 21_600)
        let own = try Documents.decision(["tokenTimeoutSeconds": 60], policy: policy).identity
        #expect(own?.lifetimeSeconds == 60 && own?.expires == Documents.now.addingTimeInterval(60))
    }

    @Test("The lifetime follows the external token where the policy says so")
    func external() throws {
        let now = Int64(Documents.now.timeIntervalSince1970)
        func lifetime(_ policy: String, _ expiry: JSONValue?, _ timeout: JSONValue = 600) throws -> Int? {
            let fields: [String: JSONValue?] = ["tokenTimeoutPolicy": .string(policy), "tokenTimeoutSeconds": timeout]
            return try Documents.decision(fields, ["exp": expiry]).identity?.lifetimeSeconds
        }
        for (expiry, own, limited) in [
            (.integer(now + 100), 100, 100), (.integer(now + 9_000), 9_000, 600), (.integer(now + 1), 1, 1),
            (.decimal(Double(now) + 100.9), 100, 100), (.integer(now), nil, nil), (.integer(now - 1), nil, nil),
            (.decimal(Double(now) + 0.5), nil, nil), (.integer(.max), 31_536_000, 600),
            (.integer(.min), nil, nil), (.decimal(1e300), 31_536_000, 600), (.decimal(-1e300), nil, nil),
            (.string("\(now + 100)"), nil, nil), (.null, nil, nil), (nil, nil, nil),
        ] as [(JSONValue?, Int?, Int?)] {
            let shown = expiry.map(String.init(describing:)) ?? "none"
            #expect(try lifetime("FromExternalToken", expiry) == own, "\(shown)")
            #expect(try lifetime("FromExternalTokenLimitedByTimeoutSecs", expiry) == limited, "\(shown)")
            #expect(try lifetime("FromTimeoutSecs", expiry) == 600, "\(shown)")
        }
        let policy = TokenExchangePolicy(timeoutPolicy: .fromExternalToken)
        let expiry: [String: JSONValue?] = ["exp": .integer(now + 5)]
        #expect(try Documents.decision([:], expiry, policy: policy).identity?.lifetimeSeconds == 5)
        let own: [String: JSONValue?] = ["tokenTimeoutPolicy": "FromTimeoutSecs"]
        #expect(try Documents.decision(own, expiry, policy: policy).identity?.lifetimeSeconds == 28_800)
        #expect(try Documents.decision([:], [:], policy: policy).steps.last?.rule == .lifetime)
    }

    @Test("The policies have their defaults, and wrong values are refused by name")
    func policies() throws {
        #expect(TokenExchangePolicy() == .standard)
        #expect(TokenExchangePolicy.standard.timeoutSeconds == 28_800)
        #expect(TokenExchangePolicy.standard.timeoutPolicy == .fromTimeoutSecs)
        for seconds in [0, -1, 31_536_001, Int.max] {
            #expect {
                try TokenExchangePolicy(lifetime: .seconds(seconds)).check()
            } throws: { "\($0)".contains("Security_TokenExchangeTimeoutSecs") }
        }
    }

    @Test("What an assertion says of its user: the subject, or one attribute with one value")
    func saml() throws {
        func decide(_ fields: [String: JSONValue?], _ attributes: [String: [String]], subject: String? = "ada") throws
            -> ExchangeReport
        {
            let token = VerifiedToken(
                samlIssuer: Documents.issuerName, subject: subject,
                audiences: [Documents.base + "/mobile/platform/sso/exchange-token"],
                expires: Documents.now.addingTimeInterval(300), attributes: attributes)
            return try Documents.readSAML(fields).decide(token)
        }
        // Attributes named like claims are no claims.
        let spoof = ["sub": ["eve"], "iss": ["x"], "aud": ["x"], "exp": ["0"], "prn": ["eve"]]
        #expect(try decide([:], spoof).identity?.username == "ada")
        #expect(try decide([:], spoof, subject: nil).steps.last?.rule == .username)
        let named = try decide(["usernameAttribute": "mail"], ["mail": ["ada@x.example"]]).identity
        #expect(named?.username == "ada@x.example" && named?.subject == "ada" && named?.format == .saml)
        #expect(try decide(["usernameAttribute": "mail"], ["mail": ["a", "b"]]).identity == nil)
        #expect(try decide(["usernameAttribute": "mail"], ["mail": []]).identity == nil)
        let roles = try decide(
            ["roleAttributes": "groups,team", "defaultRoles": ["d"]], ["groups": ["a", "b"], "team": ["b", "c"]])
        #expect(roles.identity?.roles.map(\.name) == ["a", "b", "c"])
        let external = TokenExchangePolicy(timeoutPolicy: .fromExternalToken)
        let token = VerifiedToken(
            samlIssuer: Documents.issuerName, subject: "ada",
            audiences: [Documents.base + "/mobile/platform/sso/exchange-token"],
            expires: Documents.now.addingTimeInterval(300), attributes: [:])
        let decision = try Documents.readSAML().decide(token, external)
        #expect(decision.identity?.lifetimeSeconds == 300)
    }

    @Test("Whether the client must prove itself is told")
    func clientAuthentication() throws {
        #expect(try Documents.readIssuer().requiresClientAuthentication)
        #expect(try !Documents.readIssuer(["requireClientAuth": false]).requiresClientAuthentication)
    }

    @Test("The explanation ends with what refused, and says what was compared")
    func explanation() throws {
        let decision = try Documents.decision(
            ["filters": [["name": "dept", "values": ["IT*"]], ["name": "x", "values": []]]], ["dept": "ITS\u{1B}[2J"])
        guard let step = decision.refusal else {
            Issue.record("it was accepted")
            return
        }
        #expect(decision.steps.map(\.rule) == [.issuer, .enabled, .backend, .audience, .filter, .filter])
        #expect(
            decision.steps.map(\.hasPassed) == [true, true, true, true, true, false] && decision.steps.last == step)
        #expect(decision.steps[4].explanation.contains("\"dept\" is \"ITS") && !step.explanation.contains("\u{1B}"))
        #expect(step.explanation.contains("issuers[0].filters[1].values is empty"))
        #expect(decision.identity == nil)
    }
}

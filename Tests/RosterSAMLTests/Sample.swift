import CXMLSecurity
import Foundation
import RosterSAML
import Testing

/// An assertion in pieces, each of which a test can replace before it is signed.
struct Sample {
    static let now = Date(timeIntervalSince1970: 1_795_262_400)  // 2026-11-21T12:00:00Z
    static let issuer = "https://idp.example/metadata"
    static let audience = "https://roster.example/mobile/platform/sso/exchange-token"
    static let names = #"xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion""#

    var id = "_a1b2c3"
    var head = #"Version="2.0" IssueInstant="2026-11-21T11:59:30Z""#
    var issuerElement = "<saml:Issuer>\(issuer)</saml:Issuer>"
    var signature: String? = Sample.template(for: "_a1b2c3")
    var nameID =
        #"<saml:NameID Format="urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified">ada</saml:NameID>"#
    var confirmation = Sample.confirmation()
    var conditions = Sample.conditions()
    var statement =
        #"<saml:AuthnStatement AuthnInstant="2026-11-21T11:58:00Z" SessionNotOnOrAfter="2026-11-21T20:00:00.5Z"><saml:AuthnContext><saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>"#
    var attributes =
        "<saml:AttributeStatement><saml:Attribute Name=\"groups\"><saml:AttributeValue>staff</saml:AttributeValue><saml:AttributeValue>admins</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>"
    /// What stands at the end of the assertion.
    var more = ""

    static func confirmation(
        recipient: String? = audience, until: String? = "2026-11-21T12:05:00Z", more: String = ""
    ) -> String {
        let recipient = recipient.map { #" Recipient="\#($0)""# } ?? ""
        let until = until.map { #" NotOnOrAfter="\#($0)""# } ?? ""
        return
            #"<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData\#(recipient)\#(until)\#(more)/></saml:SubjectConfirmation>"#
    }

    static func conditions(
        from: String? = "2026-11-21T11:59:00Z", until: String? = "2026-11-21T12:10:00Z",
        audiences: [[String]] = [[audience]],
        more: String = ""
    ) -> String {
        let from = from.map { #" NotBefore="\#($0)""# } ?? ""
        let until = until.map { #" NotOnOrAfter="\#($0)""# } ?? ""
        let restrictions = audiences.map { names in
            "<saml:AudienceRestriction>\(names.map { "<saml:Audience>\($0)</saml:Audience>" }.joined())</saml:AudienceRestriction>"
        }
        return "<saml:Conditions\(from)\(until)>\(restrictions.joined())\(more)</saml:Conditions>"
    }

    /// A signature that has yet to be computed.
    static func template(
        for id: String, method: String = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
        digest: String = "http://www.w3.org/2001/04/xmlenc#sha256",
        canonical: String = "http://www.w3.org/2001/10/xml-exc-c14n#",
        transforms: [String] = [
            "http://www.w3.org/2000/09/xmldsig#enveloped-signature", "http://www.w3.org/2001/10/xml-exc-c14n#",
        ], uri: String? = nil, more: String = ""
    ) -> String {
        let steps = transforms.map { #"<ds:Transform Algorithm="\#($0)"/>"# }.joined()
        return
            ##"<ds:Signature xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:SignedInfo><ds:CanonicalizationMethod Algorithm="\##(canonical)"/><ds:SignatureMethod Algorithm="\##(method)"/><ds:Reference URI="\##(uri ?? "#\(id)")"><ds:Transforms>\##(steps)</ds:Transforms><ds:DigestMethod Algorithm="\##(digest)"/><ds:DigestValue></ds:DigestValue></ds:Reference></ds:SignedInfo><ds:SignatureValue></ds:SignatureValue>\##(more)</ds:Signature>"##
    }

    /// The assertion with its signature as it is now.
    var xml: String {
        "<saml:Assertion \(Self.names) ID=\"\(id)\" \(head)>\(issuerElement)\(signature ?? "")<saml:Subject>\(nameID)\(confirmation)</saml:Subject>\(conditions)\(statement)\(attributes)\(more)</saml:Assertion>"
    }

    /// The assertion, signed.
    func signed(with provider: TestProvider? = nil) throws -> String {
        let text = try TestSigner.sign(xml, with: .provider(provider ?? TestProvider.rsa.get()))
        return try text.removingDeclaration()
    }

    /// A response around an assertion.
    static func response(
        around assertion: String, id: String = "_r1", signature: String = "",
        head: String = #"Version="2.0" IssueInstant="2026-11-21T11:59:40Z""#,
        issuer: String? = issuer, status: String = "urn:oasis:names:tc:SAML:2.0:status:Success", before: String = "",
        after: String = ""
    ) -> String {
        let issuer = issuer.map { "<saml:Issuer \(names)>\($0)</saml:Issuer>" } ?? ""
        return
            "<samlp:Response xmlns:samlp=\"urn:oasis:names:tc:SAML:2.0:protocol\" ID=\"\(id)\" \(head)>\(issuer)\(signature)\(before)<samlp:Status><samlp:StatusCode Value=\"\(status)\"/></samlp:Status>\(assertion)\(after)</samlp:Response>"
    }

    /// Whom the tests trust.
    static func trust(_ certificates: [SAMLCertificate]? = nil) throws -> SAMLTrust {
        SAMLTrust(
            certificates: [issuer: try certificates ?? [TestProvider.rsa.get().pinned]], audiences: [audience],
            recipients: [audience])
    }

    /// Reads XML as it is presented.
    static func read(
        _ xml: String, trust: SAMLTrust? = nil, now: Date = now
    ) throws -> SAMLAssertion {
        try SAMLAssertionReader(trust: trust ?? Self.trust()).read(Data(xml.utf8).base64EncodedString(), now: now)
    }

    /// Why XML is refused; `nil` where it is not.
    static func problem(_ xml: String, trust: SAMLTrust? = nil, now: Date = now) throws -> SAMLProblem? {
        let trust = try trust ?? Self.trust()
        do {
            _ = try SAMLAssertionReader(trust: trust).read(Data(xml.utf8).base64EncodedString(), now: now)
            return nil
        } catch { return error }
    }
}

extension String {
    /// The text without an XML declaration before it.
    func removingDeclaration() throws -> String {
        guard hasPrefix("<?xml") else { return self }
        let end = try #require(range(of: "?>"))
        return String(self[end.upperBound...]).trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// The text with the first occurrence of a part replaced, which must be there.
    func changing(_ part: String, to other: String) throws -> String {
        let place = try #require(self.range(of: part))
        return replacingCharacters(in: place, with: other)
    }
}

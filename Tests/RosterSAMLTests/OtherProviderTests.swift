import Foundation
import RosterSAML
import Testing

/// What three programs that nobody here wrote have signed, kept in the folder Vectors: pysaml2 7.5.5 with Debian's
/// xmlsec1 (by Tests/Conformance/saml_idp.py), signxml 5.2.0 with lxml and cryptography, and python3-saml 1.16.0.
@Suite("What other programs sign is read")
struct OtherProviderTests {
    static let address = "https://roster.example/exchange"
    /// Within the minutes for which they were made.
    static let now = Date(timeIntervalSince1970: 1_795_237_440)  // 2026-11-21T05:04:00Z

    static func file(_ name: String) throws -> String {
        let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Vectors")
        return try String(contentsOf: folder.appendingPathComponent(name), encoding: .utf8)
    }

    static func read(_ name: String) throws -> SAMLAssertion {
        let certificates = try ["idp.pem", "ec.pem"].map { try SAMLCertificate(Array(file($0).utf8)) }
        let trust = SAMLTrust(
            certificates: [Sample.issuer: certificates], audiences: [address], recipients: [address])
        return try SAMLAssertionReader(trust: trust).read(file(name), now: now)
    }

    @Test(
        "An assertion is read, with RSA or ECDSA, in a response or alone, in gzip or not",
        arguments: [
            "pysaml2-response", "pysaml2-bare-gzip", "pysaml2-both-signed", "signxml-rsa", "signxml-ecdsa",
            "python3-saml",
        ])
    func accepted(name: String) throws {
        let assertion = try Self.read(name + ".txt")
        #expect(assertion.subject?.name == "ada")
        #expect(assertion.issuer == Sample.issuer)
        #expect(assertion.attributes["groups"] == ["staff", "admins"])
        #expect(assertion.attributes["mail"] == ["ada@example.com"])
    }

    @Test("A signed response with an assertion that is not signed is refused")
    func unsigned() { #expect(throws: SAMLProblem.unsigned) { try Self.read("pysaml2-unsigned.txt") } }

    @Test("RSA-PSS is read where xmlsec has it, which it does from 1.3 on, and refused for what it is where not")
    func pss() throws {
        do { #expect(try Self.read("signxml-pss.txt").subject?.name == "ada") } catch {
            #expect(error as? SAMLProblem == .signatureAlgorithm)
        }
    }
}

package import Foundation

/// Reads SAML 2.0 bearer assertions, as somebody presents them to be signed in with (SAML profiles, 4.1.4.3; RFC 7522).
///
/// What is presented is a signed `saml:Assertion`, or a `samlp:Response` with exactly one; base64 of it, or of it in
/// gzip. It is parsed once. Nothing of it is believed but what stands in the very element that a pinned certificate's
/// signature covers, and nothing is loaded from anywhere. Safe to be used by many threads at once.
///
/// Whether an assertion was used before is the caller's to know, who remembers it until ``SAMLAssertion/claimUntil``.
package struct SAMLAssertionReader: Sendable {
    /// How much two clocks may differ: 60 seconds, on both ends of the time that an assertion is valid.
    package static let clockSkew: TimeInterval = 60

    /// Whose assertions are taken.
    package let trust: SAMLTrust

    /// - Parameter trust: Whose assertions are taken. Making a reader costs nothing; a new one takes changes up.
    package init(trust: SAMLTrust) { self.trust = trust }

    /// What an assertion says, once everything about it has been verified.
    ///
    /// The steps are those of ``SAMLProblem/Step``, in their order: a problem of one step means that those before it
    /// have passed. Costs about 1 ms; at most 10 MB of memory and 1 s for what is made to cost most.
    ///
    /// - Parameter text: Base64 in either alphabet, with or without padding; at most 384 KiB, 256 KiB in bytes, 1 MiB
    ///   when inflated.
    /// - Throws: ``SAMLProblem``, which holds nothing of the text.
    package func read(_ text: String, now: Date) throws(SAMLProblem) -> SAMLAssertion {
        try XMLSecurityLibrary.run { () throws(SAMLProblem) in
            let tree = try Self.parse(text)
            let message = try SAMLMessage(tree)
            guard let certificates = trust.certificates(of: message.issuer) else { throw .unknownIssuer }
            let verifier = SignatureVerifier(tree: tree, certificates: certificates, now: now)
            try verifier.verify(message.assertionSignature)
            if let signature = message.responseSignature { try verifier.verify(signature) }
            return try AssertionChecks(trust: trust, now: now).read(message)
        }
    }

    /// The tree of what a text stands for; the bytes that it was made of are not kept.
    static func parse(_ text: String) throws(SAMLProblem) -> XMLTree {
        let xml = try CredentialText.xml(text)
        try XMLScan.check(xml)
        return try XMLTree(xml)
    }
}

package import Foundation

/// Reads SAML 2.0 bearer assertions for sign-in (SAML profiles, 4.1.4.3; RFC 7522).
///
/// The input is a signed `saml:Assertion`, or a `samlp:Response` with exactly one, in base64, optionally compressed
/// with gzip. It is parsed once. Only the contents of the element covered by a pinned certificate's signature are used,
/// and nothing is loaded from elsewhere. A reader is thread-safe.
///
/// The caller detects replays by remembering each assertion until ``SAMLAssertion/claimUntil``.
package struct SAMLAssertionReader: Sendable {
    /// The tolerated difference of two clocks, 60 seconds at both ends of an assertion's validity.
    package static let clockSkew: TimeInterval = 60

    /// The trusted providers and this service's names.
    package let trust: SAMLTrust

    /// - Parameter trust: The trusted providers and this service's names. Making a reader is free, so changes need a
    ///   new reader.
    package init(trust: SAMLTrust) { self.trust = trust }

    /// Verifies an assertion and returns its contents.
    ///
    /// The steps are those of ``SAMLProblem/Step`` in their order; a problem of one step means that the earlier ones
    /// have passed. Cost: about 1 ms; at most 10 MB of memory and 1 s for the costliest input.
    ///
    /// - Parameter text: Base64 in either alphabet, with or without padding; at most 384 KiB, 256 KiB decoded and 1 MiB
    ///   decompressed.
    /// - Throws: ``SAMLProblem``, which contains nothing of the text.
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

    /// Parses a credential. The tree does not keep the input bytes.
    static func parse(_ text: String) throws(SAMLProblem) -> XMLTree {
        let xml = try CredentialText.xml(text)
        try XMLScan.check(xml)
        return try XMLTree(xml)
    }
}

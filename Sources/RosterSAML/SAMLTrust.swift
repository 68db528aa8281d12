/// Whose assertions are taken, and what they must have been made for.
package struct SAMLTrust: Sendable {
    /// The certificates of each provider by its name (its entity ID). Several, while a provider changes its key.
    package let certificates: [String: [SAMLCertificate]]
    /// Names for us, one of which every audience restriction of an assertion must have.
    package let audiences: Set<String>
    /// Our addresses, to one of which an assertion must have been confirmed.
    package let recipients: Set<String>

    /// - Parameters:
    ///   - certificates: The pinned certificates by the provider's name. A provider without any is not known.
    ///   - audiences: Compared byte for byte.
    ///   - recipients: Compared byte for byte.
    package init(certificates: [String: [SAMLCertificate]], audiences: Set<String>, recipients: Set<String>) {
        self.certificates = certificates
        self.audiences = audiences
        self.recipients = recipients
    }

    /// The certificates of a provider whose name is the very same bytes; Swift's strings are equal in more cases.
    func certificates(of issuer: String) -> [SAMLCertificate]? {
        guard let index = certificates.index(forKey: issuer), certificates[index].key.utf8.elementsEqual(issuer.utf8),
            !certificates[index].value.isEmpty
        else { return nil }
        return certificates[index].value
    }

    /// Whether one of the texts is the very same bytes.
    static func contains(_ texts: Set<String>, _ text: String) -> Bool {
        guard let index = texts.firstIndex(of: text) else { return false }
        return texts[index].utf8.elementsEqual(text.utf8)
    }
}

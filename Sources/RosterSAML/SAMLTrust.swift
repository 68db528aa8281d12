/// The trusted providers, and this service's own names.
package struct SAMLTrust: Sendable {
    /// The pinned certificates by the provider's name (its entity ID). A provider has several while it changes its key.
    package let certificates: [String: [SAMLCertificate]]
    /// The names of this service. Every audience restriction must include one of them.
    package let audiences: Set<String>
    /// The addresses of this service. The subject's confirmation must name one of them.
    package let recipients: Set<String>

    /// - Parameters:
    ///   - certificates: The pinned certificates by the provider's name. A provider without certificates is unknown.
    ///   - audiences: Compared byte for byte.
    ///   - recipients: Compared byte for byte.
    package init(certificates: [String: [SAMLCertificate]], audiences: Set<String>, recipients: Set<String>) {
        self.certificates = certificates
        self.audiences = audiences
        self.recipients = recipients
    }

    /// The certificates of a provider, compared byte for byte, because Swift's `==` accepts canonically equivalent
    /// texts.
    func certificates(of issuer: String) -> [SAMLCertificate]? {
        guard let index = certificates.index(forKey: issuer), certificates[index].key.utf8.elementsEqual(issuer.utf8),
            !certificates[index].value.isEmpty
        else { return nil }
        return certificates[index].value
    }

    /// Whether one of the texts has the same bytes.
    static func contains(_ texts: Set<String>, _ text: String) -> Bool {
        guard let index = texts.firstIndex(of: text) else { return false }
        return texts[index].utf8.elementsEqual(text.utf8)
    }
}

import CXMLSecurity

/// Names without a colon (Namespaces in XML, 3), the type of identifiers.
enum XMLName {
    /// The longest accepted identifier in bytes. SAML requires 128 bits of randomness, which is far shorter.
    static let maximumBytes = 256

    /// Whether the text is a name of at most ``maximumBytes``.
    static func isName(_ text: String) -> Bool {
        (1...maximumBytes).contains(text.utf8.count) && xmlValidateNCName(text, 0) == 0
    }
}

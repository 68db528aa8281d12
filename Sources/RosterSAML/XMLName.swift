import CXMLSecurity

/// Names without a colon (Namespaces in XML, 3), the type of identifiers.
enum XMLName {
    /// The most bytes of an identifier that is taken. SAML wants 128 bits or more of chance in it, not of length.
    static let maximumBytes = 256

    /// Whether it is one, and no longer than ``maximumBytes``.
    static func isName(_ text: String) -> Bool {
        (1...maximumBytes).contains(text.utf8.count) && xmlValidateNCName(text, 0) == 0
    }
}

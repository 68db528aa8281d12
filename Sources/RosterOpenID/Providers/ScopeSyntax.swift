/// Scopes, which say what a token allows (RFC 6749, section 3.3).
package enum ScopeSyntax {
    /// Whether a text is one scope: visible ASCII without quotes and backslashes.
    package static func isValid(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\") }
    }
}

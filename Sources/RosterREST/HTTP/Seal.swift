import RosterCrypto
import RosterSignIn
import RosterText

/// Signs text that clients send back, such as cursors, so that they cannot alter it.
package struct Seal: Sendable {
    private let key: [UInt8]

    init(key: String) { self.key = Array(key.utf8) }

    /// The text with its signature.
    ///
    /// - Parameter purpose: The purpose, without line breaks. The text opens only for the same purpose.
    package func seal(_ text: String, for purpose: String = "") throws -> String {
        try text + "." + signature(of: text, purpose)
    }

    /// The text that was sealed.
    ///
    /// - Throws: 400 if the text was altered, or comes from another directory, or has another purpose.
    package func open(_ sealed: String, for purpose: String = "") throws -> String {
        guard let point = sealed.lastIndex(of: "."),
            constantTimeEqual(
                String(sealed[sealed.index(after: point)...]), try signature(of: String(sealed[..<point]), purpose))
        else {
            throw SCIMError(
                .invalidCursor, "That is not a cursor of this server. Give back the one of the page before, unaltered.")
        }
        return String(sealed[..<point])
    }

    private func signature(of text: String, _ purpose: String) throws -> String {
        Base64URL.text(Array(try HMACSHA256.code(for: Array("\(purpose)\n\(text)".utf8), key: key).prefix(16)))
    }
}

import RosterCrypto
import RosterText

/// A secret for programs: `roster_`, 43 characters for 32 random bytes, and 6 characters of checksum.
///
/// The prefix and the checksum let scanners of source code know a leaked one for what it is, and a typing mistake be told
/// from a revoked token without looking anywhere. 256 random bits cannot be guessed, so that a plain SHA-256 is enough to
/// store; whoever reads the store cannot sign in with it.
package enum APIToken {
    /// What each token begins with.
    package static let prefix = "roster_"
    /// The number of characters of each token: 56.
    package static let length = 56

    /// A new token and what to store of it: 64 hexadecimal digits. Show the text once and keep the digest only.
    ///
    /// Costs about 8 µs.
    /// - Throws: ``CryptoFailure`` where there is no randomness to be had.
    package static func make() throws -> (text: String, digest: String) {
        let body = prefix + Base64URL.text(try SecureRandom.bytes(32))
        let text = body + (try checksum(of: body))
        return (text, try SHA256.hex(text))
    }

    /// What is stored of this token, or `nil` where it is none: another form, or a wrong checksum.
    ///
    /// Costs about 8 µs. Look the digest up as it is: that its look-up takes no constant time says nothing about the token.
    package static func digest(of text: String) -> String? {
        guard text.utf8.count == length, text.hasPrefix(prefix),
            Base64URL.bytes(text.dropFirst(prefix.count).prefix(43))?.count == 32,
            let expected = try? checksum(of: text.dropLast(6)), constantTimeEqual(String(text.suffix(6)), expected)
        else { return nil }
        return try? SHA256.hex(text)
    }

    /// The first four bytes of the SHA-256.
    private static func checksum(of body: some StringProtocol) throws -> String {
        Base64URL.text(Array(try SHA256.digest(Array(body.utf8)).prefix(4)))
    }
}

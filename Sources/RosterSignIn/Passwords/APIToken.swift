package import Foundation
package import Roster
import RosterCrypto
import RosterStore
import RosterText

/// The long-lived token of a program, as it is stored: without its text.
///
/// The text is `roster_`, 43 characters for 32 random bytes, and 6 characters of checksum.
/// The prefix and the checksum let scanners of source code know a leaked one for what it is, and a typing mistake be told
/// from a revoked token without looking anywhere. 256 random bits cannot be guessed, so that a plain SHA-256 is enough to
/// store; whoever reads the store cannot sign in with it.
package struct APIToken: Sendable {
    package enum Role: String, Sendable, CaseIterable {
        case administrator, provisioning, monitoring
    }

    package let name: String
    package let role: Role
    /// When it was made.
    package let created: Date
    /// When it ends; nil for never.
    package let expires: Date?
    /// The beginning of the token's digest in hexadecimal, which no other token has.
    package let id: String
    /// Who made it: the maker's key, see ``Made``; nil for the command line, a linked app and tokens of older versions.
    package let maker: String?
    /// What the maker was called; nil for tokens of older versions.
    package let makerName: String?
    let digest: String

    init(_ row: borrowing Row) {
        name = row.text(0)
        // The table takes no other; whatever it were, it would be the one with the least rights.
        role = Role(rawValue: row.text(1)) ?? .monitoring
        created = Date(milliseconds: row.integer(2))
        expires = row.optionalInteger(3).map { Date(milliseconds: $0) }
        digest = row.text(4)
        id = String(digest.prefix(16))
        maker = row.optionalText(5)
        makerName = row.optionalText(6)
    }

    /// The key under which the directory keeps what the token makes.
    package var key: String { "token " + id }

    /// Whom the token stands for.
    package var caller: Caller {
        switch role {
        case .administrator: .administrator(name)
        case .provisioning: .provisioning(name)
        case .monitoring: .monitoring(name)
        }
    }
}

extension APIToken {
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

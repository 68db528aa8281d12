public import Foundation
import Roster
import RosterCrypto
import RosterStore
package import RosterText

/// A password that a user makes for one program, such as a mail server or a calendar. The program reads with it, over LDAP or SCIM, what
/// the user may read, and changes nothing.
///
/// An app password has 25 random characters, which are shown once. The sign-in pages and the token endpoint do not accept it. No second
/// factor is asked for. It ends when its user, an administrator or the help desk ends it, at its end date, and with the user's other
/// sign-ins: with a new password, with a disabled or deleted account, and with signing out everywhere.
public struct AppPassword: Sendable, Hashable {
    /// The interface at which an app password is accepted.
    public enum Use: String, Sendable, CaseIterable {
        /// Binding to the LDAP server.
        case ldap
        /// HTTP Basic for reading by SCIM.
        case scim
    }

    /// The identifier, with which nobody can sign in.
    public let id: String
    /// The name, which the user has given to no other app password.
    public let name: String
    /// The interface that accepts the app password.
    public let use: Use
    /// The addresses and networks from which the server accepts the app password; empty for all.
    public let networks: [String]
    /// The time when the user made the app password.
    public let created: Date
    /// The end; nil for no end.
    public let expires: Date?
    /// The last use, exact to an hour; nil if there was none.
    public let lastUse: Date?
    /// The user.
    let user: UserID
    let digest: String

    init(_ row: borrowing Row) {
        user = UserID(rawValue: row.integer(0))
        name = row.text(1)
        use = Use(rawValue: row.text(2)) ?? .ldap
        networks = row.text(3).split(separator: " ").map(String.init)
        created = Date(milliseconds: row.integer(4))
        expires = row.optionalInteger(5).map { Date(milliseconds: $0) }
        lastUse = row.optionalInteger(6).map { Date(milliseconds: $0) }
        digest = row.text(7)
        id = String(digest.prefix(16))
    }
}

extension AppPassword {
    /// The most app passwords of a user.
    package static let most = 100
    /// The number of characters of each app password. Each has 5 random bits.
    static let length = 25

    /// Whether a text looks like an app password.
    static func hasForm(_ text: String) -> Bool {
        text.utf8.count == length
            && text.utf8.allSatisfy { SecureRandom.legibleCharacters.contains($0) }
    }

    /// Returns whether the server accepts the app password from an address.
    func isAccepted(from address: String) -> Bool { ClientNetwork.contains(address, anyOf: networks) }

    /// The app password as its user and administrators see it.
    package var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "for": .string(use.rawValue), "networks": .texts(networks),
            "created": .time(created), "expires": .time(expires), "used": .time(lastUse),
        ]
    }
}

extension KeyRing {
    /// The digest under which an app password is stored. Cost: one HMAC-SHA256, so that no hashing slot is needed.
    ///
    /// The digest can be looked up in the usual way, because nobody can find the digest of a text without the key.
    func digest(ofAppPassword text: String) throws -> String {
        Hexadecimal.text(try HMACSHA256.code(for: Array(text.utf8), key: appPasswordKey))
    }
}

/// The app password that a client has proved to know.
package struct ProvedAppPassword: Sendable, Hashable, Codable {
    package let name: String
    /// The key of the stored record; see ``SignInRecords/appPassword(digest:)``.
    package let digest: String
}

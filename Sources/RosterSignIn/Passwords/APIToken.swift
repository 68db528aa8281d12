package import Foundation
package import Roster
import RosterCrypto
import RosterStore
package import RosterText

/// The long-lived token of a program, as it is stored: without its text.
///
/// The text is `roster_`, 43 characters for 32 random bytes, and 6 characters of checksum. By prefix and checksum, scanners of source
/// code recognize a leaked token, and a typing mistake is found without a look-up. Because 256 random bits cannot be guessed, a plain
/// SHA-256 is stored, with which nobody can sign in.
package struct APIToken: Sendable {
    package let name: String
    package let role: ProgramRole
    package let created: Date
    /// The end of the token; nil for a token without an end.
    package let expires: Date?
    /// The beginning of the token's digest in hexadecimal, which is unique.
    package let id: String
    /// The key of its maker, see ``RemainingAccess``; nil for the command line, a linked app and tokens of older versions.
    package let maker: String?
    /// The name of its maker; nil for tokens of older versions.
    package let makerName: String?
    /// The source that the token names; nil for none.
    package let source: TokenSource?
    /// The narrow view of a reading program; nil for the tokens of other programs.
    package let narrowView: NarrowView?
    /// The name of the role whose members a reading program reads; nil for none, and for a deleted role.
    private let roleOfMembers: String?
    /// The addresses and networks from which the server accepts the token; empty for all.
    package let networks: [String]
    /// The time of a use by the program, after which the program has not used the token for more than an hour. Nil if no use is recorded.
    package let lastUse: Date?
    let digest: String

    init(_ row: borrowing Row) {
        name = row.text(0)
        // The table has no other roles. An unknown one would get the fewest rights.
        role = ProgramRole(rawValue: row.text(1)) ?? .monitoring
        created = Date(milliseconds: row.integer(2))
        expires = row.optionalInteger(3).map { Date(milliseconds: $0) }
        digest = row.text(4)
        id = String(digest.prefix(16))
        maker = row.optionalText(5)
        makerName = row.optionalText(6)
        let isCreating = row.optionalInteger(8) == 1
        source = row.optionalText(7).map { TokenSource(name: $0, createsOnReplace: isCreating) }
        let members = row.optionalInteger(10).map { RoleID(rawValue: $0) }
        narrowView = row.optionalText(9).map { names in
            NarrowView(Set(names.split(separator: " ").map { AttributeName(String($0)) }), membersOf: members)
        }
        roleOfMembers = row.optionalText(12)
        networks = row.text(11).split(separator: " ").map(String.init)
        lastUse = row.optionalInteger(13).map { Date(milliseconds: $0) }
    }

    /// Whether the program has not used the token since a time, although the token was made before that time and has not expired.
    package func isUnused(since time: Date, at now: Date) -> Bool {
        created < time && lastUse.map { $0 < time } ?? true && expires.map { now < $0 } ?? true
    }

    /// The maker's key of everything that the token makes.
    package var key: String { "token " + id }

    package var caller: Caller { narrowView.map { .reading(name, $0) } ?? role.caller(named: name) }

    /// Returns whether the server accepts the token from an address.
    func isAccepted(from address: String) -> Bool { ClientNetwork.contains(address, anyOf: networks) }
}

extension APIToken {
    /// The token as administrators see it, without its text.
    package var json: JSONValue {
        [
            "id": .string(id), "name": .string(name), "role": .string(role.rawValue), "created": .time(created),
            "expires": .time(expires), "maker": .text(makerName), "source": .text(source?.name),
            "creates_on_replace": source.map { .boolean($0.createsOnReplace) } ?? .null,
            "attributes": narrowView.map { .texts($0.attributes.map(\.rawValue).sorted()) } ?? .null,
            "members_of": .text(roleOfMembers ?? narrowView?.role?.description), "networks": .texts(networks),
            "used": .time(lastUse),
        ]
    }

    package static let prefix = "roster_"
    /// The number of characters of each token: 56.
    package static let length = 56

    /// Generates a token: its text, which is shown once, and the digest to store, 64 hexadecimal digits. Cost: about 8 µs.
    package static func make() throws -> (text: String, digest: String) {
        let body = prefix + Base64URL.text(try SecureRandom.bytes(32))
        let text = body + (try checksum(of: body))
        return (text, try SHA256.hex(text))
    }

    /// The digest of a token; nil for a text of another form or with a wrong checksum. Cost: about 8 µs.
    ///
    /// The digest can be looked up in the usual way, because the time of a look-up tells nothing about the token.
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

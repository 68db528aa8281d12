package import Foundation
import Roster
import RosterStore
import RosterText

/// The use of a token or an assertion that must not be accepted twice.
package struct UseOnce: Sendable {
    /// The kind, a colon, and a text that is unique within the kind.
    package let id: String
    /// The time of issue; nil if it is not known.
    package let issued: Date?
    /// The time when the token ends by itself.
    package let until: Date
    /// The number of the grant that the token belongs to; nil for a token without a grant.
    package let grant: Int64?

    package init(_ id: String, issued: Date? = nil, until: Date, grant: Int64? = nil) {
        (self.id, self.issued, self.until, self.grant) = (id, issued, until, grant)
    }

    fileprivate var key: [Binding] {
        [
            .text(id), .text(id.contains(":") ? String(id.prefix { $0 != ":" }) : ""),
            .integer(issued?.milliseconds ?? 0), .integer(until.milliseconds),
        ]
    }
}

extension SpentTokens {
    /// Records a use. It stays recorded even if the clock goes forward and back again.
    ///
    /// - Returns: Whether this is the first use.
    package func spend(_ use: UseOnce) async throws -> Bool {
        try await directory.store.awaitWrite { connection in
            guard try !Self.isSpent(use, on: connection) else { return false }
            try connection.run(
                GrantStatements.spend,
                [
                    .text(use.id), .integer(use.issued?.milliseconds), .integer(use.until.milliseconds),
                    .integer(use.grant),
                ])
            return connection.engine.changedRows > 0
        }
    }

    /// Whether a use was recorded, or may have been recorded and forgotten.
    package func isSpent(_ use: UseOnce) throws -> Bool { try directory.store.read { try Self.isSpent(use, on: $0) } }

    private static func isSpent(_ use: UseOnce, on connection: Connection) throws -> Bool {
        try connection.first(GrantStatements.isSpent, use.key) { _ in true } == true
    }

    /// The seconds by which the clock may go back. A use that lies further in the future is refused.
    package static let clockTolerance: TimeInterval = 3_600

    /// Deletes grants, sessions, password links and recorded uses that have ended.
    package func forgetExpired() async throws {
        let (aDayAgo, aWeekAgo) = (
            Binding.integer(directory.now.milliseconds - 86_400_000),
            Binding.integer(directory.now.milliseconds - 604_800_000)
        )
        let now = Binding.integer(directory.now.milliseconds)
        try await directory.store.awaitWrite { connection in
            try connection.run(GrantStatements.deleteExpired, [now])
            try connection.run(GrantStatements.deleteExpiredSessions, [now])
            try connection.run(AppUseStatements.deleteEnded, [now])
            try connection.run(PasswordLinkStatements.deleteExpired, [now])
            try connection.run(BackendStatements.deleteExpiredSecrets, [now])
            try connection.run(SessionAppStatements.deleteOld, [aWeekAgo])
            try connection.run(AddressStatements.deleteOldHolds, [aDayAgo])
            // A server without mails never takes the notices.
            try connection.run(AddressStatements.deleteOldNotices, [aWeekAgo])
            // A clock that is ahead deletes too early. The latest times are kept, so that those uses are still refused later.
            try connection.run(GrantStatements.noteForgotten, [now])
            try connection.run(GrantStatements.deleteExpiredSpent, [now])
        }
    }
}

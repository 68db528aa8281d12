package import Foundation
package import Roster
import RosterStore
import RosterText

/// Something that must not be taken twice.
package struct UseOnce: Sendable {
    /// Its kind, a colon, and what tells it from others of its kind.
    package let id: String
    /// When it was made; nil where that is not known.
    package let issued: Date?
    /// When it ends by itself.
    package let until: Date
    /// The number of the grant without which it is worth nothing; nil where it needs none.
    package let grant: Int64?

    package init(_ id: String, issued: Date? = nil, until: Date, grant: Int64? = nil) {
        self.id = id
        self.issued = issued
        self.until = until
        self.grant = grant
    }

    fileprivate var key: [Binding] {
        [
            .text(id), .text(id.contains(":") ? String(id.prefix { $0 != ":" }) : ""),
            .integer(issued?.milliseconds ?? 0), .integer(until.milliseconds),
        ]
    }
}

extension Directory {
    /// Notes that something is used up. It stays so when the clock goes forward, and back again, meanwhile.
    ///
    /// - Returns: Whether it was unused until now.
    package func spend(_ use: UseOnce) async throws -> Bool {
        try await store.awaitWrite { connection in
            guard try !Self.isSpent(use, on: connection) else { return false }
            try connection.run(
                GrantStatements.spend,
                [
                    .text(use.id), .integer(use.issued?.milliseconds), .integer(use.until.milliseconds),
                    .integer(use.grant),
                ])
            return connection.changedRows > 0
        }
    }

    /// Whether something is used up, or may have been before that was forgotten.
    package func isSpent(_ use: UseOnce) throws -> Bool { try store.read { try Self.isSpent(use, on: $0) } }

    private static func isSpent(_ use: UseOnce, on connection: Connection) throws -> Bool {
        try connection.first(GrantStatements.isSpent, use.key) { _ in true } == true
    }

    /// How far the clock may go back, in seconds, before what began ahead of it is refused.
    package static let clockTolerance: TimeInterval = 3_600

    /// Forgets grants, sessions and used-up things that have ended.
    package func forgetExpired() async throws {
        let now = Binding.integer(now.milliseconds)
        try await store.awaitWrite { connection in
            try connection.run(GrantStatements.deleteExpired, [now])
            try connection.run(GrantStatements.deleteExpiredSessions, [now])
            // A clock that is ahead forgets too early. What may have been forgotten is refused when the clock is right again.
            try connection.run(GrantStatements.noteForgotten, [now])
            try connection.run(GrantStatements.deleteExpiredSpent, [now])
        }
    }
}

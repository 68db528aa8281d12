package import Foundation
package import Roster
import RosterStore
import RosterText

/// That somebody is signed in, in a browser or an app that keeps a cookie.
package struct SessionRecord: Sendable, Hashable {
    /// SHA-256 of what the cookie began with, in hexadecimal: it stays the same when the session is renewed.
    package let digest: String
    /// Who is signed in.
    package let holder: Holder
    /// Their name; of a virtual user issuer and subject (``VirtualUser/shownName``).
    package let name: String
    /// JSON: time and means of signing in.
    package let detail: String
    /// How long it lives after it was last used, in seconds.
    package let lifetime: TimeInterval
    /// When it was last used, as far as that was kept.
    package let used: Date
    /// When it ends unless it is used.
    package let expires: Date
    /// When it ends, however often it is used.
    package let ends: Date
    /// The sign-in in which it began, for what begins with it.
    package let version: CredentialVersion
    /// Whether it ends with its first use, and was used.
    package let isSpent: Bool

    init?(_ row: borrowing Row) {
        guard let holder = Holder(row, 1, 2) else { return nil }
        digest = row.text(0)
        self.holder = holder
        detail = row.text(3)
        lifetime = TimeInterval(row.integer(4)) / 1_000
        used = Date(milliseconds: row.integer(5))
        expires = Date(milliseconds: row.integer(6))
        name = row.optionalText(8) ?? Caller.shownName(issuer: row.text(9), subject: row.text(10))
        ends = Date(milliseconds: row.integer(11))
        version = CredentialVersion(holder.user, epoch: row.integer(12))
        isSpent = row.boolean(13)
    }
}

/// Who began a session for somebody else.
package struct SessionMaker: Sendable {
    let key: String?
    let name: String
}

extension Transaction {
    /// A user for whom the caller may begin a session without their password: an administrator's right.
    ///
    /// - Returns: The user, and who begins the session, to be kept with it.
    package func userForSession(_ user: UserReference) throws -> (user: UserID, maker: SessionMaker) {
        try checkPresentAdministrator(to: "begin sessions for others")
        let (key, name) = try maker
        return (try id(of: user), SessionMaker(key: key, name: name))
    }

    /// A user whose sessions the caller may look at: one's own, or an administrator anybody's.
    package func userWithSessions(_ user: UserReference) throws -> UserID {
        let id = try id(of: user)
        try checkSessions(of: id)
        return id
    }

    /// A user whose sessions the caller may end: one's own at any time, or an administrator anybody's.
    package func userForSignOut(_ user: UserReference) throws -> UserID {
        let id = try userWithSessions(user)
        if view.caller != .user(id) { try checkPresence(to: "end what others are signed in with") }
        return id
    }
}

extension Directory {
    /// Begins a session.
    ///
    /// - Parameters:
    ///   - version: What the holder signed in with; nil where it was no password.
    ///   - lifetime: How long it lives after it was last used, in seconds.
    ///   - ends: When it ends, however often it is used; nil for ``longestSession`` from now, or for the lifetime where that
    ///     is longer.
    ///   - maker: Who begins it for the holder; nil for the holder.
    /// - Throws: `notFound` where another password or a second factor was set meanwhile.
    package func beginSession(
        digest: String, holder: Holder, version: CredentialVersion?, detail: String, lifetime: TimeInterval,
        ends: Date? = nil, maker: SessionMaker? = nil
    ) async throws {
        let time = now
        let now = time.milliseconds
        let length = Int64(lifetime * 1_000)
        let end = ends ?? time + max(Self.longestSession, lifetime)
        try await store.awaitWrite { connection in
            try version?.check(on: connection)
            try connection.run(
                GrantStatements.insertSession,
                [.text(digest)] + holder.columns + [
                    .text(detail), .integer(length), .integer(now), .integer(now &+ length),
                    .integer(end.milliseconds), .text(maker?.key), .text(maker?.name), .integer(version?.epoch),
                ])
        }
    }

    /// How long a session lives however often it is used, in seconds: 30 days.
    package static let longestSession: TimeInterval = 2_592_000

    /// The session of a digest; nil where there is none, it has ended, or its user is disabled.
    package func session(_ digest: String) throws -> SessionRecord? {
        let now = now
        let session = try store.read { connection in
            try connection.first(GrantStatements.session, text: digest) { row in
                row.boolean(7) ? SessionRecord(row) : nil
            }
        }
        guard let session = session ?? nil, now < session.expires, session.used <= now + Self.clockTolerance else {
            return nil
        }
        return session
    }

    /// Lets a session live on from now. Called when more than a tenth of its life has gone, so that not every request
    /// writes.
    package func touch(_ session: SessionRecord) async throws {
        let now = now
        let expires = now.addingTimeInterval(session.lifetime)
        try await store.awaitWrite { connection in
            try connection.run(
                GrantStatements.touchSession,
                [.text(session.digest), .integer(now.milliseconds), .integer(expires.milliseconds)])
        }
    }

    /// Uses a session up. It stays, since what it began is ended with it.
    ///
    /// - Parameter lifetime: How long it lives from now on after it was last used, in seconds.
    /// - Returns: Whether it was there as it is given: of two callers at once, one uses it up.
    package func spend(_ session: SessionRecord, lifetime: TimeInterval) async throws -> Bool {
        let now = now.milliseconds
        let length = Int64(lifetime * 1_000)
        return try await store.awaitWrite { connection in
            try connection.run(
                GrantStatements.spendSession,
                [.text(session.digest), .integer(length), .integer(now), .integer(now &+ length)])
            return connection.changedRows > 0
        }
    }

    /// Gives a session another time and means of signing in; its grants stay.
    /// - Returns: Whether it was there, alive and that holder's.
    /// - Throws: `notFound` where another password or a second factor was set meanwhile.
    package func renewSession(
        _ digest: String, of holder: Holder, version: CredentialVersion?, detail: String
    ) async throws -> Bool {
        let now = now.milliseconds
        return try await store.awaitWrite { connection in
            try version?.check(on: connection)
            try connection.run(
                GrantStatements.renewSession,
                [.text(digest)] + holder.columns + [.text(detail), .integer(now), .integer(version?.epoch)])
            return connection.changedRows > 0
        }
    }

    /// Ends a session, and the grants that were given in it.
    /// - Returns: Whether there was one.
    @discardableResult
    package func endSession(_ digest: String) async throws -> Bool {
        try await store.awaitWrite { connection in
            try connection.run(GrantStatements.deleteOfSession, [.text(digest)])
            try connection.run(GrantStatements.deleteSession, [.text(digest)])
            return connection.changedRows > 0
        }
    }
}

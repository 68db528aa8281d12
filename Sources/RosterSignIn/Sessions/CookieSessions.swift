package import Foundation
package import Roster
import RosterCrypto
import RosterStore
import RosterText

/// The sessions of browsers, and of apps that keep a cookie.
///
/// A session lives on while it is used, and is stored again when more than a tenth of its life has passed. It ends after 30 days
/// in any case, even if it was renewed. It ends at once when the user gets a new password, is disabled or is deleted.
package struct CookieSessions: Sendable {
    let directory: Directory

    /// The seconds for which a session lives after its last use: a day.
    package static let lifetime: TimeInterval = 86_400
    /// The seconds for which a one-time session waits for its use.
    package static let oneTimeLifetime: TimeInterval = 300
    /// The seconds for which a session lives, however often it is used: 30 days.
    private static let longestLife: TimeInterval = 2_592_000

    package init(directory: Directory) { self.directory = directory }

    /// Begins a new session. A cookie that the browser had before has no effect.
    ///
    /// - Parameters:
    ///   - version: The password that the holder signed in with; nil for another way to sign in.
    ///   - agent: What the browser or the app calls itself (`User-Agent`).
    ///   - ends: The time when the session ends in any case; nil for 30 days from now, or for the lifetime if that is longer.
    ///   - maker: The administrator who begins it for the holder; nil for the holder.
    /// - Returns: The value of the cookie, of which only a digest is stored.
    /// - Throws: ``AuthenticationFailure`` `wrong` if another password or a second factor was set meanwhile, `tooManyAttempts` if the
    ///   holder has begun too many sessions.
    package func begin(
        _ holder: Holder, version: CredentialVersion? = nil, at time: Date, amr: [String],
        lifetime: TimeInterval = Self.lifetime, isOneTime: Bool = false, ends: Date? = nil,
        maker: (key: String?, name: String)? = nil, agent: String? = nil
    ) async throws -> String {
        // An administrator who begins sessions for others has their own rate.
        if maker == nil { try directory.holders.countSignIn(.session, of: holder) }
        let cookie = try SecureRandom.token()
        let digest = try SHA256.hex(cookie)
        var detail = GrantDetail(authenticationTime: Int64(time.timeIntervalSince1970), amr: amr)
        detail.isOneTime = isOneTime
        let now = directory.now
        (detail.began, detail.agent) = (Int64(now.timeIntervalSince1970), Session.shortened(agent))
        let (used, length) = (now.milliseconds, Int64(lifetime * 1_000))
        let end = ends ?? now + max(Self.longestLife, lifetime)
        _ = try await write(
            GrantStatements.insertSession,
            [.text(digest)] + holder.columns + [
                .text(detail.text), .integer(length), .integer(used), .integer(used &+ length),
                .integer(end.milliseconds), .text(maker?.key), .text(maker?.name), .integer(version?.epoch),
            ], in: version)
        return cookie
    }

    /// Writes for a sign-in, and refuses it if another password or a second factor was set during it.
    ///
    /// - Returns: Whether a row was written.
    private func write(_ statement: SQL, _ bindings: [Binding], in version: CredentialVersion?) async throws -> Bool {
        do {
            return try await directory.store.awaitWrite { connection in
                try version?.check(on: connection)
                try connection.run(statement, bindings)
                return connection.engine.changedRows > 0
            }
        } catch let error as DirectoryError where error.code == .notFound {
            throw AuthenticationFailure.wrong
        }
    }

    /// Renews the session of a cookie for the same user, who has signed in again. The session's grants go on, and the old cookie has no
    /// effect any more. If two forms are sent with one cookie, the later one renews the session as well.
    ///
    /// - Returns: The session and the value of its cookie; nil if the user has no such session. Another user's session ends.
    package func renew(
        _ cookie: String, for holder: Holder, version: CredentialVersion? = nil, at time: Date, amr: [String],
        agent: String? = nil
    ) async throws -> (session: Session, cookie: String)? {
        guard cookie.utf8.count <= 128 else { return nil }
        let beginning = cookie.prefix { $0 != "." }
        let secret = try SecureRandom.token()
        var detail = GrantDetail(authenticationTime: Int64(time.timeIntervalSince1970), amr: amr)
        detail.renewal = try SHA256.hex(secret)
        let found = try self.session(SHA256.hex(String(beginning)))
        (detail.began, detail.agent) = (found?.began, Session.shortened(agent))
        if found != nil { try directory.holders.countSignIn(.session, of: holder) }
        guard var session = found, !session.isOneTime,
            try await write(
                GrantStatements.renewSession,
                [.text(session.digest)] + holder.columns + [
                    .text(detail.text), .integer(directory.now.milliseconds), .integer(version?.epoch),
                ], in: version)
        else {
            _ = try await end(cookie)
            return nil
        }
        (session.authenticationTime, session.amr) = (detail.authenticationTime, amr)
        return (session, beginning + "." + secret)
    }

    /// Uses the session of a cookie, which prolongs its life; nil for an unknown, ended or one-time session.
    package func use(_ cookie: String) async throws -> Session? {
        guard let session = try find(cookie), !session.isOneTime else { return nil }
        try await touch(session)
        return session
    }

    private func touch(_ session: Session) async throws {
        let now = directory.now
        guard session.isStale(at: now) else { return }
        let expires = now.addingTimeInterval(session.lifetime)
        try await directory.store.awaitWrite { connection in
            try connection.run(
                GrantStatements.touchSession,
                [.text(session.digest), .integer(now.milliseconds), .integer(expires.milliseconds)])
        }
    }

    /// Uses up a one-time session. The session stays, because grants that began with it end with it.
    ///
    /// - Returns: Whether there was a session. If two requests come at once, one of them finds it.
    package func spend(_ cookie: String) async throws -> Bool {
        guard let session = try find(cookie), session.isOneTime else { return false }
        let (now, length) = (directory.now.milliseconds, Int64(Self.oneTimeLifetime * 1_000))
        return try await write(
            GrantStatements.spendSession,
            [.text(session.digest), .integer(length), .integer(now), .integer(now &+ length)], in: nil)
    }

    /// Whether an answer that began with a one-time session may go on. It ends when the session would have ended. The caller asks more
    /// often than the lifetime of such a session.
    package func goesOn(_ cookie: String) async throws -> Bool {
        guard let session = try find(cookie, isSpent: true) else { return false }
        try await touch(session)
        return true
    }

    /// Ends the session of a cookie, and the grants that were given in it.
    ///
    /// - Returns: Whether there was a session.
    package func end(_ cookie: String) async throws -> Bool {
        guard let session = try find(cookie) else { return false }
        let now = directory.now
        return try await directory.store.awaitWrite { connection in
            try Self.end(session.digest, at: now, on: connection)
            return connection.engine.changedRows > 0
        }
    }

    /// Ends a session, and the grants that were given in it. Its apps are told later.
    static func end(_ digest: String, at time: Date, on connection: Connection) throws {
        try connection.run(SessionAppStatements.end, [.text(digest), .integer(time.milliseconds)])
        try connection.run(GrantStatements.deleteOfSession, [.text(digest)])
        try connection.run(GrantStatements.deleteSession, [.text(digest)])
    }

    /// The session of a cookie; nil for an unknown, ended or used one. Its life is not prolonged.
    package func find(_ cookie: String) throws -> Session? { try find(cookie, isSpent: false) }

    private func find(_ cookie: String, isSpent: Bool) throws -> Session? {
        let parts = cookie.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard cookie.utf8.count <= 128, let session = try session(SHA256.hex(parts[0])), session.isSpent == isSpent,
            constantTimeEqual(session.renewal ?? "", try parts.count > 1 ? SHA256.hex(parts[1]) : "")
        else { return nil }
        return session
    }

    /// The session of a digest; nil if there is none, it has ended, or its user is disabled.
    func session(_ digest: String) throws -> Session? {
        let now = directory.now
        let found = try directory.store.read { connection in
            try connection.first(GrantStatements.session, [.text(digest), .integer(now.milliseconds)]) { row in
                row.boolean(7) ? try Session(row) : nil
            }
        }
        guard let session = found ?? nil, now < session.expires, session.used <= now + SpentTokens.clockTolerance else {
            return nil
        }
        return session
    }
}

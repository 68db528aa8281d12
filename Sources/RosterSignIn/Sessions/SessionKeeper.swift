package import Foundation
package import Roster
import RosterCrypto
import RosterText

/// The sessions of browsers, and of apps that keep a cookie.
///
/// A session lives on while it is used, and is stored again when more than a tenth of its life has passed. It ends after 30 days
/// in any case, even if it was renewed. It ends at once when the user gets a new password, is disabled or is deleted.
package struct SessionKeeper: Sendable {
    let directory: Directory

    /// The seconds for which a session lives after its last use: a day.
    package static let lifetime: TimeInterval = 86_400
    /// The seconds for which a one-time session waits for its use.
    package static let oneTimeLifetime: TimeInterval = 300

    /// A session that is alive.
    package struct Session: Sendable {
        /// SHA-256 of the first cookie of the session, by which grants name it. It stays the same when the cookie is renewed.
        package let digest: String
        /// The signed-in person.
        package let holder: Holder
        /// The person's name.
        package let name: String
        /// The time when the person proved who they are, in seconds since 1970.
        package let authenticationTime: Int64
        /// The authentication methods (RFC 8176).
        package let amr: [String]
        /// The seconds for which the session lives after its last use.
        package let lifetime: TimeInterval
        /// The time when the session ends unless it is used.
        package let expires: Date
        /// The time when the session ends in any case.
        package let ends: Date
        /// Whether the session ends with its first use.
        package let isOneTime: Bool
        /// The sign-in in which it began, for what begins with it.
        package let version: CredentialVersion

        /// The holder's sign-in by password; nil for another way to sign in.
        package var personalSignIn: PersonalSignIn? {
            PersonalSignIn(time: Date(timeIntervalSince1970: TimeInterval(authenticationTime)), amr: amr)
        }
    }

    /// Begins a new session. A cookie that the browser had before has no effect.
    ///
    /// - Parameters:
    ///   - version: The password that the holder signed in with; nil for another way to sign in.
    ///   - ends: The time when the session ends in any case; nil for 30 days from now, or for the lifetime if that is longer.
    ///   - maker: The administrator who begins it for the holder; nil for the holder.
    /// - Returns: The value of the cookie, of which only a digest is stored.
    /// - Throws: ``AuthenticationFailure`` `wrong` if another password or a second factor was set meanwhile.
    package func begin(
        _ holder: Holder, version: CredentialVersion? = nil, at time: Date, amr: [String],
        lifetime: TimeInterval = Self.lifetime, isOneTime: Bool = false, ends: Date? = nil,
        maker: SessionMaker? = nil
    ) async throws -> String {
        let cookie = try SecureRandom.token()
        var detail = GrantDetail(scopes: [], authenticationTime: Int64(time.timeIntervalSince1970), amr: amr)
        detail.isOneTime = isOneTime
        try await inTime {
            try await directory.beginSession(
                digest: try SHA256.hex(cookie), holder: holder, version: version, detail: detail.text,
                lifetime: lifetime, ends: ends, maker: maker)
        }
        return cookie
    }

    /// Refuses a sign-in during which another password or a second factor was set.
    private func inTime<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as DirectoryError where error.code == .notFound {
            throw AuthenticationFailure.wrong
        }
    }

    /// Renews the session of a cookie for the same user, who has signed in again. The session's grants go on, and the old cookie has no
    /// effect any more. If two forms are sent with one cookie, the later one renews the session as well.
    ///
    /// - Returns: The session and the value of its cookie; nil if the user has no such session. Another user's session ends.
    package func renew(
        _ cookie: String, for holder: Holder, version: CredentialVersion? = nil, at time: Date, amr: [String]
    ) async throws -> (session: Session, cookie: String)? {
        guard cookie.utf8.count <= 128 else { return nil }
        let beginning = cookie.prefix { $0 != "." }
        let digest = try SHA256.hex(String(beginning))
        let secret = try SecureRandom.token()
        var detail = GrantDetail(scopes: [], authenticationTime: Int64(time.timeIntervalSince1970), amr: amr)
        detail.renewal = try SHA256.hex(secret)
        guard let old = try directory.session(digest), try !GrantDetail(old.detail).isOneTime,
            try await inTime({
                try await directory.renewSession(
                    digest, of: holder, version: version, detail: detail.text)
            })
        else {
            _ = try await end(cookie)
            return nil
        }
        return (Self.session(old, detail), beginning + "." + secret)
    }

    /// The session of a cookie, and whether its life has to be prolonged by this use; nil for an unknown or ended session.
    package func look(_ cookie: String, now: Date) throws -> (session: Session, isStale: Bool)? {
        try find(cookie).map {
            ($0.session, now.timeIntervalSince($0.record.used) > $0.record.lifetime / 10)
        }
    }

    /// Uses the session of a cookie, which prolongs its life; nil for an unknown, ended or one-time session.
    package func use(_ cookie: String, now: Date = Date()) async throws -> Session? {
        guard let session = try find(cookie), !session.session.isOneTime else { return nil }
        if now.timeIntervalSince(session.record.used) > session.record.lifetime / 10 {
            try await directory.touch(session.record)
        }
        return session.session
    }

    /// Uses up a one-time session.
    /// - Returns: Whether there was a session. If two requests come at once, one of them finds it.
    package func spend(_ cookie: String) async throws -> Bool {
        guard let (record, session) = try find(cookie), session.isOneTime else { return false }
        return try await directory.spend(record, lifetime: Self.oneTimeLifetime)
    }

    /// Whether an answer that began with a one-time session may go on. It ends when the session would have ended. The caller asks more
    /// often than the lifetime of such a session.
    package func goesOn(_ cookie: String, now: Date) async throws -> Bool {
        guard let record = try find(cookie, isSpent: true)?.record else { return false }
        if now.timeIntervalSince(record.used) > record.lifetime / 10 {
            try await directory.touch(record)
        }
        return true
    }

    /// The session of a cookie, for questions about it. Its life is not prolonged.
    package func find(_ cookie: String, now: Date) throws -> Session? { try look(cookie, now: now)?.session }

    /// Ends the session of a cookie.
    /// - Returns: Whether there was a session.
    package func end(_ cookie: String) async throws -> Bool {
        guard let found = try find(cookie) else { return false }
        return try await directory.endSession(found.session.digest)
    }

    private func find(_ cookie: String, isSpent: Bool = false) throws -> (record: SessionRecord, session: Session)? {
        let parts = cookie.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard cookie.utf8.count <= 128,
            let record = try directory.session(try SHA256.hex(parts[0]))
        else { return nil }
        let detail = try GrantDetail(record.detail)
        guard record.isSpent == isSpent else { return nil }
        guard constantTimeEqual(detail.renewal ?? "", try parts.count > 1 ? SHA256.hex(parts[1]) : "") else {
            return nil
        }
        return (record, Self.session(record, detail))
    }

    private static func session(_ record: SessionRecord, _ detail: GrantDetail) -> Session {
        Session(
            digest: record.digest, holder: record.holder, name: record.name,
            authenticationTime: detail.authenticationTime, amr: detail.amr, lifetime: record.lifetime,
            expires: record.expires, ends: record.ends, isOneTime: detail.isOneTime,
            version: record.version)
    }
}

package import Foundation
package import Roster
import RosterCrypto
import RosterText

/// The sessions of browsers, and of apps that keep a cookie.
///
/// A session slides: it lives on while it is used, and is written again when more than a tenth of its life has gone. It
/// ends after 30 days in any case, also where it was renewed. A changed password, a disabled or deleted user end it at once.
package struct SessionKeeper: Sendable {
    let directory: Directory

    /// How long a session lives after it was last used, in seconds: a day.
    package static let lifetime: TimeInterval = 86_400
    /// How long a session that ends with its first use waits for it, in seconds.
    package static let oneTimeLifetime: TimeInterval = 300

    /// A session that is alive.
    package struct Session: Sendable {
        /// SHA-256 of what the cookie began with, by which grants name the session: it stays when that is renewed.
        package let digest: String
        /// Who is signed in.
        package let holder: Holder
        /// Their name.
        package let name: String
        /// When they proved who they are, in seconds since 1970.
        package let authenticationTime: Int64
        /// How.
        package let means: [String]
        /// How long it lives after it was last used, in seconds.
        package let lifetime: TimeInterval
        /// When it ends unless it is used.
        package let expires: Date
        /// When it ends, however often it is used.
        package let ends: Date
        /// Whether it ends with its first use.
        package let isOneTime: Bool
        /// The sign-in in which it began, for what begins with it.
        package let version: CredentialVersion

        /// How the holder signed in; nil where it was not with a password of ours.
        package var personalSignIn: PersonalSignIn? {
            PersonalSignIn(time: Date(timeIntervalSince1970: TimeInterval(authenticationTime)), means: means)
        }
    }

    /// Begins a session, always a new one: whatever cookie a browser had before is worth nothing.
    ///
    /// - Parameters:
    ///   - version: What the holder signed in with; nil where it was no password.
    ///   - ends: When it ends, however often it is used; nil for 30 days from now, or for the lifetime where that is longer.
    ///   - maker: Who begins it for the holder; nil for the holder.
    /// - Returns: What the cookie is to hold; it is kept nowhere.
    /// - Throws: ``AuthenticationFailure`` `wrong` where another password or a second factor was set meanwhile.
    package func begin(
        _ holder: Holder, version: CredentialVersion? = nil, at time: Date, means: [String],
        lifetime: TimeInterval = Self.lifetime, isOneTime: Bool = false, ends: Date? = nil,
        maker: SessionMaker? = nil
    ) async throws -> String {
        let cookie = try SecureRandom.token()
        var detail = GrantDetail(scopes: [], authenticationTime: Int64(time.timeIntervalSince1970), means: means)
        detail.isOneTime = isOneTime
        try await inTime {
            try await directory.beginSession(
                digest: try SHA256.hex(cookie), holder: holder, version: version, detail: detail.text,
                lifetime: lifetime, ends: ends, maker: maker)
        }
        return cookie
    }

    /// Refuses somebody whose sign-in was overtaken by another password, or a second factor.
    private func inTime<Result>(_ work: () async throws -> Result) async throws -> Result {
        do {
            return try await work()
        } catch let error as DirectoryError where error.code == .notFound {
            throw AuthenticationFailure.wrong
        }
    }

    /// Renews the session of a cookie for the same user, who has signed in again: what was given in it goes on, and the old
    /// cookie is worth nothing. Of two forms that were sent with the same cookie the later one renews it, too.
    ///
    /// - Returns: The session, and what its cookie is to hold; nil where there is none of theirs. Another user's ends.
    package func renew(
        _ cookie: String, for holder: Holder, version: CredentialVersion? = nil, at time: Date, means: [String]
    ) async throws -> (session: Session, cookie: String)? {
        guard cookie.utf8.count <= 128 else { return nil }
        let beginning = cookie.prefix { $0 != "." }
        let digest = try SHA256.hex(String(beginning))
        let secret = try SecureRandom.token()
        var detail = GrantDetail(scopes: [], authenticationTime: Int64(time.timeIntervalSince1970), means: means)
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

    /// The session of a cookie, and whether it is time that it lives on by being used; nil where it is none, or has ended.
    package func look(_ cookie: String, now: Date) throws -> (session: Session, isStale: Bool)? {
        try find(cookie).map {
            ($0.session, now.timeIntervalSince($0.record.used) > $0.record.lifetime / 10)
        }
    }

    /// The session of a cookie, which lives on by being used; nil where it is none, has ended, or is good once only.
    package func use(_ cookie: String, now: Date = Date()) async throws -> Session? {
        guard let session = try find(cookie), !session.session.isOneTime else { return nil }
        if now.timeIntervalSince(session.record.used) > session.record.lifetime / 10 {
            try await directory.touch(session.record)
        }
        return session.session
    }

    /// Uses a session up that is good once: it lets nobody in again.
    /// - Returns: Whether it was there: of two requests at once, one finds it.
    package func spend(_ cookie: String) async throws -> Bool {
        guard let (record, session) = try find(cookie), session.isOneTime else { return false }
        return try await directory.spend(record, lifetime: Self.oneTimeLifetime)
    }

    /// Whether what began with a session that is used up may go on: whatever ends sessions ends that as well. Asked more
    /// often than the session would live otherwise.
    package func goesOn(_ cookie: String, now: Date) async throws -> Bool {
        guard let record = try find(cookie, isSpent: true)?.record else { return false }
        if now.timeIntervalSince(record.used) > record.lifetime / 10 {
            try await directory.touch(record)
        }
        return true
    }

    /// The session of a cookie for whoever asks about it, which does not let it live on.
    package func find(_ cookie: String, now: Date) throws -> Session? { try look(cookie, now: now)?.session }

    /// Ends the session of a cookie.
    /// - Returns: Whether there was one.
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
            authenticationTime: detail.authenticationTime, means: detail.means, lifetime: record.lifetime,
            expires: record.expires, ends: record.ends, isOneTime: detail.isOneTime,
            version: record.version)
    }
}

package import Foundation
package import Roster
import RosterStore
import RosterText

/// A session of a browser, or of an app that keeps a cookie: a row of the table `session`.
package struct Session: Sendable {
    /// SHA-256 of the first cookie, in hexadecimal, by which grants name the session. It stays the same when the cookie is renewed.
    package let digest: String
    /// The signed-in person.
    package let holder: Holder
    /// The person's name; of a virtual user issuer and subject (``VirtualUser/shownName``).
    package let name: String
    /// The time when the person proved who they are, in seconds since 1970.
    package internal(set) var authenticationTime: Int64
    /// The authentication methods (RFC 8176).
    package internal(set) var amr: [String]
    /// The time when the session began, in seconds since 1970; nil for a session of an older version.
    package let began: Int64?
    /// The `User-Agent` of the browser or the app; nil if it is not known.
    package let agent: String?
    /// Whether the session ends with its first use.
    package let isOneTime: Bool
    /// SHA-256 of the part that was added to the cookie when it was renewed.
    let renewal: String?
    /// The seconds for which the session lives after its last use.
    package let lifetime: TimeInterval
    /// The time of the last use that was stored.
    package let used: Date
    /// The time when the session ends unless it is used.
    package let expires: Date
    /// The time when the session ends, however often it is used.
    package let ends: Date
    /// The holder's password and sign-in epoch when the session began.
    package let version: CredentialVersion
    /// Whether it is a one-time session that was used.
    let isSpent: Bool

    init?(_ row: borrowing Row) throws {
        guard let holder = Holder(row, 1, 2) else { return nil }
        digest = row.text(0)
        self.holder = holder
        let detail = try GrantDetail(row.text(3))
        (authenticationTime, amr) = (detail.authenticationTime, detail.amr)
        (isOneTime, renewal) = (detail.isOneTime, detail.renewal)
        (began, agent) = (detail.began, detail.agent)
        lifetime = TimeInterval(row.integer(4)) / 1_000
        used = Date(milliseconds: row.integer(5))
        expires = Date(milliseconds: row.integer(6))
        name = row.optionalText(8) ?? Caller.shownName(issuer: row.text(9), subject: row.text(10))
        ends = Date(milliseconds: row.integer(11))
        version = CredentialVersion(holder.user, epoch: row.integer(12))
        isSpent = row.boolean(13)
    }

    /// The holder's sign-in by password; nil for another way to sign in.
    var personalSignIn: PersonalSignIn? {
        PersonalSignIn(time: Date(timeIntervalSince1970: TimeInterval(authenticationTime)), amr: amr)
    }

    /// The beginning of a field of a request's header, which can be very long.
    static func shortened(_ agent: String?) -> String? {
        agent.map { String(decoding: $0.utf8.prefix(256), as: UTF8.self) }
    }

    /// Whether more than a tenth of its life has passed since the last use that was stored. Only then a use is stored, so that
    /// not every request writes.
    func isStale(at now: Date) -> Bool { now.timeIntervalSince(used) > lifetime / 10 }
}

extension TransactionSessions {
    /// A user for whom the caller may begin a session without their password: an administrator's right.
    ///
    /// - Returns: The user, and the caller as the maker of the session.
    package func userForSession(_ user: UserReference) throws -> (user: UserID, maker: (key: String?, name: String)) {
        _ = try transaction.asPresentAdministrator(to: "begin sessions for others")
        return (try transaction.users.id(of: user), try transaction.access.maker)
    }

    /// A user whose sessions the caller may see. Users see their own, administrators all, the help desk those of users without
    /// a power.
    package func userWithSessions(_ user: UserReference) throws -> UserID {
        let id = try transaction.users.id(of: user)
        try transaction.checkSessions(of: id)
        return id
    }

    /// Ends a session, and the grants that were given in it.
    func end(_ digest: String) throws {
        try CookieSessions.end(digest, at: transaction.now(), on: transaction.connection)
    }
}

package import Foundation
package import Roster
import RosterStore
package import RosterText

/// A user of the directory for whom an app has tokens, or is told of the end of a session.
package struct AppUser: Sendable {
    /// The milliseconds to which ``used`` is exact, so that an app that refreshes often does not write each time.
    static let exactness: Int64 = 60_000

    package let user: UserID
    package let uid: String
    /// The name for people, or the uid for a user without one.
    package let label: String
    /// The last time at which the app got a token.
    package let used: Date
    package let hasGrant: Bool
    package let hasSession: Bool

    /// Where a page ends.
    package struct Position: Sendable, Hashable, LosslessStringConvertible {
        let used: Int64
        let user: UserID

        init(used: Int64, user: UserID) { (self.used, self.user) = (used, user) }

        package init?(_ description: String) {
            let parts = description.split(separator: ".", omittingEmptySubsequences: false)
            guard parts.count == 2, let used = Int64(parts[0]), let user = UserID(String(parts[1])) else { return nil }
            self.init(used: used, user: user)
        }

        package var description: String { "\(used).\(user)" }
    }
}

extension AppUser {
    fileprivate var json: JSONValue {
        [
            "id": .string(user.description), "uid": .string(uid), "name": .string(label), "used": .time(used),
            "tokens": .boolean(hasGrant), "session": .boolean(hasSession),
        ]
    }
}

extension TransactionBackends {
    /// Returns a page of the users who use an app as JSON. `users` has the users. `next` has the place of the next page if
    /// there may be one.
    ///
    /// - Throws: See ``users(of:after:count:)``.
    package func usersPage(of backend: BackendID, after position: AppUser.Position?, count: Int) throws -> JSONValue {
        let page = try users(of: backend, after: position, count: count)
        var json: JSONValue = ["users": .array(page.users.map(\.json))]
        if let next = page.next { json["next"] = .string(next.description) }
        return json
    }

    /// The users of the directory who use an app, latest use first. Cost: some microseconds for each, however many grants the app has. A
    /// page leaves out those whose grants and session have ended before their time, and can be short although there is a next one.
    ///
    /// - Returns: The users, and where the page ends if there may be more.
    /// - Throws: `notPermitted` for everybody but administrators.
    package func users(
        of backend: BackendID, after position: AppUser.Position?, count: Int
    ) throws -> (users: [AppUser], next: AppUser.Position?) {
        try transaction.checkAdministrator(to: "see who uses an app")
        let rows = try transaction.connection.all(
            AppUseStatements.latest,
            [
                .integer(backend.rawValue), .integer(position?.used ?? .max), .integer(position?.user.rawValue ?? .max),
                .integer(Int64(count)), .integer(transaction.now().milliseconds),
            ]
        ) { row in
            (
                user: UserID(rawValue: row.integer(0)), used: row.integer(1), isUsable: row.boolean(2),
                hasGrant: row.boolean(3), hasSession: row.boolean(4)
            )
        }
        let living = rows.filter { $0.isUsable && ($0.hasGrant || $0.hasSession) }
        let ids = Set(living.map(\.user))
        let (names, labels) = try (transaction.references.names(of: ids), transaction.references.labels(of: ids))
        let users = living.map { row in
            AppUser(
                user: row.user, uid: names[row.user] ?? "", label: labels[row.user] ?? "",
                used: Date(milliseconds: row.used), hasGrant: row.hasGrant, hasSession: row.hasSession)
        }
        let next = rows.count == count ? rows.last.map { AppUser.Position(used: $0.used, user: $0.user) } : nil
        return (users, next)
    }
}

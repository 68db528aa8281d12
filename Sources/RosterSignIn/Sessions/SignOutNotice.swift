package import Foundation
import Roster
import RosterCrypto
import RosterStore
package import RosterText

/// The notice to an app that a session has ended (OpenID Connect Back-Channel Logout): a row of the table `session_app`.
package struct SignOutNotice: Sendable, Hashable {
    let session: String
    let backend: BackendID
    /// The user, as the app knows them.
    package let subject: String
    package let ended: Date
    /// The time of the next attempt; nil after the last one.
    package let due: Date?
    package let attempts: Int
    /// The reason why the last attempt failed.
    package let problem: String?

    init(_ row: borrowing Row) {
        (session, backend, subject) = (row.text(0), BackendID(rawValue: row.integer(1)), row.text(2))
        ended = Date(milliseconds: row.integer(3))
        due = row.optionalInteger(4).map { Date(milliseconds: $0) }
        (attempts, problem) = (Int(row.integer(5)), row.optionalText(6))
    }

    /// The state, as text for people.
    package var json: JSONValue {
        [
            "sub": .string(subject), "ended": .time(ended), "attempts": .integer(Int64(attempts)), "next": .time(due),
            "problem": .text(problem),
        ]
    }

    /// The name of a session in tokens (`sid`), which is not the value of a cookie.
    static func sid(_ session: String) throws -> String {
        Base64URL.text(Array(try SHA256.digest(Array(("sid\0" + session).utf8)).prefix(16)))
    }

    var key: [Binding] { [.text(session), .integer(backend.rawValue)] }
}

extension TransactionSessions {
    /// The notices that an app has not received yet, with those that were given up within a week.
    package func signOutNotices(of backend: BackendID) throws -> [SignOutNotice] {
        _ = try transaction.backends.all()  // Only administrators may see them.
        return try transaction.connection.all(SessionAppStatements.ofBackend, [.integer(backend.rawValue)]) {
            SignOutNotice($0)
        }
    }
}

package import Foundation
package import Roster
import RosterStore
package import RosterText

/// A session of a user, for the user's list.
package struct OwnSession: Sendable {
    /// The beginning of the session's digest, which nobody can sign in with.
    package let id: String
    package let session: Session
    /// The administrator who began the session for the user; nil for the user.
    package let maker: String?
}

/// An app that acts for a user.
package struct OwnApp: Sendable {
    package let clientID: String
    package let name: String
    package let version: String
    /// The time when the first of the app's grants began.
    package let since: Date
    /// The time when the last of them ends.
    package let expires: Date
}

extension TransactionSessions {
    /// The living sessions of a user, the one that was used last first.
    ///
    /// - Throws: `notFound`, `notPermitted` for everybody but the user and administrators.
    package func sessions(of user: UserReference) throws -> [OwnSession] {
        let id = try userWithSessions(user)
        return try transaction.connection.all(
            GrantStatements.sessionsOfUser, [.integer(id.rawValue), .integer(transaction.now().milliseconds)]
        ) { row in
            try Session(row).map {
                OwnSession(id: OwnSession.id(of: $0.digest), session: $0, maker: row.optionalText(14))
            }
        }.compactMap { $0 }
    }

    /// The apps that hold grants for a user.
    ///
    /// - Throws: `notFound`, `notPermitted` for everybody but the user and administrators.
    package func apps(of user: UserReference) throws -> [OwnApp] {
        let id = try userWithSessions(user)
        return try transaction.connection.all(
            GrantStatements.appsOfUser, [.integer(id.rawValue), .integer(transaction.now().milliseconds)]
        ) { row in
            OwnApp(
                clientID: row.text(0), name: row.text(1), version: row.text(2),
                since: Date(milliseconds: row.integer(3)), expires: Date(milliseconds: row.integer(4)))
        }
    }

    /// The accounts with providers that are linked with a user.
    ///
    /// - Throws: `notFound`, `notPermitted` for everybody but the user and administrators.
    package func links(of user: UserReference) throws -> [RemainingAccess.Link] {
        let id = try userWithSessions(user)
        return try transaction.connection.all(RemainingAccessStatements.linksOfUser, [.integer(id.rawValue)]) {
            RemainingAccess.Link(issuer: $0.text(0), subject: $0.text(1))
        }
    }
}

extension SelfOrHelper {
    /// Ends sessions of the user, with the grants that were given in them.
    ///
    /// - Parameters:
    ///   - id: The session to end; nil for all.
    ///   - kept: The digest of a session that goes on in any case.
    /// - Returns: The number of ended sessions.
    package func endSessions(_ id: String?, except kept: String? = nil) throws -> Int {
        let ended = try transaction.sessions.sessions(of: .id(user.id)).filter {
            (id == nil || $0.id == id) && $0.session.digest != kept
        }
        for one in ended { try transaction.sessions.end(one.session.digest) }
        if !ended.isEmpty {
            try transaction.feed.record(
                .revoked, .user, id: user.id.rawValue, name: user.uid, before: nil, after: ["means": "session"])
        }
        return ended.count
    }
}

extension OwnSession {
    /// The session as its user and administrators see it.
    ///
    /// - Parameter isCurrent: Whether the request that asks comes with the session.
    package func json(isCurrent: Bool) -> JSONValue {
        [
            "id": .string(id), "current": .boolean(isCurrent), "agent": .text(session.agent),
            "began": .time(session.began.map { Date(timeIntervalSince1970: TimeInterval($0)) }),
            "used": .time(session.used), "expires": .time(session.expires), "amr": .texts(session.amr),
            "begun_by": .text(maker),
        ]
    }

    /// The identifier of the session with a digest.
    package static func id(of digest: String) -> String { String(digest.prefix(32)) }
}

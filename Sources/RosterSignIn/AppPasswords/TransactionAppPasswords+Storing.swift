package import Foundation
package import Roster
import RosterCrypto
import RosterStore
import RosterText

extension TransactionAppPasswords {
    /// The app passwords of a user that have not ended, the oldest one first.
    ///
    /// - Throws: `notFound`, `notPermitted` for everybody but the user, administrators and the help desk.
    package func all(of user: UserReference) throws -> [AppPassword] {
        let id = try transaction.sessions.userWithSessions(user)
        return try transaction.connection.all(
            AppPasswordStatements.ofUser, [.integer(id.rawValue), .integer(transaction.now().milliseconds)]
        ) { AppPassword($0) }
    }

    /// Records in the change feed that a user got or lost an app password.
    func record(_ kind: Change.Kind, _ name: String, of user: User) throws {
        try transaction.feed.record(
            kind, .user, id: user.id.rawValue, name: user.uid, before: nil,
            after: ["means": "app password", "reason": .string(name)])
    }
}

extension AppPassword {
    /// The choices of a user for a new app password.
    package struct Given: Sendable {
        let name: String
        let use: Use
        let networks: [String]
        let expires: Date?

        /// - Throws: `invalidInput` for a network that cannot be read.
        package init(_ name: String, for use: Use, networks: [String], expires: Date?) throws {
            (self.name, self.use, self.expires) = (name, use, expires)
            self.networks = try ClientNetwork.checked(networks)
        }

        func check(at now: Date) throws {
            try LongestLife.check(expires, of: "An app password", at: now)
        }
    }

    /// Makes an app password. Only its digest is stored.
    ///
    /// - Throws: `notFound`, `notPermitted` for everybody but the user and administrators, `recentSignInRequired`, `appNotPermitted`;
    ///   `alreadyExists`, `limitExceeded`, `invalidName`, `invalidInput`.
    package static func make(
        _ given: Given, for user: UserReference, keys: KeyRing, in view: DirectoryView
    ) async throws -> (text: String, record: AppPassword) {
        let text = try SecureRandom.legible(groups: 1, of: length)
        let digest = try keys.digest(ofAppPassword: text)
        return (
            text,
            try await view.awaitWrite {
                let right = try UserAppPasswords(of: user, in: $0)
                return try right.make(given, digest: digest)
            }
        )
    }
}

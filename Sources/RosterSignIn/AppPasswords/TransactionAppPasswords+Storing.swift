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

    /// Refuses everybody but the user and administrators.
    ///
    /// - Throws: `notFound`, `notPermitted`, `recentSignInRequired`, `appNotPermitted`.
    private func userToMake(for reference: UserReference) throws -> User {
        let user = try transaction.users.user(reference, ["uid"])
        if transaction.view.caller == .user(user.id) {
            try transaction.access.checkPresence(to: "make app passwords")
        } else {
            try transaction.access.checkPresentAdministrator(to: "make app passwords for others")
        }
        return user
    }

    /// Stores an app password by its digest.
    ///
    /// - Throws: `alreadyExists` for a name that another app password of the user has; `limitExceeded`, `invalidName`, `invalidInput`,
    ///   `notFound`, `notPermitted`, `recentSignInRequired`, `appNotPermitted`.
    package func make(_ given: AppPassword.Given, digest: String, for reference: UserReference) throws -> AppPassword {
        let user = try userToMake(for: reference)
        let name = try EntityName(given.name)
        guard name.text.utf8.count <= 200 else {
            throw DirectoryError(
                .invalidName, "The name of an app password has 200 bytes at most.", advice: "Choose a shorter one.")
        }
        let (id, now) = (Binding.integer(user.id.rawValue), transaction.now())
        try given.check(at: now)
        try transaction.connection.run(AppPasswordStatements.deleteEnded, [id, .integer(now.milliseconds)])
        let others = try all(of: .id(user.id))
        guard !others.contains(where: { TextKey.of($0.name) == name.key }) else {
            throw DirectoryError(
                .alreadyExists, "There is an app password \(EntityName.shown(name.text)) already.",
                advice: "Choose another name, or end that app password.")
        }
        guard others.count < AppPassword.most else {
            throw DirectoryError(
                .limitExceeded, "A user has \(AppPassword.most) app passwords at most.",
                advice: "End those that no program uses any more.")
        }
        try transaction.connection.run(
            AppPasswordStatements.insert,
            [
                .text(digest), id, .text(name.text), .text(name.key), .text(given.use.rawValue),
                .text(given.networks.joined(separator: " ")), .integer(now.milliseconds),
                .integer(given.expires?.milliseconds),
            ])
        try record(.granted, name.text, of: user)
        guard let made = try all(of: .id(user.id)).first(where: { $0.digest == digest }) else {
            throw DirectoryError(.damaged, "A new app password is not there.", advice: "Check the file.")
        }
        return made
    }

    /// Ends an app password.
    ///
    /// - Parameter name: The name or the identifier.
    /// - Throws: `notFound`, `notPermitted`; `recentSignInRequired`, `appNotPermitted` if it is another user's.
    package func end(_ name: String, of reference: UserReference) throws {
        let user = try transaction.users.user(.id(transaction.sessions.userForSignOut(reference)), ["uid"])
        let own = try all(of: .id(user.id))
        let key = TextKey.of(name)
        guard let found = own.first(where: { $0.id == name }) ?? own.first(where: { TextKey.of($0.name) == key })
        else {
            throw DirectoryError(
                .notFound, "There is no app password \(EntityName.shown(name)).",
                advice: "List them to see which there are.")
        }
        try transaction.connection.run(AppPasswordStatements.delete, [.text(found.digest)])
        try record(.revoked, found.name, of: user)
    }

    private func record(_ kind: Change.Kind, _ name: String, of user: User) throws {
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

        fileprivate func check(at now: Date) throws {
            try LongestLife.check(expires, of: "An app password", at: now)
        }
    }

    /// Makes an app password. Only its digest is stored.
    ///
    /// - Throws: See ``TransactionAppPasswords/make(_:digest:for:)``.
    package static func make(
        _ given: Given, for user: UserReference, keys: KeyRing, in view: DirectoryView
    ) async throws -> (text: String, record: AppPassword) {
        let text = try SecureRandom.legible(groups: 1, of: length)
        let digest = try keys.digest(ofAppPassword: text)
        return (text, try await view.awaitWrite { try $0.appPasswords.make(given, digest: digest, for: user) })
    }
}

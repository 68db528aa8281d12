import Foundation
package import Roster
import RosterStore
import RosterText

/// Makes app passwords of one user in a transaction: as that user, or as an administrator for others. The caller is present.
struct UserAppPasswords {
    private let transaction: Transaction
    private let user: User

    /// - Throws: `notFound`, `notPermitted` for everybody but the user and administrators; `recentSignInRequired`, `appNotPermitted`.
    init(of reference: UserReference, in transaction: Transaction) throws {
        if let oneself = try transaction.asSelf(of: reference, to: "make app passwords") {
            (self.transaction, user) = (oneself.transaction, oneself.user)
        } else {
            let administrator = try transaction.asPresentAdministrator(to: "make app passwords for others")
            (self.transaction, user) = (administrator.transaction, try transaction.users.user(reference, ["uid"]))
        }
    }

    /// Stores an app password by its digest.
    ///
    /// - Throws: `alreadyExists` for a name that another app password of the user has; `limitExceeded`, `invalidName`, `invalidInput`.
    func make(_ given: AppPassword.Given, digest: String) throws -> AppPassword {
        let name = try EntityName(given.name)
        guard name.text.utf8.count <= 200 else {
            throw DirectoryError(
                .invalidName, "The name of an app password has 200 bytes at most.", advice: "Choose a shorter one.")
        }
        let (id, now) = (Binding.integer(user.id.rawValue), transaction.now())
        try given.check(at: now)
        try transaction.connection.run(AppPasswordStatements.deleteEnded, [id, .integer(now.milliseconds)])
        let others = try transaction.appPasswords.all(of: .id(user.id))
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
        try transaction.appPasswords.record(.granted, name.text, of: user)
        guard let made = try transaction.appPasswords.all(of: .id(user.id)).first(where: { $0.digest == digest }) else {
            throw DirectoryError(.damaged, "A new app password is not there.", advice: "Check the file.")
        }
        return made
    }
}

extension SelfOrHelper {
    /// Ends an app password of the user.
    ///
    /// - Parameter name: The name or the identifier.
    /// - Throws: `notFound`.
    package func endAppPassword(_ name: String) throws {
        let own = try transaction.appPasswords.all(of: .id(user.id))
        let key = TextKey.of(name)
        guard let found = own.first(where: { $0.id == name }) ?? own.first(where: { TextKey.of($0.name) == key })
        else {
            throw DirectoryError(
                .notFound, "There is no app password \(EntityName.shown(name)).",
                advice: "List them to see which there are.")
        }
        try transaction.connection.run(AppPasswordStatements.delete, [.text(found.digest)])
        try transaction.appPasswords.record(.revoked, found.name, of: user)
    }
}

package import Roster
import RosterStore
import RosterText

/// The second factors of users in a transaction.
package struct TransactionFactors {
    package let transaction: Transaction
}

extension TransactionFactors {
    /// Removes one second factor of a user who has lost it.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `notFound`; `notPermitted` for all who may not help the user, and for a factor that was lost with the key file;
    ///   `recentSignInRequired`, `appNotPermitted`.
    package func remove(_ kind: SecondFactors.Kind, of user: UserReference, keys: KeyRing) throws -> Bool {
        let user = try userToHelp(user)
        let sealed = try StoredFactors.sealed(of: user.id, on: transaction.connection)
        if sealed?.isEmpty == true {
            throw DirectoryError(
                .notPermitted, "The second factors were lost with the directory's key file, with their kinds.",
                advice: "Remove all of them.")
        }
        var factors = try StoredFactors(sealed: sealed, of: user.id, keys)
        guard factors.remove(kind) else { return false }
        try StoredFactors.store(factors.sealed(for: user.id, keys), of: user.id, on: transaction.connection)
        try recordRemoval(of: kind.name, from: user)
        return true
    }

    /// Removes all second factors of a user who has lost them.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `notFound`; `notPermitted` for all who may not help the user; `recentSignInRequired`, `appNotPermitted`.
    package func removeSecondFactor(of user: UserReference) throws -> Bool {
        let user = try userToHelp(user)
        try transaction.connection.run(GrantStatements.clearSecondFactor, [.integer(user.id.rawValue)])
        guard transaction.connection.engine.changedRows > 0 else { return false }
        try recordRemoval(of: "second factor", from: user)
        return true
    }

    /// The user whose second factors the caller is about to remove.
    private func userToHelp(_ reference: UserReference) throws -> User {
        let user = try transaction.users.user(reference, ["uid"])
        try transaction.checkHelping(user.id, to: "remove second factors")
        try transaction.access.checkPresence(to: "remove second factors")
        return user
    }

    private func recordRemoval(of means: String, from user: User) throws {
        try transaction.feed.record(
            .revoked, .user, id: user.id.rawValue, name: user.uid, before: nil, after: ["means": .string(means)])
    }
}

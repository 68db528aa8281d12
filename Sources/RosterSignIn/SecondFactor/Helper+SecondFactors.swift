package import Roster
import RosterStore
import RosterText

/// The second factors of a user whom the caller helps.
extension Helper {
    /// Removes one second factor of the user, who has lost it.
    ///
    /// - Returns: Whether there was one.
    /// - Throws: `notPermitted` for a factor that was lost with the key file.
    package func removeSecondFactor(_ kind: SecondFactors.Kind, keys: KeyRing) throws -> Bool {
        let sealed = try StoredFactors.sealed(of: user.id, on: transaction.connection)
        if sealed?.isEmpty == true {
            throw DirectoryError(
                .notPermitted, "The second factors were lost with the directory's key file, with their kinds.",
                advice: "Remove all of them.")
        }
        var factors = try StoredFactors(sealed: sealed, of: user.id, keys)
        guard factors.remove(kind) else { return false }
        try StoredFactors.store(factors.sealed(for: user.id, keys), of: user.id, on: transaction.connection)
        try recordRemoval(of: kind.name)
        return true
    }

    /// Removes all second factors of the user, who has lost them.
    ///
    /// - Returns: Whether there was one.
    package func removeSecondFactors() throws -> Bool {
        try transaction.connection.run(GrantStatements.clearSecondFactor, [.integer(user.id.rawValue)])
        guard transaction.connection.engine.changedRows > 0 else { return false }
        try recordRemoval(of: "second factor")
        return true
    }

    private func recordRemoval(of means: String) throws {
        try transaction.feed.record(
            .revoked, .user, id: user.id.rawValue, name: user.uid, before: nil, after: ["means": .string(means)])
    }
}

package import RosterStore

/// The state of a user's credentials at a sign-in: the sign-in epoch, and whether the user had a second factor. Both
/// can change before the session begins, because hashing a password takes long.
package struct CredentialVersion: Sendable, Hashable, Codable {
    /// The user; nil for a virtual user.
    package let user: UserID?
    /// The sum of the user's and the directory's sign-in epochs.
    package let epoch: Int64
    /// Whether the user had a second factor; nil skips this check.
    let hasSecondFactor: Bool?

    /// Describes a sign-in. Without `hasSecondFactor`, a second factor that is set meanwhile does not matter.
    package init(_ user: UserID?, epoch: Int64, hasSecondFactor: Bool? = nil) {
        self.user = user
        self.epoch = epoch
        self.hasSecondFactor = hasSecondFactor
    }

    /// Whether no sign-ins of the user were ended since, and no second factor was set.
    func isCurrent(for user: UserID, on connection: Connection) throws -> Bool {
        guard user == self.user else { return false }
        return try connection.first(AccessStatements.credentialVersion, [.integer(user.rawValue)]) { row in
            row.integer(0) == epoch && hasSecondFactor.map { $0 == row.boolean(1) } ?? true
        } == true
    }

    /// - Throws: `notFound` if the sign-in was ended, or a second factor was set meanwhile.
    package func check(on connection: Connection) throws {
        guard let user else { return }
        guard try isCurrent(for: user, on: connection) else {
            throw DirectoryError(
                .notFound, "The password was changed during the sign-in with the old one.",
                advice: "Sign in again.")
        }
    }
}

extension TransactionAccounts {
    /// Ends a user's sessions and grants within this transaction.
    func endSignIns(of user: UserID) throws {
        try transaction.connection.run(AccessStatements.endSignIns, [.integer(user.rawValue)])
    }
}

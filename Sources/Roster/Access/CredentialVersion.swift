package import RosterStore

/// The sign-in that somebody has proved: the sign-in epoch in which it happened, and whether a second factor was known to be
/// needed. Between that and the beginning of a session both may change: a hash takes long, and waits for others.
package struct CredentialVersion: Sendable, Hashable {
    /// Whose sign-in it is; nil for a virtual user.
    package let user: UserID?
    /// The sum of the user's and the directory's epochs.
    package let epoch: Int64
    /// Whether the user had a second factor; nil where that does not matter any more.
    let hasSecondFactor: Bool?

    /// Describes a sign-in; without `hasSecondFactor`, a second factor that is set meanwhile does not matter.
    package init(_ user: UserID?, epoch: Int64, hasSecondFactor: Bool? = nil) {
        self.user = user
        self.epoch = epoch
        self.hasSecondFactor = hasSecondFactor
    }

    /// Whether nothing has ended a user's sign-ins since, and no second factor was set.
    func isCurrent(for user: UserID, on connection: Connection) throws -> Bool {
        guard user == self.user else { return false }
        return try connection.first(AccessStatements.credentialVersion, [.integer(user.rawValue)]) { row in
            row.integer(0) == epoch && hasSecondFactor.map { $0 == row.boolean(1) } ?? true
        } == true
    }

    /// - Throws: `notFound` where the sign-in has ended, or a second factor was set meanwhile.
    package func check(on connection: Connection) throws {
        guard let user else { return }
        guard try isCurrent(for: user, on: connection) else {
            throw DirectoryError(
                .notFound, "The password was changed while somebody signed in with the old one.",
                advice: "Sign in again.")
        }
    }
}

extension Transaction {
    /// Ends the sessions and grants of a user, with this transaction.
    package func endSignIns(of user: UserID) throws {
        try connection.run(AccessStatements.endSignIns, [.integer(user.rawValue)])
    }

    /// Ends all sessions and grants, and the tokens of backends themselves, with this transaction.
    package func endAllSignIns() throws { try connection.run(AccessStatements.endAllSignIns) }
}

import RosterStore

/// Ends the sign-ins of others in a transaction.
package struct AdministratorAccounts {
    let administrator: PresentAdministrator

    /// Ends all sessions and grants of a user.
    package func endSignIns(of user: UserID) throws { try administrator.transaction.accounts.endSignIns(of: user) }

    /// Ends all sessions and grants, and invalidates every client-credentials token.
    package func endAllSignIns() throws {
        try administrator.transaction.connection.run(AccessStatements.endAllSignIns)
    }
}

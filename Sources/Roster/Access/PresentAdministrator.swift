/// The right in one transaction of an administrator who is present: whose sign-in is recent, or whose program acts in its own right.
///
/// Making the value is the check, as of ``Administrator``.
package struct PresentAdministrator {
    package let transaction: Transaction

    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notPermitted` for all but administrators; `recentSignInRequired`, `appNotPermitted`.
    init(_ transaction: Transaction, to action: String) throws {
        try transaction.rights.checkAdministrator(to: action)
        try transaction.access.checkPresence(to: action)
        self.transaction = transaction
    }

    /// Ends the sign-ins of others.
    package var accounts: AdministratorAccounts { AdministratorAccounts(administrator: self) }
    /// The powers that roles give.
    package var powers: AdministratorPowers { AdministratorPowers(administrator: self) }
}

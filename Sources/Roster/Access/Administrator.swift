/// The right of an administrator in one transaction.
///
/// Only ``Transaction/asAdministrator(to:)`` makes this value, after the check. What administrators change is in the nouns of the value, so
/// that no such change can be called without the check. The value is not `Sendable`, so that it cannot leave its transaction.
package struct Administrator {
    package let transaction: Transaction

    fileprivate init(_ transaction: Transaction) { self.transaction = transaction }

    /// The changes of declared attributes, and of the rules and the rights of all attributes.
    package var attributes: AdministratorAttributes { AdministratorAttributes(administrator: self) }
    /// The periods for which the change feed keeps its entries.
    var retention: AdministratorRetention { AdministratorRetention(administrator: self) }
    /// Erases what is known of deleted users.
    var erasure: AdministratorErasure { AdministratorErasure(administrator: self) }
    /// The imports, and the loading of seeds.
    var importing: AdministratorImport { AdministratorImport(administrator: self) }
}

/// The right of an administrator who is present: whose sign-in is recent, or whose program acts in its own right.
///
/// Only ``Transaction/asPresentAdministrator(to:)`` makes this value, as ``Administrator`` is made.
package struct PresentAdministrator {
    package let transaction: Transaction

    fileprivate init(_ transaction: Transaction) { self.transaction = transaction }

    /// Ends the sign-ins of others.
    package var accounts: AdministratorAccounts { AdministratorAccounts(administrator: self) }
    /// The powers that roles give.
    package var powers: AdministratorPowers { AdministratorPowers(administrator: self) }
}

extension Transaction {
    /// The right of an administrator.
    ///
    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notPermitted` for all but administrators.
    package func asAdministrator(to action: String) throws -> Administrator {
        try rights.checkAdministrator(to: action)
        return Administrator(self)
    }

    /// The right of an administrator who is present.
    ///
    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notPermitted` for all but administrators; `recentSignInRequired`, `appNotPermitted`.
    package func asPresentAdministrator(to action: String) throws -> PresentAdministrator {
        try rights.checkAdministrator(to: action)
        try access.checkPresence(to: action)
        return PresentAdministrator(self)
    }
}

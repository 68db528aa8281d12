/// The right of an administrator in one transaction.
///
/// Making the value is the check. What administrators change is in the members of the value, so that no such change can be called without
/// the check. The value is not `Sendable`, so that a write cannot return it.
package struct Administrator {
    package let transaction: Transaction

    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notPermitted` for all but administrators.
    init(_ transaction: Transaction, to action: String) throws {
        try transaction.rights.checkAdministrator(to: action)
        self.transaction = transaction
    }

    /// The changes of declared attributes, and of the rules of all attributes.
    package var attributes: AdministratorAttributes { AdministratorAttributes(administrator: self) }
    /// The periods for which the change feed keeps its entries.
    var retention: AdministratorRetention { AdministratorRetention(administrator: self) }
    /// The imports, and the loading of seeds.
    var importing: AdministratorImport { AdministratorImport(administrator: self) }
}

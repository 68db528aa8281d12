/// The right to keep roles in one transaction: of administrators and provisioning clients.
///
/// Making the value is the check, as of ``Administrator``.
package struct Provisioner {
    package let transaction: Transaction

    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notPermitted` for all but administrators and provisioning clients.
    init(_ transaction: Transaction, to action: String) throws {
        try transaction.rights.checkProvisioning(to: action)
        self.transaction = transaction
    }

    /// Creates, changes and deletes roles.
    package var roles: ProvisionerRoles { ProvisionerRoles(provisioner: self) }
}

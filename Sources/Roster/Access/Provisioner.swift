/// The right to keep roles in one transaction: of administrators and provisioning clients.
///
/// Only ``Transaction/asProvisioning(to:)`` makes this value, as ``Administrator`` is made.
package struct Provisioner {
    package let transaction: Transaction

    fileprivate init(_ transaction: Transaction) { self.transaction = transaction }

    /// Creates, changes and deletes roles.
    package var roles: ProvisionerRoles { ProvisionerRoles(provisioner: self) }
}

extension Transaction {
    /// The right to keep roles.
    ///
    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notPermitted` for all but administrators and provisioning clients.
    package func asProvisioning(to action: String) throws -> Provisioner {
        try rights.checkProvisioning(to: action)
        return Provisioner(self)
    }
}

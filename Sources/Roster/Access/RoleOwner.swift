/// The right to change who is a member or an owner of one role, in one transaction: of administrators and provisioning clients. The owners of
/// the role, direct or through a role, have the right for members.
///
/// Making the value is the check, as of ``Administrator``.
package struct RoleOwner {
    package let transaction: Transaction
    /// The role, as the transaction read it.
    let role: Role
    /// Whether members or owners change.
    let relation: RoleRelation

    /// - Parameters:
    ///   - relation: Whether members or owners change. Owners change members only.
    ///   - version: The version that the role must have; nil for any.
    /// - Throws: `notFound`, `versionConflict`; `notPermitted`, also for a role that gives a power, unless the caller is an administrator;
    ///   `recentSignInRequired`, `appNotPermitted`.
    init(
        _ transaction: Transaction, of reference: RoleReference, _ relation: RoleRelation, ifVersion version: Int64?
    ) throws {
        let (rights, action) = (transaction.rights, "change who belongs to a role")
        if relation == .owner { try rights.checkProvisioning(to: action) }
        role = try transaction.roles.stored(reference)
        if relation == .member { try rights.checkMembers(of: role.id, to: action, on: transaction.connection) }
        try rights.checkActing(on: role.id, in: transaction)
        try transaction.users.check(version, of: role.version, role.name)
        (self.transaction, self.relation) = (transaction, relation)
    }
}

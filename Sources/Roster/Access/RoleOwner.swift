/// The right to change who is a member or an owner of one role, in one transaction: of administrators and provisioning clients, and for the
/// members of the role's owners, too.
///
/// Only ``Transaction/asRoleOwner(of:changing:ifVersion:)`` makes this value, as ``Administrator`` is made.
package struct RoleOwner {
    package let transaction: Transaction
    /// The role, as the transaction read it.
    let role: Role
    /// Whether members or owners change.
    let relation: RoleRelation

    fileprivate init(_ transaction: Transaction, _ role: Role, _ relation: RoleRelation) {
        (self.transaction, self.role, self.relation) = (transaction, role, relation)
    }
}

extension Transaction {
    /// The right to change who is a member or an owner of a role. Only administrators change these of a role that gives a power.
    ///
    /// - Parameters:
    ///   - relation: Whether members or owners change. Owners change members only.
    ///   - version: The version that the role must have; nil for any.
    /// - Throws: `notFound`, `notPermitted`, `recentSignInRequired`, `appNotPermitted`, `conflict`.
    package func asRoleOwner(
        of reference: RoleReference, changing relation: RoleRelation, ifVersion version: Int64? = nil
    ) throws -> RoleOwner {
        let action = "change who belongs to a role"
        if relation == .owner { try rights.checkProvisioning(to: action) }
        let role = try roles.stored(reference)
        if relation == .member { try rights.checkMembers(of: role.id, to: action, on: connection) }
        try rights.checkActing(on: role.id, in: self)
        try users.check(version, of: role.version, role.name)
        return RoleOwner(self, role, relation)
    }
}

import RosterStore
import RosterText

/// The imports into a transaction, and the loading of seeds.
struct AdministratorImport {
    let administrator: Administrator
    var transaction: Transaction { administrator.transaction }
}

extension AdministratorImport {
    /// Stores a line that a ``ReportingPlan`` has checked. Returns false if the user already had that manager.
    func writeManager(_ manager: UserID?, of id: UserID) throws -> Bool {
        let old = try transaction.users.stored(.id(id))
        guard old.managerID != manager else { return false }
        try transaction.users.update(old, old.attributes, EntityName(old.uid), old.isActive, manager)
        return true
    }

    /// Creates a role, or changes the existing role with the name.
    func writeRole(
        _ name: String, _ changes: [AttributeChange]
    ) throws -> LoadReport.Outcome {
        if let old = try transaction.importing.role(ofKey: TextKey.of(name)) {
            let new = try transaction.asProvisioning(to: "import roles").roles.modify(
                .id(old.id), changes, ifVersion: nil)
            return new.version == old.version ? .unchanged : .changed
        }
        var attributes: AttributeSet = [:]
        for case .set(let name, let value) in changes { attributes[name] = value }
        _ = try transaction.asProvisioning(to: "import roles").roles.create(name, attributes)
        return .created
    }

    /// Makes a user a member of roles, or users and roles members and owners of a role.
    ///
    /// - Parameter makingRoles: Whether roles that are not there are created.
    func relate(
        _ name: String, isRole: Bool, _ memberships: [ImportRow.Membership], _ grants: Grants, makingRoles: Bool
    ) throws {
        func role(_ name: String) throws -> RoleReference {
            if makingRoles, try transaction.importing.role(ofKey: TextKey.of(name)) == nil {
                return .id(try transaction.asProvisioning(to: "import roles").roles.create(name, [:]).id)
            }
            return .named(name)
        }
        guard isRole else {
            for membership in memberships {
                let id = try transaction.roles.stored(role(membership.name)).id
                try add([.user(.named(name))], to: id, as: membership.relation, grants)
            }
            return
        }
        let own = try transaction.roles.stored(role(name)).id
        for relation in RoleRelation.allCases {
            let subjects = try memberships.filter { $0.relation == relation }.map { membership -> RoleSubject in
                membership.isRole ? .role(try role(membership.name)) : .user(.named(membership.name))
            }
            if !subjects.isEmpty { try add(subjects, to: own, as: relation, grants) }
        }
    }
}

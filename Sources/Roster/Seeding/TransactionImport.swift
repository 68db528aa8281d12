import Foundation
import RosterStore
import RosterText
import RosterStore

/// The imports of a transaction, and the loading of seeds.
package struct TransactionImport {
    package let transaction: Transaction
}

extension TransactionImport {
    /// The user whose name has that key, or nil.
    func user(ofKey key: String) throws -> User? {
        try transaction.connection.first(UserStatements.byName, text: key) { try User($0, view: transaction.view) }
    }

    /// Creates a role, or changes the existing role with the name.
    func writeRole(
        _ name: String, _ changes: [AttributeChange]
    ) throws -> LoadReport.Outcome {
        if let old = try storedRole(ofKey: TextKey.of(name)) {
            let new = try transaction.roles.modify(.id(old.id), changes, ifVersion: nil)
            return new.version == old.version ? .unchanged : .changed
        }
        var attributes: AttributeSet = [:]
        for case .set(let name, let value) in changes { attributes[name] = value }
        _ = try transaction.roles.create(name, attributes)
        return .created
    }

    private func storedRole(ofKey key: String) throws -> Role? {
        try transaction.connection.first(RoleStatements.byName, text: key) { try Role($0, view: transaction.view) }
    }

    /// Makes a user a member of roles, or users and roles members and owners of a role.
    ///
    /// - Parameter makingRoles: Whether roles that are not there are created.
    func relate(
        _ name: String, isRole: Bool, _ memberships: [ImportRow.Membership], _ grants: Grants, makingRoles: Bool
    ) throws {
        func role(_ name: String) throws -> RoleReference {
            if makingRoles, try storedRole(ofKey: TextKey.of(name)) == nil {
                return .id(try transaction.roles.create(name, [:]).id)
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

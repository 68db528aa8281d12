import Foundation
import RosterStore
import RosterText

/// The roles of a transaction, with their members and owners.
package struct TransactionRoles {
    package let transaction: Transaction
}

extension TransactionRoles {
    // MARK: Reading

    func stored(_ reference: RoleReference) throws -> Role {
        if let role = try find(reference) { return role }
        throw noSuch(reference)
    }

    func noSuch(_ role: RoleReference) -> DirectoryError {
        DirectoryError(.notFound, "There is no role \(role).", advice: "Check the spelling, or search.")
    }

    /// Resolves a reference to an identifier.
    ///
    /// - Throws: `notFound` if there is no such role, or the caller does not see the role.
    func id(of role: RoleReference) throws -> RoleID {
        let found: Int64? =
            switch role {
            case .id(let id):
                try transaction.connection.first(RoleStatements.byID, [.integer(id.rawValue)]) { $0.integer(0) }
            case .named(let name):
                try transaction.connection.first(RoleStatements.byName, text: TextKey.of(name)) { $0.integer(0) }
            case .either: try find(role)?.id.rawValue
            }
        guard let found, try transaction.access.sees(RoleID(rawValue: found)) else { throw noSuch(role) }
        return RoleID(rawValue: found)
    }

    private func find(_ reference: RoleReference) throws -> Role? {
        guard let found = try findStored(reference), try transaction.access.sees(found.id) else { return nil }
        return found
    }

    private func findStored(_ reference: RoleReference) throws -> Role? {
        switch reference {
        case .id(let id):
            try transaction.connection.first(RoleStatements.byID, [.integer(id.rawValue)]) {
                try Role($0, view: transaction.view)
            }
        case .named(let name):
            try transaction.connection.first(RoleStatements.byName, text: TextKey.of(name)) {
                try Role($0, view: transaction.view)
            }
        case .either(let text):
            try RoleID(text).flatMap { try findStored(.id($0)) } ?? findStored(.named(text))
        }
    }

    /// Reads a role with the attributes that the caller may see.
    package func role(_ reference: RoleReference, _ attributes: AttributeSelection = .usual) throws -> Role {
        var role = try stored(reference)
        try present(&role, Selection(attributes, of: .role, transaction.vocabulary))
        return role
    }

    func present(_ role: inout Role, _ selection: Selection) throws {
        role.requested = selection.requested
        selection.apply(to: &role.attributes)
        let vocabulary = transaction.vocabulary
        let group = transaction.rights.readersOfRoles
        role.attributes = role.attributes.filtered { vocabulary.shows($0, for: .role, to: group) }
    }

    // MARK: Recording

    /// Records in the change feed that a deleted user leaves their roles.
    func recordLeaving(_ user: User) throws { try recordLeaving(user.id.rawValue, [.memberUser, .ownerUser]) }

    func recordLeaving(_ subject: Int64, _ links: [RoleLink]) throws {
        for link in links {
            let roles = try transaction.connection.all(link.statements.roles, [.integer(subject)]) {
                RoleID(rawValue: $0.integer(0))
            }
            try transaction.takeShare(rows: roles.count * WriterShare.rowsOfEntity)
            for id in roles { try recordLink(link, of: id, left: [subject], came: []) }
        }
    }
}

/// One of the four tables with the members and owners of roles.
enum RoleLink: CaseIterable {
    case memberUser, memberRole, ownerUser, ownerRole

    var statements: RoleStatements.Link {
        switch self {
        case .memberUser: RoleStatements.memberUser
        case .memberRole: RoleStatements.memberRole
        case .ownerUser: RoleStatements.ownerUser
        case .ownerRole: RoleStatements.ownerRole
        }
    }

    /// The relation without cycles between roles; nil for links with users.
    var hierarchy: Hierarchy? {
        switch self {
        case .memberRole: .membership
        case .ownerRole: .ownership
        case .memberUser, .ownerUser: nil
        }
    }

    /// The attribute with the joined and left identifiers in the change feed.
    var historyName: AttributeName {
        switch self {
        case .memberUser: "members"
        case .memberRole: "memberRoles"
        case .ownerUser: "owners"
        case .ownerRole: "ownerRoles"
        }
    }
}

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

    // MARK: Changing

    func create(_ attributes: AttributeSet) throws -> Role {
        let attributes = attributes.withOwnNames(in: transaction.vocabulary, .role)
        guard let name = attributes["name"]?.text else {
            throw DirectoryError(
                .invalidAttribute, "A role needs a name.", advice: "Give the attribute 'name'.", attribute: "name")
        }
        return try create(name, attributes.filtered { $0 != "name" })
    }

    package func create(_ name: String, _ attributes: AttributeSet) throws -> Role {
        try checkCreating()
        let name = try EntityName(new: name)
        let given = attributes.withOwnNames(in: transaction.vocabulary, .role)
        let others = given.filter { TransactionAccounts.isOutsideRecord($0.name) }.map {
            AttributeChange.set($0.name, $0.value)
        }
        let attributes = try applied(
            given.filter { !TransactionAccounts.isOutsideRecord($0.name) }.map { .set($0.name, $0.value) }, to: [:])
        try checkNameIsFree(name)
        let id = RoleID(rawValue: try transaction.nextID())
        let keys = RoleKeys(name.text, attributes)
        try keys.checkSizes(of: name.text, on: transaction.connection)
        let time = transaction.now()
        try transaction.connection.run(
            RoleStatements.insert,
            [
                .integer(id.rawValue), .text(name.text), keys.name, .integer(time.milliseconds), keys.displayName,
                keys.description, .text(attributes.record),
            ])
        let recorded = try transaction.accounts.storeOutsideRecord(others, of: id.rawValue)
        try transaction.feed.record(
            .created, .role, id: id.rawValue, name: name.text, before: nil,
            after: history(attributes, name.text).adding(recorded), at: time)
        return try role(.id(id))
    }

    /// Refuses callers who may not create roles.
    func checkCreating() throws { try transaction.rights.checkProvisioning(to: "create roles") }

    private func checkNameIsFree(_ name: EntityName) throws {
        if try transaction.connection.first(RoleStatements.byName, text: name.key, { _ in true }) == true {
            throw DirectoryError(
                .alreadyExists, "The role \(EntityName.shown(name.text)) already exists.",
                advice: "Choose another name, or modify that role.", attribute: "name")
        }
    }

    private func history(_ attributes: AttributeSet, _ name: String) -> AttributeSet {
        var history = attributes
        history["name"] = .string(name)
        return history
    }

    private func applied(_ changes: [AttributeChange], to attributes: AttributeSet) throws -> AttributeSet {
        var attributes = attributes
        var steps = Pattern.maximumSteps
        var effort = ChangeEffort(maximum: ChangeEffort.maximumInWriter)
        for change in changes {
            guard let definition = transaction.vocabulary.definition(of: change.name, for: .role) else {
                throw transaction.vocabulary.unknownAttribute(change.name, of: .role)
            }
            guard !StandardAttributes.roleSystem.contains(where: { $0.name == definition.name }) else {
                throw DirectoryError(
                    .invalidAttribute, "The directory maintains '\(definition.name)', so it cannot be set.",
                    attribute: definition.name)
            }
            try effort.spend(on: definition, of: attributes)
            try attributes.apply(change, definition, steps: &steps)
        }
        return attributes
    }

    package func modify(
        _ reference: RoleReference, _ changes: [AttributeChange], ifVersion version: Int64?
    ) throws -> Role {
        let old = try roleToChange(reference, to: "modify roles", ifVersion: version)
        var name = try EntityName(old.name)
        let changes = changes.map { $0.withOwnName(in: transaction.vocabulary, .role) }
        for change in changes where change.name == "name" {
            let text = try TransactionUsers.newValue(of: change)?.text ?? ""
            if text != old.name { name = try EntityName(new: text) }
        }
        let attributes = try applied(
            changes.filter { $0.name != "name" && !TransactionAccounts.isOutsideRecord($0.name) },
            to: old.attributes.decoded)
        let recorded = try transaction.accounts.storeOutsideRecord(
            changes.filter { TransactionAccounts.isOutsideRecord($0.name) }, of: old.id.rawValue)
        if attributes == old.attributes && name.text == old.name && recorded.isEmpty { return try role(.id(old.id)) }
        if name.key != TextKey.of(old.name) { try checkNameIsFree(name) }
        let keys = RoleKeys(name.text, attributes)
        try keys.checkSizes(of: name.text, on: transaction.connection)
        let time = transaction.now(notBefore: old.modified)
        try transaction.connection.run(
            RoleStatements.update,
            [
                .integer(old.id.rawValue), .text(name.text), keys.name, .integer(time.milliseconds), keys.displayName,
                keys.description, .text(attributes.record),
            ])
        try transaction.feed.record(
            .modified, .role, id: old.id.rawValue, name: name.text, before: history(old.attributes, old.name),
            after: history(attributes, name.text).adding(recorded), at: time)
        return try role(.id(old.id))
    }

    package func delete(_ reference: RoleReference, ifVersion version: Int64?) throws {
        let role = try roleToChange(reference, to: "delete roles", ifVersion: version)
        if try transaction.connection.first(AccessStatements.administrators, [], { $0.optionalInteger(0) })
            == role.id.rawValue
        {
            throw DirectoryError(
                .lastAdministrator,
                "\(EntityName.shown(role.name)) is the administrators' role, which cannot be deleted.",
                advice: "Remove members from it instead.")
        }
        var before = history(role.attributes, role.name)
        let left = try RoleLink.allCases.map { link in
            (
                link,
                try transaction.connection.all(link.statements.subjects, [.integer(role.id.rawValue)]) { $0.integer(0) }
            )
        }
        for (link, ids) in left where !ids.isEmpty {
            before[link.historyName] = .list(ids.map { .string(RoleID(rawValue: $0).description) })
        }
        try recordLeaving(role.id.rawValue, [.memberRole, .ownerRole])
        try transaction.connection.run(RoleStatements.delete, [.integer(role.id.rawValue)])
        try transaction.connection.run(AccessStatements.forgetSubject, [.integer(role.id.rawValue)])
        try transaction.accounts.checkAdministratorsRemain()
        try transaction.feed.record(
            .deleted, .role, id: role.id.rawValue, name: role.name, before: before, after: nil,
            at: transaction.now(notBefore: role.modified))
        for (link, ids) in left { try transaction.feed.noteMembers(ids, link, came: false) }
    }

    /// Records in the change feed that a deleted user leaves their roles.
    func recordLeaving(_ user: User) throws { try recordLeaving(user.id.rawValue, [.memberUser, .ownerUser]) }

    private func recordLeaving(_ subject: Int64, _ links: [RoleLink]) throws {
        for link in links {
            let roles = try transaction.connection.all(link.statements.roles, [.integer(subject)]) {
                RoleID(rawValue: $0.integer(0))
            }
            try transaction.takeShare(rows: roles.count * WriterShare.rowsOfEntity)
            for id in roles { try recordLink(link, role: stored(.id(id)), left: [subject], came: []) }
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

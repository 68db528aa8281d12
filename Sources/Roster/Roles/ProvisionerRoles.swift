import Foundation
import RosterStore
import RosterText

/// Creates, changes and deletes the roles of a transaction.
package struct ProvisionerRoles {
    let provisioner: Provisioner
    var transaction: Transaction { provisioner.transaction }
}

extension ProvisionerRoles {
    func create(_ attributes: AttributeSet) throws -> Role {
        let attributes = attributes.withOwnNames(in: transaction.vocabulary, .role)
        guard let name = attributes["name"]?.text else {
            throw DirectoryError(
                .invalidAttribute, "A role needs a name.", advice: "Give the attribute 'name'.", attribute: "name")
        }
        return try create(name, attributes.filtered { $0 != "name" })
    }

    package func create(_ name: String, _ attributes: AttributeSet) throws -> Role {
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
        return try transaction.roles.role(.id(id))
    }

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
        let old = try roleToChange(reference, ifVersion: version)
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
        if attributes == old.attributes && name.text == old.name && recorded.isEmpty {
            return try transaction.roles.role(.id(old.id))
        }
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
        return try transaction.roles.role(.id(old.id))
    }

    package func delete(_ reference: RoleReference, ifVersion version: Int64?) throws {
        let role = try roleToChange(reference, ifVersion: version)
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
        try transaction.roles.recordLeaving(role.id.rawValue, [.memberRole, .ownerRole])
        try transaction.connection.run(RoleStatements.delete, [.integer(role.id.rawValue)])
        try transaction.connection.run(AccessStatements.forgetSubject, [.integer(role.id.rawValue)])
        try transaction.accounts.checkAdministratorsRemain()
        try transaction.feed.record(
            .deleted, .role, id: role.id.rawValue, name: role.name, before: before, after: nil,
            at: transaction.now(notBefore: role.modified))
        for (link, ids) in left { try transaction.feed.noteMembers(ids, link, came: false) }
    }

    /// Finds a role that the caller may change.
    func roleToChange(_ reference: RoleReference, ifVersion version: Int64?) throws -> Role {
        let role = try transaction.roles.stored(reference)
        try transaction.rights.checkActing(on: role.id, in: transaction)
        try transaction.users.check(version, of: role.version, role.name)
        return role
    }
}

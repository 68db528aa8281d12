import Foundation
import RosterStore

/// The vocabulary of a directory, and the attributes that an app declares.
///
/// ```swift
/// let attributes = view.attributes
/// try attributes.declare("badge", .integer, rules: [.unique, .pattern("[0-9]{4}")])
/// try attributes.widen("badge", to: .string)
/// try attributes.rename("badge", to: "pass")
/// try attributes.setRules(.unique, of: .mail)
/// ```
///
/// A change of an attribute changes the stored values, the index and the change feed in one transaction. Only administrators
/// change attributes.
public struct AttributeManager: Sendable {
    let view: DirectoryView

    /// Lists the attributes that the directory knows at this moment.
    public func vocabulary() -> Vocabulary { view.vocabulary }

    /// Declares an app's own attributes. Repeating an identical declaration has no effect. A repeated declaration may have other labels
    /// and descriptions; the directory keeps those that it has stored.
    ///
    /// A declaration that differs from the stored one changes nothing and throws: change the attribute with
    /// `widen`, `setRules`, `setRights` or `setTexts`.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute` for an invalid name or a rule with a mistake, `alreadyExists` for a
    ///   declaration that differs from the stored one and for a name that another attribute has, `limitExceeded` after 500
    ///   attributes, `notPermitted` unless the caller is an administrator.
    public func declare(_ definitions: [AttributeDefinition]) throws {
        _ = try view.change(DeclareAttributes(definitions: definitions))
    }

    /// Declares an attribute of the app's own, as `declare([definition])` does.
    public func declare(_ definition: AttributeDefinition) throws { try declare([definition]) }

    /// Declares an attribute of the app's own, as the synchronous form does.
    public func declare(_ definition: AttributeDefinition) async throws { try await declare([definition]) }

    /// Declares an attribute of users by its name, its kind and its rules.
    public func declare(
        _ name: AttributeName, _ kind: AttributeDefinition.Kind = .string, rules: AttributeRules = []
    ) throws {
        try declare([AttributeDefinition(name, kind: kind, rules: rules)])
    }

    /// Declares an attribute of users by its name, its kind and its rules, as the synchronous form does.
    public func declare(
        _ name: AttributeName, _ kind: AttributeDefinition.Kind = .string, rules: AttributeRules = []
    ) async throws {
        try await declare([AttributeDefinition(name, kind: kind, rules: rules)])
    }

    /// Declares an app's own attributes, as the synchronous form does.
    public func declare(_ definitions: [AttributeDefinition]) async throws {
        _ = try await view.change(DeclareAttributes(definitions: definitions))
    }

    /// Sets the readers and writers of an attribute. The change affects every caller at once.
    ///
    /// Setting the readers of a view such as `mobile` sets the readers of the whole element behind it, which never
    /// exceed the readers of its list.
    ///
    /// - Parameters:
    ///   - name: An attribute of the vocabulary, or a view such as `homeAddress`. Attributes that the directory
    ///     maintains, such as `uid`, `manager` and `password`, are refused.
    ///   - entity: Whether it is an attribute of users or of roles.
    ///   - readers: The new readers; nil keeps the current ones. Secrets stay secret, and no other attribute becomes
    ///     one.
    ///   - writers: The new writers; nil keeps the current ones. Users never write attributes that decide who can
    ///     sign in.
    /// - Throws: ``DirectoryError`` `invalidAttribute` for an unknown attribute or impossible rights, `notPermitted`
    ///   unless the caller is an administrator.
    public func setRights(
        of name: AttributeName, for entity: AttributeDefinition.Entity = .user,
        readers: AttributeDefinition.Readers? = nil, writers: AttributeDefinition.Writers? = nil
    ) throws {
        _ = try view.change(
            SetAttributeRights(attribute: name, entity: entity, readers: readers, writers: writers))
    }

    /// Sets the readers and writers of an attribute, as the synchronous form does.
    public func setRights(
        of name: AttributeName, for entity: AttributeDefinition.Entity = .user,
        readers: AttributeDefinition.Readers? = nil, writers: AttributeDefinition.Writers? = nil
    ) async throws {
        _ = try await view.change(
            SetAttributeRights(attribute: name, entity: entity, readers: readers, writers: writers))
    }

    /// Resets the readers and writers of a built-in attribute to those of a new directory.
    public func resetRights(of name: AttributeName, for entity: AttributeDefinition.Entity = .user) throws {
        _ = try view.change(ResetAttributeRights(attribute: name, entity: entity))
    }

    /// Resets the readers and writers of a built-in attribute, as the synchronous form does.
    public func resetRights(of name: AttributeName, for entity: AttributeDefinition.Entity = .user) async throws {
        _ = try await view.change(ResetAttributeRights(attribute: name, entity: entity))
    }

    /// Reads the stored vocabulary.
    static func vocabulary(on connection: Connection) throws -> Vocabulary {
        let stored = try connection.all(AttributeStatements.declared) { row in
            let text = row.text(0)
            do {
                return try JSONDecoder().decode(AttributeDefinition.self, from: Data(text.utf8))
            } catch {
                throw DirectoryError(
                    .damaged, "A declared attribute cannot be read.", advice: "Check the file and restore a backup.")
            }
        }
        let rights = try connection.all(AttributeStatements.rights) { row in
            AttributeRights(
                name: AttributeName(row.text(0)), entity: row.text(1) == "role" ? .role : .user,
                readers: row.optionalText(2).flatMap { AttributeDefinition.Readers(named: $0) },
                writers: row.optionalText(3).flatMap { AttributeDefinition.Writers(rawValue: $0) })
        }
        let revision = try connection.first(ChangeStatements.last) { $0.integer(0) } ?? 0
        // The rules of a built-in attribute are stored as a declaration of its name.
        let (builtIn, declared) = stored.reduce(into: ([AttributeDefinition](), [AttributeDefinition]())) {
            parts, entry in
            if entry.isBuiltIn { parts.0.append(entry) } else { parts.1.append(entry) }
        }
        let rules = Dictionary(builtIn.map { ($0.name, $0.rules) }) { $1 }
        let indexed = Set(builtIn.filter { $0.isIndexed && !$0.isIndexedFromTheStart }.map(\.name))
        return Vocabulary(declared: declared, rights: rights, rules: rules, indexed: indexed, revision: revision)
    }
}

extension PresentAdministrator {
    /// Sets who reads and who writes an attribute.
    ///
    /// - Returns: Whether anything changed.
    func setRights(
        of name: AttributeName, _ entity: AttributeDefinition.Entity, _ readers: AttributeDefinition.Readers?,
        _ writers: AttributeDefinition.Writers?
    ) throws -> Bool {
        let vocabulary = try AttributeManager.vocabulary(on: transaction.connection)
        guard let definition = vocabulary.definition(of: name, for: entity) else {
            throw vocabulary.unknownAttribute(name, of: entity)
        }
        let isDeclared = vocabulary.declared.contains { $0.name == definition.name && $0.entity == entity }
        try definition.check(readers: readers, writers: writers, isDeclared: isDeclared)
        if isDeclared {
            let new = definition.with(
                readers: readers ?? definition.readers, writers: writers ?? definition.writers)
            if new == definition { return false }
            try transaction.connection.run(
                AttributeStatements.update, [.text(definition.name.rawValue), .text(try new.json)])
        } else {
            let old = vocabulary.rights.first { $0.name == definition.name && $0.entity == entity }
            let new = (readers ?? old?.readers, writers ?? old?.writers)
            if new == (old?.readers, old?.writers) { return false }
            try transaction.connection.run(
                AttributeStatements.setRights,
                [
                    .text(definition.name.rawValue), .text(entity.rawValue), .text(new.0.map { "\($0)" }),
                    .text(new.1?.rawValue),
                ])
        }
        try recordRights(of: definition, before: vocabulary)
        return true
    }

    /// Gives an attribute the readers and writers that every directory gives.
    func resetRights(of name: AttributeName, _ entity: AttributeDefinition.Entity) throws {
        let vocabulary = try AttributeManager.vocabulary(on: transaction.connection)
        guard let definition = vocabulary.definition(of: name, for: entity) else {
            throw vocabulary.unknownAttribute(name, of: entity)
        }
        try transaction.connection.run(
            AttributeStatements.resetRights, [.text(definition.name.rawValue), .text(entity.rawValue)])
        if transaction.connection.engine.changedRows > 0 { try recordRights(of: definition, before: vocabulary) }
    }

    private func recordRights(of definition: AttributeDefinition, before: Vocabulary) throws {
        let after = try AttributeManager.vocabulary(on: transaction.connection)
        try after.checkWhoWrites()
        func values(_ definition: AttributeDefinition?) -> AttributeSet {
            guard let definition else { return [:] }
            return ["readers": .string("\(definition.readers)"), "writers": .string(definition.writers.rawValue)]
        }
        try transaction.feed.record(
            .modified, .attribute, id: 0, name: definition.name.rawValue, before: values(definition),
            after: values(after.definition(of: definition.name, for: definition.entity)))
    }
}

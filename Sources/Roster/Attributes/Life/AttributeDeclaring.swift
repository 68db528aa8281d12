import Foundation
import RosterStore

extension AdministratorAttributes {
    /// - Returns: The new declarations.
    func declare(_ definitions: [AttributeDefinition]) throws -> [AttributeDefinition] {
        var vocabulary = try AttributeManager.vocabulary(on: transaction.connection)
        var added: [AttributeDefinition] = []
        for definition in definitions {
            try definition.checkDeclarable()
            if vocabulary.declared.contains(where: { $0.declaration == definition.declaration }) { continue }
            let name = definition.name.rawValue
            guard !vocabulary.declared.contains(where: { $0.name == definition.name }) else {
                throw DirectoryError(
                    .alreadyExists, "'\(name)' is declared already, with another definition.",
                    advice: "Repeat the stored declaration, or widen it, or set its rules, readers or writers.",
                    attribute: definition.name)
            }
            guard vocabulary.definition(named: name, for: .user) == nil,
                vocabulary.definition(named: name, for: .role) == nil
            else {
                throw DirectoryError(
                    .alreadyExists, "'\(name)' names another attribute already.", advice: "Choose another name.",
                    attribute: definition.name)
            }
            guard vocabulary.declared.count < DirectoryLimits.maximumDeclaredAttributes else {
                throw DirectoryError(
                    .limitExceeded,
                    "A directory can have \(DirectoryLimits.maximumDeclaredAttributes) declared attributes.")
            }
            // Users and roles share the names of declared attributes, so that a name has one meaning.
            try transaction.connection.run(AttributeStatements.insert, [.text(name), .text(try definition.json)])
            try transaction.feed.record(.created, .attribute, id: 0, name: name, before: nil, after: nil)
            vocabulary.add(definition)
            added.append(definition)
        }
        return added
    }

    /// Replaces the texts of a declared attribute.
    ///
    /// - Returns: Whether the texts differ from the stored ones.
    @discardableResult
    func setTexts(_ texts: AttributeTexts, of name: AttributeName) throws -> Bool {
        try changeTexts(of: name) { $0 = texts }
    }

    /// Changes the labels and descriptions of a declared attribute.
    ///
    /// - Parameter change: Changes the stored labels and descriptions.
    /// - Returns: Whether the texts differ from the stored ones.
    @discardableResult
    func changeTexts(of name: AttributeName, _ change: (inout AttributeTexts) -> Void) throws -> Bool {
        let old = try declaration(of: name, "given labels")
        var new = old
        change(&new.texts)
        guard new != old else { return false }
        try new.texts.check(of: old.name)
        try store(new, insteadOf: old)
        return true
    }
}

extension AttributeDefinition {
    /// The definition without texts, for comparisons. An app repeats its declarations whenever it starts, and must not undo the texts
    /// that administrators have set meanwhile.
    fileprivate var declaration: AttributeDefinition {
        var declaration = self
        declaration.texts = AttributeTexts()
        return declaration
    }
}

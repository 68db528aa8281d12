import Foundation
import RosterStore

extension TransactionAttributes {
    /// - Returns: The new declarations.
    func declare(_ definitions: [AttributeDefinition]) throws -> [AttributeDefinition] {
        try transaction.rights.checkAdministrator(to: "declare attributes")
        var vocabulary = try AttributeManager.vocabulary(on: transaction.connection)
        var added: [AttributeDefinition] = []
        for definition in definitions {
            try definition.checkDeclarable()
            if vocabulary.declared.contains(definition) { continue }
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
}

extension AttributeDefinition {
    /// The declaration as JSON, for the table of declared attributes.
    var json: String {
        get throws {
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            return String(decoding: try encoder.encode(Stored(definition: self)), as: UTF8.self)
        }
    }

    /// Whether the name is that of a built-in attribute.
    var isBuiltIn: Bool { StandardAttributes.isBuiltIn(name, of: entity) }
}

extension AttributeDefinition {
    /// The names with another meaning in seeds, LDIF and the change feed, in lower case.
    private static let reservedNames: Set<String> = [
        "members", "memberroles", "owners", "ownerroles", "roles", "dn", "changetype", "control", "objectclass",
        "member", "uniquemember", "memberuid", "owner",
    ]

    /// Refuses a definition that no app can declare.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute`.
    func checkDeclarable() throws {
        let text = name.rawValue
        let isName =
            text.utf8.count <= 64 && text.first?.isLetter == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        guard isName else {
            throw DirectoryError(
                .invalidAttribute, "\(EntityName.shown(text)) cannot name an attribute.",
                advice: "Use a letter, then letters, digits, '-' and '_', at most 64.", attribute: name)
        }
        guard !Self.reservedNames.contains(text.lowercased()) else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' has another meaning in seeds, LDIF or the change feed.",
                advice: "Choose another name.", attribute: name)
        }
        guard writers != .nobody else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' has no writers, so it could have no value.",
                advice: "Let administrators write the attribute.", attribute: name)
        }
        guard kind != .complex else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' cannot be complex.", advice: "Declare its parts one by one.",
                attribute: name)
        }
        // Decoded definitions can have parts that no app gives.
        guard names.isEmpty, element == nil, isReturnedOnRequest == (kind == .binary), isIndexed || !isUnique else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' is defined as only built-in attributes can be.",
                advice: "Make the definition with the initializer of AttributeDefinition.", attribute: name)
        }
        try checkRulesFit()
    }
}

import Foundation

/// The vocabulary of a directory, and the attributes that an app declares itself.
public struct AttributeManager: Sendable {
    let view: DirectoryView

    /// Every attribute that the directory knows at this moment.
    public func vocabulary() -> Vocabulary { view.core.vocabulary }

    /// Declares attributes of the app's own. One that is declared already in the same way is left alone.
    ///
    /// - Throws: ``DirectoryError`` `invalidAttribute` for a name that cannot be one, `alreadyExists` where the name
    ///   means something else already, `limitExceeded` after 500, `notPermitted` for all but administrators.
    public func declare(_ definitions: [AttributeDefinition]) throws {
        let added = try view.write { try $0.declare(definitions) }
        for definition in added { view.core.add(definition) }
    }

    /// Declares attributes of the app's own, as the synchronous ``declare(_:)-([AttributeDefinition])`` does.
    public func declare(_ definitions: [AttributeDefinition]) async throws {
        let added = try await view.awaitWrite { try $0.declare(definitions) }
        for definition in added { view.core.add(definition) }
    }

    static func declared(on connection: Connection) throws -> [AttributeDefinition] {
        try connection.all(AttributeStatements.declared) { row in
            let text = row.text(0)
            do {
                return try JSONDecoder().decode(AttributeDefinition.self, from: Data(text.utf8))
            } catch {
                throw DirectoryError(
                    .damaged, "A declared attribute cannot be read.", advice: "Run 'roster check' and restore a backup."
                )
            }
        }
    }
}

extension Session {
    /// - Returns: Those that were not declared before.
    func declare(_ definitions: [AttributeDefinition]) throws -> [AttributeDefinition] {
        try rights.checkAdministrator(to: "declare attributes")
        var vocabulary = Vocabulary(declared: try AttributeManager.declared(on: connection))
        var added: [AttributeDefinition] = []
        for definition in definitions {
            try definition.checkDeclarable()
            if vocabulary.declared.contains(definition) { continue }
            let name = definition.name.rawValue
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
                    "A directory takes \(DirectoryLimits.maximumDeclaredAttributes) attributes of its own.")
            }
            let encoder = JSONEncoder()
            encoder.outputFormatting = .sortedKeys
            let text = String(decoding: try encoder.encode(definition), as: UTF8.self)
            // In one table names of users' and roles' attributes are unique together, so that a name says what it is.
            try connection.run(AttributeStatements.insert, [.text(name), .text(text)])
            try record(.created, .attribute, id: 0, name: name, before: nil, after: nil)
            vocabulary.add(definition)
            added.append(definition)
        }
        return added
    }
}

extension AttributeDefinition {
    /// What stands beside attributes in seeds, LDIF and the change feed, in lower case.
    private static let reservedNames: Set<String> = [
        "members", "memberroles", "owners", "ownerroles", "roles", "dn", "changetype", "control", "objectclass",
        "member", "uniquemember", "memberuid", "owner",
    ]

    fileprivate func checkDeclarable() throws {
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
                .invalidAttribute, "'\(name)' says something else in seeds, LDIF or the change feed.",
                advice: "Choose another name.", attribute: name)
        }
        guard writers != .nobody else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' could never be written.",
                advice: "Have administrators write it.", attribute: name)
        }
        guard kind != .complex else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' cannot be complex.", advice: "Declare its parts one by one.",
                attribute: name)
        }
        guard !isUnique || entity == .user else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' of roles cannot be unique.", advice: "The name of a role is.",
                attribute: name)
        }
        guard !isUnique || (isSearchable && kind != .binary) else {
            throw DirectoryError(
                .invalidAttribute, "'\(name)' cannot be unique without being searchable.", attribute: name)
        }
    }
}

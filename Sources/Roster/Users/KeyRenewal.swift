import RosterStore
import RosterText

/// Computes the search keys of a file anew, when a version changes how they are computed.
enum KeyRenewal {
    static func run(on connection: Connection) throws {
        let vocabulary = try AttributeManager.vocabulary(on: connection)
        try renewUsers(vocabulary, on: connection)
        try renewValues(vocabulary, on: connection)
        let roles = try connection.all(KeyStatements.roles) {
            (id: $0.integer(0), name: $0.text(1), attributes: $0.text(2))
        }
        for role in roles {
            guard let attributes = try? AttributeSet(stored: role.attributes) else { continue }
            let keys = RoleKeys(role.name, attributes)
            try connection.run(
                KeyStatements.updateRole, [.integer(role.id), keys.name, keys.displayName, keys.description])
        }
    }

    private static func renewUsers(_ vocabulary: Vocabulary, on connection: Connection) throws {
        var rows = try users(after: 0, on: connection)
        guard !rows.isEmpty else { return }
        // Building the indexes afterwards is faster than changing them row by row.
        let indexes = try UserIndexes.drop(on: connection)
        while let last = rows.last {
            for row in rows {
                // A record that cannot be read keeps its keys; `check` reports the record.
                guard let attributes = try? AttributeSet(stored: row.attributes) else { continue }
                let keys = UserKeys(name: TextKey.of(row.name), attributes: attributes, vocabulary: vocabulary)
                try connection.run(
                    KeyStatements.updateUser, [.integer(row.id), .text(keys.name)] + keys.columnKeys)
            }
            rows = try users(after: last.id, on: connection)
        }
        for index in indexes { try connection.run(script: index) }
    }

    private static func users(
        after id: Int64, on connection: Connection
    ) throws -> [(id: Int64, name: String, attributes: String)] {
        try connection.all(KeyStatements.users, [.integer(id)]) { ($0.integer(0), $0.text(1), $0.text(2)) }
    }

    private static func renewValues(_ vocabulary: Vocabulary, on connection: Connection) throws {
        let rows = try connection.all(KeyStatements.otherValues) {
            (attribute: $0.text(0), key: $0.text(1), user: $0.integer(2))
        }
        for row in rows where vocabulary.definition(of: AttributeName(row.attribute))?.isCaseExact != true {
            let id = Binding.integer(row.user)
            try connection.run(UserStatements.deleteValue, [.text(row.attribute), .text(row.key), id])
            try connection.run(
                UserStatements.insertValue, [.text(row.attribute), .text(TextKey.of(folded: row.key)), id])
        }
    }
}

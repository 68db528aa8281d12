import RosterStore
import RosterText

/// Finds the users and roles of many references, in a transaction. Takes two statements, whatever the number of references.
package struct TransactionReferences {
    package let transaction: Transaction

    /// The identifiers of users. A reference to nobody has none.
    func ids(of users: [UserReference]) throws -> [UserReference: UserID] {
        try ids(of: users, UserStatements.existing, UserStatements.idsByName)
    }

    /// The identifiers of roles. A reference to no role has none.
    func ids(of roles: [RoleReference]) throws -> [RoleReference: RoleID] {
        try ids(of: roles, RoleStatements.existing, RoleStatements.idsByName)
    }

    /// The users and roles with identifiers, in their order. Identifiers of nobody are left out.
    package func subjects(ofIDs ids: [String]) throws -> [RoleSubject] {
        let users = try self.ids(of: ids.compactMap { UserID($0).map { .id($0) } })
        let roles = try self.ids(of: ids.compactMap { RoleID($0).map { .id($0) } })
        return ids.compactMap { id in
            if let user = UserID(id), users[.id(user)] != nil { return .user(.id(user)) }
            if let role = RoleID(id), roles[.id(role)] != nil { return .role(.id(role)) }
            return nil
        }
    }

    /// The names of several users, without those who are not there. Takes one statement.
    package func names(of users: Set<UserID>) throws -> [UserID: String] {
        guard !users.isEmpty else { return [:] }
        var names: [UserID: String] = [:]
        try transaction.connection.forEach(
            ReportingStatements.records, [transaction.connection.array(users.map(\.rawValue).sorted())]
        ) { row in
            names[UserID(rawValue: row.integer(0))] = row.text(1)
        }
        return names
    }

    /// The labels of several users, without those who are not there. Takes one statement.
    package func labels(of users: Set<UserID>) throws -> [UserID: String] {
        guard !users.isEmpty else { return [:] }
        var labels: [UserID: String] = [:]
        try transaction.connection.forEach(
            ReportingStatements.records, [transaction.connection.array(users.map(\.rawValue).sorted())]
        ) { row in
            let user = try User(row, view: transaction.view, isListed: true)
            labels[user.id] = user.label
        }
        return labels
    }

    private func ids<Entity>(
        of references: [Reference<Entity>], _ existing: SQL, _ byName: SQL
    ) throws -> [Reference<Entity>: Identifier<Entity>] {
        var ids: Set<Int64> = []
        var keys: Set<String> = []
        for reference in references {
            if let id = reference.identifier { ids.insert(id.rawValue) }
            if let key = reference.nameKey { keys.insert(key) }
        }
        if !ids.isEmpty {
            ids = Set(
                try transaction.connection.all(existing, [transaction.connection.array(ids.sorted())]) { $0.integer(0) }
            )
        }
        var idsOfKeys: [String: Int64] = [:]
        if !keys.isEmpty {
            try transaction.connection.forEach(byName, [transaction.connection.array(keys.sorted())]) {
                idsOfKeys[$0.text(0)] = $0.integer(1)
            }
        }
        var found: [Reference<Entity>: Identifier<Entity>] = [:]
        for reference in references where found[reference] == nil {
            if let id = reference.identifier, ids.contains(id.rawValue) {
                found[reference] = id
            } else if let id = reference.nameKey.flatMap({ idsOfKeys[$0] }) {
                found[reference] = Identifier(rawValue: id)
            }
        }
        return found
    }
}

extension Reference {
    /// The identifier in the reference, or its text read as an identifier; nil if the reference is a name.
    fileprivate var identifier: Identifier<Entity>? {
        switch self {
        case .id(let id): id
        case .either(let text): Identifier(text)
        case .named: nil
        }
    }

    /// The key of the name in the reference, or of its text read as a name; nil if the reference is an identifier.
    fileprivate var nameKey: String? {
        switch self {
        case .named(let name), .either(let name): TextKey.of(name)
        case .id: nil
        }
    }
}

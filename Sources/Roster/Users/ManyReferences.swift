import RosterStore
import RosterText

/// Finds the users and roles of many references with two statements, whatever their number.
extension TransactionUsers {
    /// The identifiers of users. A reference to nobody has none.
    func findIDs(of users: [UserReference]) throws -> [UserReference: UserID] {
        try findIDs(of: users, UserStatements.existing, UserStatements.idsByName)
    }

    /// The identifiers of roles. A reference to no role has none.
    func findIDs(of roles: [RoleReference]) throws -> [RoleReference: RoleID] {
        try findIDs(of: roles, RoleStatements.existing, RoleStatements.idsByName)
    }

    /// The users and roles with identifiers, in their order. Identifiers of nobody are left out.
    package func subjects(ofIDs ids: [String]) throws -> [RoleSubject] {
        let users = try findIDs(of: ids.compactMap { UserID($0).map { .id($0) } })
        let roles = try findIDs(of: ids.compactMap { RoleID($0).map { .id($0) } })
        return ids.compactMap { id in
            if let user = UserID(id), users[.id(user)] != nil { return .user(.id(user)) }
            if let role = RoleID(id), roles[.id(role)] != nil { return .role(.id(role)) }
            return nil
        }
    }

    private func findIDs<Entity>(
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

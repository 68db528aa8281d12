import RosterStore
import RosterText

/// What an import finds out about its next rows at a server in one trip: the answer to a statement for each row takes longer than the
/// row itself.
struct LookAhead {
    /// The keys of the names that were looked up.
    fileprivate let keys: Set<String>
    /// The users who have the names, by the keys. They are as they were before the rows.
    fileprivate var users: [String: User] = [:]
    /// The names of the roles that users are direct members of.
    fileprivate var roles: [UserID: [String]] = [:]
}

extension Importer {
    /// Finds the users and the managers of the next rows. Does nothing for a file, which answers a statement for each row as quickly.
    mutating func lookAhead(_ rows: ArraySlice<PreparedRow>) throws {
        ahead = nil
        try fillImage(for: rows)
        let connection = transaction.connection
        let users = rows.compactMap { if case .user(let row) = $0 { row } else { nil } }
        guard connection.kind == .postgreSQL, users.count > 1 else { return }
        if options.managersBy == "uid" { try loading.findManagers(users.lazy.compactMap(\.managerKey)) }
        guard !loading.isIntoEmpty else { return }
        var found = LookAhead(keys: Set(users.map(\.key)))
        let view = transaction.view
        try connection.forEach(UserStatements.byNames, [connection.array(found.keys.sorted())]) { row in
            found.users[row.text(8)] = try User(row, view: view)
        }
        loading.noteFree(found.keys.subtracting(found.users.keys))
        let members = users.compactMap { $0.memberships.isEmpty ? nil : found.users[$0.key]?.id.rawValue }
        if !members.isEmpty {
            try connection.forEach(SeedingStatements.rolesOfUsers, [connection.array(members)]) {
                found.roles[UserID(rawValue: $0.integer(0)), default: []].append($0.text(1))
            }
        }
        ahead = found
    }

    /// The user whom a row names; nil if there is none.
    func existingUser(of row: PreparedUserRow) throws -> User? {
        if loading.isIntoEmpty { return nil }
        if let ahead, ahead.keys.contains(row.key) { return ahead.users[row.key] }
        return try transaction.importing.user(ofKey: row.key)
    }

    /// Whether a user is a direct member of all roles that a row names, so that the row adds nothing.
    func isMember(_ user: UserID, of memberships: [ImportRow.Membership]) throws -> Bool {
        guard !memberships.isEmpty else { return true }
        let names = try ahead.map { $0.roles[user] ?? [] } ?? transaction.users.roleNames(of: user)
        let keys = Set(names.map { TextKey.of($0) })
        return memberships.allSatisfy { $0.relation == .member && !$0.isRole && keys.contains(TextKey.of($0.name)) }
    }
}

import RosterStore

/// What belongs to the users or the roles of a list, read for all of them at once. A server answers a statement for each of them in
/// several times the time.
package struct RelatedRecords: Sendable {
    package typealias Membership = (role: Role, isDirect: Bool)

    fileprivate var memberships: [UserID: [Membership]] = [:]
    fileprivate var labels: [UserID: String] = [:]
    fileprivate var externalIDs: [Int64: String] = [:]
    fileprivate var memberRoles: [RoleID: [Role]] = [:]
    fileprivate var memberUsers: [RoleID: [User]] = [:]
    /// The number of users of each role that were read at most.
    package fileprivate(set) var mostUsers = 0

    /// The roles that a user is a member of.
    package func memberships(of user: UserID) -> [Membership] { memberships[user] ?? [] }
    /// The name to display for a manager; nil if there is no such user.
    package func label(of manager: UserID) -> String? { labels[manager] }
    /// The calling client's identifier for a user.
    package func externalID(of user: UserID) -> String? { externalIDs[user.rawValue] }
    /// The calling client's identifier for a role.
    package func externalID(of role: RoleID) -> String? { externalIDs[role.rawValue] }
    /// The roles that are direct members of a role.
    package func roles(in role: RoleID) -> [Role] { memberRoles[role] ?? [] }
    /// The first ``mostUsers`` users who are direct members of a role.
    package func users(in role: RoleID) -> [User] { memberUsers[role] ?? [] }
}

extension TransactionUsers {
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

    /// Reads what resources of users show besides the users, in one round trip.
    ///
    /// - Returns: Nil for a file, where a statement for each user is as quick, and for a single user.
    package func related(
        toUsers users: ArraySlice<User>, memberships: Bool, managers: Bool, externalIDs: Bool
    ) throws -> RelatedRecords? {
        guard transaction.connection.engine == .postgreSQL, users.count > 1 else { return nil }
        let ids = transaction.connection.array(users.map(\.id.rawValue))
        let above = managers ? Set(users.compactMap { $0.managerID?.rawValue }).sorted() : []
        let labels = transaction.connection.array(above)
        let client = externalIDs ? transaction.rights.client : nil
        var reads: [ExpectedRead] = []
        if memberships {
            reads.append(ExpectedRead(RoleStatements.isAnyNested, []))
            reads.append(ExpectedRead(ArrayStatements.memberships(nested: transaction.core.mayHaveNestedRoles), [ids]))
        }
        if !above.isEmpty { reads.append(ExpectedRead(ArrayStatements.users, [labels])) }
        if let client { reads.append(ExpectedRead(ArrayStatements.externalIDs, [.text(client), ids])) }
        if reads.count > 1 { try transaction.connection.expect(reads) }

        var related = RelatedRecords()
        if memberships {
            let selection = try Selection(.usual, of: .role, transaction.vocabulary)
            let isNested = try transaction.connection.first(RoleStatements.isAnyNested, [], { _ in true }) == true
            transaction.core.noteNestedRoles(isNested)
            try transaction.connection.forEach(ArrayStatements.memberships(nested: isNested), [ids]) { row in
                var role = try Role(row, view: transaction.view)
                try transaction.roles.present(&role, selection)
                related.memberships[UserID(rawValue: row.integer(7)), default: []].append((role, row.integer(6) == 1))
            }
        }
        if !above.isEmpty {
            try transaction.connection.forEach(ArrayStatements.users, [labels]) { row in
                let manager = try User(row, view: transaction.view, isListed: true)
                related.labels[manager.id] = manager.label
            }
        }
        if let client {
            try transaction.connection.forEach(ArrayStatements.externalIDs, [.text(client), ids]) {
                related.externalIDs[$0.integer(0)] = $0.text(1)
            }
        }
        return related
    }

    /// Reads what resources of roles show besides the roles, in one round trip.
    ///
    /// - Parameter attributes: The attributes of members to read; nil to read no members.
    /// - Returns: Nil for a file, and for a single role.
    package func related(
        toRoles roles: ArraySlice<Role>, membersWith attributes: AttributeSelection?, externalIDs: Bool
    ) throws -> RelatedRecords? {
        guard transaction.connection.engine == .postgreSQL, roles.count > 1 else { return nil }
        let ids = transaction.connection.array(roles.map(\.id.rawValue))
        // Some thousand members at most are in memory at once.
        let most = max(25, min(100, 6_400 / roles.count))
        let (allRoles, someUsers): ([Binding], [Binding]) = (
            [ids, .integer(Int64(DirectoryLimits.maximumPageSize))], [ids, .integer(Int64(most))]
        )
        let client = externalIDs ? transaction.rights.client : nil
        var reads: [ExpectedRead] = []
        if attributes != nil {
            reads.append(ExpectedRead(ArrayStatements.rolesInRoles, allRoles))
            reads.append(ExpectedRead(ArrayStatements.usersInRoles, someUsers))
        }
        if let client { reads.append(ExpectedRead(ArrayStatements.externalIDs, [.text(client), ids])) }
        if reads.count > 1 { try transaction.connection.expect(reads) }

        var related = RelatedRecords()
        related.mostUsers = most
        if let attributes {
            let (ofUsers, ofRoles) = (
                try Selection(attributes, of: .user, transaction.vocabulary),
                try Selection(.usual, of: .role, transaction.vocabulary)
            )
            try transaction.connection.forEach(ArrayStatements.rolesInRoles, allRoles) { row in
                var role = try Role(row, view: transaction.view)
                try transaction.roles.present(&role, ofRoles)
                related.memberRoles[RoleID(rawValue: row.integer(6)), default: []].append(role)
            }
            try transaction.connection.forEach(ArrayStatements.usersInRoles, someUsers) { row in
                var user = try User(row, view: transaction.view, isListed: true)
                try present(&user, ofUsers)
                related.memberUsers[RoleID(rawValue: row.integer(8)), default: []].append(user)
            }
        }
        if let client {
            try transaction.connection.forEach(ArrayStatements.externalIDs, [.text(client), ids]) {
                related.externalIDs[$0.integer(0)] = $0.text(1)
            }
        }
        return related
    }

    /// Removes the attributes that were not requested or that the caller may not read, and reads roles and managers for all users at once.
    func present(_ users: inout [User], _ selection: Selection, _ prefetch: Prefetch = []) throws {
        guard transaction.connection.engine == .postgreSQL, users.count > 1 else {
            for index in users.indices {
                try present(&users[index], selection)
                if !prefetch.isEmpty { try self.prefetch(prefetch, for: &users[index], selection) }
            }
            return
        }
        let (roles, managers) = (
            selection.hasRoles ? try roleNames(of: users.map(\.id)) : [:],
            prefetch.contains(.manager) ? try presentedManagers(of: users, selection) : [:]
        )
        for index in users.indices {
            let user = users[index]
            try present(&users[index], selection, roles: selection.hasRoles ? roles[user.id] ?? [] : nil)
            if prefetch.contains(.manager) {
                users[index].prefetchedManager = user.managerID.flatMap { managers[$0] }.map { [$0] } ?? []
            }
            let rest = prefetch.subtracting(.manager)
            if !rest.isEmpty { try self.prefetch(rest, for: &users[index], selection) }
        }
    }

    private func roleNames(of users: [UserID]) throws -> [UserID: [String]] {
        var names: [UserID: [String]] = [:]
        try transaction.connection.forEach(
            SeedingStatements.rolesOfUsers, [transaction.connection.array(users.map(\.rawValue))]
        ) {
            names[UserID(rawValue: $0.integer(0)), default: []].append($0.text(1))
        }
        return names
    }

    private func presentedManagers(of users: [User], _ selection: Selection) throws -> [UserID: User] {
        let ids = Set(users.compactMap { $0.managerID?.rawValue }).sorted()
        guard !ids.isEmpty else { return [:] }
        var found = try transaction.connection.all(ArrayStatements.users, [transaction.connection.array(ids)]) {
            try User($0, view: transaction.view)
        }
        try present(&found, selection)
        return Dictionary(found.map { ($0.id, $0) }) { $1 }
    }
}

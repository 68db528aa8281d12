import RosterStore

/// Reads what belongs to the users or the roles of a list, in a transaction.
package struct TransactionRelated {
    package let transaction: Transaction

    /// Reads what resources of users show besides the users, in one round trip.
    ///
    /// - Returns: Nil for a file, where a statement for each user is as quick, for a single user, and for a reading program, because only
    ///   the statements for one user obey its narrow view.
    package func records(
        toUsers users: ArraySlice<User>, memberships: Bool, managers: Bool, externalIDs: Bool
    ) throws -> RelatedRecords? {
        guard transaction.connection.kind == .postgreSQL, users.count > 1, transaction.narrowView == nil else {
            return nil
        }
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
        if reads.count > 1 { try transaction.connection.engine.expect(reads, on: transaction.connection) }

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
    /// - Returns: Nil for a file, for a single role, and for a reading program.
    package func records(
        toRoles roles: ArraySlice<Role>, membersWith attributes: AttributeSelection?, externalIDs: Bool
    ) throws -> RelatedRecords? {
        guard transaction.connection.kind == .postgreSQL, roles.count > 1, transaction.narrowView == nil else {
            return nil
        }
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
        if reads.count > 1 { try transaction.connection.engine.expect(reads, on: transaction.connection) }

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
                try transaction.users.present(&user, ofUsers)
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
}

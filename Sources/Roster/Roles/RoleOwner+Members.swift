import RosterStore

/// The changes of who is a member or an owner of a role.
extension RoleOwner {
    /// Makes users and roles members or owners of the role.
    ///
    /// - Throws: `notFound`, `circle`.
    package func add(_ subjects: [RoleSubject]) throws {
        try transaction.takeShare(rows: subjects.count)
        for (link, ids) in try transaction.roles.resolve(subjects, relation) {
            if let hierarchy = link.hierarchy {
                try hierarchy.check(ids, below: role.id.rawValue, named: role.name, in: transaction)
            }
            let new = try changed(link.statements.insert, ids)
            var left = Set(new)
            let came = ids.filter { left.remove($0) != nil }
            if !came.isEmpty { try transaction.roles.recordLink(link, of: role.id, left: [], came: came) }
        }
    }

    /// Runs a statement that changes the members or owners of a role.
    ///
    /// - Returns: The identifiers of the subjects that the statement has changed.
    private func changed(_ statement: SQL, _ ids: [Int64]) throws -> [Int64] {
        try transaction.connection.all(statement, [.integer(role.id.rawValue), transaction.connection.array(ids)]) {
            $0.integer(0)
        }
    }

    /// Ends direct memberships or ownerships of users and roles.
    ///
    /// - Parameter ignoresOthers: Whether subjects are ignored that are not direct members or owners.
    /// - Throws: `notFound`, `lastAdministrator`.
    package func remove(_ subjects: [RoleSubject], ignoresOthers: Bool = false) throws {
        try transaction.takeShare(rows: subjects.count)
        for (link, ids) in try transaction.roles.resolve(subjects, relation) {
            var there = Set(try changed(link.statements.delete, ids))
            var left: [Int64] = []
            for id in ids {
                if there.remove(id) != nil {
                    left.append(id)
                } else if !ignoresOthers {
                    throw try noDirect(id, isUser: link == .memberUser || link == .ownerUser)
                }
            }
            if !left.isEmpty { try transaction.roles.recordLink(link, of: role.id, left: left, came: []) }
        }
        if relation == .member { try transaction.accounts.checkAdministratorsRemain() }
    }

    private func noDirect(_ id: Int64, isUser: Bool) throws -> DirectoryError {
        let name =
            isUser
            ? try transaction.users.stored(.id(UserID(rawValue: id))).uid
            : try transaction.roles.stored(.id(RoleID(rawValue: id))).name
        return DirectoryError(
            .notFound,
            "\(EntityName.shown(name)) is not a direct \(relation.rawValue) of \(EntityName.shown(role.name)).",
            advice: "List the direct ones, or remove it from the nested role.")
    }
}

import RosterStore

/// Presents users with the attributes that the caller may read.
extension TransactionUsers {
    /// Removes the attributes that were not requested or that the caller may not read.
    ///
    /// - Parameter roles: The names of the user's roles if they were read already.
    @inline(__always)
    func present(_ user: inout User, _ selection: Selection, roles: [String]? = nil) throws {
        user.requested = selection.requested
        selection.apply(to: &user.attributes)
        if selection.hasRoles { user.roleNames = try roles ?? roleNames(of: user.id) }
        if transaction.seesEverything { return }
        let group = try transaction.rights.readers(of: user, in: transaction)
        let vocabulary = transaction.vocabulary
        if !vocabulary.shows("memberOf", to: group) { user.roleNames = nil }
        if !vocabulary.shows("manager", to: group) { user.managerID = nil }
        user.attributes = user.attributes.mapped { vocabulary.shown($0, to: group) }
    }

    /// The names of the roles that a user is a direct member of, sorted.
    func roleNames(of user: UserID) throws -> [String] {
        if transaction.narrowView != nil {
            return try transaction.roles.roles(.having(.user(.id(user))), .member, .direct, limit: nil, after: nil)
                .map(\.name).sorted()
        }
        return try transaction.connection.all(RoleStatements.namesOfMember, [.integer(user.rawValue)]) { $0.text(0) }
    }

    func prefetch(_ prefetch: Prefetch, for user: inout User, _ selection: Selection) throws {
        if prefetch.contains(.manager) {
            user.prefetchedManager =
                try user.managerID.flatMap { try find(.id($0)) }.map { manager in
                    var manager = manager
                    try present(&manager, selection)
                    return [manager]
                } ?? []
        }
        if prefetch.contains(.reportees) {
            user.prefetchedReportees = try transaction.lines.reportees(
                of: user.id, selection, limit: DirectoryLimits.maximumPageSize, after: nil)
        }
    }

    /// Removes the attributes that were not requested or that the caller may not read, and reads roles and managers for all users at once.
    func present(_ users: inout [User], _ selection: Selection, _ prefetch: Prefetch = []) throws {
        guard transaction.connection.kind == .postgreSQL, users.count > 1, transaction.narrowView == nil else {
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

extension RoleManager {
    /// Finds a role. Returns nil if there is no such role.
    public func find(_ role: some RoleReferenceConvertible, attributes: AttributeSelection = .usual) throws -> Role? {
        try view.read(FindRole(role: role.roleReference, attributes: attributes))
    }

    /// Finds a role. Returns nil if there is no such role.
    public func find(_ role: some RoleReferenceConvertible, attributes: AttributeSelection = .usual) async throws
        -> Role?
    {
        try await view.read(FindRole(role: role.roleReference, attributes: attributes))
    }

    /// Whether the role exists.
    public func exists(_ role: some RoleReferenceConvertible) throws -> Bool {
        try find(role, attributes: ["name"]) != nil
    }

    /// Whether the role exists.
    public func exists(_ role: some RoleReferenceConvertible) async throws -> Bool {
        try await find(role, attributes: ["name"]) != nil
    }

    /// Counts the roles that a filter selects.
    public func count(matching filter: Filter = .everything) throws -> Int {
        try view.read(CountRoles(filter: filter))
    }

    /// Counts the roles that a filter selects.
    public func count(matching filter: Filter = .everything) async throws -> Int {
        try await view.read(CountRoles(filter: filter))
    }

    /// Iterates over all results of a search, as ``UserManager/all(_:)`` does for users.
    public func all(_ search: Search = Search(pageSize: 500)) -> SearchResults<Role> {
        SearchResults(search) {
            try await self.search($0)
        } atOnce: {
            try self.search($0)
        }
    }
}

extension TransactionRoles {
    func found(_ reference: RoleReference, _ attributes: AttributeSelection) throws -> Role? {
        do {
            return try role(reference, attributes)
        } catch let error as DirectoryError where error.code == .notFound {
            return nil
        }
    }
}

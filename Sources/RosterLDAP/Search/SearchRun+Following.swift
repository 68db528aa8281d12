import Roster

/// Searches that go on with the entries that change, until the client ends them or the server stops.
///
/// An entry changes with its own attributes, and a role with its members. `memberOf` of a user does not count, because it follows from
/// roles.
extension SearchRun {
    /// A change of an entry within the base and the scope of the search.
    struct Followed {
        let change: Change
        let kind: PersistentSearch.Kind
        /// The distinguished name before a renaming.
        let previous: String?
        /// Whether the entry satisfies the filter now. The values of a deleted entry are gone, so that the filter cannot be asked.
        let isFound: Bool
    }

    /// Sends each entry that changes.
    ///
    /// - Parameters:
    ///   - start: The number of the last change that the client knows.
    ///   - controls: Returns the controls of an entry; nil to leave the entry out.
    mutating func follow(since start: Int64, _ controls: (Followed) throws -> [LDAPControl]?) async throws {
        for try await change in try view().changes.follow(since: start) {
            guard let (kind, isUser) = Self.kind(of: change) else { continue }
            try await send(change, kind, isUser: isUser, controls)
            flush()
        }
    }

    /// The kind of a change of an entry; nil for all other changes.
    static func kind(of change: Change) -> (kind: PersistentSearch.Kind, isUser: Bool)? {
        guard change.entity == .user || change.entity == .role else { return nil }
        let isUser = change.entity == .user
        switch change.kind {
        case .created: return (.add, isUser)
        case .deleted: return (.delete, isUser)
        case .modified: return (change.before[isUser ? "uid" : "name"] == nil ? .modify : .rename, isUser)
        default: return nil
        }
    }

    /// Sends the entry of a change.
    mutating func send(
        _ change: Change, _ kind: PersistentSearch.Kind, isUser: Bool, _ controls: (Followed) throws -> [LDAPControl]?
    ) async throws {
        let tree = service.tree
        func name(_ own: String) -> String { isUser ? tree.name(of: own) : tree.name(ofRole: own) }
        let dn = name(change.name)
        guard covers(isUser: isUser, dn) else { return }
        let entry = kind == .delete ? nil : try await entry(isUser: isUser, id: change.subjectID)
        let previous = kind == .rename ? change.before[isUser ? "uid" : "name"]?.text.map(name) : nil
        let followed = Followed(change: change, kind: kind, previous: previous, isFound: entry != nil)
        guard let added = try controls(followed) else { return }
        try await send(entry ?? LDAPAnswer.Entry(dn: dn, attributes: []), controls: added)
    }

    /// Whether a user or a role is within the base and the scope of the search.
    private func covers(isUser: Bool, _ dn: String) -> Bool {
        guard let place = try? service.tree.place(search.base), let own = try? service.tree.place(dn) else {
            return false
        }
        let container: DirectoryTree.Place = isUser ? .people : .groups
        switch search.scope {
        case .base: return place == own
        case .one: return place == container
        case .subtree: return place == own || place == container || place == .base || place == .root
        case .subordinate: return place == container || place == .base || place == .root
        }
    }

    /// The present entry of a user or a role, if it satisfies the filter.
    private func entry(isUser: Bool, id: String) async throws -> LDAPAnswer.Entry? {
        let filter = Filter.and([
            AttributePath("id").equals(.string(id)),
            try await translator(isUser ? .user : .role).filter(search.filter),
        ])
        if isUser {
            let maker = try makers(requested).users
            let found = try await view().users.search(
                Search(filter, attributes: maker.selection, pageSize: 1, prefetch: maker.prefetch))
            return try await found.elements.first.asyncMap { try await self.entry($0, maker) }
        }
        let maker = try makers(requested).roles
        let found = try await view().roles.search(Search(filter, attributes: maker.selection, pageSize: 1))
        return try await found.elements.first.asyncMap { try await self.entry($0, maker) }
    }
}

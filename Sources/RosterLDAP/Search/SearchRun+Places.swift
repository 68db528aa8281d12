import Roster

/// The parts of the tree in which a search finds entries.
extension SearchRun {
    /// The parts of the tree that the search is about.
    ///
    /// - Throws: ``LDAPResult`` `noSuchObject`.
    func sources() async throws -> [Source] {
        let tree = service.tree
        let scope = search.scope
        let place = try tree.place(search.base)
        switch place {
        case .root:
            guard scope == .base else {
                // A search of the whole server finds the one tree.
                guard scope == .subtree else { return fixed(scope == .one ? [tree.containers.base] : []) }
                return try await below(base: .subtree)
            }
            return fixed([service.fixedEntries.root(of: session)])
        case .subschema:
            guard scope == .base || scope == .subtree else { return [] }
            return fixed([service.fixedEntries.schema])
        case .base: return try await below(base: scope)
        case .sudoers:
            let container = try await service.fixedEntries.sudoEntry(at: place, view())
            return try await (scope == .base || scope == .subtree ? fixed([container]) : [])
                + (scope == .base ? [] : sudoRoles())
        case .sudoRole:
            let entry = try await service.fixedEntries.sudoEntry(at: place, view())
            return scope == .base || scope == .subtree ? fixed([entry]) : []
        case .people, .groups:
            let isPeople = place == .people
            let container = isPeople ? tree.containers.people : tree.containers.groups
            _ = try view()
            var sources: [Source] = []
            if scope == .base || scope == .subtree { sources += fixed([container]) }
            if scope != .base { sources += try await isPeople ? users() : roles() }
            return sources
        case .user(let part):
            let view = try view()
            let maker = try makers(requested).users
            guard let user = try await tree.user(part, maker.selection, in: view) else { throw tree.noSuch(place) }
            guard scope == .base || scope == .subtree else { return [] }
            let filter = try await translator(.user).filter(search.filter)
            if filter == .everything, maker.prefetch.isEmpty { return [.user(user)] }
            return only(filter, id: user.id.description).map { [.users($0)] } ?? []
        case .role(let part):
            let view = try view()
            let maker = try makers(requested).roles
            guard let role = try await tree.role(part, maker.selection, in: view) else { throw tree.noSuch(place) }
            guard scope == .base || scope == .subtree else { return [] }
            let filter = try await translator(.role).filter(search.filter)
            if filter == .everything { return [.role(role)] }
            return only(filter, id: role.id.description).map { [.roles($0)] } ?? []
        }
    }

    private func below(base scope: LDAPSearch.Scope) async throws -> [Source] {
        let containers = service.tree.containers
        let others = [containers.people, containers.groups] + (try hasSudoRoles ? [containers.sudoers] : [])
        switch scope {
        case .base: return fixed([containers.base])
        case .one: return fixed(others)
        case .subtree, .subordinate:
            return try await fixed(
                (scope == .subtree ? [containers.base] : []) + others) + users() + roles() + sudoRoles()
        }
    }

    var hasSudoRoles: Bool {
        get throws {
            try SudoRoles(service.tree, service.vocabulary, view()) != nil
        }
    }

    /// The entries below `ou=sudoers`. A search that goes on has none, because they do not follow changes.
    private func sudoRoles() async throws -> [Source] {
        sync == nil && persistence == nil ? fixed(try await sudoRoles(matching: search.filter)) : []
    }

    func sudoRoles(matching filter: LDAPFilter) async throws -> [FixedEntry] {
        guard SudoRoles.canSatisfy(filter),
            let sudo = try SudoRoles(service.tree, service.vocabulary, view())
        else { return [] }
        return try await sudo.entries()
    }

    private func fixed(_ entries: [FixedEntry]) -> [Source] {
        entries.filter { $0.satisfies(search.filter) == true }.map { .fixed($0) }
    }

    func translator(_ entity: AttributeDefinition.Entity) throws -> FilterTranslator {
        FilterTranslator(
            tree: service.tree, view: try view(),
            vocabulary: service.vocabulary, entity: entity)
    }

    private func users() async throws -> [Source] {
        let filter = try await translator(.user).filter(search.filter)
        return filter == .or([]) ? [] : [.users(filter)]
    }

    private func roles() async throws -> [Source] {
        let filter = try await translator(.role).filter(search.filter)
        return filter == .or([]) ? [] : [.roles(filter)]
    }

    /// The filter for one entry if it satisfies another filter; nil if no entry does.
    private func only(_ filter: Filter, id: String) -> Filter? {
        let own = AttributePath("id").equals(.string(id))
        return filter == .or([]) ? nil : filter == .everything ? own : .and([own, filter])
    }
}

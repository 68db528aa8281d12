import Roster

/// The entries that are no users and no roles: the root DSE, the schema, the containers, and the entries for sudo.
struct FixedEntries: Sendable {
    let tree: DirectoryTree
    let supportsTLS: Bool
    let vocabulary: @Sendable () -> Vocabulary

    /// The entry at a place; nil at the place of a user or a role.
    ///
    /// - Parameter view: The directory with the client's rights. Anonymous clients read the root DSE and the schema only.
    /// - Throws: ``LDAPResult`` `noSuchObject`; the errors of `view`.
    func entry(
        at place: DirectoryTree.Place, in session: LDAPSession, _ view: () throws -> DirectoryView
    ) async throws -> FixedEntry? {
        switch place {
        case .root: return root(of: session)
        case .subschema: return schema
        case .base, .people, .groups:
            _ = try view()
            return place == .base
                ? tree.containers.base : place == .people ? tree.containers.people : tree.containers.groups
        case .sudoers, .sudoRole: return try await sudoEntry(at: place, view())
        case .user, .role: return nil
        }
    }

    /// The root DSE for a client.
    func root(of session: LDAPSession) -> FixedEntry {
        tree.root(supportsTLS: supportsTLS, mechanisms: session.mechanisms)
    }

    /// The entry of the schema.
    var schema: FixedEntry { Subschema.entry(vocabulary()) }

    /// The entry `ou=sudoers` or one below it.
    ///
    /// - Throws: ``LDAPResult`` `noSuchObject`.
    func sudoEntry(at place: DirectoryTree.Place, _ view: DirectoryView) async throws -> FixedEntry {
        guard let sudo = SudoRoles(tree, vocabulary(), view) else {
            throw LDAPResult(.noSuchObject, matchedDN: tree.base)
        }
        guard case .sudoRole(let part) = place else { return tree.containers.sudoers }
        guard let entry = try await sudo.entry(named: part) else { throw tree.noSuch(place) }
        return entry
    }
}

import Roster

/// The entries below `ou=sudoers`: roles that say what their members may do by sudo, as entries of sudo's own class `sudoRole`.
///
/// A role says so by declared attributes with the names of sudo's schema. Its members, also through other roles, are the `sudoUser`.
struct SudoRoles: Sendable {
    /// The attributes of sudo's schema that roles may have.
    static let attributes = [
        "sudoHost", "sudoCommand", "sudoRunAsUser", "sudoRunAsGroup", "sudoOption", "sudoNotBefore", "sudoNotAfter",
        "sudoOrder",
    ]
    private static let known = Set(
        (attributes + [
            "sudoUser", "cn", "objectClass", "entryUUID", "entryDN", "createTimestamp", "modifyTimestamp",
            "structuralObjectClass", "hasSubordinates", "subschemaSubentry",
        ]).map { $0.lowercased() })

    private let tree: DirectoryTree
    private let view: DirectoryView
    private let declared: [(name: String, attribute: AttributeName)]

    /// - Returns: Nil if the directory declares no attribute `sudoCommand` of roles; there is no `ou=sudoers` then.
    init?(_ tree: DirectoryTree, _ vocabulary: Vocabulary, _ view: DirectoryView) {
        let shown = tree.shown.attributes(vocabulary, .role)
        guard shown["sudocommand"] != nil else { return nil }
        (self.tree, self.view) = (tree, view)
        declared = Self.attributes.compactMap { name in
            shown[name.lowercased()].map { (name, $0.definition.name) }
        }
    }

    /// The entries of all roles with a command or an option, by name. Cost: a look-up of the members of each.
    func entries() async throws -> [FixedEntry] {
        let saying = declared.filter { ["sudoCommand", "sudoOption"].contains($0.name) }
        let search = Search(
            .or(saying.map { .present(AttributePath($0.attribute)) }), sortedBy: [.init("name")],
            attributes: .only(declared.map(\.attribute)), pageSize: 500)
        var entries: [FixedEntry] = []
        for try await role in view.roles.all(search) { entries.append(try await entry(role)) }
        return entries
    }

    /// The entry with a name; nil for a role that says nothing about sudo.
    func entry(named part: EntryName.Part) async throws -> FixedEntry? {
        guard part.attribute == "cn",
            let role = try await tree.role(part, .only(declared.map(\.attribute)), in: view),
            declared.contains(where: { ["sudoCommand", "sudoOption"].contains($0.name) && role[$0.attribute] != nil })
        else { return nil }
        return try await entry(role)
    }

    private func entry(_ role: Role) async throws -> FixedEntry {
        let users = try await view.roles.users(of: .id(role.id), as: .member, reach: .effective, attributes: ["uid"])
        let dn = DistinguishedName.text("cn", role.name, under: tree.sudoers)
        return FixedEntry(
            dn: dn,
            attributes: [
                LDAPAttribute("objectClass", "top", "sudoRole"), LDAPAttribute("cn", role.name),
                LDAPAttribute("sudoUser", users.filter(\.isActive).map { Array($0.uid.utf8) }),
            ].filter { !$0.values.isEmpty }
                + declared.compactMap { name, attribute in
                    role[attribute].map { LDAPAttribute(name, $0.ldapValues) }
                },
            operational: [
                LDAPAttribute("entryUUID", tree.uuids.text(role.id.rawValue, .sudoRole)), LDAPAttribute("entryDN", dn),
                LDAPAttribute("createTimestamp", GeneralizedTime.text(role.created)),
                LDAPAttribute("modifyTimestamp", GeneralizedTime.text(role.modified)),
                LDAPAttribute("structuralObjectClass", "sudoRole"), LDAPAttribute("hasSubordinates", "FALSE"),
                LDAPAttribute("subschemaSubentry", DirectoryTree.subschema),
            ])
    }

    /// Whether a filter can be true for an entry. A search for a user by name need not look at these entries.
    static func canSatisfy(_ filter: LDAPFilter) -> Bool {
        func isKnown(_ name: String) -> Bool {
            AttributeNames.Description(name).map { known.contains($0.name) } ?? false
        }
        switch filter {
        case .and(let filters): return filters.allSatisfy(canSatisfy)
        case .or(let filters): return filters.contains(where: canSatisfy)
        case .not, .extensible: return true
        case .equal(let name, let value) where AttributeNames.canonical(name) == "objectclass":
            return ["top", "sudorole"].contains(text(value))
        case .present(let name), .equal(let name, _), .substrings(let name, _, _, _), .atLeast(let name, _),
            .atMost(let name, _), .approximate(let name, _):
            return isKnown(name)
        }
    }

    private static func text(_ value: [UInt8]) -> String { String(decoding: value, as: UTF8.self).lowercased() }
}

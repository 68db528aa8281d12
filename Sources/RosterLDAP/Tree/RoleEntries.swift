import Roster

/// Makes the entries of roles. A role without members has no `member`, though RFC 4519 demands one.
struct RoleEntries: Sendable {
    static let classes = ["top", "groupOfNames", "groupOfUniqueNames", "rosterObject"]

    private let tree: DirectoryTree
    private let view: DirectoryView
    private let requested: RequestedAttributes
    private let shown: [ShownAttributes.Shown]
    private let posix: PosixView
    let selection: AttributeSelection

    init(_ tree: DirectoryTree, _ vocabulary: Vocabulary, _ view: DirectoryView, _ requested: RequestedAttributes) {
        (self.tree, self.view, self.requested) = (tree, view, requested)
        let attributes = tree.shown.attributes(vocabulary, .role)
        shown = attributes.list.filter { requested.includes($0.name) }
        posix = PosixView(tree.posix, requested, attributes)
        let names = shown.map(\.definition.name) + posix.needed
        selection = .only(names.isEmpty ? ["name"] : names)
    }

    /// The users and roles that a role names in an attribute.
    ///
    /// - Parameter attributes: The attributes of the users to fetch.
    func named(
        by attribute: String, _ role: Role, _ attributes: AttributeSelection
    ) async throws -> (users: [User], roles: [Role]) {
        switch attribute {
        case "member", "uniquemember", "owner":
            let relation = attribute == "owner" ? RoleRelation.owner : .member
            return (
                try await view.roles.users(of: .id(role.id), as: relation, reach: .direct, attributes: attributes),
                try await view.roles.roles(of: .id(role.id), as: relation, reach: .direct)
            )
        case "memberof", "ismemberof":
            return (
                [], try await view.roles.roles(having: .role(.id(role.id)), as: .member, reach: tree.memberOf)
            )
        default: return ([], [])
        }
    }

    /// The distinguished names that a role names in an attribute.
    private func names(by attribute: String, _ role: Role) async throws -> [[UInt8]] {
        let (users, roles) = try await named(by: attribute, role, ["uid"])
        return users.map { Array(tree.name(of: $0.uid).utf8) } + roles.map { Array(tree.name(ofRole: $0.name).utf8) }
    }

    func entry(_ role: Role) async throws -> LDAPAnswer.Entry {
        let dn = tree.name(ofRole: role.name)
        var attributes = EntryAttributes(requested)
        if requested.includes("objectClass") {
            attributes.add("objectClass", (Self.classes + posix.classes(role.attributes, .role)).map { Array($0.utf8) })
        }
        attributes.add("cn", role.name)
        for attribute in shown { attributes.add(attribute.name, role[attribute.definition.name]?.ldapValues ?? []) }
        for (name, value) in posix.attributes(of: role) { attributes.add(name, value) }
        if requested.isNamed("uid") { attributes.add("uid", role.name) }
        if requested.includes("member") || requested.includes("uniqueMember") {
            let names = try await names(by: "member", role)
            if requested.includes("member") { attributes.add("member", names) }
            if requested.includes("uniqueMember") { attributes.add("uniqueMember", names) }
        }
        // The names alone cannot name roles, so that they are those of all members, also through roles.
        if requested.includes("memberUid") {
            let users = try await view.roles.users(
                of: .id(role.id), as: .member, reach: .effective, attributes: ["uid"])
            attributes.add("memberUid", users.map { Array($0.uid.utf8) })
        }
        if requested.includes("owner") { attributes.add("owner", try await names(by: "owner", role)) }
        if requested.includes("memberOf", isOperational: true) {
            attributes.add("memberOf", try await names(by: "memberof", role))
        }
        if requested.isNamed("sAMAccountName") { attributes.add("sAMAccountName", [Array(role.name.utf8)]) }
        attributes.addOperational(
            dn: dn, uuid: tree.uuids.text(role.id.rawValue), created: role.created, modified: role.modified,
            structuralClass: "groupOfNames")
        return LDAPAnswer.Entry(dn: dn, attributes: attributes.list, number: role.id.rawValue)
    }
}

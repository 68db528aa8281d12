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
            let users = try await view.roles.users(of: .id(role.id), as: .member, reach: .direct, attributes: ["uid"])
            let roles = try await view.roles.roles(of: .id(role.id), as: .member, reach: .direct)
            let names =
                users.map { Array(tree.name(of: $0.uid).utf8) } + roles.map { Array(tree.name(ofRole: $0.name).utf8) }
            if requested.includes("member") { attributes.add("member", names) }
            if requested.includes("uniqueMember") { attributes.add("uniqueMember", names) }
        }
        // The names alone cannot name roles, so that they are those of all members, also through roles.
        if requested.includes("memberUid") {
            let users = try await view.roles.users(
                of: .id(role.id), as: .member, reach: .effective, attributes: ["uid"])
            attributes.add("memberUid", users.map { Array($0.uid.utf8) })
        }
        if requested.includes("owner") {
            let users = try await view.roles.users(of: .id(role.id), as: .owner, reach: .direct, attributes: ["uid"])
            let roles = try await view.roles.roles(of: .id(role.id), as: .owner, reach: .direct)
            attributes.add(
                "owner",
                users.map { Array(tree.name(of: $0.uid).utf8) } + roles.map { Array(tree.name(ofRole: $0.name).utf8) })
        }
        if requested.includes("memberOf", isOperational: true) {
            let roles = try await view.roles.roles(having: .role(.id(role.id)), as: .member, reach: tree.memberOf)
            attributes.add("memberOf", roles.map { Array(tree.name(ofRole: $0.name).utf8) })
        }
        if requested.isNamed("sAMAccountName") { attributes.add("sAMAccountName", [Array(role.name.utf8)]) }
        attributes.addOperational(
            dn: dn, uuid: tree.uuids.text(role.id.rawValue), created: role.created, modified: role.modified,
            structuralClass: "groupOfNames")
        return LDAPAnswer.Entry(dn: dn, attributes: attributes.list, number: role.id.rawValue)
    }
}

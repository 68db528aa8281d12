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
        shown = ShownAttributes(vocabulary, .role).list.filter { requested.includes($0.name) }
        posix = PosixView(tree.posix, requested, vocabulary, .role)
        let names = shown.map(\.definition.name) + posix.needed
        selection = .only(names.isEmpty ? ["name"] : names)
    }

    func entry(_ role: Role) async throws -> LDAPAnswer.Entry {
        let dn = tree.name(ofRole: role.name)
        var attributes: [LDAPAttribute] = []
        func add(_ name: String, _ values: [[UInt8]]) {
            if !values.isEmpty { attributes.append(LDAPAttribute(requested.shown(name), values)) }
        }
        func add(_ name: String, _ text: String, isOperational: Bool = false) {
            if requested.includes(name, isOperational: isOperational) { add(name, [Array(text.utf8)]) }
        }
        if requested.includes("objectClass") {
            add("objectClass", (Self.classes + posix.classes(role.attributes, .role)).map { Array($0.utf8) })
        }
        add("cn", role.name)
        for attribute in shown { add(attribute.name, role[attribute.definition.name]?.ldapValues ?? []) }
        for (name, value) in posix.attributes(of: role) { add(name, value) }
        if requested.isNamed("uid") { add("uid", role.name) }
        if requested.includes("member") || requested.includes("uniqueMember") {
            let users = try await view.roles.users(of: .id(role.id), as: .member, reach: .direct, attributes: ["uid"])
            let roles = try await view.roles.roles(of: .id(role.id), as: .member, reach: .direct)
            let names =
                users.map { Array(tree.name(of: $0.uid).utf8) } + roles.map { Array(tree.name(ofRole: $0.name).utf8) }
            if requested.includes("member") { add("member", names) }
            if requested.includes("uniqueMember") { add("uniqueMember", names) }
        }
        // The names alone cannot name roles, so that they are those of all members, also through roles.
        if requested.includes("memberUid") {
            let users = try await view.roles.users(
                of: .id(role.id), as: .member, reach: .effective, attributes: ["uid"])
            add("memberUid", users.map { Array($0.uid.utf8) })
        }
        if requested.includes("owner") {
            let users = try await view.roles.users(of: .id(role.id), as: .owner, reach: .direct, attributes: ["uid"])
            let roles = try await view.roles.roles(of: .id(role.id), as: .owner, reach: .direct)
            add(
                "owner",
                users.map { Array(tree.name(of: $0.uid).utf8) } + roles.map { Array(tree.name(ofRole: $0.name).utf8) })
        }
        if requested.includes("memberOf", isOperational: true) {
            let roles = try await view.roles.roles(having: .role(.id(role.id)), as: .member, reach: .effective)
            add("memberOf", roles.map { Array(tree.name(ofRole: $0.name).utf8) })
        }
        if requested.isNamed("sAMAccountName") { add("sAMAccountName", [Array(role.name.utf8)]) }
        add("entryUUID", tree.uuids.text(role.id.rawValue), isOperational: true)
        add("entryDN", dn, isOperational: true)
        add("createTimestamp", GeneralizedTime.text(role.created), isOperational: true)
        add("modifyTimestamp", GeneralizedTime.text(role.modified), isOperational: true)
        add("structuralObjectClass", "groupOfNames", isOperational: true)
        add("hasSubordinates", "FALSE", isOperational: true)
        add("numSubordinates", "0", isOperational: true)
        add("subschemaSubentry", DirectoryTree.subschema, isOperational: true)
        return LDAPAnswer.Entry(dn: dn, attributes: attributes, number: role.id.rawValue)
    }
}

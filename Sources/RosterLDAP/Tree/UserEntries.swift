import Roster

/// Makes the entries of users.
struct UserEntries: Sendable {
    static let classes = ["top", "person", "organizationalPerson", "inetOrgPerson", "rosterObject"]

    private let tree: DirectoryTree
    private let view: DirectoryView
    private let requested: RequestedAttributes
    private let shown: [ShownAttributes.Shown]
    private let showsRoles: Bool
    private let showsReports: Bool
    private let posix: PosixView
    let selection: AttributeSelection
    let prefetch: Prefetch

    init(_ tree: DirectoryTree, _ vocabulary: Vocabulary, _ view: DirectoryView, _ requested: RequestedAttributes) {
        (self.tree, self.view, self.requested) = (tree, view, requested)
        let attributes = tree.shown.attributes(vocabulary, .user)
        shown = attributes.list.filter { requested.includes($0.name) }
        showsRoles = requested.includes("memberOf", isOperational: true) || requested.isNamed("isMemberOf")
        showsReports = requested.isNamed("directReports")
        prefetch = requested.includes("manager") ? .manager : []
        posix = PosixView(tree.posix, requested, attributes)
        var names = shown.map { $0.definition.element?.attribute ?? $0.definition.name } + posix.needed
        // LDAP demands both names of a person.
        if requested.includes("cn") || requested.includes("sn") {
            names += ["commonName", "displayName", "familyName"]
        }
        selection = .only(names.isEmpty ? ["uid"] : names)
    }

    /// The users and roles that a user names in an attribute.
    ///
    /// - Parameter attributes: The attributes of the users to fetch.
    func named(
        by attribute: String, _ user: User, _ attributes: AttributeSelection
    ) async throws -> (users: [User], roles: [Role]) {
        switch attribute {
        case "memberof", "ismemberof":
            ([], try await view.roles.roles(having: .user(.id(user.id)), as: .member, reach: tree.memberOf))
        case "manager":
            try await user.managerID.asyncMap { id in
                (try await view.users.find(.id(id), attributes: attributes).map { [$0] } ?? [], [])
            } ?? ([], [])
        case "directreports": (try await view.users.reportees(of: .id(user.id), attributes: attributes), [])
        default: ([], [])
        }
    }

    func entry(_ user: User) async throws -> LDAPAnswer.Entry {
        let dn = tree.name(of: user.uid)
        var attributes = EntryAttributes(requested)
        if requested.includes("objectClass") {
            attributes.add("objectClass", (Self.classes + posix.classes(user.attributes, .user)).map { Array($0.utf8) })
        }
        attributes.add("uid", user.uid)
        for attribute in shown {
            attributes.add(attribute.name, values(attribute.definition, of: user))
        }
        for (name, value) in posix.attributes(of: user) { attributes.add(name, value) }
        let fallback = user.commonName ?? user.displayName ?? user.uid
        if user.attributes["commonName"] == nil { attributes.add("cn", fallback) }
        if user.attributes["familyName"] == nil { attributes.add("sn", fallback) }
        if requested.includes("manager"), user.managerID != nil, let manager = try await user.manager() {
            attributes.add("manager", tree.name(of: manager.uid))
        }
        if showsRoles {
            let roles = try await named(by: "memberof", user, ["uid"]).roles
            let names = roles.map { Array(tree.name(ofRole: $0.name).utf8) }
            if requested.includes("memberOf", isOperational: true) { attributes.add("memberOf", names) }
            if requested.isNamed("isMemberOf") { attributes.add("isMemberOf", names) }
        }
        if showsReports {
            let reports = try await named(by: "directreports", user, ["uid"]).users
            attributes.add("directReports", reports.map { Array(tree.name(of: $0.uid).utf8) })
        }
        if requested.isNamed("sAMAccountName") { attributes.add("sAMAccountName", [Array(user.uid.utf8)]) }
        if requested.isNamed("userPrincipalName"), !tree.domain.isEmpty {
            attributes.add("userPrincipalName", [Array((user.uid + "@" + tree.domain).utf8)])
        }
        if requested.isNamed("userAccountControl") {
            attributes.add("userAccountControl", [Array((user.isActive ? "512" : "514").utf8)])
        }
        attributes.addOperational(
            dn: dn, uuid: tree.uuids.text(user.id.rawValue), created: user.created, modified: user.modified,
            structuralClass: "inetOrgPerson")
        return LDAPAnswer.Entry(dn: dn, attributes: attributes.list, number: user.id.rawValue)
    }

    /// The values of an attribute. `mail` has all addresses of the user, the primary one first.
    private func values(_ definition: AttributeDefinition, of user: User) -> [[UInt8]] {
        // A name of another protocol is looked up only for parts of a list, such as `mail`.
        let value = definition.element == nil ? user.attributes[definition.name] : user[definition.name]
        let values = value?.ldapValues ?? []
        guard definition.name == "mail", let all = user["emails"]?.elements, all.count > 1 else { return values }
        var seen: Set<String> = []
        return (values + all.compactMap { $0.text.map { Array($0.utf8) } })
            .filter { seen.insert(String(decoding: $0, as: UTF8.self).lowercased()).inserted }
    }
}

/// Makes entries with the attributes that a client asks for.
struct Makers: Sendable {
    let tree: DirectoryTree
    let vocabulary: Vocabulary
    let view: DirectoryView
    let requested: RequestedAttributes

    var users: UserEntries { UserEntries(tree, vocabulary, view, requested) }
    var roles: RoleEntries { RoleEntries(tree, vocabulary, view, requested) }
}

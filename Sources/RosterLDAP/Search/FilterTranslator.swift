import Roster
import RosterText

/// Translates a filter of LDAP into a filter of users or of roles.
///
/// Attributes that the tree has of its own are translated here; the values of all others are read by the directory's parser of LDAP
/// filters. An attribute that nobody knows, and a value that cannot be one of the attribute, are Undefined.
struct FilterTranslator {
    let tree: DirectoryTree
    let view: DirectoryView
    let vocabulary: Vocabulary
    let entity: AttributeDefinition.Entity

    func filter(_ filter: LDAPFilter) async throws -> Filter { try await term(filter).filter }

    func term(_ filter: LDAPFilter) async throws -> FilterTerm {
        switch filter {
        case .and(let filters): return .and(try await terms(filters))
        case .or(let filters): return .or(try await terms(filters))
        case .not(let filter): return .not(try await term(filter))
        case .present(let name): return try readable(try await leaf(name, .present))
        case .equal(let name, let value), .approximate(let name, let value):
            return try readable(try await leaf(name, .equal(value)))
        case .atLeast(let name, let value): return try readable(try await leaf(name, .ordered(">=", value)))
        case .atMost(let name, let value): return try readable(try await leaf(name, .ordered("<=", value)))
        case .substrings(let name, let first, let any, let last):
            let pieces = ([first ?? []] + any + [last ?? []]).map(Self.escaped)
            return try readable(try await leaf(name, .substrings(pieces.joined(separator: "*"))))
        case .extensible(let rule, let name?, let value, let includesDN):
            let whole = try readable(try await extensible(rule?.lowercased(), name, value))
            guard includesDN, isInName(name, value) else { return whole }
            return .always
        // Without an attribute, the rule would be asked of all attributes.
        case .extensible: return .undefined
        }
    }

    /// Makes each comparison of a term Undefined whose attribute the client may not read of every user.
    private func readable(_ term: FilterTerm) throws -> FilterTerm {
        switch term {
        case .known(let filter): try view.maySearch(by: filter, of: entity) ? term : .undefined
        case .undefined: term
        case .and(let terms): .and(try terms.map(readable))
        case .or(let terms): .or(try terms.map(readable))
        case .not(let inner): .not(try readable(inner))
        }
    }

    private func terms(_ filters: [LDAPFilter]) async throws -> [FilterTerm] {
        var terms: [FilterTerm] = []
        for filter in filters { terms.append(try await term(filter)) }
        return terms
    }

    /// A comparison with an attribute.
    enum Comparison {
        case present
        case equal([UInt8])
        case ordered(String, [UInt8])
        /// The escaped pieces with `*` between them.
        case substrings(String)

        /// The comparison as the text of a filter has it, from its operator on.
        var text: String {
            switch self {
            case .present: "=*"
            case .equal(let value): "=" + FilterTranslator.escaped(value)
            case .ordered(let symbol, let value): symbol + FilterTranslator.escaped(value)
            case .substrings(let pieces): "=" + pieces
            }
        }

        var isPresence: Bool { if case .present = self { true } else { false } }

        var value: String? {
            if case .equal(let value) = self { return String(validating: value, as: UTF8.self) }
            return nil
        }
    }

    func leaf(_ name: String, _ comparison: Comparison) async throws -> FilterTerm {
        guard let description = AttributeNames.Description(name) else { return .undefined }
        if description.isOfNoValue { return .never }
        if let own = try await own(description.name, comparison) { return own }
        return parsed(description.name, comparison.text)
    }

    /// Reads a comparison by the directory's parser.
    func parsed(_ name: String, _ rest: String) -> FilterTerm {
        var name = name
        // A declared attribute can have `_` in its name, which LDAP has not.
        if name.contains("-") {
            name = tree.shown.attributes(vocabulary, entity)[name]?.definition.name.rawValue ?? name
        }
        guard let filter = try? Filter(ldap: "(\(name)\(rest))", vocabulary: vocabulary, for: entity) else {
            return .undefined
        }
        return .known(filter)
    }

    // MARK: The tree's own attributes

    /// The comparison with an attribute that the tree shows in its own way; nil for all other attributes.
    func own(_ name: String, _ comparison: Comparison) async throws -> FilterTerm? {
        let isUser = entity == .user
        if let number = posix(name, comparison) { return number }
        switch name {
        case "objectclass": return try objectClass(comparison)
        case "objectcategory":
            return constant(comparison, isUser ? ["person", "user"] : ["group"])
        case "structuralobjectclass": return constant(comparison, [isUser ? "inetOrgPerson" : "groupOfNames"])
        case "hassubordinates": return constant(comparison, ["FALSE"])
        case "numsubordinates": return constant(comparison, ["0"])
        case "subschemasubentry": return constant(comparison, [DirectoryTree.subschema])
        case "entryuuid": return identified(comparison) { tree.uuids.number($0) }
        case "entrydn":
            guard case .equal = comparison else { return comparison.isPresence ? .always : .undefined }
            return try await named(comparison.value)
        case "memberof" where isUser, "ismemberof" where isUser: return try await memberOf(comparison, tree.memberOf)
        case "memberof", "ismemberof": return try await rolesIn(comparison.value, tree.memberOf)
        case "manager" where isUser:
            guard case .equal = comparison else { return comparison.isPresence ? parsed(name, "=*") : .undefined }
            return try await manager(comparison.value)
        case "member" where !isUser, "uniquemember" where !isUser: return try await member(comparison)
        case "owner" where !isUser: return try await owner(comparison.value)
        case "memberuid" where !isUser: return try await memberUID(comparison)
        case "samaccountname": return parsed(isUser ? "uid" : "cn", comparison.text)
        case "uid" where !isUser: return parsed("cn", comparison.text)
        case "userprincipalname" where isUser: return principal(comparison)
        case "useraccountcontrol" where isUser:
            guard let text = comparison.value, let number = Int64(text) else {
                return comparison.isPresence ? .always : .undefined
            }
            return number == 512 ? .known(.active) : number == 514 ? .not(.known(.active)) : .never
        // A user without these shows others in their place; see ``UserEntries``.
        case "cn" where isUser && comparison.isPresence, "sn" where isUser && comparison.isPresence: return .always
        case "uid" where comparison.isPresence, "cn" where comparison.isPresence: return .always
        // Nobody may compare these.
        case "userpassword": return .undefined
        case "id", "externalid", "version", "active", "members": return .undefined
        default: return nil
        }
    }

    private static let userClasses: Set<String> = Set(UserEntries.classes.map { $0.lowercased() } + ["user"])
    private static let roleClasses: Set<String> = Set(RoleEntries.classes.map { $0.lowercased() } + ["group"])

    /// A class that nobody knows has no entries, so that its negation selects all.
    private func objectClass(_ comparison: Comparison) throws -> FilterTerm {
        if comparison.isPresence { return .always }
        guard let name = comparison.value?.lowercased() else { return .undefined }
        if let auxiliary = posixClass(name) { return auxiliary }
        return (entity == .user ? Self.userClasses : Self.roleClasses).contains(name) ? .always : .never
    }

    /// The comparison with an attribute that has the same values in all entries.
    func constant(_ comparison: Comparison, _ values: [String]) -> FilterTerm {
        if comparison.isPresence { return .always }
        guard let value = comparison.value else { return .undefined }
        return values.contains { TextKey.of($0) == TextKey.of(value) } ? .always : .never
    }

    private func identified(_ comparison: Comparison, _ number: (String) -> Int64?) -> FilterTerm {
        if comparison.isPresence { return .always }
        guard let text = comparison.value else { return .undefined }
        guard let number = number(text) else { return .never }
        return .known(AttributePath("id").equals(.string(UserID(rawValue: number).description)))
    }

    /// The entry with a distinguished name.
    func named(_ text: String?) async throws -> FilterTerm {
        guard let text, let name = try? EntryName(text) else { return .undefined }
        switch (try? tree.place(name), entity) {
        case (.user(let part)?, .user):
            guard let user = try await tree.user(part, ["uid"], in: view) else { return .never }
            return .known(AttributePath("id").equals(.string(user.id.description)))
        case (.role(let part)?, .role):
            guard let role = try await tree.role(part, ["name"], in: view) else { return .never }
            return .known(AttributePath("id").equals(.string(role.id.description)))
        default: return .never
        }
    }

    func memberOf(_ comparison: Comparison, _ reach: Reach) async throws -> FilterTerm {
        if comparison.isPresence { return .known(.present(AttributePath("memberOf"))) }
        guard let text = comparison.value else { return .undefined }
        // The name alone is no distinguished name, but is what people write.
        guard EntryName.isOne(text) else { return .known(.member(of: .named(text), reach)) }
        guard let name = try? EntryName(text) else { return .undefined }
        guard case .role(let part)? = try? tree.place(name) else { return .never }
        if part.attribute == "entryuuid" {
            guard let role = try await tree.role(part, ["name"], in: view) else { return .never }
            return .known(.member(of: .id(role.id), reach))
        }
        guard part.attribute == "cn" || part.attribute == "uid" else { return .never }
        return .known(.member(of: .named(part.value), reach))
    }

    func manager(_ text: String?) async throws -> FilterTerm {
        guard let text else { return .undefined }
        guard EntryName.isOne(text) else { return .known(Filter.manager.equals(.string(text))) }
        guard let name = try? EntryName(text) else { return .undefined }
        guard case .user(let part)? = try? tree.place(name), let user = try await tree.user(part, ["uid"], in: view)
        else { return .never }
        return .known(Filter.manager.equals(.string(user.id.description)))
    }

    /// The roles with a member. A role's entry shows its direct members.
    private func member(_ comparison: Comparison) async throws -> FilterTerm {
        if comparison.isPresence { return .known(.present(AttributePath("members"))) }
        guard let text = comparison.value else { return .undefined }
        guard EntryName.isOne(text), let name = try? EntryName(text) else { return .undefined }
        switch try? tree.place(name) {
        case .user(let part)?:
            guard let user = try await tree.user(part, ["uid"], in: view) else { return .never }
            return .known(AttributePath("members").equals(.string(user.id.description)))
        case .role(let part)?:
            guard let role = try await tree.role(part, ["name"], in: view) else { return .never }
            // The directory's filter knows the users among the members only.
            let around = try await view.roles.roles(having: .role(.id(role.id)), as: .member, reach: .direct)
            return .known(try Self.any(of: around))
        default: return .never
        }
    }

    /// The roles with an owner.
    private func owner(_ text: String?) async throws -> FilterTerm {
        guard let text, EntryName.isOne(text), let name = try? EntryName(text) else { return .undefined }
        let subject: RoleSubject
        switch try? tree.place(name) {
        case .user(let part)?:
            guard let user = try await tree.user(part, ["uid"], in: view) else { return .never }
            subject = .user(.id(user.id))
        case .role(let part)?:
            guard let role = try await tree.role(part, ["name"], in: view) else { return .never }
            subject = .role(.id(role.id))
        default: return .never
        }
        return .known(try Self.any(of: try await view.roles.roles(having: subject, as: .owner, reach: .direct)))
    }

    /// The roles with a user inside, directly or through other roles, as `memberUid` shows.
    private func memberUID(_ comparison: Comparison) async throws -> FilterTerm {
        if comparison.isPresence { return .known(.present(AttributePath("members"))) }
        guard let text = comparison.value else { return .undefined }
        guard let user = try await view.users.find(.named(text), attributes: ["uid"]) else { return .never }
        return .known(try await around(.user(.id(user.id))))
    }

    /// The filter for the roles that contain a user or a role, directly or through other roles.
    func around(_ subject: RoleSubject) async throws -> Filter {
        try Self.any(of: try await view.roles.roles(having: subject, as: .member, reach: .effective))
    }

    /// The roles inside a role, as `memberOf` of a role shows.
    func rolesIn(_ text: String?, _ reach: Reach) async throws -> FilterTerm {
        guard let text, EntryName.isOne(text), let name = try? EntryName(text) else { return .undefined }
        guard case .role(let part)? = try? tree.place(name), let role = try await tree.role(part, ["name"], in: view)
        else { return .never }
        return .known(try Self.any(of: try await view.roles.roles(of: .id(role.id), as: .member, reach: reach)))
    }

    private static func any(of roles: [Role]) throws -> Filter {
        guard roles.count <= Filter.maximumComparisons / 2 else {
            throw LDAPResult(.adminLimitExceeded, "The filter asks for more roles than a filter can have.")
        }
        return .or(roles.map { AttributePath("id").equals(.string($0.id.description)) })
    }

    private func principal(_ comparison: Comparison) -> FilterTerm {
        if comparison.isPresence { return tree.domain.isEmpty ? .never : .always }
        guard let text = comparison.value else { return .undefined }
        let suffix = "@" + tree.domain
        guard !tree.domain.isEmpty, text.lowercased().hasSuffix(suffix.lowercased()) else { return .never }
        return .known(Filter.uid.equals(.string(String(text.dropLast(suffix.count)))))
    }

    /// A value as the text of a filter has it. Every byte is escaped that could have a meaning there.
    static func escaped(_ value: [UInt8]) -> String {
        var text: [UInt8] = []
        for byte in value {
            let isPlain = (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || (0x30...0x39).contains(byte)
            if isPlain { text.append(byte) } else { text += Array(("\\" + Hexadecimal.text([byte])).utf8) }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

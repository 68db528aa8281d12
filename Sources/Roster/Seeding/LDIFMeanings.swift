/// What the attributes of LDIF mean for users and for roles.
struct LDIFMeanings: Sendable {
    /// The meaning of the name of an LDAP attribute.
    enum Meaning: Sendable {
        case objectClass
        case relation(RoleRelation)
        /// A value that no standard attribute can carry, or the name of an attribute without one.
        case own, unset
        /// A name with which users sign in. The one with the lowest rank counts.
        case name(rank: Int)
        case state(AccountState.Field)
        /// - Parameter rank: The place of the name among those from which a preset takes the attribute.
        case attribute(AttributeDefinition, rank: Int)
        case skipped, unknown
    }

    private let vocabulary: Vocabulary
    /// The names in lower case that `columns` or the preset map, with the attributes of users.
    private var mapped: [String: (attribute: AttributeName, rank: Int)] = [:]
    /// The attributes of users that `columns` maps. Their usual names in LDAP do not count.
    private let explicit: Set<AttributeName>
    private let skips: FieldPatterns
    private let presetSkips: FieldPatterns
    /// The attributes with the names of users, in lower case, the most important one first.
    let names: [String]
    /// The meanings that were looked up. Names repeat in every record, so each name is looked up once.
    private var known: [String: (user: Meaning, role: Meaning)] = [:]

    init(_ options: ImportOptions, _ vocabulary: Vocabulary) throws {
        self.vocabulary = vocabulary
        let table = options.preset?.table
        skips = FieldPatterns(options.skips)
        presetSkips = FieldPatterns(table?.skipped ?? [])
        for source in table?.sources ?? [] {
            for (rank, field) in source.fields.enumerated() { mapped[field.lowercased()] = (source.attribute, rank) }
        }
        var explicit: Set<AttributeName> = []
        for (attribute, field) in options.columns {
            guard let definition = vocabulary.definition(named: attribute.rawValue) else {
                throw vocabulary.unknownAttribute(attribute, of: .user)
            }
            explicit.insert(definition.name)
            mapped = mapped.filter { $0.value.attribute != definition.name }
            mapped[field.lowercased()] = (definition.name, 0)
        }
        self.explicit = explicit
        names =
            options.columns["uid"].map { [$0.lowercased()] } ?? ["samaccountname", "uid", "userprincipalname"]
    }

    /// The name without its options, such as `;binary`.
    static func base(of name: String) -> String { name.split(separator: ";").first.map(String.init) ?? name }

    /// Whether a name has a language (RFC 3866), as `cn;lang-de` has.
    static func hasLanguage(_ name: String) -> Bool {
        name.contains(";") && name.lowercased().split(separator: ";").dropFirst().contains { $0.hasPrefix("lang-") }
    }

    mutating func meaning(of name: String) -> (user: Meaning, role: Meaning) {
        if let known = known[name] { return known }
        let base = Self.base(of: name)
        let meaning = (user: meaning(of: base, for: .user), role: meaning(of: base, for: .role))
        // The document chooses the names, so the number of stored meanings is limited.
        if known.count < 2_000 { known[name] = meaning }
        return meaning
    }

    private func meaning(of base: String, for entity: AttributeDefinition.Entity) -> Meaning {
        let key = base.lowercased()
        if key == "objectclass" { return .objectClass }
        if key == LDAPSchema.rosterAttribute.lowercased() { return .own }
        if key == LDAPSchema.rosterUnset.lowercased() { return .unset }
        if skips.contains(base) { return .skipped }
        if entity == .role, let relation = Self.relation(key) {
            return skips.contains("\(relation)") ? .skipped : .relation(relation)
        }
        if entity == .user {
            if let rank = names.firstIndex(of: key) { return .name(rank: rank) }
            if let (attribute, rank) = mapped[key], let definition = vocabulary.definition(of: attribute) {
                return skips.contains(attribute.rawValue) ? .skipped : .attribute(definition, rank: rank)
            }
            if let field = AccountState.Field(named: key) { return .state(field) }
        }
        if let definition = vocabulary.definition(named: base, in: .ldap, for: entity),
            entity == .role || !explicit.contains(definition.name)
        {
            return skips.contains(definition.name.rawValue) ? .skipped : .attribute(definition, rank: 100)
        }
        if entity == .user, explicit.isDisjoint(with: ["employeeNumber"]), key == "employeeid",
            let definition = vocabulary.definition(of: "employeeNumber")
        {
            return .attribute(definition, rank: 101)
        }
        let isKnown =
            LDAPSchema.operational.contains(key) || presetSkips.contains(base)
            // A group of Active Directory has such a name beside its `cn`.
            || entity == .role && key == "samaccountname"
        return isKnown ? .skipped : .unknown
    }

    private static func relation(_ name: String) -> RoleRelation? {
        switch name {
        case "member", "uniquemember", "memberuid": .member
        case "owner": .owner
        default: nil
        }
    }
}

/// An entry of a seed's attributes: a declared attribute, or the settings of a built-in one.
enum SeedAttribute {
    /// The readers, writers and rules of a built-in attribute.
    struct BuiltIn {
        let rights: AttributeRights
        /// The new rules; nil keeps the current ones.
        let rules: AttributeRules?
    }
    case declared(AttributeDefinition)
    case builtIn(BuiltIn)

    init(_ entry: SeedEntry) throws {
        var members: [String: SeedEntry.Member] = [:]
        for member in try entry.members(of: "an attribute") { members[member.name] = member }
        func text(_ key: String) throws -> String? { try members.removeValue(forKey: key).map { try $0.text().text } }
        func flag(_ key: String) throws -> Bool? { try members.removeValue(forKey: key).map { try $0.boolean() } }
        func choice<Choice>(_ key: String, _ choices: [String: Choice]) throws -> Choice? {
            guard let member = members[key], let text = try text(key) else { return nil }
            guard let choice = choices[text] else {
                throw SeedEntry.failure(
                    member.line, key, "not one of \(choices.keys.sorted().joined(separator: ", "))",
                    "Choose one of them.")
            }
            return choice
        }
        func number(_ key: String) throws -> Double? { try members.removeValue(forKey: key).map { try $0.number() } }
        func length(_ key: String) throws -> Int? { try members.removeValue(forKey: key).map { try $0.length() } }
        guard let name = try text("name") else {
            throw SeedEntry.failure(
                entry.line, "name", "an attribute without a name", "Give every attribute a 'name'.")
        }
        let entity = try choice("of", ["user": AttributeDefinition.Entity.user, "role": .role]) ?? .user
        let readers = try choice(
            "readers", Dictionary(uniqueKeysWithValues: AttributeDefinition.Readers.allCases.map { ("\($0)", $0) }))
        let writers = try choice(
            "writers", ["administrators": AttributeDefinition.Writers.administrators, "person": .person])
        let hasRules = AttributeRules.seedNames.contains { members[$0] != nil }
        let rules = AttributeRules(
            isUnique: try flag("unique") ?? false, pattern: try text("pattern"),
            minimumLength: try length("minimumLength"), maximumLength: try length("maximumLength"),
            minimum: try number("minimum"), maximum: try number("maximum"))
        if StandardAttributes.isBuiltIn(AttributeName(name), of: entity) {
            if let left = members.values.first {
                throw SeedEntry.unknown(
                    left.name, left.nameLine, "name, of, readers, writers and rules, since \(name) is built in")
            }
            guard readers != nil || writers != nil || hasRules else {
                throw SeedEntry.failure(
                    entry.line, "name", "the name of an attribute that is built in",
                    "Give its 'readers' or 'writers', or choose another name.")
            }
            let rights = AttributeRights(
                name: AttributeName(name), entity: entity, readers: readers, writers: writers)
            self = .builtIn(BuiltIn(rights: rights, rules: hasRules ? rules : nil))
            return
        }
        let kind = try choice(
            "type",
            [
                "string": AttributeDefinition.Kind.string, "integer": .integer, "decimal": .decimal,
                "boolean": .boolean, "time": .time, "binary": .binary,
            ])
        let definition = AttributeDefinition(
            AttributeName(name), of: entity, kind: kind ?? .string, isMultiValued: try flag("multiValued") ?? false,
            isCaseExact: try flag("caseExact") ?? false, isSearchable: try flag("searchable") ?? (kind != .binary),
            rules: rules, readers: readers ?? .signedIn, writers: writers ?? .administrators)
        if let left = members.values.first {
            throw SeedEntry.unknown(
                left.name, left.nameLine,
                "name, of, type, multiValued, caseExact, searchable, readers, writers, "
                    + AttributeRules.seedNames.joined(separator: ", "))
        }
        self = .declared(definition)
    }
}

extension AttributeRules {
    /// The names of the rules in seeds.
    fileprivate static let seedNames = [
        "unique", "pattern", "minimumLength", "maximumLength", "minimum", "maximum",
    ]
}

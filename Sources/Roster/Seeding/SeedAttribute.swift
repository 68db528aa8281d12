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
        var members: [AttributeField: SeedEntry.Member] = [:]
        var unknown: SeedEntry.Member?
        for member in try entry.members(of: "an attribute") {
            guard let field = AttributeField(named: member.name) else {
                unknown = unknown ?? member
                continue
            }
            if let other = members.updateValue(member, forKey: field) {
                throw SeedEntry.failure(
                    member.nameLine, member.name, "another name of '\(other.name)', which is given as well",
                    "Give '\(field.rawValue)' alone.")
            }
        }
        func text(_ field: AttributeField) throws -> String? {
            try members.removeValue(forKey: field).map { try $0.text().text }
        }
        func flag(_ field: AttributeField) throws -> Bool? {
            try members.removeValue(forKey: field).map { try $0.boolean() }
        }
        func choice<Choice>(_ field: AttributeField, _ choices: [String: Choice]) throws -> Choice? {
            guard let member = members[field], let text = try text(field) else { return nil }
            guard let choice = choices[text] else {
                throw SeedEntry.failure(
                    member.line, member.name, "not one of \(choices.keys.sorted().joined(separator: ", "))",
                    "Choose one of them.")
            }
            return choice
        }
        func number(_ field: AttributeField) throws -> Double? {
            try members.removeValue(forKey: field).map { try $0.number() }
        }
        func length(_ field: AttributeField) throws -> Int? {
            try members.removeValue(forKey: field).map { try $0.length() }
        }
        func texts(_ field: AttributeField) throws -> [String: String] {
            try members.removeValue(forKey: field).map { try $0.texts() } ?? [:]
        }
        guard let name = try text(.name) else {
            throw SeedEntry.failure(
                entry.line, "name", "an attribute without a name", "Give every attribute a 'name'.")
        }
        let entity = try choice(.of, ["user": AttributeDefinition.Entity.user, "role": .role]) ?? .user
        let readers = try choice(
            .readers, Dictionary(uniqueKeysWithValues: AttributeDefinition.Readers.allCases.map { ("\($0)", $0) }))
        let writers = try choice(
            .writers, ["administrators": AttributeDefinition.Writers.administrators, "person": .person])
        let hasRules = AttributeField.rules.contains { members[$0] != nil }
        let rules = AttributeRules(
            isUnique: try flag(.unique) ?? false, pattern: try text(.pattern),
            minimumLength: try length(.minimumLength), maximumLength: try length(.maximumLength),
            minimum: try number(.minimum), maximum: try number(.maximum))
        if StandardAttributes.isBuiltIn(AttributeName(name), of: entity) {
            if let left = unknown ?? members.values.first {
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
            .type,
            [
                "string": AttributeDefinition.Kind.string, "integer": .integer, "decimal": .decimal,
                "boolean": .boolean, "time": .time, "binary": .binary,
            ])
        let definition = AttributeDefinition(
            AttributeName(name), of: entity, kind: kind ?? .string, isMultiValued: try flag(.multiValued) ?? false,
            isCaseExact: try flag(.caseExact) ?? false, isIndexed: try flag(.indexed) ?? (kind != .binary),
            rules: rules, readers: readers ?? .signedIn, writers: writers ?? .administrators,
            texts: AttributeTexts(labels: try texts(.labels), descriptions: try texts(.descriptions)))
        if let left = unknown ?? members.values.first {
            throw SeedEntry.unknown(
                left.name, left.nameLine,
                AttributeField.allCases.map(\.rawValue).joined(separator: ", "))
        }
        self = .declared(definition)
    }
}

/// An entry of a seed's attributes: an attribute of one's own, or the readers and writers of a built-in one.
enum SeedAttribute {
    case declared(AttributeDefinition)
    case builtIn(AttributeRights)

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
        guard let name = try text("name") else {
            throw SeedEntry.failure(
                entry.line, "name", "an attribute without a name", "Give every attribute a 'name'.")
        }
        let entity = try choice("of", ["user": AttributeDefinition.Entity.user, "role": .role]) ?? .user
        let readers = try choice(
            "readers", Dictionary(uniqueKeysWithValues: AttributeDefinition.Readers.allCases.map { ("\($0)", $0) }))
        let writers = try choice(
            "writers", ["administrators": AttributeDefinition.Writers.administrators, "person": .person])
        if StandardAttributes.isBuiltIn(AttributeName(name), of: entity) {
            if let left = members.values.first {
                throw SeedEntry.unknown(
                    left.name, left.nameLine, "name, of, readers and writers, since \(name) is built in")
            }
            guard readers != nil || writers != nil else {
                throw SeedEntry.failure(
                    entry.line, "name", "the name of an attribute that is built in",
                    "Give its 'readers' or 'writers', or choose another name.")
            }
            self = .builtIn(
                AttributeRights(name: AttributeName(name), entity: entity, readers: readers, writers: writers))
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
            isCaseExact: try flag("caseExact") ?? false, isUnique: try flag("unique") ?? false,
            isSearchable: try flag("searchable") ?? (kind != .binary), readers: readers ?? .signedIn,
            writers: writers ?? .administrators)
        if let left = members.values.first {
            throw SeedEntry.unknown(
                left.name, left.nameLine,
                "name, of, type, multiValued, caseExact, unique, searchable, readers and writers")
        }
        self = .declared(definition)
    }
}

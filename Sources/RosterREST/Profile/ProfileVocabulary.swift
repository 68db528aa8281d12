import Roster

/// The attributes under the names of the profile service: a flat map, so that parts of complex attributes stand in it
/// under names of their own, `mail` and `mobile` among them. Case counts.
struct ProfileVocabulary: Sendable {
    let vocabulary: Vocabulary
    private let entity: AttributeDefinition.Entity
    /// The names of attributes that are stored as they are.
    let plain: [AttributeName: String]
    /// The names of attributes that are views of a part of another attribute, by that attribute.
    let views: [AttributeName: [(name: String, view: AttributeName)]]

    init(_ vocabulary: Vocabulary, of entity: AttributeDefinition.Entity) {
        self.vocabulary = vocabulary
        self.entity = entity
        var plain: [AttributeName: String] = [:]
        var views: [AttributeName: [(name: String, view: AttributeName)]] = [:]
        // Declared attributes with the name of a relation are not shown.
        let taken = Set(["uri"] + ProfileRelation.allCases.map(\.name))
        for definition in vocabulary.definitions(for: entity) {
            let name = definition.names[.profile] ?? definition.name.rawValue
            if taken.contains(name) { continue }
            if let element = definition.element {
                views[element.attribute, default: []].append((name, definition.name))
            } else if definition.kind != .complex {
                plain[definition.name] = name
            }
        }
        self.plain = plain
        self.views = views
    }

    /// - Throws: `invalidAttribute` for a name that the vocabulary does not have, or that has no flat form.
    func definition(named name: String) throws -> AttributeDefinition {
        guard let found = vocabulary.definition(named: name, in: .profile, for: entity),
            found.kind != .complex
        else {
            throw DirectoryError(
                .invalidAttribute, "There is no attribute '\(name.prefix(64))' of a \(entity.rawValue).",
                advice: "Check the spelling; case counts.", attribute: AttributeName(name))
        }
        return found
    }
}

/// Which attributes and relations of an entity are wanted.
struct ProfileSelection: Sendable {
    /// The names as they were asked for, with the attributes for which they stand; nil for all.
    let attributes: [(name: String, definition: AttributeDefinition)]?
    let relations: [ProfileRelation]
    let prefetched: [ProfileRelation]

    /// Reads `attrsToFetch` and `prefetch`.
    init(_ call: Call, _ names: ProfileVocabulary, of owner: AttributeDefinition.Entity) throws {
        let known = ProfileRelation.all(of: owner)
        prefetched = try (call.list("prefetch") ?? []).map { name in
            guard let relation = known.first(where: { $0.name == name }) else {
                throw RequestError(
                    .badRequest,
                    "'\(name.prefix(64))' cannot be prefetched; \(known.map(\.name).joined(separator: ", ")) can.")
            }
            return relation
        }
        guard let wanted = try call.list("attrsToFetch"), !wanted.isEmpty else {
            attributes = nil
            relations = known
            return
        }
        relations = known.filter { wanted.contains($0.name) }
        attributes = try wanted.filter { name in name != "uri" && !known.contains { $0.name == name } }.map {
            ($0, try names.definition(named: $0))
        }
    }

    /// The attributes to ask the directory for.
    var fetched: AttributeSelection { attributes.map { .only($0.map(\.definition.name)) } ?? .usual }
}

import Roster

/// The attributes under the names of the profile service: a flat map, so that parts of complex attributes are in it
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

import Roster

/// The attributes and relations of an entity that a request asks for.
struct ProfileSelection: Sendable {
    /// The attributes, each with the name that the request gives to it; nil if the request asks for all.
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

import RosterText

/// The profile service of Mobile and Social: people, groups and their relations.
///
/// Names of resources and relations follow Oracle's Java SDK; the grammar of searches is compatible in intent, since no
/// source that can be reached has it.
enum ProfileAPI {
    private static let page: JSONValue = [
        "type": "object", "required": ["elements", "uri"],
        "properties": [
            "elements": ["type": "array", "items": ["type": "object"]], "uri": ["type": "string"],
            "next": ["type": "string"], "previous": ["type": "string"],
        ],
    ]

    private static let list = Endpoint.Answer(schema: page)
    private static let entity = Endpoint.Answer(schema: entitySchema)
    private static let newEntity = Endpoint.Answer(status: 201, schema: entitySchema, hasLocation: true)
    private static let readEntity = Endpoint.Answer(schema: entitySchema, others: [304])
    private static let entitySchema: JSONValue = [
        "type": "object", "required": ["uri"], "properties": ["uri": ["type": "string"]],
    ]
    private static let deletion: [Endpoint.Parameter] =
        ProfileHandlers.writeParameters + [
            .init(
                name: "reportees", summary: "What becomes of those who report to the person; refuse unless given.",
                schema: ["type": "string", "enum": ["refuse", "reassign", "leave"]])
        ]
    private static func reading(_ owner: ProfileRelation.Owner) -> [Endpoint.Parameter] {
        ProfileLists.selectionParameters(owner) + [
            .init(
                name: "If-None-Match", summary: "The entity tag of the version that the client has.",
                schema: ["type": "string", "format": "entity-tag"], isHeader: true)
        ]
    }

    // MARK: People

    static let searchPeople = Endpoint(
        "Search people.", parameters: ProfileLists.searchParameters(.people), answer: list
    ) { try ProfileLists.search($0, .people) }
    static let createPerson = Endpoint(
        "Create a person.", parameters: ProfileLists.selectionParameters(.people),
        body: .init(OpenAPISchemas.reference("NewPerson")), answer: newEntity, handler: ProfileHandlers.createPerson)
    static let readPerson = Endpoint(
        "Read a person.", parameters: reading(.people), answer: readEntity, handler: ProfileHandlers.readPerson)
    static let modifyPerson = Endpoint(
        "Modify the named attributes of a person.",
        parameters: ProfileHandlers.writeParameters + ProfileLists.selectionParameters(.people),
        body: .init(OpenAPISchemas.reference("Person")), answer: entity, handler: ProfileHandlers.modifyPerson)
    static let deletePerson = Endpoint(
        "Delete a person.", parameters: deletion, answer: .none, handler: ProfileHandlers.deletePerson)

    // MARK: Groups

    static let searchGroups = Endpoint(
        "Search groups.", parameters: ProfileLists.searchParameters(.groups), answer: list
    ) { try ProfileLists.search($0, .groups) }
    static let createGroup = Endpoint(
        "Create a group.", parameters: ProfileLists.selectionParameters(.groups),
        body: .init(OpenAPISchemas.reference("NewProfileGroup")), answer: newEntity,
        handler: ProfileHandlers.createGroup)
    static let readGroup = Endpoint(
        "Read a group.", parameters: reading(.groups), answer: readEntity, handler: ProfileHandlers.readGroup)
    static let modifyGroup = Endpoint(
        "Modify the named attributes of a group.",
        parameters: ProfileHandlers.writeParameters + ProfileLists.selectionParameters(.groups),
        body: .init(OpenAPISchemas.reference("ProfileGroup")), answer: entity, handler: ProfileHandlers.modifyGroup)
    static let deleteGroup = Endpoint(
        "Delete a group. Its members stay.", parameters: ProfileHandlers.writeParameters, answer: .none,
        handler: ProfileHandlers.deleteGroup)

    // MARK: Relations

    static func list(_ relation: ProfileRelation) -> Endpoint {
        Endpoint(
            "List '\(relation.name)'.", parameters: ProfileLists.relationParameters(other(relation)), answer: list
        ) { try ProfileLists.list($0, relation) }
    }
    static func add(_ relation: ProfileRelation) -> Endpoint {
        Endpoint("Add to '\(relation.name)'.", body: .init(body(of: relation)), answer: newEntity) {
            try ProfileLists.add($0, relation)
        }
    }
    static func read(_ relation: ProfileRelation) -> Endpoint {
        Endpoint(
            "Read one of '\(relation.name)'.", parameters: ProfileLists.selectionParameters(other(relation)),
            answer: entity
        ) { try ProfileLists.read($0, relation) }
    }
    static func remove(_ relation: ProfileRelation) -> Endpoint {
        Endpoint("Remove one from '\(relation.name)'.", answer: .none) { try ProfileLists.remove($0, relation) }
    }

    private static func other(_ relation: ProfileRelation) -> ProfileRelation.Owner {
        relation.takes.people ? .people : .groups
    }

    /// The other entity by its URI; by its bare name where that can mean one kind only.
    private static func body(of relation: ProfileRelation) -> JSONValue {
        let takes = relation.takes
        let segment = "([^/?#%\\x00-\\x1f\\x7f]|%[2-6][0-9A-Fa-f]|%7[0-9A-Ea-e])+"
        let kinds = takes.people && takes.groups ? "(people|groups)" : takes.people ? "people" : "groups"
        let uri = "^([^?#]*/)?\(kinds)/\(segment)/?([?#].*)?$"
        let isPlain = takes.people != takes.groups
        let other: JSONValue = ["type": "string", "pattern": .string(isPlain ? "\(uri)|^[^/\\x00]+$" : uri)]
        let keys = relation.keys.other + (relation == .members ? ["group-member-uri"] : []) + ["uri"]
        let own = relation.keys.own.filter { !relation.keys.other.contains($0) }
        return [
            "type": "object",
            "properties": .object(
                keys.map { .init($0, other) } + own.map { .init($0, ["type": "string", "format": "roster-own"]) }),
            "anyOf": .array(keys.map { ["required": [.string($0)]] }),
            "description": "Where the entity of the path is named as well, it must be the same.",
        ]
    }
}

import RosterText

/// The profile service of Mobile and Social: people, groups and their relations.
///
/// Names of resources and relations follow Oracle's Java SDK; the grammar of searches is compatible in intent, since no
/// source that can be reached has it.
enum ProfileAPI {
    static let routes: [Route] = people + groups + ProfileRelation.allCases.flatMap(relation)

    private static let page: JSONValue = [
        "type": "object", "required": ["elements", "uri"],
        "properties": [
            "elements": ["type": "array", "items": ["type": "object"]], "uri": ["type": "string"],
            "next": ["type": "string"], "previous": ["type": "string"],
        ],
    ]

    private static func answer(_ schema: JSONValue?, status: Int = 200, others: [Int] = []) -> Route.Answer {
        Route.Answer(status: status, schema: schema, others: others)
    }

    private static let entity: JSONValue = [
        "type": "object", "required": ["uri"], "properties": ["uri": ["type": "string"]],
    ]
    private static let deletion: [Route.Parameter] =
        ProfileHandlers.writeParameters + [
            .init(
                name: "reportees", summary: "What becomes of those who report to the person; refuse unless given.",
                schema: ["type": "string", "enum": ["refuse", "reassign", "leave"]])
        ]
    private static func reading(_ owner: ProfileRelation.Owner) -> [Route.Parameter] {
        ProfileLists.selectionParameters(owner) + [
            .init(
                name: "If-None-Match", summary: "The entity tag of the version that the client has.",
                schema: ["type": "string", "format": "entity-tag"], isHeader: true)
        ]
    }

    private static let people: [Route] = [
        Route(
            "GET", ProfileWriter.base + "/people", "Search people.", style: .profile,
            parameters: ProfileLists.searchParameters(.people), answer: answer(page)
        ) { try ProfileLists.search($0, .people) },
        Route(
            "POST", ProfileWriter.base + "/people", "Create a person.", style: .profile,
            parameters: ProfileLists.selectionParameters(.people), body: OpenAPISchemas.reference("NewPerson"),
            answer: answer(entity, status: 201), handler: ProfileHandlers.createPerson),
        Route(
            "GET", ProfileWriter.base + "/people/{uid}", "Read a person.", style: .profile,
            parameters: reading(.people),
            answer: answer(entity, others: [304]), handler: ProfileHandlers.readPerson),
        Route(
            "PUT", ProfileWriter.base + "/people/{uid}", "Modify the named attributes of a person.", style: .profile,
            parameters: ProfileHandlers.writeParameters + ProfileLists.selectionParameters(.people),
            body: OpenAPISchemas.reference("Person"),
            answer: answer(entity), handler: ProfileHandlers.modifyPerson),
        Route(
            "DELETE", ProfileWriter.base + "/people/{uid}", "Delete a person.", style: .profile, parameters: deletion,
            answer: answer(nil, status: 204), handler: ProfileHandlers.deletePerson),
    ]

    private static let groups: [Route] = [
        Route(
            "GET", ProfileWriter.base + "/groups", "Search groups.", style: .profile,
            parameters: ProfileLists.searchParameters(.groups), answer: answer(page)
        ) { try ProfileLists.search($0, .groups) },
        Route(
            "POST", ProfileWriter.base + "/groups", "Create a group.", style: .profile,
            parameters: ProfileLists.selectionParameters(.groups), body: OpenAPISchemas.reference("NewProfileGroup"),
            answer: answer(entity, status: 201), handler: ProfileHandlers.createGroup),
        Route(
            "GET", ProfileWriter.base + "/groups/{name}", "Read a group.", style: .profile,
            parameters: reading(.groups),
            answer: answer(entity, others: [304]), handler: ProfileHandlers.readGroup),
        Route(
            "PUT", ProfileWriter.base + "/groups/{name}", "Modify the named attributes of a group.", style: .profile,
            parameters: ProfileHandlers.writeParameters + ProfileLists.selectionParameters(.groups),
            body: OpenAPISchemas.reference("ProfileGroup"),
            answer: answer(entity), handler: ProfileHandlers.modifyGroup),
        Route(
            "DELETE", ProfileWriter.base + "/groups/{name}", "Delete a group. Its members stay.", style: .profile,
            parameters: ProfileHandlers.writeParameters, answer: answer(nil, status: 204),
            handler: ProfileHandlers.deleteGroup),
    ]

    /// A relation has four calls, whichever it is.
    private static func relation(_ relation: ProfileRelation) -> [Route] {
        let owner = relation.owner == .people ? "/people/{uid}" : "/groups/{name}"
        let path = ProfileWriter.base + owner + "/" + relation.name
        let other: ProfileRelation.Owner = relation.takes.people ? .people : .groups
        return [
            Route(
                "GET", path, "List '\(relation.name)'.", style: .profile,
                parameters: ProfileLists.relationParameters(other),
                answer: answer(page)
            ) { try ProfileLists.list($0, relation) },
            Route(
                "POST", path, "Add to '\(relation.name)'.", style: .profile,
                body: body(of: relation), answer: answer(entity, status: 201)
            ) { try ProfileLists.add($0, relation) },
            Route(
                "GET", path + "/{other}", "Read one of '\(relation.name)'.", style: .profile,
                parameters: ProfileLists.selectionParameters(other), answer: answer(entity)
            ) { try ProfileLists.read($0, relation) },
            Route(
                "DELETE", path + "/{other}", "Remove one from '\(relation.name)'.", style: .profile,
                answer: answer(nil, status: 204)
            ) { try ProfileLists.remove($0, relation) },
        ]
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

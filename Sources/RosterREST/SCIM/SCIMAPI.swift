import Roster
import RosterSignIn
import RosterText

/// The endpoints of SCIM 2.0 (RFC 7643 and RFC 7644), with pages by cursor (RFC 9865).
enum SCIMAPI {
    static func answer(_ schema: JSONValue?, status: Int = 200, others: [Int] = []) -> Endpoint.Answer {
        Endpoint.Answer(
            status: status, mediaType: "application/scim+json", schema: schema, others: others,
            hasLocation: status == 201)
    }

    /// The address of a resource.
    static func location(of entity: DirectoryEntity, _ context: ServiceContext) -> String {
        "\(context.baseURL)\(SCIMInterface.base)/\(entity.kind == .user ? "Users" : "Groups")/\(entity.id)"
    }

    // MARK: Resources

    /// Who may send back what the server sent: a group of 9,000 members has more than a megabyte.
    private static func largeBodies(
        _ kind: AttributeDefinition.Entity
    ) -> @Sendable (_ arguments: [String]) -> DirectoryAction {
        { arguments in
            guard kind == .role else { return .createUsers }
            return arguments.first.flatMap { RoleID($0) }.map { .changeMembers(of: .id($0)) } ?? .createRoles
        }
    }

    private static func one(_ kind: AttributeDefinition.Entity) -> String { kind == .user ? "a user" : "a group" }

    static func create(_ kind: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            "Create \(one(kind)).", parameters: selection, body: body(kind), answer: answer(resource, status: 201),
            largeBodies: largeBodies(kind)
        ) { call in
            let body = try call.json()
            let projection = try call.projection(of: kind)
            return .later { .scim(try await call.work.create(kind, body, projection)) }
        }
    }

    static func read(_ kind: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            "Read \(one(kind)).", parameters: selection + [.ifNoneMatch], answer: answer(resource, others: [304]),
            expectations: { kind == .user ? SCIMWork.expectations($0.arguments[0], isWhole: !$0.isProjected) : [] }
        ) { call in
            let projection = try call.projection(of: kind)
            let answer: @Sendable (Transaction) throws -> HTTPResponse = { transaction in
                let writer = SCIMWriter(call.context, transaction, kind, projection)
                let entity = try SCIMWork.resource(
                    kind, call.arguments[0], projection.fetched(kind, writer.derived), transaction)
                if call.request.has(entity.version) { return .notModified(entity.version) }
                // RFC 7644 asks for the location in answers to GET and to /Me, too (sections 3.4.1 and 3.11).
                return .scim(
                    try writer.text(of: entity), version: entity.version, location: location(of: entity, call.context))
            }
            // Reading a group with very many members takes longer than a look-up.
            if kind == .user || !projection.includes("members") { return try call.lookingUp(isNarrow: true, answer) }
            return call.reading(isNarrow: true, answer)
        }
    }

    static func replace(_ kind: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            "Replace \(one(kind)).", parameters: selection + [.ifMatch], body: body(kind), answer: answer(resource),
            largeBodies: largeBodies(kind)
        ) { call in
            let body = try call.json()
            let projection = try call.projection(of: kind)
            return .later { .scim(try await call.work.replace(kind, call.arguments[0], body, projection)) }
        }
    }

    static func patch(_ kind: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            "Change \(one(kind)).", parameters: selection + [.ifMatch], body: patchBody(kind),
            answer: answer(resource, others: [204]), largeBodies: largeBodies(kind),
            expectations: { kind == .user && !$0.request.isLarge ? SCIMWork.expectations($0.arguments[0]) : [] }
        ) { call in
            let work = call.work
            let body = try call.json()
            let projection = try call.projection(of: kind)
            let isResourceWanted = call.isProjected
            let id = call.arguments[0]
            // This thread has a reader at hand, so a brief change is worked out here and waits for nothing but the writer.
            let request = try call.request.isLarge ? nil : work.patchRequest(kind, id, body, planning: true)
            return .later {
                let request = try await work.workedOut { try request ?? work.patchRequest(kind, id, body) }
                return .scim(try await work.patch(kind, id, request, projection, isResourceWanted: isResourceWanted))
            }
        }
    }

    static func delete(_ kind: AttributeDefinition.Entity) -> Endpoint {
        Endpoint("Delete \(one(kind)).", parameters: [.ifMatch], answer: answer(nil, status: 204)) { call in
            .later { .scim(try await call.work.delete(kind, call.arguments[0])) }
        }
    }

    // MARK: Oneself (RFC 7644, section 3.11)

    static let readMe = me("Read oneself.", read(.user))
    static let replaceMe = me("Replace oneself.", replace(.user))
    static let patchMe = me("Change oneself.", patch(.user), answer: answer(resource))
    static let deleteMe = me("Delete oneself.", delete(.user))

    /// The endpoint for the caller's own resource.
    private static func me(_ summary: String, _ endpoint: Endpoint, answer: Endpoint.Answer? = nil) -> Endpoint {
        Endpoint(
            summary, parameters: endpoint.parameters, body: endpoint.body, answer: answer ?? endpoint.answer,
            canBeMissing: true
        ) { call in
            try endpoint.handler(call.with(arguments: [call.ownUser().id.description]))
        }
    }

    // MARK: All of it

    static let searchAll = Endpoint(
        "Search users and groups.", body: .init(searchBody(hasCursor: false)), answer: answer(list)
    ) { try searchAll($0, SCIMSearch(body: $0.json())) }
    static let listAll = Endpoint(
        "Search users and groups.", parameters: searchParameters(hasCursor: false), answer: answer(list)
    ) { try searchAll($0, SCIMSearch(query: $0)) }
    static let bulk = Endpoint("Carry out several operations.", body: .init(bulkBody), answer: answer(bulkAnswer)) {
        call in
        guard call.request.body.count <= SCIMBulk.maximumBytes else {
            throw SCIMError(.tooMany, "A bulk request has at most \(SCIMBulk.maximumBytes) bytes.", status: 413)
        }
        let bulk = try SCIMBulk(try call.json())
        return .later { .scim(try await bulk.run(call).bytes) }
    }

    // MARK: Discovery (RFC 7644, section 4)

    static let serviceProviderConfig = document("What the server can do.") { discovery, _ in
        discovery.serviceProviderConfig
    }
    static let resourceTypes = document("The types of resources.") { discovery, _ in discovery.resourceTypes }
    static let resourceType = document("A type of resources.") { $0.resourceType($1) }
    static let schemas = document("The schemas.") { discovery, _ in discovery.schemas }
    static let schema = document("A schema.") { $0.schema($1) }

    private static func document(
        _ summary: String, _ value: @escaping @Sendable (SCIMDiscovery, String) -> JSONValue?
    ) -> Endpoint {
        Endpoint(summary, answer: answer(["type": "object"])) { call in
            // RFC 7644, section 4, refuses filters here, so that no client takes a part of the documents for all of
            // them.
            if try call.parameter("filter") != nil {
                throw RequestError(.notPermitted, "These cannot be filtered.")
            }
            let derived = call.context.derived(call.view.attributes.vocabulary())
            let discovery = SCIMDiscovery(
                base: call.context.baseURL + SCIMInterface.base, types: [derived.scimUser, derived.scimGroup],
                limits: .init(
                    bulkOperations: SCIMBulk.maximumOperations, bulkBytes: SCIMBulk.maximumBytes,
                    filterResults: SCIMSearch.maximumCount, pageSize: SCIMSearch.maximumCount))
            guard let value = value(discovery, call.arguments.first ?? "") else {
                throw SCIMError(status: 404, "There is nothing of that name.")
            }
            return .now(.scim(value.bytes))
        }
    }

    // MARK: Parameters and bodies

    private static let selection: [Endpoint.Parameter] = [
        .init(name: "attributes", summary: "What to return, with commas.", schema: ["type": "string"]),
        .init(name: "excludedAttributes", summary: "What not to return, with commas.", schema: ["type": "string"]),
    ]
    static func searchParameters(hasCursor: Bool) -> [Endpoint.Parameter] {
        [
            .init(name: "filter", summary: "RFC 7644, section 3.4.2.2.", schema: filter),
            .init(
                name: "sortBy",
                summary: "The attribute to sort by, or several with commas between (an extension of RFC 7644).",
                schema: path),
            .init(name: "sortOrder", summary: "ascending, unless given.", schema: order),
            .init(name: "startIndex", summary: "The first one's number, from 1; not with 'cursor'.", schema: integer),
            .init(name: "count", summary: "How many at most; 1,000 unless given.", schema: integer),
        ] + selection
            + (hasCursor
                ? [
                    .init(
                        name: "cursor", summary: "Where the page begins (RFC 9865); empty for the first one.",
                        schema: cursor)
                ] : [])
    }

    private static let integer: JSONValue = ["type": "integer", "minimum": .integer(.min), "maximum": .integer(.max)]
    private static let filter: JSONValue = ["type": "string", "format": "scim-filter"]
    private static let path: JSONValue = ["type": "string", "format": "scim-sort"]
    private static let cursor: JSONValue = ["type": "string", "format": "roster-cursor"]
    private static let order = OpenAPISchemas.word("ascending", "descending")
    private static let strings: JSONValue = ["type": "array", "items": ["type": "string"]]
    private static let resource: JSONValue = [
        "type": "object", "required": ["schemas", "id"],
        "properties": ["schemas": strings, "id": ["type": "string"], "meta": ["type": "object"]],
    ]
    static let list: JSONValue = [
        "type": "object", "required": ["schemas", "totalResults"],
        "properties": [
            "schemas": strings, "totalResults": ["type": "integer"], "itemsPerPage": ["type": "integer"],
            "startIndex": ["type": "integer"], "Resources": ["type": "array", "items": ["type": "object"]],
        ],
    ]
    private static func body(_ entity: AttributeDefinition.Entity) -> Endpoint.Body {
        .init(OpenAPISchemas.reference(entity == .user ? "User" : "Group"))
    }
    private static func patchBody(_ entity: AttributeDefinition.Entity) -> Endpoint.Body {
        .init(OpenAPISchemas.reference(entity == .user ? "UserPatch" : "GroupPatch"))
    }
    private static func schemasOf(_ urn: String) -> JSONValue {
        ["type": "array", "contains": ["const": .string(urn)]]
    }
    static func searchBody(hasCursor: Bool) -> JSONValue {
        func optional(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }
        let number: JSONValue = ["type": ["integer", "string"], "pattern": "^([0-9]{1,9})?$"]
        let names: JSONValue = ["anyOf": [strings, ["type": ["string", "null"]]]]
        var properties: [JSONValue.Member] = [
            .init("schemas", schemasOf(SCIMSearch.schema)), .init("filter", optional(filter)),
            .init("sortBy", optional(path)), .init("sortOrder", optional(order)),
            .init("startIndex", optional(number)), .init("count", optional(number)),
            .init("attributes", names), .init("excludedAttributes", names),
        ]
        if hasCursor { properties.append(.init("cursor", optional(cursor))) }
        return ["type": "object", "required": ["schemas"], "properties": .object(properties)]
    }
    private static let bulkBody: JSONValue = [
        "type": "object", "required": ["schemas", "Operations"],
        "properties": [
            "schemas": schemasOf("urn:ietf:params:scim:api:messages:2.0:BulkRequest"),
            "failOnErrors": ["type": ["integer", "null"], "minimum": 1],
            "Operations": [
                "type": "array", "maxItems": .integer(Int64(SCIMBulk.maximumOperations)),
                "items": [
                    "anyOf": [
                        bulkOperation(["POST"], required: ["bulkId", "data"]),
                        bulkOperation(["PUT", "PATCH"], required: ["data"]),
                        bulkOperation(["DELETE"], required: []),
                    ]
                ],
            ],
        ],
    ]
    private static func bulkOperation(_ methods: [String], required: [JSONValue]) -> JSONValue {
        [
            "type": "object", "required": .array(["method", "path"] + required),
            "properties": [
                "method": OpenAPISchemas.word(methods),
                "path": ["type": "string", "pattern": "^/"], "bulkId": ["type": "string", "format": "roster-bulk-id"],
                "version": ["type": ["string", "null"]], "data": required.isEmpty ? .object([]) : ["type": "object"],
            ],
        ]
    }
    private static let bulkAnswer: JSONValue = [
        "type": "object", "required": ["schemas", "Operations"],
        "properties": ["schemas": strings, "Operations": ["type": "array"]],
    ]
}

import Roster
import RosterText

/// The endpoints of SCIM 2.0 (RFC 7643 and RFC 7644), with pages by cursor (RFC 9865).
enum SCIMAPI {
    /// The path of the interface below the server's root.
    static let base = "/scim/v2"

    private static func answer(_ schema: JSONValue?, status: Int = 200, others: [Int] = []) -> Endpoint.Answer {
        Endpoint.Answer(
            status: status, mediaType: "application/scim+json", schema: schema, others: others,
            hasLocation: status == 201)
    }

    // MARK: Resources

    private static func one(_ entity: AttributeDefinition.Entity) -> String { entity == .user ? "a user" : "a group" }
    private static func all(_ entity: AttributeDefinition.Entity) -> String { entity == .user ? "users" : "groups" }

    static func list(_ entity: AttributeDefinition.Entity) -> Endpoint {
        Endpoint("Search \(all(entity)).", parameters: searchParameters(hasCursor: true), answer: answer(list)) {
            try SCIMHandlers.list($0, entity)
        }
    }
    static func search(_ entity: AttributeDefinition.Entity) -> Endpoint {
        Endpoint("Search \(all(entity)).", body: .init(searchBody(hasCursor: true)), answer: answer(list)) {
            try SCIMHandlers.search($0, entity)
        }
    }
    static func create(_ entity: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            "Create \(one(entity)).", parameters: selection, body: body(entity), answer: answer(resource, status: 201)
        ) { try SCIMHandlers.create($0, entity) }
    }
    static func read(_ entity: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            "Read \(one(entity)).", parameters: selection + [ifNoneMatch], answer: answer(resource, others: [304])
        ) { try SCIMHandlers.read($0, entity) }
    }
    static func replace(_ entity: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            "Replace \(one(entity)).", parameters: selection + [ifMatch], body: body(entity), answer: answer(resource)
        ) { try SCIMHandlers.replace($0, entity) }
    }
    static func patch(_ entity: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            "Change \(one(entity)).", parameters: selection + [ifMatch], body: patchBody(entity),
            answer: answer(resource, others: [204])
        ) { try SCIMHandlers.patch($0, entity) }
    }
    static func delete(_ entity: AttributeDefinition.Entity) -> Endpoint {
        Endpoint("Delete \(one(entity)).", parameters: [ifMatch], answer: answer(nil, status: 204)) {
            try SCIMHandlers.delete($0, entity)
        }
    }

    // MARK: Oneself

    static let readMe = Endpoint(
        "Read oneself.", parameters: selection + [ifNoneMatch], answer: answer(resource, others: [304])
    ) { try SCIMHandlers.me($0, SCIMHandlers.read) }
    static let replaceMe = Endpoint(
        "Replace oneself.", parameters: selection + [ifMatch], body: body(.user), answer: answer(resource)
    ) { try SCIMHandlers.me($0, SCIMHandlers.replace) }
    static let patchMe = Endpoint(
        "Change oneself.", parameters: selection + [ifMatch], body: patchBody(.user), answer: answer(resource)
    ) { try SCIMHandlers.me($0, SCIMHandlers.patch) }
    static let deleteMe = Endpoint("Delete oneself.", parameters: [ifMatch], answer: answer(nil, status: 204)) {
        try SCIMHandlers.me($0, SCIMHandlers.delete)
    }

    // MARK: All of it

    static let searchAll = Endpoint(
        "Search users and groups.", body: .init(searchBody(hasCursor: false)), answer: answer(list)
    ) { try SCIMHandlers.searchAll($0, SCIMSearch(body: $0.json())) }
    static let listAll = Endpoint(
        "Search users and groups.", parameters: searchParameters(hasCursor: false), answer: answer(list)
    ) { try SCIMHandlers.searchAll($0, SCIMSearch(query: $0)) }
    static let bulk = Endpoint("Carry out several operations.", body: .init(bulkBody), answer: answer(bulkAnswer)) {
        exchange in
        guard exchange.request.body.count <= SCIMBulk.maximumBytes else {
            throw SCIMError(.tooMany, "A bulk request has at most \(SCIMBulk.maximumBytes) bytes.", status: 413)
        }
        let bulk = try SCIMBulk(try exchange.json())
        return .later { .json(try await bulk.run(exchange), type: "application/scim+json") }
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
        Endpoint(summary, answer: answer(["type": "object"])) { exchange in
            // RFC 7644, section 4, refuses filters here, so that no client takes a part of the documents for all of
            // them.
            if try exchange.parameter("filter") != nil {
                throw RequestError(.notPermitted, "These cannot be filtered.")
            }
            let derived = exchange.context.derived(exchange.view.attributes.vocabulary())
            let discovery = SCIMDiscovery(
                base: exchange.context.baseURL + base, types: [derived.scimUser, derived.scimGroup],
                limits: .init(
                    bulkOperations: SCIMBulk.maximumOperations, bulkBytes: SCIMBulk.maximumBytes,
                    filterResults: SCIMSearch.maximumCount, pageSize: SCIMSearch.maximumCount))
            guard let value = value(discovery, exchange.arguments.first ?? "") else {
                throw SCIMError(status: 404, "There is nothing of that name.")
            }
            return .now(.json(value, type: "application/scim+json"))
        }
    }

    // MARK: Parameters and bodies

    private static let selection: [Endpoint.Parameter] = [
        .init(name: "attributes", summary: "What to return, with commas.", schema: ["type": "string"]),
        .init(name: "excludedAttributes", summary: "What not to return, with commas.", schema: ["type": "string"]),
    ]
    private static let ifMatch = Endpoint.Parameter(
        name: "If-Match", summary: "The entity tag of the version that the change is based on.",
        schema: ["type": "string", "format": "entity-tag"], isHeader: true)
    private static let ifNoneMatch = Endpoint.Parameter(
        name: "If-None-Match", summary: "The entity tag of the version that the client has.",
        schema: ["type": "string", "format": "entity-tag"], isHeader: true)
    private static func searchParameters(hasCursor: Bool) -> [Endpoint.Parameter] {
        [
            .init(name: "filter", summary: "RFC 7644, section 3.4.2.2.", schema: filter),
            .init(name: "sortBy", summary: "The attribute to sort by.", schema: path),
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

    private static let integer: JSONValue = [
        "type": "integer", "minimum": .integer(.min), "maximum": .integer(.max),
    ]
    private static let filter: JSONValue = ["type": "string", "minLength": 1, "format": "scim-filter"]
    private static let path: JSONValue = ["type": "string", "minLength": 1, "format": "scim-sort"]
    private static let cursor: JSONValue = ["type": "string", "format": "roster-cursor"]
    private static let order = OpenAPISchemas.word("ascending", "descending")
    private static let strings: JSONValue = ["type": "array", "items": ["type": "string"]]
    private static let resource: JSONValue = [
        "type": "object", "required": ["schemas", "id"],
        "properties": ["schemas": strings, "id": ["type": "string"], "meta": ["type": "object"]],
    ]
    private static let list: JSONValue = [
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
    private static func searchBody(hasCursor: Bool) -> JSONValue {
        func optional(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }
        let names: JSONValue = ["anyOf": [strings, ["type": ["string", "null"]]]]
        var properties: [JSONValue.Member] = [
            .init("schemas", schemasOf(SCIMSearch.schema)), .init("filter", optional(filter)),
            .init("sortBy", optional(path)), .init("sortOrder", optional(order)),
            .init("startIndex", optional(["type": "integer"])), .init("count", optional(["type": "integer"])),
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
                "version": ["type": ["string", "null"]],
                "data": required.isEmpty ? .object([]) : ["type": "object"],
            ],
        ]
    }
    private static let bulkAnswer: JSONValue = [
        "type": "object", "required": ["schemas", "Operations"],
        "properties": ["schemas": strings, "Operations": ["type": "array"]],
    ]
}

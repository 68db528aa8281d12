import Roster
import RosterText

/// The routes of SCIM 2.0 (RFC 7643 and RFC 7644), with pages by cursor (RFC 9865).
enum SCIMAPI {
    /// The path of the interface below the server's root.
    static let base = "/scim/v2"

    static let routes: [Route] =
        discovery + resources("Users", .user) + resources("Groups", .role) + me + [
            route(
                "POST", "/.search", "Search users and groups.", body: searchBody(hasCursor: false), answer: answer(list)
            ) { exchange in
                try SCIMHandlers.searchAll(exchange, SCIMSearch(body: exchange.json()))
            },
            route(
                "GET", "", "Search users and groups.", parameters: searchParameters(hasCursor: false),
                answer: answer(list)
            ) {
                try SCIMHandlers.searchAll($0, SCIMSearch(query: $0))
            },
            route("POST", "/Bulk", "Carry out several operations.", body: bulkBody, answer: answer(bulkAnswer)) {
                exchange in
                guard exchange.request.body.count <= SCIMBulk.maximumBytes else {
                    throw SCIMError(.tooMany, "A bulk request has at most \(SCIMBulk.maximumBytes) bytes.", status: 413)
                }
                let bulk = try SCIMBulk(try exchange.json())
                return .later { .json(try await bulk.run(exchange), type: "application/scim+json") }
            },
        ]

    private static func route(
        _ method: String, _ path: String, _ summary: String, parameters: [Route.Parameter] = [],
        body: JSONValue? = nil, answer: Route.Answer, handler: @escaping @Sendable (Exchange) throws -> Reply
    ) -> Route {
        Route(
            method, base + path, summary, style: .scim, parameters: parameters, body: body, answer: answer,
            handler: handler)
    }

    private static func answer(_ schema: JSONValue?, status: Int = 200, others: [Int] = []) -> Route.Answer {
        Route.Answer(
            status: status, mediaType: "application/scim+json", schema: schema, others: others,
            hasLocation: status == 201)
    }

    // MARK: Resources

    private static func resources(_ name: String, _ entity: AttributeDefinition.Entity) -> [Route] {
        let one = entity == .user ? "a user" : "a group"
        let body = entity == .user ? userBody : groupBody
        return [
            route(
                "GET", "/\(name)", "Search \(entity == .user ? "users" : "groups").",
                parameters: searchParameters(hasCursor: true),
                answer: answer(list)
            ) { try SCIMHandlers.list($0, entity) },
            route(
                "POST", "/\(name)/.search", "Search \(entity == .user ? "users" : "groups").",
                body: searchBody(hasCursor: true),
                answer: answer(list)
            ) { try SCIMHandlers.search($0, entity) },
            route(
                "POST", "/\(name)", "Create \(one).", parameters: selection, body: body,
                answer: answer(resource, status: 201)
            ) { try SCIMHandlers.create($0, entity) },
            route(
                "GET", "/\(name)/{id}", "Read \(one).", parameters: selection + [ifNoneMatch],
                answer: answer(resource, others: [304])
            ) { try SCIMHandlers.read($0, entity) },
            route(
                "PUT", "/\(name)/{id}", "Replace \(one).", parameters: selection + [ifMatch], body: body,
                answer: answer(resource)
            ) { try SCIMHandlers.replace($0, entity) },
            route(
                "PATCH", "/\(name)/{id}", "Change \(one).", parameters: selection + [ifMatch],
                body: entity == .user ? userPatch : groupPatch,
                answer: answer(resource, others: [204])
            ) { try SCIMHandlers.patch($0, entity) },
            route(
                "DELETE", "/\(name)/{id}", "Delete \(one).", parameters: [ifMatch], answer: answer(nil, status: 204)
            ) { try SCIMHandlers.delete($0, entity) },
        ]
    }

    private static let me: [Route] = [
        route(
            "GET", "/Me", "Read oneself.", parameters: selection + [ifNoneMatch],
            answer: answer(resource, others: [304])
        ) { try SCIMHandlers.me($0, SCIMHandlers.read) },
        route(
            "PUT", "/Me", "Replace oneself.", parameters: selection + [ifMatch], body: userBody,
            answer: answer(resource)
        ) { try SCIMHandlers.me($0, SCIMHandlers.replace) },
        route(
            "PATCH", "/Me", "Change oneself.", parameters: selection + [ifMatch], body: userPatch,
            answer: answer(resource)
        ) { try SCIMHandlers.me($0, SCIMHandlers.patch) },
        route("DELETE", "/Me", "Delete oneself.", parameters: [ifMatch], answer: answer(nil, status: 204)) {
            try SCIMHandlers.me($0, SCIMHandlers.delete)
        },
    ]

    // MARK: Discovery (RFC 7644, section 4)

    private static let discovery: [Route] = [
        document("/ServiceProviderConfig", "What the server can do.") { discovery, _ in
            discovery.serviceProviderConfig
        },
        document("/ResourceTypes", "The types of resources.") { discovery, _ in discovery.resourceTypes },
        document("/ResourceTypes/{name}", "A type of resources.") { $0.resourceType($1) },
        document("/Schemas", "The schemas.") { discovery, _ in discovery.schemas },
        document("/Schemas/{urn}", "A schema.") { $0.schema($1) },
    ]

    private static func document(
        _ path: String, _ summary: String, _ value: @escaping @Sendable (SCIMDiscovery, String) -> JSONValue?
    ) -> Route {
        route("GET", path, summary, answer: answer(["type": "object"])) { exchange in
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

    private static let selection: [Route.Parameter] = [
        .init(name: "attributes", summary: "What to return, with commas.", schema: ["type": "string"]),
        .init(name: "excludedAttributes", summary: "What not to return, with commas.", schema: ["type": "string"]),
    ]
    private static let ifMatch = Route.Parameter(
        name: "If-Match", summary: "The entity tag of the version that the change is based on.",
        schema: ["type": "string", "format": "entity-tag"], isHeader: true)
    private static let ifNoneMatch = Route.Parameter(
        name: "If-None-Match", summary: "The entity tag of the version that the client has.",
        schema: ["type": "string", "format": "entity-tag"], isHeader: true)
    private static func searchParameters(hasCursor: Bool) -> [Route.Parameter] {
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
    private static let order: JSONValue = [
        "type": "string",
        "pattern": "^([Aa][Ss]|[Dd][Ee][Ss])[Cc][Ee][Nn][Dd][Ii][Nn][Gg]$",
    ]
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
    private static let userBody = OpenAPISchemas.reference("User")
    private static let groupBody = OpenAPISchemas.reference("Group")
    private static let userPatch = OpenAPISchemas.reference("UserPatch")
    private static let groupPatch = OpenAPISchemas.reference("GroupPatch")
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
                        bulkOperation("[Pp][Oo][Ss][Tt]", required: ["bulkId", "data"]),
                        bulkOperation("([Pp][Uu][Tt]|[Pp][Aa][Tt][Cc][Hh])", required: ["data"]),
                        bulkOperation("[Dd][Ee][Ll][Ee][Tt][Ee]", required: []),
                    ]
                ],
            ],
        ],
    ]
    private static func bulkOperation(_ method: String, required: [JSONValue]) -> JSONValue {
        [
            "type": "object", "required": .array(["method", "path"] + required),
            "properties": [
                "method": ["type": "string", "pattern": .string("^\(method)$")],
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

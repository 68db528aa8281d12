package import RosterText

/// The documents in which the server describes itself (RFC 7644, section 4; RFC 7643, sections 5 to 7).
package struct SCIMDiscovery: Sendable {
    struct Limits: Sendable {
        let bulkOperations: Int
        let bulkBytes: Int
        /// The most resources that an answer to a filter has.
        let filterResults: Int
        /// The most resources on a page (RFC 9865, section 4).
        let pageSize: Int
    }

    private let base: String
    private let types: [SCIMResourceType]
    private let limits: Limits

    /// - Parameter base: The address of the interface, such as `https://example.com/scim/v2`.
    init(base: String, types: [SCIMResourceType], limits: Limits) {
        self.base = base.hasSuffix("/") ? String(base.dropLast()) : base
        self.types = types
        self.limits = limits
    }

    /// The document at `/Schemas`.
    package var schemas: JSONValue { Self.list(allSchemas.map(document)) }

    /// The document at `/Schemas/{urn}`; nil if there is no such schema.
    package func schema(_ id: String) -> JSONValue? {
        allSchemas.first { SCIMName.isSame($0.id, id) }.map(document)
    }

    /// The document at `/ResourceTypes`.
    package var resourceTypes: JSONValue { Self.list(types.map(document)) }

    /// The document at `/ResourceTypes/{name}`; nil if there is no such type.
    package func resourceType(_ name: String) -> JSONValue? { types.first { $0.name == name }.map(document) }

    /// The document at `/ServiceProviderConfig` (RFC 7643, section 5; RFC 9865, section 4).
    package var serviceProviderConfig: JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig"], "patch": ["supported": true],
            "bulk": [
                "supported": true, "maxOperations": .integer(Int64(limits.bulkOperations)),
                "maxPayloadSize": .integer(Int64(limits.bulkBytes)),
            ],
            "filter": ["supported": true, "maxResults": .integer(Int64(limits.filterResults))],
            "changePassword": ["supported": true], "sort": ["supported": true], "etag": ["supported": true],
            "pagination": [
                "cursor": true, "index": true, "defaultPaginationMethod": "index",
                "defaultPageSize": .integer(Int64(limits.pageSize)), "maxPageSize": .integer(Int64(limits.pageSize)),
            ],
            "authenticationSchemes": [
                [
                    "type": "oauthbearertoken", "name": "OAuth Bearer Token",
                    "description": "A token in the Authorization header",
                    "specUri": "https://www.rfc-editor.org/info/rfc6750", "primary": true,
                ],
                [
                    "type": "httpbasic", "name": "HTTP Basic",
                    "description": "A name and a password in the Authorization header",
                    "specUri": "https://www.rfc-editor.org/info/rfc7617",
                ],
            ],
            "meta": meta("ServiceProviderConfig", at: "/ServiceProviderConfig"),
        ]
    }

    /// A response with all of the resources (RFC 7644, section 3.4.2).
    package static func list(_ resources: [JSONValue]) -> JSONValue {
        let count = JSONValue.integer(Int64(resources.count))
        return [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"], "totalResults": count,
            "itemsPerPage": count, "startIndex": 1, "Resources": .array(resources),
        ]
    }

    private var allSchemas: [SCIMSchema] { types.flatMap { [$0.core] + $0.extensions } }

    private func document(_ schema: SCIMSchema) -> JSONValue {
        [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:Schema"], "id": .string(schema.id),
            "name": .string(schema.name), "description": .string(schema.description),
            "attributes": .array(schema.attributes.map(\.json)), "meta": meta("Schema", at: "/Schemas/" + schema.id),
        ]
    }

    private func document(_ type: SCIMResourceType) -> JSONValue {
        // No extension is required, because a group that a client sends without a unique name gets one.
        let extensions = type.extensions.map { schema -> JSONValue in
            ["schema": .string(schema.id), "required": false]
        }
        return [
            "schemas": ["urn:ietf:params:scim:schemas:core:2.0:ResourceType"], "id": .string(type.name),
            "name": .string(type.name), "endpoint": .string(type.endpoint), "description": .string(type.description),
            "schema": .string(type.core.id), "schemaExtensions": .array(extensions),
            "meta": meta("ResourceType", at: "/ResourceTypes/" + type.name),
        ]
    }

    private func meta(_ type: String, at path: String) -> JSONValue {
        ["resourceType": .string(type), "location": .string(base + path)]
    }
}

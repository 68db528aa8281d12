/// A type of resources, with its core schema and its extensions (RFC 7643, section 6).
package struct SCIMResourceType: Sendable {
    /// The name, such as `User`.
    package let name: String
    /// The path of the resources, such as `/Users`.
    package let endpoint: String
    package let description: String
    /// The schema of the attributes that are in the resource itself.
    package let core: SCIMSchema
    /// The schemas of the attributes that are below their URNs.
    package let extensions: [SCIMSchema]

    /// Finds the schema that has a URN. Upper and lower case of the URN are the same.
    package func schema(_ id: some StringProtocol) -> SCIMSchema? {
        ([core] + extensions).first { SCIMName.isSame($0.id, id) }
    }

    /// Finds an attribute of the extension that has a URN. Without a URN, finds an attribute of the core schema or one that all
    /// resources have.
    package func attribute(named name: some StringProtocol, in urn: String? = nil) -> SCIMAttribute? {
        guard let urn, urn != core.id else { return core.attribute(named: name) ?? Self.common.attribute(named: name) }
        return extensions.first { $0.id == urn }?.attribute(named: name)
    }

    /// The key of an attribute in a resource: the attribute's name, and the extension that has the attribute.
    package struct Key: Sendable, Hashable {
        /// The URN of the attribute's extension. An attribute of the core schema, or one that all resources have, has no URN here.
        package let urn: String?
        /// The name as the schema spells it.
        package let name: String

        package init(_ name: String, in urn: String? = nil) {
            self.urn = urn
            self.name = name
        }
    }

    /// The attributes that all resources have (RFC 7643, section 3.1), and `schemas`, which only the server writes.
    package static let common = SCIMSchema(
        id: "", name: "Common", description: "What all resources have",
        attributes: [
            SCIMAttribute(
                name: "schemas", description: "The URNs of the schemas", kind: .reference, isMultiValued: true,
                isRequired: true, isCaseExact: true, mutability: .readOnly, returned: .always, referenceTypes: ["uri"]),
            SCIMAttribute(
                name: "id", description: "The unique identifier that the directory gave", isRequired: true,
                isCaseExact: true, mutability: .readOnly, returned: .always, uniqueness: .server),
            SCIMAttribute(
                name: "externalId", description: "The identifier that the token's source has, or the client",
                isCaseExact: true),
            SCIMAttribute(
                name: "meta", description: "What the server knows of the resource", kind: .complex,
                mutability: .readOnly,
                subAttributes: [
                    .readOnly("resourceType", "The type of the resource", isCaseExact: true),
                    .readOnly("created", "When it was created", kind: .dateTime),
                    .readOnly("lastModified", "When it was changed last", kind: .dateTime),
                    .readOnly("location", "Its address", kind: .reference, isCaseExact: true, referenceTypes: ["uri"]),
                    .readOnly("version", "Its version, as in ETag", isCaseExact: true),
                ]),
        ])
}

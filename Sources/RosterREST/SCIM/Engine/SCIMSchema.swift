/// A schema, which is a list of attributes under a URN (RFC 7643, section 7).
package struct SCIMSchema: Sendable {
    package let id: String
    package let name: String
    package let description: String
    package let attributes: [SCIMAttribute]
    private let positions: [String: Int]

    /// Makes a schema. If the names of two attributes differ in case only, the first counts.
    package init(id: String, name: String, description: String, attributes: [SCIMAttribute]) {
        self.id = id
        self.name = name
        self.description = description
        self.attributes = attributes
        positions = Dictionary(
            attributes.enumerated().map { (SCIMName.folded($1.name), $0) }, uniquingKeysWith: { first, _ in first })
    }

    /// The attribute with that name. The case of the name does not count.
    package func attribute(named name: some StringProtocol) -> SCIMAttribute? {
        positions[SCIMName.folded(name)].map { attributes[$0] }
    }
}

/// A type of resources, with its core schema and its extensions (RFC 7643, section 6).
package struct SCIMResourceType: Sendable {
    /// The name, such as `User`.
    package let name: String
    /// The path of the resources, such as `/Users`.
    package let endpoint: String
    package let description: String
    /// The schema of the attributes that stand in the resource itself.
    package let core: SCIMSchema
    /// The schemas of the attributes that stand below their URNs.
    package let extensions: [SCIMSchema]

    /// The schema with that URN. The case of the URN does not count.
    package func schema(_ id: some StringProtocol) -> SCIMSchema? {
        ([core] + extensions).first { SCIMName.isSame($0.id, id) }
    }

    /// An attribute of the extension with that URN. Without a URN it is an attribute of the core, or one that all
    /// resources have.
    package func attribute(named name: some StringProtocol, in urn: String? = nil) -> SCIMAttribute? {
        guard let urn, urn != core.id else { return core.attribute(named: name) ?? Self.common.attribute(named: name) }
        return extensions.first { $0.id == urn }?.attribute(named: name)
    }

    /// The place of an attribute in a resource.
    package struct Key: Sendable, Hashable {
        /// The URN of the extension; nil for attributes of the core and for attributes that all resources have.
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

extension SCIMAttribute {
    /// An attribute that only the directory writes.
    static func readOnly(
        _ name: String, _ description: String, kind: Kind = .string, isCaseExact: Bool = false,
        canonicalValues: [String] = [], referenceTypes: [String] = []
    ) -> SCIMAttribute {
        SCIMAttribute(
            name: name, description: description, kind: kind, isCaseExact: isCaseExact, mutability: .readOnly,
            canonicalValues: canonicalValues, referenceTypes: referenceTypes)
    }

    /// The address of the resource that `value` identifies. A client can give it in place of `value`.
    static func reference(
        _ description: String, to types: [String], publishedAs mutability: Mutability
    ) -> SCIMAttribute {
        SCIMAttribute(
            name: "$ref", description: description, kind: .reference, isCaseExact: true, mutability: .readOnly,
            publishedMutability: mutability, referenceTypes: types)
    }

    /// A plain single-valued attribute.
    static func plain(_ name: String, _ description: String, kind: Kind = .string) -> SCIMAttribute {
        SCIMAttribute(name: name, description: description, kind: kind)
    }
}

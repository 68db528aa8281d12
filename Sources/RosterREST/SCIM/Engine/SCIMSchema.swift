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

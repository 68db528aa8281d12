package import RosterText

/// An attribute of a schema with its characteristics (RFC 7643, sections 2.2 and 7).
package struct SCIMAttribute: Sendable, Hashable {
    /// The type of an attribute's values (RFC 7643, section 2.3).
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case string, boolean, decimal, integer, dateTime, reference, binary, complex
    }

    /// The rule by which clients can write an attribute (RFC 7643, section 7).
    package enum Mutability: String, Sendable, Hashable {
        case readOnly, readWrite, immutable, writeOnly
    }

    /// The rule by which responses have an attribute (RFC 7643, section 7).
    package enum Returned: String, Sendable, Hashable {
        case always, never, request
        case byDefault = "default"
    }

    /// The range in which the values of an attribute are unique (RFC 7643, section 7).
    package enum Uniqueness: String, Sendable, Hashable {
        case none, server, global
    }

    /// The name as the schema spells it.
    package var name: String
    package var description: String
    package var kind: Kind = .string
    package var isMultiValued = false
    package var isRequired = false
    /// Whether every resource has a value, which cannot be removed. `/Schemas` calls the attribute required. If a
    /// client gives no value, a new resource gets the directory's default and a PUT keeps the present value.
    package var isAlwaysAssigned = false
    /// Whether case counts when values are compared.
    package var isCaseExact = false
    package var mutability: Mutability = .readWrite
    package var returned: Returned = .byDefault
    /// The mutability that `/Schemas` tells if it differs from ``mutability``. A `$ref` from a client represents the
    /// `value` that it points to; otherwise the directory writes `$ref`.
    package var publishedMutability: Mutability?
    package var uniqueness: Uniqueness = .none
    /// The values that clients should use. Other values are accepted, too.
    package var canonicalValues: [String] = []
    /// The values of `type` that mark elements which only the directory writes.
    var readOnlyTypes: Set<String> = []
    /// The targets of a reference: `User`, `Group`, `external` or `uri`.
    package var referenceTypes: [String] = []
    /// The parts of a complex attribute.
    package var subAttributes: [SCIMAttribute] = []

    /// The part with that name. The case of the name does not count.
    package func subAttribute(named name: some StringProtocol) -> SCIMAttribute? {
        subAttributes.first { SCIMName.isSame($0.name, name) }
    }

    /// Whether the elements are references to other resources, which `value` alone identifies, as `members` has them
    /// (RFC 7643, section 4.2).
    var isReferenceList: Bool { isMultiValued && subAttribute(named: "value")?.mutability == .immutable }

    /// Whether only the directory writes an element.
    func isReadOnly(element: JSONValue) -> Bool {
        guard !readOnlyTypes.isEmpty, let type = element["type"]?.text else { return false }
        return readOnlyTypes.contains(SCIMName.folded(type))
    }

    /// Whether clients can write the attribute.
    var isWritable: Bool { mutability != .readOnly }

    /// The definition as `/Schemas` shows it (RFC 7643, section 7).
    package var json: JSONValue {
        var json: JSONValue = [
            "name": .string(name), "type": .string(kind.rawValue), "multiValued": .boolean(isMultiValued),
            "description": .string(description), "required": .boolean(isRequired || isAlwaysAssigned),
        ]
        if !canonicalValues.isEmpty { json["canonicalValues"] = .array(canonicalValues.map(JSONValue.string)) }
        if [.string, .reference, .binary].contains(kind) { json["caseExact"] = .boolean(isCaseExact) }
        json["mutability"] = .string((publishedMutability ?? mutability).rawValue)
        json["returned"] = .string(returned.rawValue)
        json["uniqueness"] = .string(uniqueness.rawValue)
        if !referenceTypes.isEmpty { json["referenceTypes"] = .array(referenceTypes.map(JSONValue.string)) }
        if !subAttributes.isEmpty { json["subAttributes"] = .array(subAttributes.map(\.json)) }
        return json
    }
}

package import RosterText

/// An attribute of a schema with its characteristics (RFC 7643, sections 2.2 and 7).
package struct SCIMAttribute: Sendable, Hashable {
    /// The type of its values (RFC 7643, section 2.3).
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case string, boolean, decimal, integer, dateTime, reference, binary, complex
    }

    /// When it may be written (RFC 7643, section 7).
    package enum Mutability: String, Sendable, Hashable {
        case readOnly, readWrite, immutable, writeOnly
    }

    /// When it stands in responses (RFC 7643, section 7).
    package enum Returned: String, Sendable, Hashable {
        case always, never, request
        case byDefault = "default"
    }

    /// Among what its values are unique (RFC 7643, section 7).
    package enum Uniqueness: String, Sendable, Hashable {
        case none, server, global
    }

    /// The name in the schema's own spelling.
    package var name: String
    /// What it is, for people.
    package var description: String
    /// The type of its values.
    package var kind: Kind = .string
    /// Whether it has several values.
    package var isMultiValued = false
    /// Whether a resource must have it.
    package var isRequired = false
    /// Whether every resource has it, so that it cannot be removed. Clients are told that it is required; one who leaves it
    /// out of a new resource gets the directory's default, and one who leaves it out of a PUT leaves it as it is.
    package var isAlwaysAssigned = false
    /// Whether case makes a difference when values are compared.
    package var isCaseExact = false
    /// When it may be written.
    package var mutability: Mutability = .readWrite
    /// When it stands in responses.
    package var returned: Returned = .byDefault
    /// What clients are told of ``mutability``, where that is something else: a `$ref` is taken for the `value` that it
    /// points to, and otherwise written by the directory.
    package var publishedMutability: Mutability?
    /// Among what its values are unique.
    package var uniqueness: Uniqueness = .none
    /// Values that clients are advised to use; others are taken as well.
    package var canonicalValues: [String] = []
    /// The values of `type` of elements that the directory alone writes.
    var readOnlyTypes: Set<String> = []
    /// What a reference points to: `User`, `Group`, `external` or `uri`.
    package var referenceTypes: [String] = []
    /// The parts of a complex attribute.
    package var subAttributes: [SCIMAttribute] = []

    /// The part of that name, whatever its case.
    package func subAttribute(named name: some StringProtocol) -> SCIMAttribute? {
        subAttributes.first { SCIMName.isSame($0.name, name) }
    }

    /// Whether its elements are nothing but references to other resources, known by their `value` alone:
    /// `members` (RFC 7643, section 4.2).
    var isReferenceList: Bool { isMultiValued && subAttribute(named: "value")?.mutability == .immutable }

    /// Whether an element is one that the directory alone writes.
    func isReadOnly(element: JSONValue) -> Bool {
        guard !readOnlyTypes.isEmpty, let type = element["type"]?.text else { return false }
        return readOnlyTypes.contains(SCIMName.folded(type))
    }

    /// Whether clients can write it.
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

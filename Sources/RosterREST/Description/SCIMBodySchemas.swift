import RosterText

/// JSON Schemas of SCIM's resources and patches as the server takes them: single values also in an array, booleans also
/// as text, as some clients send them.
enum SCIMBodySchemas {
    private typealias Schemas = OpenAPISchemas

    static func resource(_ type: SCIMResourceType, without declared: Set<String>) -> JSONValue {
        var schema = attributes(type, without: declared, isPatch: false)
        schema["required"] = .array(type.core.attributes.filter(\.isRequired).map { .string($0.name) })
        return schema
    }

    /// The attributes of a resource.
    private static func attributes(
        _ type: SCIMResourceType, without declared: Set<String>, isPatch: Bool
    ) -> JSONValue {
        var members = (type.core.attributes + SCIMResourceType.common.attributes).map { attribute in
            JSONValue.Member(attribute.name, value(attribute, of: type, isPatch: isPatch))
        }
        let named: JSONValue = [
            "type": "array", "contains": ["const": .string(type.core.id)], "description": "Optional.",
        ]
        let schemas = JSONValue.Member("schemas", isPatch ? ["description": "Passed over."] : named)
        members.removeAll { $0.name == "schemas" }
        members.append(schemas)
        for schema in type.extensions {
            let own = schema.attributes.filter { !declared.contains($0.name) }
            let object: JSONValue = [
                "type": "object", "additionalProperties": false,
                "properties": .object(own.map { .init($0.name, value($0, of: type, isPatch: isPatch)) }),
            ]
            members.append(.init(schema.id, Schemas.any([object, Schemas.null])))
        }
        return [
            "type": "object", "properties": .object(members), "additionalProperties": false,
            "description":
                "Names may have any case. Members may be written as paths, such as name.givenName. Foreign schemas must be empty.",
        ]
    }

    // MARK: Values

    /// The values that mean that there is no value (RFC 7643, section 2.5).
    private static let unassigned: [JSONValue] = [Schemas.null, ["const": ""]]

    /// - Parameter isPatch: Whether what is left out stays as it is, so that a name can only be given, not taken.
    private static func value(_ attribute: SCIMAttribute, of type: SCIMResourceType, isPatch: Bool) -> JSONValue {
        guard attribute.isWritable else { return ["readOnly": true] }
        if attribute.isMultiValued {
            let element = Schemas.any([single(attribute)] + unassigned)
            return Schemas.any([element, ["type": "array", "maxItems": 1000, "items": element]])
        }
        if attribute.kind == .complex {
            let isBare = attribute.subAttribute(named: "value") != nil
            return Schemas.any([Schemas.one([single(attribute)] + (isBare ? [["const": ""]] : []))] + unassigned)
        }
        guard attribute.isRequired || attribute.isAlwaysAssigned else {
            return Schemas.one([single(attribute)] + unassigned)
        }
        let mayLack = !attribute.isRequired && !isPatch
        let own = attribute.kind == .boolean ? single(attribute) : name(attribute)
        return Schemas.one([own] + (mayLack ? unassigned : []), isRequired: !mayLack)
    }

    /// The names of users and groups: of a group, the name to be shown is its name where it has no other.
    private static func name(_ attribute: SCIMAttribute) -> JSONValue {
        var schema: JSONValue = ["type": "string", "minLength": 1, "format": "roster-name"]
        if attribute.name != "displayName" { schema["maxLength"] = 256 }
        return schema
    }

    /// One value, or one element of several.
    private static func single(_ attribute: SCIMAttribute) -> JSONValue {
        if attribute.name == "password" { return Schemas.password }
        if attribute.name == "mail" { return Schemas.text(format: "email") }
        switch attribute.kind {
        case .boolean: return Schemas.truth
        case .binary: return Schemas.base64
        case .complex: break
        default: return Schemas.text
        }
        let parts = attribute.subAttributes
        var object: JSONValue = [
            "type": "object", "additionalProperties": false,
            "properties": .object(
                parts.map { part in
                    guard part.isWritable else { return .init(part.name, ["readOnly": true]) }
                    let text = part.name == "value" && isReference(attribute) ? id : single(part)
                    return .init(
                        part.name,
                        Schemas.one(part.isRequired ? [text] : [text] + unassigned, isRequired: part.isRequired))
                }),
        ]
        let required = parts.filter(\.isRequired)
        if !required.isEmpty { object["required"] = .array(required.map { .string($0.name) }) }
        guard let value = parts.first(where: { $0.name == "value" }) else { return object }
        return Schemas.any([object, isReference(attribute) ? id : single(value)])
    }

    private static func isReference(_ attribute: SCIMAttribute) -> Bool {
        attribute.isReferenceList || attribute.name == "manager"
    }

    /// The identifier of a user or a group that exists.
    private static let id: JSONValue = ["type": "string", "minLength": 1, "format": "roster-id"]

    // MARK: Patches (RFC 7644, section 3.5.2)

    static func patch(_ type: SCIMResourceType, without declared: Set<String>) -> JSONValue {
        let extensions = type.extensions.flatMap { schema in
            schema.attributes.filter { !declared.contains($0.name) }.map { ("\(schema.id):\($0.name)", $0) }
        }
        let all = (type.core.attributes.map { ($0.name, $0) } + extensions).filter { $0.1.isWritable }
        let plain = all.filter {
            $0.1.kind == .string && !$0.1.isRequired && !$0.1.isAlwaysAssigned && $0.1.name != "password"
        }
        let kinds = ["add", "replace"]
        var changes = [operation(kinds, nil, attributes(type, without: declared, isPatch: true))]
        changes.append(change(["enum": .array(plain.map { .string($0.0) })], Schemas.one([Schemas.text] + unassigned)))
        for (path, attribute) in all where !plain.contains(where: { $0.0 == path }) {
            changes.append(change(["const": .string(path)], value(attribute, of: type, isPatch: true)))
        }
        let removable = all.filter { !$0.1.isRequired && !$0.1.isAlwaysAssigned }
        changes.append(removal(removable.filter { !$0.1.isMultiValued }.map(\.0), .object([])))
        for (path, attribute) in removable where attribute.isMultiValued {
            changes.append(removal([path], Schemas.any(removed(attribute) + [Schemas.null])))
        }
        if type.name == "User" {
            // The value of a path with brackets or a point depends on the attribute that the path names.
            changes.append(
                operation(
                    ["add"], ["type": "string", "format": "scim-path"],
                    Schemas.any([Schemas.text, Schemas.null])))
        }
        return [
            "type": "object", "required": ["schemas", "Operations"],
            "properties": [
                "schemas": ["type": "array", "contains": ["const": .string(SCIMPatch.schema)]],
                "Operations": [
                    "type": "array", "minItems": 1, "maxItems": .integer(Int64(SCIMPatch.maximumOperations)),
                    "items": Schemas.any(changes),
                ],
            ],
        ]
    }

    /// The elements to remove, known by their values; all of them unless given.
    private static func removed(_ attribute: SCIMAttribute) -> [JSONValue] {
        guard let part = attribute.subAttribute(named: "value") else { return [] }
        var value = isReference(attribute) ? id : single(part)
        value["minLength"] = 1
        let object: JSONValue = [
            "type": "object", "required": ["value"], "properties": ["value": value], "additionalProperties": false,
        ]
        return [value, object, ["type": "array", "items": Schemas.any([value, object])]]
    }

    private static func change(_ path: JSONValue, _ value: JSONValue) -> JSONValue {
        operation(["add", "replace"], path, value)
    }

    private static func removal(_ paths: [String], _ value: JSONValue) -> JSONValue {
        var schema = operation(["remove"], ["enum": .texts(paths)], value)
        schema["required"] = ["op", "path"]
        return schema
    }

    private static func operation(_ kinds: [String], _ path: JSONValue?, _ value: JSONValue) -> JSONValue {
        [
            "type": "object", "required": path == nil ? ["op", "value"] : ["op", "path", "value"],
            "properties": ["op": Schemas.word(kinds), "path": path ?? ["enum": ["", .null]], "value": value],
        ]
    }
}

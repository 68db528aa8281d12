package import Roster
package import RosterText

/// The schemas in `/openapi.json` of the bodies that clients send, made of the vocabulary and the SCIM schemas that read them.
///
/// They tell what every copy of the program has: attributes that a directory declares are accepted as well, but only who is
/// signed in learns their names (`/scim/v2/Schemas`).
package struct OpenAPISchemas {
    package let vocabulary: Vocabulary
    package let declared: Set<String>

    init(_ vocabulary: Vocabulary) {
        self.vocabulary = vocabulary
        declared = Set(vocabulary.declared.map(\.name.rawValue))
    }

    /// The place of a schema in the description.
    package static func reference(_ name: String) -> JSONValue { ["$ref": .string("#/components/schemas/\(name)")] }

    /// All of them under their names.
    var components: [JSONValue.Member] {
        let user = SCIMResourceType.user(vocabulary)
        let group = SCIMResourceType.group(vocabulary)
        return [
            .init("Person", person(required: [])), .init("NewPerson", person(required: ["uid"])),
            .init("ProfileGroup", profileGroup(required: [])),
            .init("NewProfileGroup", profileGroup(required: ["commonname"])),
            .init("PersonSelection", selection(.user)), .init("ProfileGroupSelection", selection(.role)),
            .init("PersonRelations", relations(.user)), .init("ProfileGroupRelations", relations(.role)),
            .init("User", SCIMBodySchemas.resource(user, without: declared)),
            .init("Group", SCIMBodySchemas.resource(group, without: declared)),
            .init("UserPatch", SCIMBodySchemas.patch(user, without: declared)),
            .init("GroupPatch", SCIMBodySchemas.patch(group, without: declared)),
        ] + AppSchemas.components
    }

    // MARK: Plain values

    static let description = "At most 64 KiB in UTF-8."
    /// Text as the directory keeps it: anything but NUL.
    static let text: JSONValue = ["type": "string", "pattern": "^[^\\x00]*$", "description": .string(description)]
    /// Text that a client may also give as a whole number.
    private static let loose: JSONValue = [
        "type": ["string", "integer", "null"], "pattern": "^[^\\x00]*$", "minimum": .integer(.min),
        "maximum": .integer(.max), "description": .string(description),
    ]
    static func text(format: String) -> JSONValue {
        ["type": "string", "format": .string(format), "description": .string(description)]
    }
    /// The text that clears an attribute.
    private static let nothing: JSONValue = ["type": "string", "maxLength": 0]
    private static let number: JSONValue = ["type": "integer", "minimum": .integer(.min), "maximum": .integer(.max)]
    /// PRECIS' rules for names are more than a pattern can say: see `EntityName`.
    private static let name: JSONValue = [
        "type": "string", "minLength": 1, "maxLength": 256, "format": "roster-name",
        "description": "Letters, digits and punctuation with single spaces inside (RFC 8265, UsernameCaseMapped).",
    ]
    static let password: JSONValue = [
        "type": "string", "format": "password", "minLength": 8, "maxLength": 1024,
        "description": """
        No password that everybody tries first, and not the name. At most 1,024 bytes in UTF-8. Users who change their own password send \
        the old one as 'oldPassword' beside the attributes or the operations, or sends the request with HTTP Basic.
        """,
    ]
    static let truth = any([["type": "boolean"], word("true", "false")])
    /// One of these words, in upper or lower case. JSON Schema cannot say so, and a mark tells it to those who read the
    /// description.
    static func word(_ words: String...) -> JSONValue { word(words) }
    static func word(_ words: [String]) -> JSONValue {
        ["type": "string", "enum": .texts(words), "x-any-case": true]
    }
    /// Base64 whose unused bits are zero (RFC 4648, section 3.5).
    static let base64: JSONValue = [
        "type": "string", "contentEncoding": "base64",
        "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$",
    ]
    static let null: JSONValue = ["type": "null"]

    static func any(_ schemas: [JSONValue]) -> JSONValue { ["anyOf": .array(schemas)] }

    /// A value, or an array with nothing else in it.
    static func one(_ schemas: [JSONValue], isRequired: Bool = false) -> JSONValue {
        let minimum: Int64 = isRequired ? 1 : 0
        return any(schemas + [["type": "array", "minItems": .integer(minimum), "maxItems": 1, "items": any(schemas)]])
    }

    // MARK: Profiles

    private func flat(_ entity: AttributeDefinition.Entity) -> [AttributeDefinition] {
        vocabulary.definitions(for: entity).filter { $0.kind != .complex && !declared.contains($0.name.rawValue) }
    }

    package func schema(_ definition: AttributeDefinition) -> JSONValue {
        if definition.writers == .nobody { return ["readOnly": true] }
        return switch (definition.name, definition.kind) {
        case ("uid", _), ("name", _): Self.one([Self.name, Self.number], isRequired: true)
        case ("password", _): Self.one([Self.password])
        case (_, .boolean): Self.one([Self.truth], isRequired: true)
        case (_, .binary): Self.one([Self.base64, Self.null])
        case (_, .complex): Self.any([Self.text, Self.null, Self.parts, elements])
        default: Self.one(definition.format.map { [Self.text(format: $0), Self.nothing, Self.null] } ?? [Self.loose])
        }
    }

    private static let parts: JSONValue = [
        "type": "object", "propertyNames": ["pattern": "^[!-#%-~][!-~]{0,63}$"],
        "additionalProperties": ["type": ["string", "number", "boolean", "null"], "pattern": "^[^\\x00]*$"],
    ]
    private var elements: JSONValue {
        ["type": "array", "maxItems": 1000, "items": Self.any([Self.text, Self.null, Self.parts])]
    }

    package func object(_ properties: [JSONValue.Member], required: [String] = []) -> JSONValue {
        var schema: JSONValue = [
            "type": "object", "properties": .object(properties), "additionalProperties": false,
            "description": "Attributes that the directory declares are accepted, too, and other names of these.",
        ]
        if !required.isEmpty { schema["required"] = .texts(required) }
        return schema
    }

    private func profileName(_ definition: AttributeDefinition) -> String {
        definition.names[.profile] ?? definition.name.rawValue
    }

    /// Links and what relations hold come back with what was read; they are passed over.
    private func passedOver(_ owner: AttributeDefinition.Entity) -> [JSONValue.Member] {
        let relations = ProfileRelation.all(of: owner).filter { $0 != .manager }
        return (["uri"] + relations.map(\.name)).map { .init($0, ["readOnly": true]) }
    }

    private func person(required: [String]) -> JSONValue {
        let own = flat(.user).filter { $0.name != "manager" && $0.name != "memberOf" }
        let manager: JSONValue = [
            "type": ["string", "null", "object"], "pattern": "^[^\\x00]*$",
            "description":
                "The manager's name or URI, or an object with the URI as 'uri'; the link of an answer changes nothing.",
        ]
        return object(
            own.map { .init(profileName($0), schema($0)) } + [.init("manager", manager)] + passedOver(.user),
            required: required)
    }

    private func profileGroup(required: [String]) -> JSONValue {
        let own = flat(.role).filter { $0.name != "members" }
        return object(own.map { .init(profileName($0), schema($0)) } + passedOver(.role), required: required)
    }

    private func selection(_ owner: AttributeDefinition.Entity) -> JSONValue {
        let names = flat(owner).map { profileName($0) }
        let known = ProfileRelation.all(of: owner).map(\.name)
        return list(Array(Set(names + known + ["uri"])).sorted())
    }

    private func relations(_ owner: AttributeDefinition.Entity) -> JSONValue {
        list(ProfileRelation.all(of: owner).map(\.name))
    }

    /// Empty names are passed over.
    private func list(_ names: [String]) -> JSONValue {
        ["type": "array", "items": ["type": "string", "enum": .array(names.map { .string($0) } + [""])]]
    }

    /// The attributes that a search may ask for, each under the name that follows `searchparam.`; links are compared whole.
    func conditions(_ owner: AttributeDefinition.Entity) -> [(name: String, takesWildcards: Bool)] {
        let links: Set<AttributeName> = ["id", "manager", "members"]
        return flat(owner).filter {
            $0.kind == .string && $0.readers != .nobody
        }.map { (profileName($0), !links.contains($0.name)) }
    }
}

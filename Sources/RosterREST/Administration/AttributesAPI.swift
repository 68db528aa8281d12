import Roster
import RosterText

/// The endpoints with which administrators declare attributes, change what was declared, and set who reads and writes each
/// attribute.
enum AttributesAPI {
    private static let entityParameter = Endpoint.Parameter(
        name: "of", summary: "user unless given, or role.", schema: ["type": "string", "enum": ["user", "role"]])

    static let list = Endpoint("The attributes: who may read and write each, and the rules for its values.") { call in
        let vocabulary = try call.view.read { session in
            try session.checkAdministrator(to: "list who reads and writes attributes")
            return session.vocabulary
        }
        let all = [AttributeDefinition.Entity.user, .role].flatMap { vocabulary.definitions(for: $0) }
        let declared = Set(vocabulary.declared.map(\.name))
        return .now(.json(["attributes": .array(all.map { json($0, isDeclared: declared.contains($0.name)) })]))
    }

    static let declare = Endpoint(
        """
        Declare an attribute: 'name', 'of', 'type', 'multiValued', 'caseExact', 'indexed', 'readers', 'writers', and \
        rules: 'unique', 'pattern' (RFC 9485), 'minimumLength', 'maximumLength', 'minimum', 'maximum'; 'labels' and \
        'descriptions' that people see, by language tag.
        """, body: .object, answer: .init(status: 201)
    ) { call in
        let body = try AttributeBody(try call.json())
        guard let name = try body.text(.name) else { throw RequestError(.badRequest, "Give the 'name'.") }
        let kind = try body.kind ?? .string
        let definition = AttributeDefinition(
            AttributeName(name), of: try body.entity, kind: kind, isMultiValued: try body.flag(.multiValued) ?? false,
            isCaseExact: try body.flag(.caseExact) ?? false,
            isIndexed: try body.flag(.indexed) ?? (kind != .binary), rules: try body.rules(from: []),
            readers: try body.readers ?? .signedIn, writers: try body.writers ?? .administrators,
            texts: AttributeTexts(
                labels: try body.texts(.labels).compactMapValues { $0 },
                descriptions: try body.texts(.descriptions).compactMapValues { $0 }))
        return .later {
            try await call.view.attributes.declare(definition)
            return .json(json(definition, isDeclared: true), status: 201)
        }
    }

    static let change = Endpoint(
        """
        Change an attribute: 'readers' and 'writers' of any, and of a declared one also 'name', 'type', 'multiValued', \
        'caseExact', 'indexed', 'labels', 'descriptions' and the rules. null removes a rule, or a text in a language; rules \
        and texts that are not given stay. 'mail' takes rules, too. 'of' is user or role.
        """, body: .object
    ) { call in
        let body = try AttributeBody(try call.json())
        guard body.hasOther(than: .of) else { throw RequestError(.badRequest, "Give what to change.") }
        let (name, entity) = (AttributeName(call.arguments[0]), try body.entity)
        let (readers, writers) = (try body.readers, try body.writers)
        let (kind, isMultiValued, isCaseExact) = (
            try body.kind, try body.flag(.multiValued), try body.flag(.caseExact)
        )
        let (isIndexed, newName) = (try body.flag(.indexed), try body.text(.name).map { AttributeName($0) })
        _ = (try body.rules(from: []), try body.texts(.labels), try body.texts(.descriptions))
        return .later {
            let definition = try await call.view.transaction { view in
                let attributes = view.attributes
                // The changes below name the attribute only, and would change the one of the other entity.
                let known = attributes.vocabulary()
                guard known.definition(of: name, for: entity) != nil else {
                    throw known.unknownAttribute(name, of: entity)
                }
                guard
                    entity == .user || !body.hasOther(than: .of, .readers, .writers)
                        || known.declared.contains(where: { $0.name == name })
                else {
                    throw RequestError(
                        .badRequest, "Of a built-in attribute of roles, only 'readers' and 'writers' can be changed.")
                }
                if readers != nil || writers != nil {
                    try attributes.setRights(of: name, for: entity, readers: readers, writers: writers)
                }
                if kind != nil || isMultiValued != nil || isCaseExact != nil {
                    try attributes.widen(name, to: kind, isMultiValued: isMultiValued, isCaseExact: isCaseExact)
                }
                let rules = attributes.vocabulary().definition(of: name, for: entity)?.rules ?? []
                let newRules = try body.rules(from: rules)
                if isIndexed == true { try attributes.index(name) }
                if newRules != rules { try attributes.setRules(newRules, of: name) }
                if isIndexed == false { try attributes.removeIndex(of: name) }
                if body.hasTexts {
                    let texts = attributes.vocabulary().definition(of: name, for: entity)?.texts ?? AttributeTexts()
                    try attributes.changeTexts(
                        labels: try body.texts(.labels, stored: texts.labels),
                        descriptions: try body.texts(.descriptions, stored: texts.descriptions), of: name)
                }
                if let newName { try attributes.rename(name, to: newName) }
                let vocabulary = attributes.vocabulary()
                return vocabulary.definition(of: newName ?? name, for: entity).map { definition in
                    json(definition, isDeclared: vocabulary.declared.contains { $0.name == definition.name })
                }
            }
            return .json(definition ?? [:])
        }
    }

    static let remove = Endpoint(
        """
        Remove a declared attribute; 'removing_values' is true to remove its values as well. Of a built-in attribute, give \
        the readers and writers back.
        """,
        parameters: [
            entityParameter,
            .init(
                name: "removing_values", summary: "Whether the values of everyone are removed as well.",
                schema: ["type": "boolean"]),
        ],
        answer: .none
    ) { call in
        guard let entity = AttributeDefinition.Entity(rawValue: try call.parameter("of") ?? "user") else {
            throw RequestError(.badRequest, "'of' is user or role.")
        }
        guard let removesValues = Bool(try call.parameter("removing_values") ?? "false") else {
            throw RequestError(.badRequest, "'removing_values' is true or false.")
        }
        let name = AttributeName(call.arguments[0])
        return .done {
            let attributes = call.view.attributes
            let vocabulary = attributes.vocabulary()
            let known = vocabulary.definition(of: name, for: entity)
            if let known, vocabulary.declared.contains(where: { $0.name == known.name }) {
                try await attributes.undeclare(name, removingValues: removesValues)
            } else {
                try await attributes.resetRights(of: name, for: entity)
            }
        }
    }

    static let texts = Endpoint(
        "The labels and descriptions of declared attributes by language tag. Attributes that the caller can read of nobody are left out.",
        answer: .init(schema: [
            "type": "object", "required": ["attributes"],
            "properties": [
                "attributes": [
                    "type": "array",
                    "items": ["type": "object", "required": ["name", "of", "labels", "descriptions"]],
                ]
            ],
        ])
    ) { call in
        try call.lookingUp { transaction in
            let isAdministrator = (try? transaction.checkAdministrator(to: "read all attributes")) != nil
            let shown = transaction.vocabulary.declared.filter { definition in
                !definition.texts.isEmpty && (definition.readers >= .person || isAdministrator)
            }
            func object(_ texts: [String: String]) -> JSONValue {
                .object(texts.sorted { $0.key < $1.key }.map { .init($0.key, .string($0.value)) })
            }
            return .json([
                "attributes": .array(
                    shown.map {
                        [
                            "name": .string($0.name.rawValue), "of": .string($0.entity.rawValue),
                            "labels": object($0.texts.labels), "descriptions": object($0.texts.descriptions),
                        ]
                    })
            ])
        }
    }

    private static func json(_ definition: AttributeDefinition, isDeclared: Bool) -> JSONValue {
        .object(definition.fields.map { member($0.field, $0.value) } + [.init("declared", .boolean(isDeclared))])
    }

    /// A field of a definition, as the answers show it.
    static func member(_ field: AttributeField, _ value: AttributeValue) -> JSONValue.Member {
        if case .decimal(let decimal) = value { return .init(field.rawValue, number(decimal)) }
        return .init(field.rawValue, JSONValue(value))
    }

    /// A number without a fraction if it has none.
    private static func number(_ number: Double) -> JSONValue {
        Int64(exactly: number).map { .integer($0) } ?? .decimal(number)
    }
}

/// The body of a request about an attribute.
private struct AttributeBody: Sendable {
    private let fields: [AttributeField: JSONValue]

    /// Reads the fields by their names or older names.
    init(_ body: JSONValue) throws {
        var fields: [AttributeField: JSONValue] = [:]
        for member in body.members {
            guard let field = AttributeField(named: member.name) else {
                throw RequestError(.badRequest, "There is no '\(member.name.prefix(64))' here.")
            }
            guard fields.updateValue(member.value, forKey: field) == nil else {
                throw RequestError(
                    .badRequest,
                    "'\(member.name)' is another name of a field that is given as well. Give '\(field.rawValue)' alone."
                )
            }
        }
        self.fields = fields
    }

    func hasOther(than known: AttributeField...) -> Bool { fields.keys.contains { !known.contains($0) } }

    var readers: AttributeDefinition.Readers? {
        get throws { try choice(.readers) { AttributeDefinition.Readers(named: $0) } }
    }
    var writers: AttributeDefinition.Writers? {
        get throws { try choice(.writers) { AttributeDefinition.Writers(rawValue: $0) } }
    }
    var kind: AttributeDefinition.Kind? {
        get throws { try choice(.type) { AttributeDefinition.Kind(rawValue: $0) } }
    }
    /// The kind of object with the attribute: users unless the request says otherwise.
    var entity: AttributeDefinition.Entity {
        get throws { try choice(.of) { AttributeDefinition.Entity(rawValue: $0) } ?? .user }
    }

    /// The rules after the request's changes. Rules that the request does not mention stay; null removes a rule.
    func rules(from old: AttributeRules) throws -> AttributeRules {
        func number(_ field: AttributeField, _ old: Double?) throws -> Double? {
            switch fields[field] {
            case nil: return old
            case .null?: return nil
            case .integer(let number)?: return Double(number)
            case .decimal(let number)?: return number
            default: throw RequestError(.badRequest, "'\(field.rawValue)' takes a number, or null.")
            }
        }
        func length(_ field: AttributeField, _ old: Int?) throws -> Int? {
            switch fields[field] {
            case nil: return old
            case .null?: return nil
            case let value?:
                guard let length = value.wholeNumber else {
                    throw RequestError(.badRequest, "'\(field.rawValue)' takes a whole number, or null.")
                }
                return length
            }
        }
        return AttributeRules(
            isUnique: try flag(.unique) ?? old.isUnique,
            pattern: fields[.pattern] == .null ? nil : try text(.pattern) ?? old.pattern,
            minimumLength: try length(.minimumLength, old.minimumLength),
            maximumLength: try length(.maximumLength, old.maximumLength),
            minimum: try number(.minimum, old.minimum), maximum: try number(.maximum, old.maximum))
    }

    var hasTexts: Bool { fields[.labels] != nil || fields[.descriptions] != nil }

    /// The labels or descriptions that the request sets, by language; nil for a text that the request removes. A null in place of the object
    /// removes all stored texts.
    func texts(_ field: AttributeField, stored: [String: String] = [:]) throws -> [String: String?] {
        switch fields[field] {
        case nil: return [:]
        case .null?: return stored.mapValues { _ in nil }
        case .object(let members)? where members.allSatisfy { $0.value.text != nil || $0.value.isNull }:
            return Dictionary(members.map { ($0.name, $0.value.text) }) { $1 }
        default:
            throw RequestError(
                .badRequest, "'\(field.rawValue)' takes an object with a text or null for each language, or null.")
        }
    }

    func text(_ field: AttributeField) throws -> String? {
        guard let member = fields[field] else { return nil }
        guard let text = member.text else { throw RequestError(.badRequest, "'\(field.rawValue)' takes text.") }
        return text
    }

    func flag(_ field: AttributeField) throws -> Bool? {
        guard let member = fields[field] else { return nil }
        guard case .boolean(let isTrue) = member else {
            throw RequestError(.badRequest, "'\(field.rawValue)' takes true or false.")
        }
        return isTrue
    }

    private func choice<Value>(_ field: AttributeField, _ value: (String) -> Value?) throws -> Value? {
        guard let member = fields[field] else { return nil }
        guard let choice = member.text.flatMap(value) else {
            throw RequestError(.badRequest, "'\(field.rawValue)' has a value that it does not take.")
        }
        return choice
    }
}

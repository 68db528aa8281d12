import Roster
import RosterSignIn
import RosterText

/// The endpoints from which a page makes a form of a user: every attribute that the caller may read or write, with its type, its rules, its
/// value, and whether the caller may write it.
enum FormsAPI {
    static let read = Endpoint(
        """
        A user as a form: the attributes that one may read or write, each with its type, its value, whether one may write \
        it, and the rules for new values: 'format' (email or date), 'unique', 'pattern' (RFC 9485), 'minimumLength', \
        'maximumLength', 'minimum', 'maximum'. '~' is oneself.
        """, answer: answer
    ) { call in
        try call.lookingUp { transaction in try form(try transaction.users.user(reference(call), .all), transaction) }
    }

    static let change = Endpoint(
        "Change attributes of a user, by the names in the form; null clears one.", parameters: [.ifMatch],
        body: .object,
        answer: answer
    ) { call in
        let changes = try changes(call)
        return call.writing { transaction in
            let reference = try reference(call)
            if call.arguments[0] == "~" { try checkMeaning(reference, transaction) }
            try call.request.checkMatch(transaction.users.user(reference, ["version"]).version)
            let user = try transaction.users.modify(reference, changes, ifVersion: nil)
            return try form(try transaction.users.user(.id(user.id), .all), transaction)
        }
    }

    static let empty = Endpoint("The form of a new user: the attributes that can be given.") { call in
        try call.lookingUp { transaction in
            guard try transaction.access.isAllowed(.createUsers) else {
                throw DirectoryError(.notPermitted, "The caller may not create users.", advice: "Ask an administrator.")
            }
            let attributes = transaction.vocabulary.definitions(for: .user).filter { definition in
                !leftOut.contains(definition.name) && definition.writers != .nobody
            }
            return .json(["attributes": .array(attributes.map { shown($0, isWritable: true, .null) })])
        }
    }

    static let create = Endpoint(
        "Create a user, by the names in the form.",
        body: ["type": "object", "required": ["uid"], "properties": ["uid": ["type": "string", "minLength": 1]]],
        answer: .init(status: 201, schema: answer.schema, hasLocation: true)
    ) { call in
        let changes = try changes(call)
        return call.writing { transaction in
            var attributes = AttributeSet()
            for case .set(let name, let value) in changes { attributes[name] = value }
            let user = try transaction.asEditor(to: "create users").users.create(
                NewUser(attributes: attributes, transaction.vocabulary))
            return try form(
                try transaction.users.user(.id(user.id), .all), transaction, status: 201, location: call.context.baseURL
            )
        }
    }

    /// The changes in a body. The names are the directory's own.
    private static func changes(_ call: Call) throws -> [AttributeChange] {
        let vocabulary = call.view.attributes.vocabulary()
        return try call.json().members.map { member in
            let name = AttributeName(member.name)
            guard name != .password, let definition = vocabulary.definition(of: name), definition.name == name else {
                throw DirectoryError(
                    .invalidAttribute, "There is no attribute '\(member.name.prefix(64))' that can be changed here.",
                    attribute: name)
            }
            return try member.value.attributeValue(for: definition).map { .set(name, $0) } ?? .clear(name)
        }
    }

    private static let answer = Endpoint.Answer(schema: [
        "type": "object", "required": ["id", "uid", "version", "attributes"],
        "properties": [
            "id": ["type": "string"], "uid": ["type": "string"], "version": ["type": "integer"],
            "attributes": [
                "type": "array",
                "items": ["type": "object", "required": ["name", "type", "multiValued", "writable"]],
            ],
        ],
    ])

    static func reference(_ call: Call) throws -> UserReference {
        guard call.arguments[0] == "~" else { return .either(call.arguments[0]) }
        return .id(try call.ownUser().id)
    }

    /// Refuses a change of `~` if it could mean two users: the caller, and a user of an older directory with that name.
    private static func checkMeaning(_ caller: UserReference, _ transaction: Transaction) throws {
        if let named = try? transaction.users.id(of: .named("~")), .id(named) != caller {
            throw DirectoryError(
                .invalidInput, "'~' means the caller here, and a user has that name.",
                advice: "Give the identifier of the user to change, or rename the user whose name is '~'.")
        }
    }

    /// The names that a form leaves out: secrets, what has a place of its own, and identifiers of programs.
    private static let leftOut: Set<AttributeName> = [.password, "photo", "externalId", "memberOf", "id", "version"]

    private static func form(_ user: User, _ transaction: Transaction, status: Int = 200, location: String? = nil)
        throws -> HTTPResponse
    {
        let definitions = transaction.vocabulary.definitions(for: .user).filter { !leftOut.contains($0.name) }
        let rights = try transaction.access.rights(to: definitions, of: user)
        let attributes = zip(definitions, rights).compactMap { definition, rights -> JSONValue? in
            guard rights.isReadable || rights.isWritable else { return nil }
            let value =
                switch definition.name {
                case "manager": user.managerID.map { JSONValue.string($0.description) }
                case "uid": JSONValue.string(user.uid)
                case "active": JSONValue.boolean(user.isActive)
                default: user[definition.name].map { JSONValue($0) }
                }
            return shown(definition, isWritable: rights.isWritable, value ?? .null)
        }
        return .json(
            [
                "id": .string(user.id.description), "uid": .string(user.uid), "version": .integer(user.version),
                "attributes": .array(attributes),
            ], status: status, version: user.version, location: location.map { $0 + "/forms/" + user.id.description })
    }

    private static func shown(_ definition: AttributeDefinition, isWritable: Bool, _ value: JSONValue) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("name", .string(definition.name.rawValue)), .init("type", .string(definition.kind.rawValue)),
            .init("multiValued", .boolean(definition.isMultiValued)), .init("writable", .boolean(isWritable)),
            .init("value", value),
        ]
        if let format = definition.format { members.append(.init("format", .string(format))) }
        let rules = definition.fields.filter { AttributeField.rules.contains($0.field) && $0.value != .boolean(false) }
        return .object(members + rules.map { AttributesAPI.member($0.field, $0.value) })
    }
}

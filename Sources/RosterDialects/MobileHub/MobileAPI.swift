import Roster
import RosterREST
import RosterSignIn
import RosterText

/// The users of the mobile platform (Oracle Mobile Hub's `/mobile/platform/users`). Every user reads and changes their own profile.
enum MobileAPI {
    static let base = "/mobile/platform/users"

    static let readMe = Endpoint("Read oneself in SCIM's form, with roles.", parameters: [fields], canBeMissing: true) {
        call in
        if let visitor = try visitor(call) { return .now(.json(visitor)) }
        return try call.lookingUp { transaction in
            let user = try transaction.users.user(.id(try call.ownUser().id))
            var bytes: [UInt8] = []
            try SCIMWriter(call.context, transaction, .user).append(user, to: &bytes)
            return .json(try picked(JSONValue(parsing: bytes), call))
        }
    }

    static let read = Endpoint("Read oneself: ~, or one's own name.", parameters: [fields]) { call in
        if let visitor = try visitor(call, called: call.arguments[0]) { return .now(.json(visitor)) }
        return try call.lookingUp { transaction in
            let user = try transaction.users.user(.id(try own(call, call.arguments[0], transaction)))
            return .json(try picked(resource(user, call.context, transaction), call), version: user.version)
        }
    }

    /// Oracle's servers offer this to their own code only, and no document has the answer: it is the profile, and `roles` with the names of
    /// all roles that the user has, through nested ones as well.
    static let readExtended = Endpoint(
        "Read oneself with one's roles: ~, or one's own name.", parameters: [fields]
    ) { call in
        if let visitor = try visitor(call, called: call.arguments[0]) { return .now(.json(visitor)) }
        return try call.lookingUp { transaction in
            let user = try transaction.users.user(.id(try own(call, call.arguments[0], transaction)))
            let roles = try transaction.roles.roles(
                .having(.user(.id(user.id))), .member, .effective, limit: nil, after: nil)
            var profile = resource(user, call.context, transaction)
            profile["roles"] = .texts(roles.map(\.name))
            return .json(try picked(profile, call))
        }
    }

    static let change = Endpoint(
        "Change properties of one's own: ~, or one's own name.", parameters: [.ifMatch],
        body: .init(OpenAPISchemas.reference("OwnProfile"))
    ) { call in
        let body = try call.json()
        let vocabulary = call.view.attributes.vocabulary()
        let changes: [AttributeChange] = try body.members.compactMap { (member) -> AttributeChange? in
            if MobileNames.passedOver.contains(member.name) { return nil }
            // Of other protocols' names this interface takes those in its list only.
            let own = MobileNames.names.first { $0.name == member.name }?.attribute ?? AttributeName(member.name)
            guard let definition = vocabulary.definition(of: own), definition.name == own, own != "password" else {
                throw DirectoryError(
                    .invalidAttribute, "There is no property '\(member.name.prefix(64))' that can be changed here.",
                    attribute: AttributeName(member.name))
            }
            let value = try member.value.attributeValue(for: definition)
            return value.map { .set(definition.name, $0) } ?? .clear(definition.name)
        }.onceForEach()
        return call.writing { transaction in
            let id = try own(call, call.arguments[0], transaction)
            let before = try transaction.users.user(.id(id))
            try call.request.checkMatch(before.version)
            try checkPassedOver(body, resource(before, call.context, transaction))
            let user = try transaction.users.modify(.id(id), changes, ifVersion: nil)
            return .json(resource(user, call.context, transaction), version: user.version)
        }
    }

    /// Refuses a member that nobody can write, unless the member has the value that the user's profile has.
    private static func checkPassedOver(_ body: JSONValue, _ present: JSONValue) throws {
        for member in body.members where MobileNames.passedOver.contains(member.name) {
            guard present[member.name] != member.value else { continue }
            throw DirectoryError(
                .invalidAttribute, "'\(member.name)' cannot be changed here.",
                advice: "Give the properties themselves, such as firstName, and leave '\(member.name)' out.",
                attribute: AttributeName(member.name))
        }
    }

    private static let fields = Endpoint.Parameter(
        name: "fields", summary: "What to return, with commas; all unless given.", schema: ["type": "string"])

    /// The profile of a sender who is not a user of the directory; nil for a user. Of a virtual user only the name and the roles are
    /// known. The sender of a backend's anonymous key is anonymous.
    private static func visitor(_ call: Call) throws -> JSONValue? {
        if case .nobody? = call.identity?.caller { return ["username": "anonymous", "roles": []] }
        if case .virtualUser(let issuer, let subject)? = call.identity?.caller,
            let provider = call.identity?.socialProvider,
            let user = try call.context.directory.holders.virtualUser(issuer: issuer, subject: subject)
        {
            return [
                "id": .string(user.id.description), "username": .string(user.name),
                "identityProvider": .string(provider), "roles": [],
            ]
        }
        let oauth = call.oauth
        guard case .virtualUser? = call.identity?.caller, let text = call.identity?.token,
            let (token, _) = try oauth.accessTokens.check(text), let person = try oauth.accessTokens.person(of: token)
        else { return nil }
        return ["username": .string(person.name), "roles": .texts(person.roles)]
    }

    /// The profile of a sender who is not a user of the directory, by `~` or the sender's own name; nil for a user.
    private static func visitor(_ call: Call, called name: String) throws -> JSONValue? {
        guard let visitor = try visitor(call) else { return nil }
        guard name == "~" || name == visitor["username"]?.text else { throw othersProfile }
        return visitor
    }

    /// The caller's id, if the name is the caller's own. The answer does not tell whether another name exists.
    private static func own(_ call: Call, _ name: String, _ transaction: Transaction) throws -> UserID {
        let id = try call.ownUser().id
        if name == "~" { return id }
        guard (try? transaction.users.id(of: .either(name))) == id else { throw othersProfile }
        return id
    }

    private static let othersProfile = RequestError(.notPermitted, "Only one's own profile can be had here: ask for ~.")

    private static func resource(_ user: User, _ context: ServiceContext, _ transaction: Transaction) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("id", .string(user.id.description)), .init("username", .string(user.uid)),
        ]
        for (name, attribute) in MobileNames.names {
            if let value = user[attribute] { members.append(.init(name, JSONValue(value))) }
        }
        let canonical = JSONValue.string(
            "\(context.basePath.text)\(base)/\(EntityName.segment(user.uid, user.id.description))")
        members.append(.init("links", [["rel": "canonical", "href": canonical], ["rel": "self", "href": canonical]]))
        let declared = Set(transaction.vocabulary.declared.map(\.name))
        for entry in user.attributes
        where declared.contains(entry.name) && !MobileNames.passedOver.contains(entry.name.rawValue) {
            members.append(.init(entry.name.rawValue, JSONValue(entry.value)))
        }
        members.append(
            .init("attributes", .object(user.attributes.map { .init($0.name.rawValue, JSONValue($0.value)) })))
        return .object(members)
    }

    /// The members of a profile that each scope allows (OpenID Connect Core, section 5.4), by their names in both forms of profiles.
    private static let told: [Scope: Set<String>] = [
        "profile": [
            "id", "username", "userName", "firstName", "lastName", "name", "displayName", "nickName", "givenName",
            "familyName", "middleName", "commonName", "profileUrl", "preferredLanguage", "locale", "timezone", "links",
            "attributes", "schemas", "meta",
        ],
        "email": ["email", "emails"], "phone": ["phoneNumbers"], "address": ["addresses"],
        "roles": ["roles", "groups"],
    ]

    /// The members of a profile that were asked for and that the token allows.
    private static func picked(_ resource: JSONValue, _ call: Call) throws -> JSONValue {
        let fields = try call.list("fields") ?? []
        let identity = call.identity
        func allowed(_ members: [JSONValue.Member]) -> [JSONValue.Member] {
            guard let identity, !identity.mayUseDirectory else { return members }
            let names = (identity.scopes ?? []).reduce(into: Set()) { $0.formUnion(told[$1] ?? []) }
            return members.filter { names.contains($0.name) }
        }
        var members = allowed(resource.members).filter { fields.isEmpty || fields.contains($0.name) }
        if let index = members.firstIndex(where: { $0.name == "attributes" }) {
            members[index] = .init("attributes", .object(allowed(members[index].value.members)))
        }
        return .object(members)
    }

    /// Returns the schema, for `/openapi.json`, of the properties that users change in their own profiles.
    static func schema(_ schemas: OpenAPISchemas) -> JSONValue {
        let own = schemas.vocabulary.definitions(for: .user).filter {
            $0.name != "password" && $0.writers != .nobody && !schemas.declared.contains($0.name.rawValue)
        }
        let aliases = MobileNames.names.compactMap { name, attribute in
            schemas.vocabulary.definition(of: attribute).map { JSONValue.Member(name, schemas.schema($0)) }
        }
        let others = MobileNames.passedOver.sorted().map { JSONValue.Member($0, ["readOnly": true]) }
        return schemas.object(own.map { .init($0.name.rawValue, schemas.schema($0)) } + aliases + others)
    }
}

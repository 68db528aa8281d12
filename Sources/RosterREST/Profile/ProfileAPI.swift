import Roster
import RosterSignIn
import RosterText

/// People and groups as flat JSON. ``ProfileLists`` has their searches and relations.
///
/// Names of resources and relations follow Oracle's Java SDK; the grammar of searches is compatible in intent, since no
/// source that can be reached has it.
package enum ProfileAPI {
    static let entity = Endpoint.Answer(schema: entitySchema)
    static let newEntity = Endpoint.Answer(status: 201, schema: entitySchema, hasLocation: true)
    private static let entitySchema: JSONValue = [
        "type": "object", "required": ["uri"], "properties": ["uri": ["type": "string"]],
    ]
    private static let reportees = Endpoint.Parameter(
        name: "reportees", summary: "What becomes of those who report to the person; refuse unless given.",
        schema: ["type": "string", "enum": ["refuse", "reassign", "leave"]])

    // MARK: Reading

    static func read(_ kind: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            kind == .user ? "Read a person." : "Read a group.",
            parameters: ProfileLists.selectionParameters(kind) + [.ifNoneMatch],
            answer: .init(schema: entitySchema, others: [304]),
            expectations: { kind == .user ? [.user(.either($0.arguments[0]))] : [] }
        ) { call in
            let answer: @Sendable (Transaction) throws -> HTTPResponse = { transaction in
                let writer = try ProfileWriter(call, transaction, kind)
                let entity = try DirectoryEntity(kind, call.arguments[0], writer.fetched, transaction)
                if writer.isDatedByVersion, call.request.has(entity.version) { return .notModified(entity.version) }
                return .json(try writer.text(of: entity), version: entity.version)
            }
            // One with hundreds of related ones is read in the caller's turn among the searches.
            if try call.parameter("prefetch") == nil { return try call.lookingUp(answer) }
            return call.reading(answer)
        }
    }

    /// Reads the caller's own profile.
    package static let readMe = Endpoint(
        "Read one's own profile.", parameters: ProfileLists.selectionParameters(.user) + [.ifNoneMatch],
        answer: .init(schema: entitySchema, others: [304]), canBeMissing: true
    ) { call in
        let id = try call.ownUser().id
        return call.reading { transaction in
            let writer = try ProfileWriter(call, transaction, .user)
            let user = try transaction.users.user(.id(id), writer.fetched)
            if writer.isDatedByVersion, call.request.has(user.version) { return .notModified(user.version) }
            return .json(try writer.text(of: .user(user)), version: user.version)
        }
    }

    // MARK: Creating

    static let createPerson = Endpoint(
        "Create a person.", parameters: ProfileLists.selectionParameters(.user),
        body: .init(OpenAPISchemas.reference("NewPerson")), answer: newEntity
    ) { call in
        let (changes, password) = try call.changes(try call.json(), of: .user)
        guard case .set(_, .string(let uid))? = changes.last(where: { $0.name == "uid" }) else {
            throw DirectoryError(
                .invalidAttribute, "A person needs a name.", advice: "Give the attribute 'uid'.", attribute: "uid")
        }
        return .later {
            let hash = try await call.hash(password) { transaction in
                try transaction.access.checkCreatingWithPassword()
                return [uid] + names(in: changes)
            }
            return try await call.view.awaitWrite { transaction in
                var new = NewUser(uid)
                for change in changes {
                    guard case .set(let name, let value) = change else { continue }
                    switch name {
                    case "uid": break
                    case "active": new.isActive = value == .boolean(true)
                    case "manager": new.manager = value.text.map { .either($0) }
                    default: new.attributes[name] = value
                    }
                }
                if let hash { new.attributes["password"] = .string(hash) }
                return try call.written(
                    .user(try transaction.asEditor(to: "create users").users.create(new)), status: 201, transaction)
            }
        }
    }

    static let createGroup = Endpoint(
        "Create a group.", parameters: ProfileLists.selectionParameters(.role),
        body: .init(OpenAPISchemas.reference("NewProfileGroup")), answer: newEntity
    ) { call in
        let (changes, _) = try call.changes(try call.json(), of: .role)
        guard case .set(_, .string(let name))? = changes.last(where: { $0.name == "name" }) else {
            throw DirectoryError(
                .invalidAttribute, "A group needs a name.", advice: "Give the attribute 'commonname'.",
                attribute: "name")
        }
        return call.writing { transaction in
            var attributes = AttributeSet()
            for case .set(let attribute, let value) in changes where attribute != "name" {
                attributes[attribute] = value
            }
            let role = try transaction.asProvisioning(to: "create roles").roles.create(name, attributes)
            return try call.written(.role(role), status: 201, transaction)
        }
    }

    // MARK: Changing

    static let modifyPerson = Endpoint(
        "Modify the named attributes of a person.", parameters: [.ifMatch] + ProfileLists.selectionParameters(.user),
        body: .init(OpenAPISchemas.reference("Person")), answer: entity
    ) { call in
        let (body, oldPassword) = OldPassword.taken(from: try call.json(), call.clientAddress)
        let (changes, password) = try call.changes(body, of: .user)
        return .later {
            var changes = changes
            var view = call.view
            if password != nil || changes.contains(where: { $0.name == "password" }) {
                view = try await call.context.view(view, toSetPasswordOf: .either(call.arguments[0]), oldPassword)
            }
            let hash = try await call.hash(password) { [changes] transaction in
                guard case .user(let old) = try call.target(.user, transaction) else { return [] }
                return try transaction.users.namesToSetPassword(of: .id(old.id), with: changes.map(\.name))
                    + names(in: changes)
            }
            if let hash { changes.append(.set("password", .string(hash))) }
            return try await view.awaitWrite(expecting: [.user(.either(call.arguments[0]))]) { [changes] in
                try call.modified(.user, changes, $0)
            }
        }
    }

    static let modifyGroup = Endpoint(
        "Modify the named attributes of a group.", parameters: [.ifMatch] + ProfileLists.selectionParameters(.role),
        body: .init(OpenAPISchemas.reference("ProfileGroup")), answer: entity
    ) { call in
        let (changes, _) = try call.changes(try call.json(), of: .role)
        return .later { try await call.view.awaitWrite { try call.modified(.role, changes, $0) } }
    }

    static func delete(_ kind: AttributeDefinition.Entity) -> Endpoint {
        Endpoint(
            kind == .user ? "Delete a person." : "Delete a group. Its members stay.",
            parameters: [.ifMatch] + (kind == .user ? [reportees] : []), answer: .none
        ) { call in
            let policy = try kind == .user ? call.reporteePolicy() : .refuse
            return call.writing { transaction in
                switch try call.target(kind, transaction) {
                case .user(let user): try deletePerson(user, policy, transaction)
                case .role(let role):
                    try transaction.asProvisioning(to: "delete roles").roles.delete(.id(role.id), ifVersion: nil)
                }
                return HTTPResponse(204)
            }
        }
    }

    private static func deletePerson(_ user: User, _ policy: ReporteePolicy, _ transaction: Transaction) throws {
        do {
            try transaction.asEditor(to: "delete users").users.delete(.id(user.id), policy, ifVersion: nil)
        } catch let error as DirectoryError where error.code == .hasReportees {
            // The library's advice names the policies, and not the parameter of a request.
            throw DirectoryError(
                .hasReportees, error.problem,
                advice: "Add ?reportees=reassign, so that they report to the person's manager, or ?reportees=leave.")
        }
    }

    /// The names and addresses that somebody gets, none of which may be the password.
    private static func names(in changes: [AttributeChange]) -> [String] {
        changes.compactMap { change in
            guard case .set(let name, let value) = change, name == "uid" || name == "mail" else { return nil }
            return value.text
        }
    }
}

extension Call {
    /// The entity that the path names, if the conditions that the request sets for its version hold.
    fileprivate func target(_ kind: AttributeDefinition.Entity, _ transaction: Transaction) throws -> DirectoryEntity {
        let entity = try DirectoryEntity(kind, arguments[0], ["version"], transaction)
        try request.checkMatch(entity.version)
        return entity
    }

    /// Changes the entity that the path names, and answers with it.
    fileprivate func modified(
        _ kind: AttributeDefinition.Entity, _ changes: [AttributeChange], _ transaction: Transaction
    ) throws -> HTTPResponse {
        let entity: DirectoryEntity =
            switch try target(kind, transaction) {
            // The same reference as in `target`, so that a database server is not asked for the user again.
            case .user: .user(try transaction.users.modify(.either(arguments[0]), changes, ifVersion: nil))
            case .role(let old):
                .role(
                    try transaction.asProvisioning(to: "modify roles").roles.modify(
                        .id(old.id), changes, ifVersion: nil))
            }
        return try written(entity, transaction)
    }

    /// The answer to a change: the entity as it is now.
    fileprivate func written(
        _ entity: DirectoryEntity, status: Int = 200, _ transaction: Transaction
    ) throws -> HTTPResponse {
        .json(
            try ProfileWriter(self, transaction, entity.kind).text(of: entity), status: status, version: entity.version,
            location: status == 201 ? context.origin + ProfileWriter.uri(of: entity, below: linkBase) : nil)
    }

    /// The treatment of the reportees of a deleted user: `reportees=refuse|reassign|leave`.
    fileprivate func reporteePolicy() throws -> ReporteePolicy {
        guard let text = try parameter("reportees") else { return .refuse }
        guard let policy = ReporteePolicy(rawValue: text) else {
            throw RequestError(.badRequest, "The parameter 'reportees' takes refuse, reassign or leave.")
        }
        return policy
    }

    /// The changes that a body asks for, and the new password apart from them: it is hashed before the directory sees it.
    fileprivate func changes(
        _ body: JSONValue, of kind: AttributeDefinition.Entity
    ) throws -> (changes: [AttributeChange], password: String?) {
        let names = context.derived(view.attributes.vocabulary()).profile(of: kind)
        var changes = try ProfileReader.changes(body, names, of: kind, called: arguments.first)
        var password: String?
        changes.removeAll { change in
            guard kind == .user, case .set("password", let value) = change else { return false }
            password = value.text
            return true
        }
        return (changes, password)
    }

    /// The hash of a new password, once neither the caller's rights nor the policy have anything against it.
    fileprivate func hash(
        _ password: String?, ifAllowed check: @escaping @Sendable (Transaction) throws -> [String]
    ) async throws -> String? {
        guard let password else { return nil }
        return try await context.passwords.hash(password, in: view, ifAllowed: check)
    }
}

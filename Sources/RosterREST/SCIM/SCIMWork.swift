import Roster
import RosterSignIn
import RosterText

/// What SCIM's requests do to the directory, one resource at a time: the same for a request of its own and for an
/// operation of a bulk.
struct SCIMWork: Sendable {
    let context: ServiceContext
    let view: DirectoryView
    /// Whether to read the request may take longer than to look something up.
    let isLarge: Bool
    /// Where the request comes from, for throttling.
    let peer: String
    /// The conditions that a request makes on versions.
    let checkVersion: @Sendable (Int64) throws -> Void

    /// What came of it.
    struct Outcome: Sendable {
        let status: Int
        /// Nil where nothing is to be told, or of what was deleted.
        let resource: JSONValue?
        let location: String?
        let version: Int64?
    }

    private var derived: DerivedVocabulary { context.derived(view.attributes.vocabulary()) }

    private func type(of entity: AttributeDefinition.Entity) -> SCIMResourceType {
        entity == .user ? derived.scimUser : derived.scimGroup
    }

    // MARK: Creating (RFC 7644, section 3.3)

    func create(
        _ entity: AttributeDefinition.Entity, _ body: JSONValue, _ projection: SCIMProjection
    ) async throws -> Outcome {
        let derived = derived
        let (resource, changes) = try await workedOut {
            var resource = try type(of: entity).normalised(body)
            if entity == .user, resource["active"] == nil { resource["active"] = true }
            return (resource, try SCIMChanges(from: .object([]), to: resource, of: entity, derived))
        }
        let hash = try await hash(changes.password) { session in
            try session.checkCreatingWithPassword()
            return Self.names(of: resource)
        }
        let projection = projection.showing(changes.keys)
        return try await view.awaitWrite { session in
            let writer = SCIMWriter(context, session, projection)
            var attributes = changes.new
            switch entity {
            case .user:
                if let hash { attributes["password"] = .string(hash) }
                if let id = attributes["manager"]?.text {
                    attributes["manager"] = .string(try Self.manager(id, session))
                }
                var user = try session.create(NewUser(attributes: attributes))
                user = try Self.reread(user, projection, derived, session)
                return outcome(201, try writer.resource(user), user)
            case .role:
                let name = resource[SCIMResourceType.groupExtensionURN]?["name"]?.text
                attributes["name"] = nil
                guard let name = name ?? resource["displayName"]?.text else {
                    throw SCIMError(.invalidValue, "'displayName' is required.")
                }
                var role = try session.createRole(name, attributes)
                if !changes.joining.isEmpty {
                    try session.add(
                        SCIMChanges.members(changes.joining, session), to: .id(role.id), as: .member, ifVersion: nil)
                    role = try session.role(.id(role.id))
                }
                return outcome(201, try writer.resource(role), role)
            }
        }
    }

    // MARK: Changing (RFC 7644, sections 3.5.1 and 3.5.2)

    func replace(
        _ entity: AttributeDefinition.Entity, _ id: String, _ body: JSONValue, _ projection: SCIMProjection
    ) async throws -> Outcome {
        let type = type(of: entity)
        let (body, oldPassword) = OldPassword.taken(from: body, peer)
        let new = try await workedOut { try type.normalised(body) }
        return try await change(
            entity, id, projection, password: new["password"]?.text, replacing: oldPassword
        ) { old in
            var new = new
            // What a client does not mention it did not mean to disable, to lock out or to forget.
            if new["active"] == nil { new["active"] = old["active"] }
            for schema in type.extensions where new[schema.id] == nil { new[schema.id] = old[schema.id] }
            // Nor what it never got to see.
            for key in type.keysOnRequest where new[key] == nil { new[key] = old[key] }
            // The unique name of a group is kept by the directory unless the client gives one.
            let name = SCIMResourceType.Key("name", in: SCIMResourceType.groupExtensionURN)
            if entity == .role, new[name] == nil { new[name] = old[name] }
            return new
        }
    }

    func patch(
        _ entity: AttributeDefinition.Entity, _ id: String, _ body: JSONValue, _ projection: SCIMProjection,
        isResourceWanted: Bool
    ) async throws -> Outcome {
        let (body, oldPassword) = OldPassword.taken(from: body, peer)
        let patch = try await workedOut { try SCIMPatch(body, for: type(of: entity)) }
        if entity == .role, !isResourceWanted, let moves = MemberMoves(patch) {
            return try await move(moves, in: id)
        }
        return try await change(
            entity, id, projection, password: patch.password, replacing: oldPassword,
            readsMembers: patch.isAboutMembers
        ) { try patch.applied(to: $0) }
    }

    /// What a change comes to, worked out against one version of the resource.
    private struct Plan: Sendable {
        let version: Int64
        let changes: SCIMChanges
        /// The names and addresses that the user has, and gets.
        var names: [String] = []
    }

    /// How often a change is worked out while others change the same resource.
    private static let maximumAttempts = 10

    /// Changes a resource: works the change out against the version that is there, and writes it if the version is still
    /// the same. So nobody waits for what takes long to work out. A brief change is worked out again where it is written.
    private func change(
        _ entity: AttributeDefinition.Entity, _ id: String, _ projection: SCIMProjection,
        password: String?, replacing oldPassword: OldPassword, readsMembers: Bool = true,
        _ apply: @escaping @Sendable (JSONValue) throws -> JSONValue
    ) async throws -> Outcome {
        let isBrief = try await isBrief(entity, id, readsMembers: readsMembers)
        let plan: @Sendable (Session) throws -> Plan = { session in
            try self.plan(entity, id, readsMembers: readsMembers, session, apply)
        }
        var hash: String?
        let setsPassword = entity == .user && password != nil
        let view =
            setsPassword ? try await context.view(self.view, toSetPasswordOf: Self.user(id), oldPassword) : self.view
        for _ in 0..<Self.maximumAttempts {
            let worked = try await view.awaitRead(isBrief: isBrief, plan)
            if entity == .user, hash == nil {
                hash = try await self.hash(password) { session in
                    let others = worked.changes.attributes.map(\.name)
                    return try session.namesToSetPassword(of: try Self.user(id), with: others) + worked.names
                }
            }
            let outcome = try await view.awaitWrite { [hash] session -> Outcome? in
                var worked = worked
                if try version(of: entity, id, session) != worked.version {
                    guard isBrief else { return nil }
                    worked = try plan(session)
                }
                switch entity {
                case .user: return try write(worked, toUser: id, projection, password, hash, session)
                case .role: return try write(worked, toRole: id, projection, session)
                }
            }
            guard let outcome else { continue }
            guard entity == .role, outcome.resource == nil else { return outcome }
            // A group may have very many members, which are read when nobody waits for it any more.
            return try await view.awaitRead { session in
                let role = try session.role(try Self.role(id))
                return self.outcome(200, try SCIMWriter(context, session, projection).resource(role), role)
            }
        }
        throw DirectoryError(
            .overloaded, "Others change the resource again and again.", advice: "Try again later.")
    }

    /// Whether a change of a resource is worked out in less than milliseconds.
    private func isBrief(_ entity: AttributeDefinition.Entity, _ id: String, readsMembers: Bool) async throws -> Bool {
        guard !isLarge else { return false }
        guard entity == .user else { return !readsMembers }
        return try await view.awaitRead(isBrief: true) { try $0.isSmall(try Self.user(id)) }
    }

    private func version(of entity: AttributeDefinition.Entity, _ id: String, _ session: Session) throws -> Int64 {
        switch entity {
        case .user: try session.version(of: try Self.user(id))
        case .role: try session.role(try Self.role(id)).version
        }
    }

    private func plan(
        _ entity: AttributeDefinition.Entity, _ id: String, readsMembers: Bool, _ session: Session,
        _ apply: (JSONValue) throws -> JSONValue
    ) throws -> Plan {
        let whole = SCIMWriter(toChange: context, session, readsMembers: readsMembers)
        let old: JSONValue
        let version: Int64
        switch entity {
        case .user:
            // What is returned on request only is there all the same: a client that adds to it does not replace it.
            let user = try session.whole(try Self.user(id))
            (old, version) = (try whole.resource(user), user.version)
        case .role:
            let role = try session.role(try Self.role(id))
            (old, version) = (try whole.resource(role), role.version)
        }
        try checkVersion(version)
        let new = try apply(old)
        return Plan(
            version: version, changes: try SCIMChanges(from: old, to: new, of: entity, whole.derived),
            names: entity == .user ? Self.names(of: old) + Self.names(of: new) : [])
    }

    private func write(
        _ plan: Plan, toUser id: String, _ projection: SCIMProjection, _ password: String?, _ hash: String?,
        _ session: Session
    ) throws -> Outcome {
        var attributes = try plan.changes.attributes.map { change in
            guard case .set("manager", let id) = change else { return change }
            return .set("manager", .string(try Self.manager(id.text ?? "", session)))
        }
        if let new = plan.changes.password {
            guard let hash, new == password else {
                throw SCIMError(.invalidValue, "'password' is given in more than one way.")
            }
            attributes.append(.set("password", .string(hash)))
        }
        var user = try session.modify(try Self.user(id), attributes, ifVersion: nil)
        let projection = projection.showing(plan.changes.keys)
        user = try Self.reread(user, projection, context.derived(session.vocabulary), session)
        return outcome(200, try SCIMWriter(context, session, projection).resource(user), user)
    }

    private func write(
        _ plan: Plan, toRole id: String, _ projection: SCIMProjection, _ session: Session
    ) throws -> Outcome {
        let id = try Self.role(id)
        if !plan.changes.attributes.isEmpty {
            _ = try session.modifyRole(id, plan.changes.attributes, ifVersion: nil)
        }
        if !plan.changes.leaving.isEmpty {
            try session.remove(plan.changes.leaving, from: id, as: .member, ifVersion: nil)
        }
        if !plan.changes.joining.isEmpty {
            try session.add(
                SCIMChanges.members(plan.changes.joining, session), to: id, as: .member, ifVersion: nil)
        }
        let role = try session.role(id)
        guard !projection.includes("members") else {
            return Outcome(status: 200, resource: nil, location: nil, version: role.version)
        }
        return outcome(200, try SCIMWriter(context, session, projection).resource(role), role)
    }

    /// Works on a large request in the caller's turn among the searches, on a small one at once.
    private func workedOut<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        isLarge ? try await view.awaitTurn(body) : try body()
    }

    /// Members come and go without all the others being read: a group may have very many.
    private func move(_ moves: MemberMoves, in id: String) async throws -> Outcome {
        try await view.awaitWrite { session in
            let role = try session.role(try Self.role(id))
            try checkVersion(role.version)
            for step in moves.steps {
                switch step.kind {
                case .join:
                    try session.add(
                        SCIMChanges.members(step.ids, session), to: .id(role.id), as: .member, ifVersion: nil)
                case .leave(let mustBeThere):
                    for id in step.ids {
                        do {
                            try session.remove(
                                SCIMChanges.members([id], session), from: .id(role.id), as: .member, ifVersion: nil)
                        } catch let error where Self.isAbsence(error) {
                            if mustBeThere { throw SCIMError(.noTarget, "The path chooses no member.") }
                        }
                    }
                }
            }
            let version = try session.role(.id(role.id)).version
            return Outcome(status: 204, resource: nil, location: nil, version: version)
        }
    }

    // MARK: Deleting (RFC 7644, section 3.6)

    /// Deletes a resource. Those who report to a user who is deleted report to that user's manager.
    func delete(_ entity: AttributeDefinition.Entity, _ id: String) async throws -> Outcome {
        try await view.awaitWrite { session in
            switch entity {
            case .user:
                let user = try session.user(try Self.user(id), ["version"])
                try checkVersion(user.version)
                try session.delete(.id(user.id), .reassign, ifVersion: nil)
            case .role:
                let role = try session.role(try Self.role(id))
                try checkVersion(role.version)
                try session.deleteRole(.id(role.id), ifVersion: nil)
            }
            return Outcome(status: 204, resource: nil, location: nil, version: nil)
        }
    }

    // MARK: Parts

    /// A resource is known by its identifier alone: nobody's `userName` or `externalId` is one.
    static func user(_ id: String) throws -> UserReference {
        guard let id = UserID(id) else { throw notFound("user") }
        return .id(id)
    }

    static func role(_ id: String) throws -> RoleReference {
        guard let id = RoleID(id) else { throw notFound("group") }
        return .id(id)
    }

    private static func notFound(_ what: String) -> DirectoryError {
        DirectoryError(.notFound, "There is no \(what) with that id.")
    }

    private func outcome(_ status: Int, _ resource: JSONValue, _ user: User) -> Outcome {
        Outcome(
            status: status, resource: resource,
            location: "\(context.baseURL)\(SCIMAPI.base)/Users/\(user.id)", version: user.version)
    }

    private func outcome(_ status: Int, _ resource: JSONValue, _ role: Role) -> Outcome {
        Outcome(
            status: status, resource: resource,
            location: "\(context.baseURL)\(SCIMAPI.base)/Groups/\(role.id)", version: role.version)
    }

    /// That somebody who is to leave is no member, or nobody at all.
    private static func isAbsence(_ error: any Error) -> Bool {
        (error as? DirectoryError)?.code == .notFound || (error as? SCIMError)?.type == .invalidValue
    }

    /// The name of a manager, whom clients know by the id alone: nobody's name is taken for one.
    private static func manager(_ id: String, _ session: Session) throws -> String {
        guard let id = UserID(id), let manager = try? session.user(.id(id), ["uid"]) else {
            throw SCIMError(.invalidValue, "There is no user with the id of the manager. Create the manager first.")
        }
        return manager.uid
    }

    /// The user with what is returned on request only, where that is wanted.
    private static func reread(
        _ user: User, _ projection: SCIMProjection, _ derived: DerivedVocabulary, _ session: Session
    ) throws -> User {
        let names = projection.fetched(.user, derived)
        return names.isEmpty ? user : try session.user(.id(user.id), names)
    }

    private static func names(of resource: JSONValue) -> [String] {
        [resource["userName"]?.text].compactMap { $0 }
            + (resource["emails"]?.elements ?? []).compactMap { $0["value"]?.text }
    }

    func hash(_ new: String?, _ check: @escaping @Sendable (Session) throws -> [String]) async throws -> String? {
        guard let new, !new.isEmpty else { return nil }
        return try await context.passwords.hash(new, in: view, ifAllowed: check)
    }
}

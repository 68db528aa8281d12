import Roster
import RosterSignIn
import RosterText

/// Carries out SCIM's changes of one resource, both for a request of its own and for an operation of a bulk request.
struct SCIMWork: Sendable {
    let context: ServiceContext
    let view: DirectoryView
    /// Whether reading the request can take longer than a look-up.
    let isLarge: Bool
    /// The address of the client, which attempts at passwords are counted by.
    let clientAddress: String
    /// Checks the conditions that the request sets for the version.
    let checkVersion: @Sendable (Int64) throws -> Void

    /// The result of a change.
    struct Outcome: Sendable {
        let status: Int
        /// The identifier of the resource.
        let id: String
        /// The resource for the response; nil if the response has none.
        let resource: [UInt8]?
        let location: String?
        let version: Int64?
    }

    private var derived: DerivedVocabulary { context.derived(view.attributes.vocabulary()) }

    // MARK: Creating (RFC 7644, section 3.3)

    func create(
        _ entity: AttributeDefinition.Entity, _ body: JSONValue, _ projection: SCIMProjection
    ) async throws -> Outcome {
        let derived = derived
        let (resource, changes) = try await workedOut {
            var resource = try derived.scimType(of: entity).normalised(body)
            if entity == .user, resource["active"] == nil { resource["active"] = true }
            return (resource, try SCIMChanges(from: .object([]), to: resource, of: entity, derived))
        }
        let hash = try await hash(changes.password) { transaction in
            try transaction.access.checkCreatingWithPassword()
            return Self.names(of: resource)
        }
        let projection = projection.showing(changes.keys)
        return try await view.awaitWrite { transaction in
            var attributes = changes.new
            switch entity {
            case .user:
                if let hash { attributes["password"] = .string(hash) }
                if let id = attributes["manager"]?.text {
                    attributes["manager"] = .string(try Self.manager(id, transaction))
                }
                let user = try transaction.asEditor(to: "create users").users.create(
                    NewUser(attributes: attributes, transaction.vocabulary))
                return try outcome(201, user, projection, derived, transaction)
            case .role:
                let name = resource[SCIMResourceType.groupExtensionURN]?["name"]?.text
                attributes["name"] = nil
                let roles = try transaction.asProvisioning(to: "create roles").roles
                var role =
                    try name.map { try roles.create($0, attributes) }
                    ?? roles.create(displayedAs: resource["displayName"]?.text ?? "", attributes)
                if !changes.joining.isEmpty {
                    try transaction.asRoleOwner(of: .id(role.id), changing: .member)
                        .add(SCIMChanges.members(changes.joining, transaction))
                    role = try transaction.roles.role(.id(role.id))
                }
                return try outcome(201, .role(role), projection, transaction)
            }
        }
    }

    // MARK: Changing (RFC 7644, sections 3.5.1 and 3.5.2)

    func replace(
        _ entity: AttributeDefinition.Entity, _ id: String, _ body: JSONValue, _ projection: SCIMProjection
    ) async throws -> Outcome {
        let type = derived.scimType(of: entity)
        let (body, oldPassword) = OldPassword.taken(from: body, clientAddress)
        let new = try await workedOut { try type.normalised(body) }
        return try await change(
            entity, id, projection, password: new["password"]?.text, replacing: oldPassword
        ) { old in
            var new = new
            // A client that leaves out an attribute does not mean to disable, to lock out or to forget a user.
            if new["active"] == nil { new["active"] = old["active"] }
            for schema in type.extensions where new[schema.id] == nil { new[schema.id] = old[schema.id] }
            // The client did not see these attributes, so that it could not give them.
            for key in type.keysOnRequest where new[key] == nil { new[key] = old[key] }
            // A group keeps its unique name unless the client gives another one.
            let name = SCIMResourceType.Key("name", in: SCIMResourceType.groupExtensionURN)
            if entity == .role, new[name] == nil { new[name] = old[name] }
            return new
        }
    }

    /// A PATCH that has been read.
    struct PatchRequest: Sendable {
        fileprivate let patch: SCIMPatch
        fileprivate let oldPassword: OldPassword
        /// The change that the patch makes, if it was worked out while the request was read.
        fileprivate let plan: Plan?
    }

    /// Reads the body of a PATCH.
    ///
    /// - Parameter planning: Whether a brief change of a user is worked out at once, in a look-up on this thread. A change
    ///   of a password is not, because it first needs more than a look-up.
    func patchRequest(
        _ entity: AttributeDefinition.Entity, _ id: String, _ body: JSONValue, planning: Bool = false
    ) throws -> PatchRequest {
        let (body, oldPassword) = OldPassword.taken(from: body, clientAddress)
        let patch = try SCIMPatch(body, for: derived.scimType(of: entity))
        var brief: Plan?
        if planning, entity == .user, patch.password == nil {
            brief = try view.lookUp { transaction in
                try plan(entity, id, readsMembers: false, transaction) { try apply(patch, to: $0) }
            }
        }
        return PatchRequest(patch: patch, oldPassword: oldPassword, plan: brief)
    }

    func patch(
        _ entity: AttributeDefinition.Entity, _ id: String, _ request: PatchRequest, _ projection: SCIMProjection,
        isResourceWanted: Bool
    ) async throws -> Outcome {
        let patch = request.patch
        if entity == .role, !isResourceWanted, let moves = MemberMoves(patch) {
            return try await move(moves, in: id)
        }
        return try await change(
            entity, id, projection, password: patch.password, replacing: request.oldPassword,
            readsMembers: patch.isAboutMembers, planned: request.plan
        ) { try apply(patch, to: $0) }
    }

    private func apply(_ patch: SCIMPatch, to resource: JSONValue) throws -> JSONValue {
        try patch.applied(to: resource, makesElements: view.tokenSource?.createsOnReplace ?? false)
    }

    /// The changes that a request makes to one version of a resource.
    fileprivate struct Plan: Sendable {
        let version: Int64
        let changes: SCIMChanges
        /// The manager of the user before the change.
        var manager: UserID?
        /// The names and addresses of the user before and after the change.
        var names: [String] = []
    }

    /// How often a change is worked out if others keep changing the same resource.
    private static let maximumAttempts = 10

    /// Changes a resource: works the change out against the present version, and writes it if the version is still the
    /// same. So nobody waits for a change that takes long to work out. A brief change is worked out again while it is
    /// written if somebody else has changed the resource.
    ///
    /// - Parameter planned: The change if it is brief and has been worked out already.
    private func change(
        _ entity: AttributeDefinition.Entity, _ id: String, _ projection: SCIMProjection,
        password: String?, replacing oldPassword: OldPassword, readsMembers: Bool = true, planned: Plan? = nil,
        _ apply: @escaping @Sendable (JSONValue) throws -> JSONValue
    ) async throws -> Outcome {
        var planned = planned
        let isBrief =
            if planned != nil { true } else { try await isBrief(entity, id, readsMembers: readsMembers) }
        let plan: @Sendable (Transaction) throws -> Plan = { transaction in
            try self.plan(entity, id, readsMembers: readsMembers, transaction, apply)
        }
        var hash: String?
        let setsPassword = entity == .user && password != nil
        let view =
            setsPassword ? try await context.view(self.view, toSetPasswordOf: Self.user(id), oldPassword) : self.view
        for _ in 0..<Self.maximumAttempts {
            let worked: Plan
            if let known = planned.take() {
                worked = known
            } else {
                worked = try await view.awaitRead(isBrief: isBrief, plan)
            }
            if entity == .user, hash == nil {
                hash = try await self.hash(password) { transaction in
                    let others = worked.changes.attributes.map(\.name)
                    return try transaction.users.namesToSetPassword(of: try Self.user(id), with: others) + worked.names
                }
            }
            var expectations = entity == .user ? Self.expectations(id, isWhole: true) : []
            if let manager = worked.manager { expectations.append(.user(.id(manager))) }
            let outcome = try await view.awaitWrite(expecting: expectations) { [hash] transaction -> Outcome? in
                var worked = worked
                if try version(of: entity, id, transaction) != worked.version {
                    guard isBrief else { return nil }
                    worked = try plan(transaction)
                }
                switch entity {
                case .user: return try write(worked, toUser: id, projection, password, hash, transaction)
                case .role: return try write(worked, toRole: id, projection, transaction)
                }
            }
            guard let outcome else { continue }
            guard entity == .role, outcome.resource == nil else { return outcome }
            // A group with very many members is read after the writer is free for others again.
            return try await view.awaitRead { transaction in
                try self.outcome(200, .role(try transaction.roles.role(try Self.role(id))), projection, transaction)
            }
        }
        throw DirectoryError(.overloaded, "Others change the resource again and again.", advice: "Try again later.")
    }

    /// Whether working out a change takes less than a millisecond.
    private func isBrief(_ entity: AttributeDefinition.Entity, _ id: String, readsMembers: Bool) async throws -> Bool {
        guard !isLarge else { return false }
        guard entity == .user else { return !readsMembers }
        return try await view.awaitRead(isBrief: true) { try $0.users.isSmall(try Self.user(id)) }
    }

    private func version(of entity: AttributeDefinition.Entity, _ id: String, _ transaction: Transaction) throws
        -> Int64
    {
        switch entity {
        case .user: try transaction.users.version(of: try Self.user(id))
        case .role: try transaction.roles.role(try Self.role(id)).version
        }
    }

    private func plan(
        _ entity: AttributeDefinition.Entity, _ id: String, readsMembers: Bool, _ transaction: Transaction,
        _ apply: (JSONValue) throws -> JSONValue
    ) throws -> Plan {
        let whole = SCIMOriginal(context, transaction, readsMembers: readsMembers)
        let old: JSONValue
        let version: Int64
        var manager: UserID?
        switch entity {
        case .user:
            // This includes attributes that are returned on request only, so that a client that adds to one does not
            // replace it.
            let user = try transaction.users.whole(try Self.user(id))
            (old, version, manager) = (try whole.resource(user), user.version, user.managerID)
        case .role:
            let role = try transaction.roles.role(try Self.role(id))
            (old, version) = (try whole.resource(role), role.version)
        }
        try checkVersion(version)
        let new = try apply(old)
        return Plan(
            version: version, changes: try SCIMChanges(from: old, to: new, of: entity, whole.derived), manager: manager,
            names: entity == .user ? Self.names(of: old) + Self.names(of: new) : [])
    }

    private func write(
        _ plan: Plan, toUser id: String, _ projection: SCIMProjection, _ password: String?, _ hash: String?,
        _ transaction: Transaction
    ) throws -> Outcome {
        var attributes = try plan.changes.attributes.map { change in
            guard case .set("manager", let id) = change else { return change }
            return .set("manager", .string(try Self.manager(id.text ?? "", transaction)))
        }
        if let new = plan.changes.password {
            guard let hash, new == password else {
                throw SCIMError(.invalidValue, "'password' is given in more than one way.")
            }
            attributes.append(.set("password", .string(hash)))
        }
        let user = try transaction.users.modify(try Self.user(id), attributes, ifVersion: nil)
        let projection = projection.showing(plan.changes.keys)
        return try outcome(200, user, projection, context.derived(transaction.vocabulary), transaction)
    }

    private func write(
        _ plan: Plan, toRole id: String, _ projection: SCIMProjection, _ transaction: Transaction
    ) throws -> Outcome {
        let id = try Self.role(id)
        if !plan.changes.attributes.isEmpty {
            var attributes = plan.changes.attributes
            let displayed = attributes.lazy.compactMap { change -> String? in
                if case .set("displayName", let value) = change { value.text } else { nil }
            }.first
            if let text = displayed, !attributes.contains(where: { $0.name == "name" }),
                let name = try transaction.roles.name(of: transaction.roles.role(id), displayedAs: text)
            {
                attributes.append(.set("name", .string(name)))
            }
            _ = try transaction.asProvisioning(to: "modify roles").roles.modify(id, attributes, ifVersion: nil)
        }
        // Those who join come first, so that a request can replace all administrators.
        if !plan.changes.joining.isEmpty {
            try transaction.asRoleOwner(of: id, changing: .member)
                .add(SCIMChanges.members(plan.changes.joining, transaction))
        }
        if !plan.changes.leaving.isEmpty {
            try transaction.asRoleOwner(of: id, changing: .member).remove(plan.changes.leaving)
        }
        let role = try transaction.roles.role(id)
        guard !projection.includes("members") else {
            return Outcome(status: 200, id: role.id.description, resource: nil, location: nil, version: role.version)
        }
        return try outcome(200, .role(role), projection, transaction)
    }

    /// Runs work at once for a small request, and in the caller's turn among the searches for a large one.
    func workedOut<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        isLarge ? try await view.awaitTurn(body) : try body()
    }

    // MARK: Deleting (RFC 7644, section 3.6)

    /// Deletes a resource. The reportees of a deleted user then report to that user's manager.
    func delete(_ entity: AttributeDefinition.Entity, _ id: String) async throws -> Outcome {
        try await view.awaitWrite { transaction in
            let old = try Self.resource(entity, id, ["version"], transaction)
            try checkVersion(old.version)
            switch old {
            case .user(let user):
                try transaction.asEditor(to: "delete users").users.delete(.id(user.id), .reassign, ifVersion: nil)
            case .role(let role):
                try transaction.asProvisioning(to: "delete roles").roles.delete(.id(role.id), ifVersion: nil)
            }
            return Outcome(status: 204, id: id, resource: nil, location: nil, version: nil)
        }
    }

    // MARK: Parts

    /// Returns the reads that a change of a user, or a response with the user, is expected to make.
    ///
    /// - Parameter isWhole: Whether the response shows the roles and the manager of the user.
    static func expectations(_ id: String, isWhole: Bool = false) -> [Expectation] {
        guard let id = UserID(id) else { return [] }
        return [.user(.id(id)), .externalID(of: id.rawValue)]
            + (isWhole ? [.memberships(of: id), .nestedRoles, .manager(of: id)] : [])
    }

    /// A reference by the identifier. SCIM knows a user by nothing else, so that no user's `userName` is taken for one.
    static func user(_ id: String) throws -> UserReference {
        guard let id = UserID(id) else { throw notFound("user") }
        return .id(id)
    }

    static func role(_ id: String) throws -> RoleReference {
        guard let id = RoleID(id) else { throw notFound("group") }
        return .id(id)
    }

    /// Reads a resource by its identifier.
    static func resource(
        _ kind: AttributeDefinition.Entity, _ id: String, _ attributes: AttributeSelection, _ transaction: Transaction
    ) throws -> DirectoryEntity {
        switch kind {
        case .user: .user(try transaction.users.user(try user(id), attributes))
        case .role: .role(try transaction.roles.role(try role(id), attributes))
        }
    }

    private static func notFound(_ what: String) -> DirectoryError {
        DirectoryError(.notFound, "There is no \(what) with that id.")
    }

    private func outcome(
        _ status: Int, _ entity: DirectoryEntity, _ projection: SCIMProjection, _ transaction: Transaction
    ) throws -> Outcome {
        Outcome(
            status: status, id: entity.id,
            resource: try SCIMWriter(context, transaction, entity.kind, projection).text(of: entity),
            location: SCIMAPI.location(of: entity, context), version: entity.version)
    }

    /// The outcome with the user, read again if the response shows attributes that are returned on request.
    private func outcome(
        _ status: Int, _ user: User, _ projection: SCIMProjection, _ derived: DerivedVocabulary,
        _ transaction: Transaction
    ) throws -> Outcome {
        let fetched = projection.fetched(.user, derived)
        let user = fetched == .usual ? user : try transaction.users.user(.id(user.id), fetched)
        return try outcome(status, .user(user), projection, transaction)
    }

    /// The name of the manager with that identifier. Clients give the identifier, and no name is taken for one.
    private static func manager(_ id: String, _ transaction: Transaction) throws -> String {
        guard let id = UserID(id), let manager = try? transaction.users.user(.id(id), ["uid"]) else {
            throw SCIMError(.invalidValue, "There is no user with the id of the manager. Create the manager first.")
        }
        return manager.uid
    }

    private static func names(of resource: JSONValue) -> [String] {
        [resource["userName"]?.text].compactMap { $0 }
            + (resource["emails"]?.elements ?? []).compactMap { $0["value"]?.text }
    }

    private func hash(_ new: String?, _ check: @escaping @Sendable (Transaction) throws -> [String]) async throws
        -> String?
    {
        guard let new, !new.isEmpty else { return nil }
        return try await context.passwords.hash(new, in: view, ifAllowed: check)
    }
}

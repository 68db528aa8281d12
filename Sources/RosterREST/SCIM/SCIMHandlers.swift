import Roster
import RosterSignIn
import RosterText

/// The requests of SCIM (RFC 7644, section 3).
enum SCIMHandlers {
    static func read(_ exchange: Exchange, _ entity: AttributeDefinition.Entity) throws -> Reply {
        let projection = try exchange.projection(of: entity)
        let answer: @Sendable (Session) throws -> HTTPResponse = { session in
            let writer = SCIMWriter(exchange.context, session, projection)
            switch entity {
            case .user:
                let user = try session.user(
                    try SCIMWork.user(exchange.arguments[0]), projection.fetched(.user, writer.derived))
                if exchange.request.has(user.version) { return exchange.notModified(user.version) }
                let resource = try writer.resource(user)
                return .scim(resource, version: user.version, location: "\(writer.base)/Users/\(user.id)")
            case .role:
                let role = try session.role(try SCIMWork.role(exchange.arguments[0]))
                if exchange.request.has(role.version) { return exchange.notModified(role.version) }
                let resource = try writer.resource(role)
                return .scim(resource, version: role.version, location: "\(writer.base)/Groups/\(role.id)")
            }
        }
        // A group may have very many members.
        if entity == .user || !projection.includes("members") { return try exchange.lookingUp(answer) }
        return .later { try await exchange.view.awaitRead(answer) }
    }

    static func create(_ exchange: Exchange, _ entity: AttributeDefinition.Entity) throws -> Reply {
        let body = try exchange.json()
        let projection = try exchange.projection(of: entity)
        return .later { .scim(try await exchange.work.create(entity, body, projection)) }
    }

    static func replace(_ exchange: Exchange, _ entity: AttributeDefinition.Entity) throws -> Reply {
        let body = try exchange.json()
        let projection = try exchange.projection(of: entity)
        return .later {
            .scim(try await exchange.work.replace(entity, exchange.arguments[0], body, projection))
        }
    }

    static func patch(_ exchange: Exchange, _ entity: AttributeDefinition.Entity) throws -> Reply {
        let body = try exchange.json()
        let projection = try exchange.projection(of: entity)
        let isResourceWanted = exchange.target.query.contains {
            ["attributes", "excludedAttributes"].contains($0.name)
        }
        return .later {
            .scim(
                try await exchange.work.patch(
                    entity, exchange.arguments[0], body, projection, isResourceWanted: isResourceWanted))
        }
    }

    static func delete(_ exchange: Exchange, _ entity: AttributeDefinition.Entity) throws -> Reply {
        .later { .scim(try await exchange.work.delete(entity, exchange.arguments[0])) }
    }

    // MARK: Me (RFC 7644, section 3.11)

    static func me(
        _ exchange: Exchange, _ handler: (Exchange, AttributeDefinition.Entity) throws -> Reply
    ) throws -> Reply {
        guard case .user(let id)? = exchange.identity?.caller else {
            throw RequestError(.notFound, "Whoever asks is a program, and no user.")
        }
        return try handler(exchange.with([id.description]), .user)
    }

    // MARK: Searching

    static func list(_ exchange: Exchange, _ entity: AttributeDefinition.Entity) throws -> Reply {
        try list(exchange, entity, SCIMSearch(query: exchange))
    }

    static func search(_ exchange: Exchange, _ entity: AttributeDefinition.Entity) throws -> Reply {
        try list(exchange, entity, SCIMSearch(body: exchange.json()))
    }

    private static func list(
        _ exchange: Exchange, _ entity: AttributeDefinition.Entity, _ request: SCIMSearch
    ) throws -> Reply {
        let vocabulary = exchange.view.attributes.vocabulary()
        let derived = exchange.context.derived(vocabulary)
        let type = entity == .user ? derived.scimUser : derived.scimGroup
        let projection = try SCIMProjection(attributes: request.attributes, excluding: request.excluded, of: type)
        var search = try request.search(entity, vocabulary, exchange.context.seal, type)
        search.attributes = projection.fetched(entity, derived)
        let answer: @Sendable (Session) throws -> HTTPResponse = { [search] session in
            let page = try found(session, exchange.context, entity, search, projection)
            return try .scimList(page, request, exchange.context.seal)
        }
        if SCIMSearch.isBrief(search), entity == .user || !projection.includes("members") {
            return try exchange.lookingUp(answer)
        }
        return .later { try await exchange.view.awaitRead(answer) }
    }

    /// A page of resources.
    struct Found: Sendable {
        var resources: [JSONValue]
        var total: Int
        var next: Cursor?
    }

    private static func found(
        _ session: Session, _ context: ServiceContext, _ entity: AttributeDefinition.Entity, _ search: Search,
        _ projection: SCIMProjection
    ) throws -> Found {
        let writer = SCIMWriter(context, session, projection)
        switch entity {
        case .user:
            let page = try session.search(search)
            return Found(
                resources: try page.elements.map { try writer.resource($0) },
                total: page.total ?? 0, next: page.next)
        case .role:
            let page = try session.searchRoles(search)
            return Found(
                resources: try page.elements.map { try writer.resource($0) },
                total: page.total ?? 0, next: page.next)
        }
    }

    /// Users and groups together, users first (RFC 7644, section 3.4.2.1).
    static func searchAll(_ exchange: Exchange, _ request: SCIMSearch) throws -> Reply {
        guard request.cursor == nil else {
            throw SCIMError(.invalidCursor, "Pages by cursor are of one type of resource: ask /Users or /Groups.")
        }
        let vocabulary = exchange.view.attributes.vocabulary()
        let derived = exchange.context.derived(vocabulary)
        return .later {
            try await exchange.view.awaitRead { session in
                var sum = Found(resources: [], total: 0, next: nil)
                var refusal: (any Error)?
                var answers = 0
                for (entity, type) in [(AttributeDefinition.Entity.user, derived.scimUser), (.role, derived.scimGroup)]
                {
                    do {
                        let projection = try SCIMProjection(
                            attributes: request.attributes, excluding: request.excluded, of: type)
                        var own = request
                        // What stands before this type counts towards where the page begins.
                        own.startIndex = max(1, request.startIndex - sum.total)
                        own.count = request.count - sum.resources.count
                        let search = try own.search(entity, vocabulary, exchange.context.seal, type)
                        let page = try found(session, exchange.context, entity, search, projection)
                        sum.resources += page.resources
                        sum.total += page.total
                        answers += 1
                    } catch let error as DirectoryError where error.code == .invalidFilter {
                        // An attribute that the other type has matches nothing of this one.
                        refusal = error
                    } catch let error as SCIMError where error.type == .invalidPath {
                        refusal = error
                    }
                }
                if answers == 0, let refusal { throw refusal }
                return try .scimList(sum, request, exchange.context.seal)
            }
        }
    }
}

extension SCIMProjection {
    /// The attributes to ask the directory for: all of the usual ones, and those returned on request where one is wanted.
    func fetched(_ entity: AttributeDefinition.Entity, _ derived: DerivedVocabulary) -> [AttributeName] {
        guard entity == .user else { return [] }
        let wanted = derived.scimPlaces.usersOnRequest.filter { definition in
            definition.names[.scim].map { includes($0) }
                ?? includes(definition.name.rawValue, in: Vocabulary.extensionSchema)
        }
        guard !wanted.isEmpty else { return [] }
        // Naming one means naming all: what is not wanted is left out afterwards.
        return derived.people.vocabulary.definitions(for: .user).filter { definition in
            definition.element == nil && (!definition.isReturnedOnRequest || wanted.contains(definition))
        }.map(\.name)
    }
}

extension Exchange {
    /// What the request wants to see of a resource.
    fileprivate func projection(of entity: AttributeDefinition.Entity) throws -> SCIMProjection {
        let derived = context.derived(view.attributes.vocabulary())
        return try SCIMProjection(
            attributes: SCIMProjection.names(in: try parameter("attributes")),
            excluding: SCIMProjection.names(in: try parameter("excludedAttributes")),
            of: entity == .user ? derived.scimUser : derived.scimGroup)
    }

    var work: SCIMWork {
        SCIMWork(
            context: context, view: view, isLarge: request.isLarge, peer: request.peer,
            checkVersion: { [request] in try request.checkMatch($0) })
    }
}

extension HTTPResponse {
    static func scim(_ resource: JSONValue, status: Int = 200, version: Int64? = nil, location: String? = nil)
        -> HTTPResponse
    {
        var headers = HTTPHeaders()
        if let version { headers.add("ETag", EntityTag.text(version)) }
        // Also of what is read, and of /Me (RFC 7644, sections 3.4.1 and 3.11).
        if let location { headers.add("Location", location) }
        return .json(resource, status: status, type: "application/scim+json", headers: headers)
    }

    static func scim(_ outcome: SCIMWork.Outcome) -> HTTPResponse {
        guard let resource = outcome.resource else {
            return HTTPResponse(
                outcome.status, headers: outcome.version.map { ["ETag": EntityTag.text($0)] } ?? [:])
        }
        return .scim(resource, status: outcome.status, version: outcome.version, location: outcome.location)
    }

    static func scimList(_ found: SCIMHandlers.Found, _ request: SCIMSearch, _ seal: Seal) throws -> HTTPResponse {
        var body: JSONValue = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:ListResponse"],
            "totalResults": .integer(Int64(found.total)),
            "itemsPerPage": .integer(Int64(found.resources.count)),
        ]
        if request.cursor != nil {
            if let next = found.next { body["nextCursor"] = .string(try seal.seal(next.description)) }
        } else {
            body["startIndex"] = .integer(Int64(request.startIndex))
        }
        body["Resources"] = .array(found.resources)
        return .json(body, type: "application/scim+json")
    }
}

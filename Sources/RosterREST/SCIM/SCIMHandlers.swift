import Roster
import RosterSignIn
import RosterText

/// Answers SCIM's requests (RFC 7644, section 3).
enum SCIMHandlers {
    static func read(_ exchange: Exchange, _ entity: AttributeDefinition.Entity) throws -> Reply {
        let projection = try exchange.projection(of: entity)
        let answer: @Sendable (Transaction) throws -> HTTPResponse = { transaction in
            let writer = SCIMWriter(exchange.context, transaction, entity, projection)
            var bytes: [UInt8] = []
            bytes.reserveCapacity(1_024)
            let location = exchange.context.baseURL + SCIMAPI.base
            switch entity {
            case .user:
                let user = try transaction.user(
                    try SCIMWork.user(exchange.arguments[0]), projection.fetched(.user, writer.derived))
                if exchange.request.has(user.version) { return exchange.notModified(user.version) }
                try writer.append(user, to: &bytes)
                return .scim(bytes, version: user.version, location: "\(location)/Users/\(user.id)")
            case .role:
                let role = try transaction.role(try SCIMWork.role(exchange.arguments[0]))
                if exchange.request.has(role.version) { return exchange.notModified(role.version) }
                try writer.append(role, to: &bytes)
                return .scim(bytes, version: role.version, location: "\(location)/Groups/\(role.id)")
            }
        }
        // Reading a group with very many members takes longer than a look-up.
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
        let work = exchange.work
        let body = try exchange.json()
        let projection = try exchange.projection(of: entity)
        let isResourceWanted = exchange.target.query.contains {
            ["attributes", "excludedAttributes"].contains($0.name)
        }
        let id = exchange.arguments[0]
        // This thread has a reader at hand, so a brief change is worked out here and waits for nothing but the writer.
        let request = try exchange.request.isLarge ? nil : work.patchRequest(entity, id, body, planning: true)
        return .later {
            let request = try await work.workedOut { try request ?? work.patchRequest(entity, id, body) }
            return .scim(try await work.patch(entity, id, request, projection, isResourceWanted: isResourceWanted))
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
        let answer: @Sendable (Transaction) throws -> HTTPResponse = { [search] transaction in
            var found = Found()
            try find(search, of: entity, projection, transaction, exchange.context, addingTo: &found)
            return try .scimList(found, request, exchange.context.seal)
        }
        if SCIMSearch.isBrief(search), entity == .user || !projection.includes("members") {
            return try exchange.lookingUp(answer)
        }
        return .later { try await exchange.view.awaitRead(answer) }
    }

    /// Resources that a search found.
    struct Found: Sendable {
        /// The resources, with commas between them.
        var resources: [UInt8] = []
        /// How many resources these are.
        var count = 0
        var total = 0
        var next: Cursor?

        fileprivate mutating func add<Element>(
            _ page: Page<Element>, _ append: (Element, inout [UInt8]) throws -> Void
        ) rethrows {
            resources.reserveCapacity(resources.count + 768 * page.elements.count)
            for element in page.elements {
                if count > 0 { resources.append(UInt8(ascii: ",")) }
                count += 1
                try append(element, &resources)
            }
            total += page.total ?? 0
            next = page.next
        }
    }

    private static func find(
        _ search: Search, of entity: AttributeDefinition.Entity, _ projection: SCIMProjection,
        _ transaction: Transaction,
        _ context: ServiceContext, addingTo found: inout Found
    ) throws {
        let writer = SCIMWriter(context, transaction, entity, projection)
        switch entity {
        case .user: try found.add(try transaction.search(search)) { try writer.append($0, to: &$1) }
        case .role: try found.add(try transaction.searchRoles(search)) { try writer.append($0, to: &$1) }
        }
    }

    /// Searches users and groups together and answers with the users first (RFC 7644, section 3.4.2.1).
    static func searchAll(_ exchange: Exchange, _ request: SCIMSearch) throws -> Reply {
        guard request.cursor == nil else {
            throw SCIMError(.invalidCursor, "Pages by cursor are of one type of resource: ask /Users or /Groups.")
        }
        let vocabulary = exchange.view.attributes.vocabulary()
        let derived = exchange.context.derived(vocabulary)
        return .later {
            try await exchange.view.awaitRead { transaction in
                var found = Found()
                var refusal: (any Error)?
                var answers = 0
                for (entity, type) in [(AttributeDefinition.Entity.user, derived.scimUser), (.role, derived.scimGroup)]
                {
                    do {
                        let projection = try SCIMProjection(
                            attributes: request.attributes, excluding: request.excluded, of: type)
                        var own = request
                        // The resources of the type before count towards the start of the page.
                        own.startIndex = max(1, request.startIndex - found.total)
                        own.count = request.count - found.count
                        let search = try own.search(entity, vocabulary, exchange.context.seal, type)
                        try find(
                            search, of: entity, projection, transaction, exchange.context, addingTo: &found)
                        answers += 1
                    } catch let error as DirectoryError where error.code == .invalidFilter {
                        // A filter by an attribute of the other type matches no resource of this type.
                        refusal = error
                    } catch let error as SCIMError where error.type == .invalidPath {
                        refusal = error
                    }
                }
                if answers == 0, let refusal { throw refusal }
                return try .scimList(found, request, exchange.context.seal)
            }
        }
    }
}

extension SCIMProjection {
    /// The attributes to read: the usual ones, and attributes that are returned on request if the request wants one.
    func fetched(_ entity: AttributeDefinition.Entity, _ derived: DerivedVocabulary) -> [AttributeName] {
        guard entity == .user else { return [] }
        let wanted = derived.scimPlaces.usersOnRequest.filter { definition in
            definition.names[.scim].map { includes($0) }
                ?? includes(definition.name.rawValue, in: Vocabulary.extensionSchema)
        }
        guard !wanted.isEmpty else { return [] }
        // The directory returns the usual attributes only if no attribute is named. The writer leaves out what the
        // request does not want.
        return derived.people.vocabulary.definitions(for: .user).filter { definition in
            definition.element == nil && (!definition.isReturnedOnRequest || wanted.contains(definition))
        }.map(\.name)
    }
}

extension Exchange {
    /// The attributes that the request wants to see.
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
    /// A resource, or a list of resources.
    static func scim(
        _ body: [UInt8], status: Int = 200, version: Int64? = nil, location: String? = nil
    ) -> HTTPResponse {
        var headers = HTTPHeaders()
        if let version { headers.add("ETag", EntityTag.text(version)) }
        // RFC 7644 asks for it in answers to GET and to /Me, too (sections 3.4.1 and 3.11).
        if let location { headers.add("Location", location) }
        headers.add("Content-Type", "application/scim+json")
        return HTTPResponse(status, headers: headers, body: .bytes(body))
    }

    static func scim(_ outcome: SCIMWork.Outcome) -> HTTPResponse {
        guard let resource = outcome.resource else {
            return HTTPResponse(
                outcome.status, headers: outcome.version.map { ["ETag": EntityTag.text($0)] } ?? [:])
        }
        return .scim(resource, status: outcome.status, version: outcome.version, location: outcome.location)
    }

    static func scimList(_ found: SCIMHandlers.Found, _ request: SCIMSearch, _ seal: Seal) throws -> HTTPResponse {
        var body: [UInt8] = []
        body.reserveCapacity(found.resources.count + 256)
        body.append(#"{"schemas":["urn:ietf:params:scim:api:messages:2.0:ListResponse"],"totalResults":"#)
        JSONText.append(Int64(found.total), to: &body)
        body.append(#","itemsPerPage":"#)
        JSONText.append(Int64(found.count), to: &body)
        if request.cursor == nil {
            body.append(#","startIndex":"#)
            JSONText.append(Int64(request.startIndex), to: &body)
        } else if let next = found.next {
            body.append(#","nextCursor":"#)
            JSONText.append(string: try seal.seal(next.description), to: &body)
        }
        body.append(#","Resources":["#)
        body.append(contentsOf: found.resources)
        body.append("]}")
        return .scim(body)
    }
}

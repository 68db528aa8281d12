import Roster
import RosterSignIn
import RosterText

/// The endpoints that search users and groups (RFC 7644, sections 3.4.2 and 3.4.3).
extension SCIMAPI {
    private static func all(_ kind: AttributeDefinition.Entity) -> String { kind == .user ? "users" : "groups" }

    static func list(_ kind: AttributeDefinition.Entity) -> Endpoint {
        let matching = kind == .user ? [matchingParameter] : []
        return Endpoint(
            "Search \(all(kind)).", parameters: searchParameters(hasCursor: true) + matching, answer: answer(list)
        ) {
            let request = try SCIMSearch(query: $0)
            if kind == .user, let text = try $0.parameter("matching") { return try match(text, $0, request) }
            return try list($0, kind, request)
        }
    }

    static func search(_ kind: AttributeDefinition.Entity) -> Endpoint {
        Endpoint("Search \(all(kind)).", body: .init(searchBody(hasCursor: true)), answer: answer(list)) {
            try list($0, kind, SCIMSearch(body: $0.json()))
        }
    }

    private static func list(
        _ call: Call, _ entity: AttributeDefinition.Entity, _ request: SCIMSearch
    ) throws -> Reply {
        let vocabulary = call.view.attributes.vocabulary()
        let derived = call.context.derived(vocabulary)
        let type = derived.scimType(of: entity)
        let projection = try SCIMProjection(attributes: request.attributes, excluding: request.excluded, of: type)
        var search = try request.search(entity, vocabulary, call.context.seal, type)
        search.attributes = projection.fetched(entity, derived)
        let answer: @Sendable (Transaction) throws -> HTTPResponse = { [search] transaction in
            var found = Found()
            try find(search, of: entity, projection, transaction, call.context, addingTo: &found)
            return try .scimList(found, request, call.context.seal)
        }
        if SCIMSearch.isBrief(search), entity == .user || !projection.includes("members") {
            return try call.lookingUp(isNarrow: true, answer)
        }
        return call.reading(isNarrow: true, answer)
    }

    /// Resources that a search found.
    struct Found: Sendable {
        /// The resources, with commas between them.
        var resources: [UInt8] = []
        /// How many resources these are.
        var count = 0
        var total = 0
        var next: Cursor?

        /// What belongs to this many elements is in memory at a time, so that memory does not grow with the page.
        private static let elementsAtOnce = 256

        fileprivate mutating func add<Element>(
            _ elements: [Element], of total: Int?, next: Cursor? = nil,
            with related: (ArraySlice<Element>) throws -> RelatedRecords?,
            _ append: (Element, RelatedRecords?, inout [UInt8]) throws -> Void
        ) rethrows {
            resources.reserveCapacity(resources.count + 768 * elements.count)
            var known: RelatedRecords?
            for (index, element) in elements.enumerated() {
                if index % Self.elementsAtOnce == 0 {
                    known = try related(elements[index...].prefix(Self.elementsAtOnce))
                }
                if count > 0 { resources.append(UInt8(ascii: ",")) }
                count += 1
                try append(element, known, &resources)
            }
            self.total += total ?? 0
            self.next = next
        }
    }

    private static func find(
        _ search: Search, of entity: AttributeDefinition.Entity, _ projection: SCIMProjection,
        _ transaction: Transaction, _ context: ServiceContext, addingTo found: inout Found
    ) throws {
        let writer = SCIMWriter(context, transaction, entity, projection)
        switch entity {
        case .user:
            let page = try transaction.search.users(search)
            try found.add(page.elements, of: page.total, next: page.next, with: writer.related) {
                try writer.append($0, $1, to: &$2)
            }
        case .role:
            let page = try transaction.search.roles(search)
            try found.add(page.elements, of: page.total, next: page.next, with: writer.related) {
                try writer.append($0, $1, to: &$2)
            }
        }
    }

    /// Searches users and groups together and answers with the users first (RFC 7644, section 3.4.2.1).
    static func searchAll(_ call: Call, _ request: SCIMSearch) throws -> Reply {
        guard request.cursor == nil else {
            throw SCIMError(.invalidCursor, "Pages by cursor are of one type of resource: ask /Users or /Groups.")
        }
        let vocabulary = call.view.attributes.vocabulary()
        let derived = call.context.derived(vocabulary)
        return call.reading(isNarrow: true) { transaction in
            var found = Found()
            var refusal: (any Error)?
            var answers = 0
            for entity in [AttributeDefinition.Entity.user, .role] {
                let type = derived.scimType(of: entity)
                do {
                    let projection = try SCIMProjection(
                        attributes: request.attributes, excluding: request.excluded, of: type)
                    var own = request
                    // The resources of the type before count towards the start of the page.
                    own.startIndex = max(1, request.startIndex - found.total)
                    own.count = request.count - found.count
                    let search = try own.search(entity, vocabulary, call.context.seal, type)
                    try find(search, of: entity, projection, transaction, call.context, addingTo: &found)
                    answers += 1
                } catch let error as DirectoryError where error.code == .invalidFilter {
                    // A filter by an attribute of the other type matches no resource of this type.
                    refusal = error
                } catch let error as SCIMError where error.type == .invalidPath {
                    refusal = error
                }
            }
            if answers == 0, let refusal { throw refusal }
            return try .scimList(found, request, call.context.seal)
        }
    }
}

/// The search for people by words, an extension of RFC 7644: `GET /Users?matching=okafor+gr`.
extension SCIMAPI {
    /// The most people of an answer, and the number of people if the client gives none.
    private static let (mostMatches, usualMatches) = (200, 20)

    static let matchingParameter = Endpoint.Parameter(
        name: "matching",
        summary:
            "Words that people's names, titles, departments or addresses begin with, or digits of a telephone number; the best "
            + "matches come first. Only with 'count', 'attributes' and 'excludedAttributes'.",
        schema: ["type": "string", "maxLength": 256])

    /// Answers with the people whom words find, the best first.
    static func match(_ text: String, _ call: Call, _ request: SCIMSearch) throws -> Reply {
        guard request.filter == nil, request.sortBy == nil, request.cursor == nil, request.startIndex == 1 else {
            throw SCIMError(
                .invalidValue,
                "'matching' and 'filter', 'sortBy', 'startIndex' or 'cursor' exclude each other: "
                    + "the best matches come first.")
        }
        let derived = call.context.derived(call.view.attributes.vocabulary())
        let projection = try SCIMProjection(
            attributes: request.attributes, excluding: request.excluded, of: derived.scimType(of: .user))
        let count = request.count == SCIMSearch.maximumCount ? usualMatches : min(request.count, mostMatches)
        let context = call.context
        return call.reading { transaction in
            var found = Found()
            if count > 0 {
                let users = try transaction.search.matching(text, projection.fetched(.user, derived), limit: count).map(
                    \.user)
                let writer = SCIMWriter(context, transaction, .user, projection)
                try found.add(users, of: users.count, with: writer.related) {
                    try writer.append($0, $1, to: &$2)
                }
            }
            return try .scimList(found, request, context.seal)
        }
    }
}

extension SCIMProjection {
    /// The attributes to read: the usual ones, and attributes that are returned on request if the request wants one.
    func fetched(_ entity: AttributeDefinition.Entity, _ derived: DerivedVocabulary) -> AttributeSelection {
        guard entity == .user else { return .usual }
        let wanted = derived.scimPlaces.usersOnRequest.filter { definition in
            definition.names[.scim].map { includes($0) }
                ?? includes(definition.name.rawValue, in: Vocabulary.extensionSchema)
        }
        guard !wanted.isEmpty else { return .usual }
        // The directory returns the usual attributes only if no attribute is named. The writer leaves out what the
        // request does not want.
        let all = derived.people.vocabulary.definitions(for: .user).filter { definition in
            definition.element == nil && (!definition.isReturnedOnRequest || wanted.contains(definition))
        }
        return .only(all.map(\.name))
    }
}

extension Call {
    /// The attributes that the request wants to see.
    func projection(of kind: AttributeDefinition.Entity) throws -> SCIMProjection {
        let derived = context.derived(view.attributes.vocabulary())
        return try SCIMProjection(
            attributes: SCIMProjection.names(in: try parameter("attributes")),
            excluding: SCIMProjection.names(in: try parameter("excludedAttributes")),
            of: derived.scimType(of: kind))
    }

    /// Whether the request says which attributes the response shows.
    var isProjected: Bool { target.query.contains { ["attributes", "excludedAttributes"].contains($0.name) } }

    var work: SCIMWork {
        SCIMWork(
            context: context, view: view, isLarge: request.isLarge, clientAddress: request.clientAddress,
            checkVersion: { [request] in try request.checkMatch($0) })
    }
}

extension HTTPResponse {
    /// A response of SCIM, such as a resource or a list of resources.
    static func scim(
        _ body: [UInt8], status: Int = 200, version: Int64? = nil, location: String? = nil
    ) -> HTTPResponse {
        .json(body, status: status, type: "application/scim+json", version: version, location: location)
    }

    static func scim(_ outcome: SCIMWork.Outcome) -> HTTPResponse {
        guard let resource = outcome.resource else {
            return HTTPResponse(outcome.status, headers: outcome.version.map { ["ETag": EntityTag.text($0)] } ?? [:])
        }
        return .scim(resource, status: outcome.status, version: outcome.version, location: outcome.location)
    }

    static func scimList(_ found: SCIMAPI.Found, _ request: SCIMSearch, _ seal: Seal) throws -> HTTPResponse {
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

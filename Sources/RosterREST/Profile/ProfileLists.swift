import Roster
import RosterText

/// Lists of the profile service: searches and relations, page by page.
enum ProfileLists {
    private static let maximumPageSize = 1_000
    private static let usualPageSize = 50

    private static let position: JSONValue = ["type": "integer", "minimum": 1, "maximum": 1_000_000_000]
    static let pageParameters: [Endpoint.Parameter] = [
        .init(
            name: "pagesize", summary: "How many on a page, 1 to 1,000; 50 unless given.",
            schema: ["type": "integer", "minimum": 1, "maximum": 1000]),
        .init(
            name: "pagepos", summary: "Which page, counted from 1; 'pageposition' is another name for it.",
            schema: position),
        .init(
            name: "cursor", summary: "Where the page begins, as the link 'next' of the page before has it.",
            schema: ["type": "string", "format": "roster-cursor"]),
    ]
    static func selectionParameters(_ owner: ProfileRelation.Owner) -> [Endpoint.Parameter] {
        let name = owner == .people ? "Person" : "ProfileGroup"
        return [
            .init(
                name: "attrsToFetch", summary: "Names of attributes and relations, with commas; all unless given.",
                schema: OpenAPISchemas.reference(name + "Selection"), isList: true),
            .init(
                name: "prefetch", summary: "Relations whose first hundred entities come along, with commas.",
                schema: OpenAPISchemas.reference(name + "Relations"), isList: true),
        ]
    }
    static func searchParameters(_ owner: ProfileRelation.Owner) -> [Endpoint.Parameter] {
        [
            .init(
                name: "searchparam.", summary: "A * at either end stands for any text.",
                schema: ["type": "string"], prefixOf: owner),
            .init(
                name: "isSimpleSearch", summary: "true, unless given: all conditions must hold; false: one is enough.",
                schema: ["type": "boolean"]),
        ] + selectionParameters(owner) + pageParameters
    }
    static func relationParameters(_ other: ProfileRelation.Owner) -> [Endpoint.Parameter] {
        [
            .init(
                name: "scope", summary: "toTop or all: through everyone between; direct unless given.",
                schema: ["type": "string", "enum": ["toTop", "all", "direct"]])
        ] + selectionParameters(other) + pageParameters
    }

    /// Where a page begins and how large it is.
    private struct PageRequest {
        let size: Int
        let position: Int
        let cursor: String?

        init(_ exchange: Exchange) throws {
            size = try exchange.integer("pagesize") ?? ProfileLists.usualPageSize
            guard (1...ProfileLists.maximumPageSize).contains(size) else {
                throw RequestError(.badRequest, "The parameter 'pagesize' takes 1 to \(ProfileLists.maximumPageSize).")
            }
            let (short, long) = (try exchange.integer("pagepos"), try exchange.integer("pageposition"))
            guard short == nil || long == nil else {
                throw RequestError(.badRequest, "'pagepos' and 'pageposition' are one; give one of them.")
            }
            position = short ?? long ?? 1
            guard (1...1_000_000_000).contains(position) else {
                throw RequestError(.badRequest, "Pages are counted from 1.")
            }
            cursor = try exchange.parameter("cursor").map {
                try exchange.context.seal.open($0, for: Self.purpose(exchange))
            }
        }

        var offset: Int { (position - 1) * size }

        /// Which list a cursor belongs to. The conditions of a search are in the cursor itself.
        static func purpose(_ exchange: Exchange) throws -> String {
            let path = exchange.target.segments.map(PercentEncoding.segment).joined(separator: "/")
            return path + "?" + (try exchange.parameter("scope") ?? "")
        }
    }

    // MARK: Search

    static func search(_ exchange: Exchange, _ owner: ProfileRelation.Owner) throws -> Reply {
        let page = try PageRequest(exchange)
        let search = try search(exchange, owner, page)
        return .later {
            try await exchange.view.awaitRead { transaction in
                var search = search
                let writer = try ProfileWriter(exchange, transaction, owner)
                search.attributes = writer.fetched
                let elements: [[UInt8]]
                let next: Cursor?
                switch owner {
                case .people:
                    let found = try transaction.search(search)
                    (elements, next) = (try found.elements.map { try writer.entity($0) }, found.next)
                case .groups:
                    let found = try transaction.searchRoles(search)
                    (elements, next) = (try found.elements.map { try writer.entity($0) }, found.next)
                }
                return try answer(exchange, page, elements, next: next?.description)
            }
        }
    }

    private static func search(
        _ exchange: Exchange, _ owner: ProfileRelation.Owner, _ page: PageRequest
    ) throws -> Search {
        let prefix = "searchparam."
        let conditions = exchange.target.query.filter { $0.name.hasPrefix(prefix) }.map {
            (String($0.name.dropFirst(prefix.count)), $0.value)
        }
        let isSimple = try exchange.parameter("isSimpleSearch").map { text in
            guard let isTrue = Bool(text) else {
                throw RequestError(.badRequest, "The parameter 'isSimpleSearch' takes true or false.")
            }
            return isTrue
        }
        let filter = try Filter(
            matching: conditions, in: .profile, for: owner == .people ? .user : .role,
            isSimpleSearch: isSimple ?? true, exchange.view.attributes.vocabulary())
        return Search(
            filter, pageSize: page.size,
            from: page.cursor.map { .cursor(Cursor($0)) } ?? .page(page.position))
    }

    // MARK: Relations

    static func list(_ exchange: Exchange, _ relation: ProfileRelation) throws -> Reply {
        let page = try PageRequest(exchange)
        let scope = try exchange.parameter("scope")
        guard scope == nil || ["toTop", "all", "direct"].contains(scope) else {
            throw RequestError(.badRequest, "The parameter 'scope' takes toTop, all or direct.")
        }
        let isDeep = scope == "toTop" || scope == "all"
        let start = try page.cursor.map { text in
            guard let place = RelationPlace(text) else {
                throw DirectoryError(.invalidCursor, "The cursor is another list's.")
            }
            return place
        }
        return .later {
            try await exchange.view.awaitRead { transaction in
                let writer = try ProfileWriter(exchange, transaction, relation.takes.people ? .people : .groups)
                let id = exchange.arguments[0]
                var place = start ?? RelationPlace()
                var toSkip = start == nil ? page.offset : 0
                while toSkip > 0 {
                    let before = try relation.page(
                        of: id, isDeep: isDeep, from: place, limit: min(toSkip, 5_000), ["version"], transaction)
                    guard let next = before.next else { return try answer(exchange, page, [], next: nil) }
                    place = next
                    toSkip -= before.related.count
                }
                let found = try relation.page(
                    of: id, isDeep: isDeep, from: place, limit: page.size, writer.fetched, transaction)
                let elements = try found.related.map { related in
                    switch related {
                    case .person(let user): try writer.entity(user)
                    case .group(let role): try writer.owner == .groups ? writer.entity(role) : writer.plain(related)
                    }
                }
                return try answer(exchange, page, elements, next: found.next?.text)
            }
        }
    }

    static func add(_ exchange: Exchange, _ relation: ProfileRelation) throws -> Reply {
        let body = try exchange.json()
        let id = exchange.arguments[0]
        let other = try other(in: body, relation)
        return .later {
            try await exchange.view.awaitWrite { transaction in
                try checkOwn(body, relation, id, transaction)
                try relation.add(other, to: id, transaction)
                let answer = try link(relation, of: id, to: other, transaction)
                return .json(
                    answer.body, status: 201, headers: ["Location": exchange.context.baseURL + answer.uri])
            }
        }
    }

    /// The answer to a new relation: its own URI, and those of both entities, however the request named them.
    private static func link(
        _ relation: ProfileRelation, of id: String, to other: RoleSubject, _ transaction: Transaction
    ) throws -> (uri: String, body: JSONValue) {
        let own: String
        switch relation.owner {
        case .people: own = ProfileWriter.uri(of: try transaction.user(.either(id), ["uid"]))
        case .groups: own = ProfileWriter.uri(of: try transaction.role(.either(id)))
        }
        let related: String
        let segment: String
        var key = relation.keys.other[0]
        switch other {
        case .user(let reference):
            let user = try transaction.user(reference, ["uid"])
            related = ProfileWriter.uri(of: user)
            // A person and a group may have one name; their identifiers differ.
            let isAmbiguous = relation.takes.groups && (try? transaction.role(.named(user.uid))) != nil
            segment = ProfileWriter.segment(isAmbiguous ? user.id.description : user.uid, user.id.description)
        case .role(let reference):
            let role = try transaction.role(reference)
            related = ProfileWriter.uri(of: role)
            let isAmbiguous = relation.takes.people && (try? transaction.id(of: .named(role.name))) != nil
            segment = ProfileWriter.segment(isAmbiguous ? role.id.description : role.name, role.id.description)
            if relation == .members { key = "child-group-uri" }
        }
        let uri = "\(own)/\(relation.name)/\(segment)"
        return (uri, ["uri": .string(uri), relation.keys.own[0]: .string(own), key: .string(related)])
    }

    static func read(_ exchange: Exchange, _ relation: ProfileRelation) throws -> Reply {
        .later {
            try await exchange.view.awaitRead { transaction in
                let (id, name) = (exchange.arguments[0], exchange.arguments[1])
                let person = try? transaction.id(of: .either(name))
                let group = try? transaction.role(.either(name)).id
                var place: RelationPlace? = RelationPlace()
                while let start = place {
                    let page = try relation.page(
                        of: id, isDeep: false, from: start, limit: 1_000, ["version"], transaction)
                    for related in page.related {
                        switch related {
                        case .person(let user) where user.id == person:
                            let writer = try ProfileWriter(exchange, transaction, .people)
                            return .json(try writer.entity(transaction.user(.id(user.id), writer.fetched)))
                        case .group(let role) where role.id == group:
                            let writer = try ProfileWriter(exchange, transaction, .groups)
                            return .json(try writer.entity(transaction.role(.id(role.id), writer.fetched)))
                        default: continue
                        }
                    }
                    place = page.next
                }
                throw DirectoryError(.notFound, "They are not related so.")
            }
        }
    }

    static func remove(_ exchange: Exchange, _ relation: ProfileRelation) throws -> Reply {
        .later {
            try await exchange.view.awaitWrite { transaction in
                let (id, name) = (exchange.arguments[0], exchange.arguments[1])
                var subject: RoleSubject = relation.takes.groups ? .role(.either(name)) : .user(.either(name))
                if relation.takes.people, relation.takes.groups {
                    // A person and a group may have one name: whoever is the member is meant, the person first.
                    let isPerson = (try? transaction.id(of: .either(name))) != nil
                    if isPerson { subject = .user(.either(name)) }
                    if isPerson, (try? transaction.role(.either(name))) != nil {
                        do {
                            try relation.remove(subject, from: id, transaction)
                            return HTTPResponse(204)
                        } catch let error as DirectoryError where error.code == .notFound {
                            subject = .role(.either(name))
                        }
                    }
                }
                try relation.remove(subject, from: id, transaction)
                return HTTPResponse(204)
            }
        }
    }

    // MARK: Bodies

    private static func other(in body: JSONValue, _ relation: ProfileRelation) throws -> RoleSubject {
        let keys = relation.keys.other + (relation == .members ? ["group-member-uri"] : []) + ["uri"]
        for key in keys + relation.keys.own {
            guard let value = body[key], value.text == nil else { continue }
            throw RequestError(.badRequest, "The member '\(key)' of the body is the URI of an entity.")
        }
        guard let uri = keys.lazy.compactMap({ body[$0]?.text }).first else {
            throw RequestError(
                .badRequest, "The body needs '\(relation.keys.other[0])', the URI of the other entity.")
        }
        if relation.takes.people, let name = ProfileReader.name(inURI: uri, of: .people) {
            return .user(.either(name))
        }
        if relation.takes.groups, let name = ProfileReader.name(inURI: uri, of: .groups) {
            return .role(.either(name))
        }
        // A bare name, where it can mean one kind only.
        if !uri.contains("/"), !(relation.takes.people && relation.takes.groups) {
            return relation.takes.people ? .user(.either(uri)) : .role(.either(uri))
        }
        throw RequestError(
            .badRequest, "'\(uri.prefix(200))' is not the URI of an entity that '\(relation.name)' takes.")
    }

    /// A body that names the entity itself must name the one in the path.
    private static func checkOwn(
        _ body: JSONValue, _ relation: ProfileRelation, _ id: String, _ transaction: Transaction
    ) throws {
        // Between two groups, both ends may go by the key 'group-uri'.
        let keys = relation.keys.own.filter { !relation.keys.other.contains($0) }
        guard let uri = keys.lazy.compactMap({ body[$0]?.text }).first else { return }
        let name = ProfileReader.name(inURI: uri, of: relation.owner) ?? uri
        let isSame: Bool =
            switch relation.owner {
            case .people: try transaction.id(of: .either(id)) == (try? transaction.id(of: .either(name)))
            case .groups: try transaction.role(.either(id)).id == (try? transaction.role(.either(name)).id)
            }
        guard isSame else {
            throw RequestError(.badRequest, "The body names another entity than the path, '\(name.prefix(64))'.")
        }
    }

    // MARK: Answers

    /// - Parameter elements: The texts of the entities.
    private static func answer(
        _ exchange: Exchange, _ page: PageRequest, _ elements: [[UInt8]], next: String?
    ) throws -> HTTPResponse {
        func link(position: Int, cursor: String?) -> String {
            let path = "/" + exchange.target.segments.map(PercentEncoding.segment).joined(separator: "/")
            var query = exchange.target.query.filter { !["cursor", "pagepos", "pageposition"].contains($0.name) }
            query.append(.init(name: "pagepos", value: String(position)))
            if let cursor { query.append(.init(name: "cursor", value: cursor)) }
            let text = query.map { "\(PercentEncoding.segment($0.name))=\(PercentEncoding.segment($0.value))" }
            return path + "?" + text.joined(separator: "&")
        }
        var text = ObjectText()
        text.add("elements", texts: elements)
        text.add("uri", exchange.request.target)
        if let next {
            let cursor = try exchange.context.seal.seal(next, for: PageRequest.purpose(exchange))
            text.add("next", link(position: page.position + 1, cursor: cursor))
        }
        if page.position > 1 { text.add("previous", link(position: page.position - 1, cursor: nil)) }
        text.close()
        return .json(text.bytes)
    }
}

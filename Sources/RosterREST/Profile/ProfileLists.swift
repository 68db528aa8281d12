import Roster
import RosterText

/// Lists of the profile service, page by page: searches, and relations, each of which has four endpoints.
enum ProfileLists {
    private static let maximumPageSize = 1_000
    private static let usualPageSize = 50

    private static let position: JSONValue = ["type": "integer", "minimum": 1, "maximum": 1_000_000_000]
    /// Another name for `pagepos`, which the description does not list, because a request gives one of them.
    static let longPosition = "pageposition"
    private static let pageParameters: [Endpoint.Parameter] = [
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
    static func selectionParameters(_ owner: AttributeDefinition.Entity) -> [Endpoint.Parameter] {
        let name = owner == .user ? "Person" : "ProfileGroup"
        return [
            .init(
                name: "attrsToFetch", summary: "Names of attributes and relations, with commas; all unless given.",
                schema: OpenAPISchemas.reference(name + "Selection"), isList: true),
            .init(
                name: "prefetch", summary: "Relations whose first hundred entities come along, with commas.",
                schema: OpenAPISchemas.reference(name + "Relations"), isList: true),
        ]
    }
    private static let page = Endpoint.Answer(schema: [
        "type": "object", "required": ["elements", "uri"],
        "properties": [
            "elements": ["type": "array", "items": ["type": "object"]], "uri": ["type": "string"],
            "next": ["type": "string"], "previous": ["type": "string"],
        ],
    ])

    /// The beginning and the size of a page.
    private struct PageRequest {
        let size: Int
        let position: Int
        let cursor: String?

        init(_ call: Call) throws {
            size = try call.integer("pagesize") ?? ProfileLists.usualPageSize
            guard (1...ProfileLists.maximumPageSize).contains(size) else {
                throw RequestError(.badRequest, "The parameter 'pagesize' takes 1 to \(ProfileLists.maximumPageSize).")
            }
            let (short, long) = (try call.integer("pagepos"), try call.integer(longPosition))
            guard short == nil || long == nil else {
                throw RequestError(.badRequest, "'pagepos' and 'pageposition' are one; give one of them.")
            }
            position = short ?? long ?? 1
            guard (1...1_000_000_000).contains(position) else {
                throw RequestError(.badRequest, "Pages are counted from 1.")
            }
            cursor = try call.parameter("cursor").map {
                try call.context.seal.open($0, for: Self.purpose(call))
            }
        }

        var offset: Int { (position - 1) * size }

        /// Which list a cursor belongs to. The conditions of a search are in the cursor itself.
        static func purpose(_ call: Call) throws -> String {
            let path = call.target.segments.map(PercentEncoding.segment).joined(separator: "/")
            return path + "?" + (try call.parameter("scope") ?? "")
        }
    }

    // MARK: Search

    static func search(_ owner: AttributeDefinition.Entity) -> Endpoint {
        let conditions: [Endpoint.Parameter] = [
            .init(
                name: "searchparam.", summary: "A * at either end matches any text.",
                schema: ["type": "string"], prefixOf: owner),
            .init(
                name: "isSimpleSearch", summary: "true, unless given: all conditions must hold; false: one is enough.",
                schema: ["type": "boolean"]),
        ]
        return Endpoint(
            owner == .user ? "Search people." : "Search groups.",
            parameters: conditions + selectionParameters(owner) + pageParameters, answer: page
        ) { call in
            let page = try PageRequest(call)
            let search = try search(call, owner, page)
            return call.reading { transaction in
                var search = search
                let writer = try ProfileWriter(call, transaction, owner)
                search.attributes = writer.fetched
                let elements: [[UInt8]]
                let next: Cursor?
                switch owner {
                case .user:
                    let found = try transaction.search.users(search)
                    (elements, next) = (try found.elements.map { try writer.text(of: .user($0)) }, found.next)
                case .role:
                    let found = try transaction.search.roles(search)
                    (elements, next) = (try found.elements.map { try writer.text(of: .role($0)) }, found.next)
                }
                return try answer(call, page, elements, next: next?.description)
            }
        }
    }

    private static func search(
        _ call: Call, _ owner: AttributeDefinition.Entity, _ page: PageRequest
    ) throws -> Search {
        let prefix = "searchparam."
        let conditions = call.target.query.filter { $0.name.hasPrefix(prefix) }.map {
            (String($0.name.dropFirst(prefix.count)), $0.value)
        }
        let isSimple = try call.parameter("isSimpleSearch").map { text in
            guard let isTrue = Bool(text) else {
                throw RequestError(.badRequest, "The parameter 'isSimpleSearch' takes true or false.")
            }
            return isTrue
        }
        let filter = try Filter(
            matching: conditions, in: .profile, for: owner,
            isSimpleSearch: isSimple ?? true, call.view.attributes.vocabulary())
        return Search(
            filter, pageSize: page.size,
            from: page.cursor.map { .cursor(Cursor($0)) } ?? .page(page.position))
    }

    // MARK: Relations

    static func list(_ relation: ProfileRelation) -> Endpoint {
        let scope = Endpoint.Parameter(
            name: "scope", summary: "toTop or all: through everyone between; direct unless given.",
            schema: ["type": "string", "enum": ["toTop", "all", "direct"]])
        return Endpoint(
            "List '\(relation.name)'.", parameters: [scope] + selectionParameters(relation.listed) + pageParameters,
            answer: page
        ) { call in
            let page = try PageRequest(call)
            let scope = try call.parameter("scope")
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
            return call.reading { transaction in
                let writer = try ProfileWriter(call, transaction, relation.listed)
                let id = call.arguments[0]
                var place = start ?? RelationPlace()
                var toSkip = start == nil ? page.offset : 0
                while toSkip > 0 {
                    let before = try relation.page(
                        of: id, isDeep: isDeep, from: place, limit: min(toSkip, 5_000), ["version"], transaction)
                    guard let next = before.next else { return try answer(call, page, [], next: nil) }
                    place = next
                    toSkip -= before.related.count
                }
                let found = try relation.page(
                    of: id, isDeep: isDeep, from: place, limit: page.size, writer.fetched, transaction)
                let elements = try found.related.map { related in
                    try related.kind == relation.listed ? writer.text(of: related) : writer.plain(related)
                }
                return try answer(call, page, elements, next: found.next?.text)
            }
        }
    }

    static func add(_ relation: ProfileRelation) -> Endpoint {
        Endpoint(
            "Add to '\(relation.name)'.", body: .init(bodySchema(of: relation)), answer: ProfileAPI.newEntity
        ) { call in
            let body = try call.json()
            let id = call.arguments[0]
            let other = try other(in: body, relation)
            return call.writing { transaction in
                try checkOwn(body, relation, id, transaction)
                try relation.add(other, to: id, transaction)
                let answer = try link(relation, of: id, to: other, below: call.linkBase, transaction)
                return .json(answer.body, status: 201, location: call.context.origin + answer.uri)
            }
        }
    }

    /// The other entity by its URI; by its bare name where that can mean one kind only.
    private static func bodySchema(of relation: ProfileRelation) -> JSONValue {
        let takes = relation.takes
        let segment = "([^/?#%\\x00-\\x1f\\x7f]|%[2-6][0-9A-Fa-f]|%7[0-9A-Ea-e])+"
        let kinds = takes.people && takes.groups ? "(people|groups)" : takes.people ? "people" : "groups"
        let uri = "^([^?#]*/)?\(kinds)/\(segment)/?([?#].*)?$"
        let isPlain = takes.people != takes.groups
        let other: JSONValue = ["type": "string", "pattern": .string(isPlain ? "\(uri)|^[^/\\x00]+$" : uri)]
        let keys = relation.keysOfOther
        let own = relation.keysOfOwn.map { JSONValue.Member($0, ["type": "string", "format": "roster-own"]) }
        return [
            "type": "object", "properties": .object(keys.map { .init($0, other) } + own),
            "anyOf": .array(keys.map { ["required": [.string($0)]] }),
            "description": "Where the entity of the path is named as well, it must be the same.",
        ]
    }

    /// The answer to a new relation: its own URI, and those of both entities, however the request named them.
    private static func link(
        _ relation: ProfileRelation, of id: String, to other: RoleSubject, below base: String,
        _ transaction: Transaction
    ) throws -> (uri: String, body: JSONValue) {
        let entity = try DirectoryEntity(relation.owner, id, ["version"], transaction)
        let own = ProfileWriter.uri(of: entity, below: base)
        let related: DirectoryEntity
        let segment: String
        var key = relation.keys.other[0]
        switch other {
        case .user(let reference):
            let user = try transaction.users.user(reference, ["uid"])
            related = .user(user)
            // A person and a group may have one name; their identifiers differ.
            let isAmbiguous = relation.takes.groups && (try? transaction.roles.role(.named(user.uid))) != nil
            segment = isAmbiguous ? related.id : EntityName.segment(user.uid, related.id)
        case .role(let reference):
            let role = try transaction.roles.role(reference)
            related = .role(role)
            let isAmbiguous = relation.takes.people && (try? transaction.users.id(of: .named(role.name))) != nil
            segment = isAmbiguous ? related.id : EntityName.segment(role.name, related.id)
            if relation == .members { key = "child-group-uri" }
        }
        let uri = "\(own)/\(relation.name)/\(segment)"
        return (
            uri,
            [
                "uri": .string(uri), relation.keys.own[0]: .string(own),
                key: .string(ProfileWriter.uri(of: related, below: base)),
            ]
        )
    }

    static func read(_ relation: ProfileRelation) -> Endpoint {
        Endpoint(
            "Read one of '\(relation.name)'.", parameters: selectionParameters(relation.listed),
            answer: ProfileAPI.entity
        ) { call in
            call.reading { transaction in
                let (id, name) = (call.arguments[0], call.arguments[1])
                let person = try? transaction.users.id(of: .either(name)).description
                let group = try? transaction.roles.role(.either(name)).id.description
                var place: RelationPlace? = RelationPlace()
                while let start = place {
                    let page = try relation.page(
                        of: id, isDeep: false, from: start, limit: 1_000, ["version"], transaction)
                    if let found = page.related.first(where: { $0.id == ($0.kind == .user ? person : group) }) {
                        let writer = try ProfileWriter(call, transaction, found.kind)
                        return .json(
                            try writer.text(of: DirectoryEntity(found.kind, found.id, writer.fetched, transaction)))
                    }
                    place = page.next
                }
                throw DirectoryError(.notFound, "They are not related so.")
            }
        }
    }

    static func remove(_ relation: ProfileRelation) -> Endpoint {
        Endpoint("Remove one from '\(relation.name)'.", answer: .none) { call in
            call.writing { transaction in
                let (id, name) = (call.arguments[0], call.arguments[1])
                var subject: RoleSubject = relation.takes.groups ? .role(.either(name)) : .user(.either(name))
                if relation.takes.people, relation.takes.groups {
                    // A person and a group may have one name: whoever is the member is meant, the person first.
                    let isPerson = (try? transaction.users.id(of: .either(name))) != nil
                    if isPerson { subject = .user(.either(name)) }
                    if isPerson, (try? transaction.roles.role(.either(name))) != nil {
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
        let keys = relation.keysOfOther
        for key in keys + relation.keys.own {
            guard let value = body[key], value.text == nil else { continue }
            throw RequestError(.badRequest, "The member '\(key)' of the body is the URI of an entity.")
        }
        guard let uri = keys.lazy.compactMap({ body[$0]?.text }).first else {
            throw RequestError(.badRequest, "The body needs '\(relation.keys.other[0])', the URI of the other entity.")
        }
        if relation.takes.people, let name = ProfileReader.name(inURI: uri, of: .user) {
            return .user(.either(name))
        }
        if relation.takes.groups, let name = ProfileReader.name(inURI: uri, of: .role) {
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
        guard let uri = relation.keysOfOwn.lazy.compactMap({ body[$0]?.text }).first else { return }
        let name = ProfileReader.name(inURI: uri, of: relation.owner) ?? uri
        let isSame: Bool =
            switch relation.owner {
            case .user: try transaction.users.id(of: .either(id)) == (try? transaction.users.id(of: .either(name)))
            case .role: try transaction.roles.role(.either(id)).id == (try? transaction.roles.role(.either(name)).id)
            }
        guard isSame else {
            throw RequestError(.badRequest, "The body names another entity than the path, '\(name.prefix(64))'.")
        }
    }

    // MARK: Answers

    /// - Parameter elements: The texts of the entities.
    private static func answer(
        _ call: Call, _ page: PageRequest, _ elements: [[UInt8]], next: String?
    ) throws -> HTTPResponse {
        func link(position: Int, cursor: String?) -> String {
            let path =
                call.context.basePath.text + "/"
                + call.target.segments.map(PercentEncoding.segment).joined(separator: "/")
            var query = call.target.query.filter { !["cursor", "pagepos", "pageposition"].contains($0.name) }
            query.append(.init(name: "pagepos", value: String(position)))
            if let cursor { query.append(.init(name: "cursor", value: cursor)) }
            let text = query.map { "\(PercentEncoding.segment($0.name))=\(PercentEncoding.segment($0.value))" }
            return path + "?" + text.joined(separator: "&")
        }
        var text = ObjectText()
        text.add("elements", texts: elements)
        text.add("uri", call.context.basePath.text + call.request.target)
        if let next {
            let cursor = try call.context.seal.seal(next, for: PageRequest.purpose(call))
            text.add("next", link(position: page.position + 1, cursor: cursor))
        }
        if page.position > 1 { text.add("previous", link(position: page.position - 1, cursor: nil)) }
        text.close()
        return .json(text.bytes)
    }
}

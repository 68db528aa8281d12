package import Roster
package import RosterSignIn
package import RosterText

/// A request with its route and its caller: the argument of a handler. It is a class, since every step passes it on and
/// handlers capture it.
package final class Call: Sendable {
    let route: Route
    package let request: HTTPRequest
    let target: RequestTarget
    /// The segments of the path where the route has parameters.
    package let arguments: [String]
    let arrival: Arrival
    package let context: ServiceContext
    /// The caller; nil until the caller is known, and for a route that lets everyone in.
    package let identity: Identity?
    /// Takes notes of filters that read everybody, for the log.
    let notes: SearchNotes

    init(
        _ route: Route, _ request: HTTPRequest, _ target: RequestTarget, _ arguments: [String], _ arrival: Arrival,
        _ context: ServiceContext, identity: Identity? = nil, notes: SearchNotes = SearchNotes()
    ) {
        self.notes = notes
        self.route = route
        self.request = request
        self.target = target
        self.arguments = arguments
        self.arrival = arrival
        self.context = context
        self.identity = identity
    }

    /// The same request of a caller who is known now, or with other arguments of the path.
    func with(identity: Identity? = nil, arguments: [String]? = nil) -> Call {
        Call(
            route, request, target, arguments ?? self.arguments, arrival, context, identity: identity ?? self.identity,
            notes: notes)
    }

    package var oauth: OAuthService { context.oauth }
    var clientAddress: String { request.clientAddress }
    package var origin: ClientOrigin { request.origin }

    /// The beginning of the paths in the links of the answer.
    var linkBase: String { context.basePath.text + route.group.linkBase }

    /// The directory as the caller may see it.
    package var view: DirectoryView {
        let view = context.directory.acting(
            as: identity?.caller ?? .nobody, by: identity?.presence ?? .person(nil), notes: notes)
        // Refused before, where it is no number.
        guard let batch = try? BatchesAPI.number(of: request) else { return view }
        return view.batched(batch)
    }

    /// Returns the caller of a request about the caller's own account or profile. The table of routes says which callers are admitted.
    ///
    /// - Throws: ``RequestError`` `notFound` for a caller who is not a user.
    package func ownUser() throws -> (id: UserID, name: String) {
        guard let identity, case .user(let id) = identity.caller else { throw RequestError.notUser }
        return (id, identity.name)
    }

    /// Answers a look-up at once. A look-up of a large record waits for the caller's turn among the searches.
    ///
    /// - Parameter isNarrow: Whether reading programs get an answer, because each read of the answer obeys their narrow view.
    package func lookingUp(
        isNarrow: Bool = false, _ answer: @escaping @Sendable (Transaction) throws -> HTTPResponse
    ) throws -> Reply {
        if let response = try view.lookUp(isNarrow: isNarrow, answer) { return .now(response) }
        return reading(isNarrow: isNarrow, answer)
    }

    /// Answers from a read in the caller's turn among the searches.
    package func reading(
        isNarrow: Bool = false, _ answer: @escaping @Sendable (Transaction) throws -> HTTPResponse
    ) -> Reply {
        .later { [view] in try await view.awaitRead(isNarrow: isNarrow, answer) }
    }

    package func writing(_ answer: @escaping @Sendable (Transaction) throws -> HTTPResponse) -> Reply {
        .later { [view] in try await view.awaitWrite(answer) }
    }

    /// Refuses an unknown parameter of a request for profiles, and of a request under `/admin` that can change something. Otherwise a
    /// misspelled condition would find everybody, and a misspelled `dry_run` would make the change.
    func checkParameters() throws {
        guard !target.query.isEmpty else { return }
        let isReading = ["GET", "HEAD"].contains(request.method)
        let isOfProfile = route.path.first == .fixed("profile")
        guard isOfProfile || route.path.first == .fixed("admin") && !isReading else { return }
        let parameters = route.endpoint.parameters.filter { !$0.isHeader }
        let known = Set(parameters.map(\.name) + (isOfProfile ? [ProfileLists.longPosition] : []))
        let prefixes = parameters.filter { $0.prefixOf != nil }.map(\.name)
        let unknown = target.query.first { parameter in
            !known.contains(parameter.name) && !prefixes.contains { parameter.name.hasPrefix($0) }
        }
        guard let unknown else { return }
        throw RequestError(
            .badRequest,
            "There is no parameter \(EntityName.shown(unknown.name))."
                + (SimilarWord.nearest(to: unknown.name, among: Array(known)).map { " Did you mean '\($0)'?" } ?? ""))
    }

    /// Refuses `If-Match` where the resource has no version, which would be ignored otherwise (RFC 9110, section 13.1.1).
    func checkPrecondition() throws {
        guard !["GET", "HEAD"].contains(request.method), let field = request.headers["If-Match"],
            field != "*",
            !route.endpoint.parameters.contains(where: { $0.name == Endpoint.Parameter.ifMatch.name })
        else { return }
        throw RequestError(
            .preconditionFailed,
            "The resource at this path has no version, so that If-Match cannot match. Leave the field out.")
    }

    /// The value of a parameter of the query; nil if it is missing.
    ///
    /// - Throws: 400 if the parameter is there twice, since programs disagree about which value counts.
    package func parameter(_ name: String) throws -> String? {
        if target.query.isEmpty { return nil }
        let values = target.query.filter { $0.name == name }
        guard values.count <= 1 else {
            throw RequestError(.badRequest, "The parameter '\(name)' is given \(values.count) times.")
        }
        return values.first?.value
    }

    /// The whole number in a parameter.
    package func integer(_ name: String) throws -> Int? {
        guard let text = try parameter(name) else { return nil }
        guard let number = Int(text) else {
            throw RequestError(.badRequest, "The parameter '\(name)' takes a whole number.")
        }
        return number
    }

    /// The elements of a list in a parameter, which commas separate.
    package func list(_ name: String) throws -> [String]? {
        try parameter(name).map { text in
            // An element that is there twice counts once.
            var seen: Set<String> = []
            return text.split(separator: ",").map { String($0.drop { $0 == " " }) }.filter {
                !$0.isEmpty && seen.insert($0).inserted
            }
        }
    }

    /// The body as JSON.
    ///
    /// - Throws: 415 for another media type, 400 if the body is not a JSON object.
    package func json() throws -> JSONValue {
        try checkIsJSON()
        let value = try JSONValue(parsing: request.body)
        guard case .object = value else { throw RequestError(.badRequest, "The body must be a JSON object.") }
        return value
    }

    /// Refuses a request without a body of JSON.
    ///
    /// - Throws: 415 for another media type, 400 if there is no body.
    func checkIsJSON() throws {
        let type = (request.headers["Content-Type"] ?? "").split(separator: ";").first.map { part in
            part.filter { $0 != " " }.lowercased()
        }
        guard let type, ["application/json", "application/scim+json"].contains(type) else {
            throw RequestError(.unsupportedMediaType, "The body must be JSON.", headers: ["Accept": "application/json"])
        }
        guard !request.body.isEmpty else { throw RequestError(.badRequest, "The request has no body.") }
    }
}

extension JSONValue {
    /// Returns the texts of a member that is a list; nil if the object has no such member, or the member is null.
    func texts(of name: String) throws -> [String]? {
        guard let list = self[name], !list.isNull else { return nil }
        guard case .array(let elements) = list, elements.count == list.texts.count else {
            throw RequestError(.badRequest, "'\(name)' takes a list of texts.")
        }
        return list.texts
    }
}

extension HTTPRequest {
    /// The client's address and browser, for the change feed.
    var origin: ClientOrigin { ClientOrigin(clientAddress, browser: headers["User-Agent"]) }
}

extension HTTPResponse {
    package static func json(
        _ value: JSONValue, status: Int = 200, type: String = "application/json", version: Int64? = nil,
        location: String? = nil, headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        json(value.bytes, status: status, type: type, version: version, location: location, headers: headers)
    }

    /// A response with the text of JSON.
    ///
    /// - Parameter version: The version of the entity that the response shows, for `ETag`.
    package static func json(
        _ bytes: [UInt8], status: Int = 200, type: String = "application/json", version: Int64? = nil,
        location: String? = nil, headers: HTTPHeaders = [:]
    ) -> HTTPResponse {
        var headers = headers
        if let version { headers.add("ETag", EntityTag.text(version)) }
        if let location { headers.add("Location", location) }
        headers.add("Content-Type", type)
        return HTTPResponse(status, headers: headers, body: .bytes(bytes))
    }

    /// The response to a client that has this version already.
    static func notModified(_ version: Int64) -> HTTPResponse {
        HTTPResponse(304, headers: ["ETag": EntityTag.text(version)])
    }
}

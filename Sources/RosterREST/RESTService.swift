public import Roster
public import RosterSignIn

/// The directory over HTTP, without a server: a request goes in, a response comes out. Mount it in a server of one's own,
/// or take `RosterServer`'s.
///
/// It speaks the profile service of Mobile and Social, SCIM 2.0, the users of the mobile platform and the change feed.
/// ``routes`` is the one table of what there is; `/openapi.json` describes it.
public struct RESTService: Sendable {
    let context: ServiceContext
    private let router: Router

    /// Makes the service.
    ///
    /// - Parameter context: The directory, who may enter, and what the service says about itself.
    package init(_ context: ServiceContext) { self.init(context, Router(Self.routes(context))) }

    /// With routes that are made already: describing them takes longer than anything else here.
    init(_ context: ServiceContext, _ router: Router) {
        self.context = context
        self.router = router
    }

    /// Makes the service of a directory, to be mounted in a server of one's own. Cost: a password's hash, about 0.15 s.
    ///
    /// - Parameters:
    ///   - directory: What is served.
    ///   - baseURL: Where clients reach the service, such as `https://id.example.com`: links are made of it.
    ///   - hosts: The names, without ports, under which a request may ask for it; empty for any.
    ///   - signIn: What the app signs people in by itself, whose issuer is the address; nil to make one.
    /// - Throws: `DirectoryError` where the directory cannot be read.
    public init(
        serving directory: Directory, at baseURL: String, hosts: Set<String> = [], signIn: SignIn? = nil
    ) throws {
        var baseURL = baseURL
        while baseURL.hasSuffix("/") { baseURL.removeLast() }
        self.init(
            try ServiceContext(
                directory: directory, baseURL: baseURL, hosts: hosts,
                signIn: signIn ?? SignIn(directory, issuer: baseURL)))
    }

    /// Every route, in the order in which the description lists them.
    static func routes(_ context: ServiceContext) -> [Route] {
        let routes =
            ProfileAPI.routes + SCIMAPI.routes + MobileAPI.routes + ChangesAPI.routes + OperationsAPI.routes
            + OAuthAPI.routes + BrowserAPI.routes + ExchangeAPI.routes + SessionAPI.routes
            + SessionAdministration.routes + SecondFactorAPI.routes + ConsentAPI.routes
            + TokenServicesAPI.routes + BackendsAPI.routes + KeysAPI.routes + TokensAPI.routes + MadeAPI.routes
            + RelyingPartyAPI.routes + TestProviderAPI.routes + PrivacyAPI.routes
        return routes + [OpenAPI.route(describing: routes.filter(\.isDescribed), context)]
    }

    /// Answers a request. A look-up is done when this returns if a reader is free at once; everything else is handed out
    /// as work to be done.
    ///
    /// May be called from any thread, and never waits. Never throws: what goes wrong is answered in the form of the
    /// interface that was asked. Searches and large requests of one user are limited, see
    /// `DirectoryLimits.maximumSearchesOfUser`: the next one is answered 429.
    public func answer(to request: HTTPRequest) -> HTTPAnswer {
        guard let origin = request.headers["Origin"], !context.crossOrigin.allowsNothing,
            !BrowserAPI.isPage(request.target)
        else {
            return answerHere(to: request)
        }
        // Whose page may read an answer is said of every answer, also of one to a page that may not.
        let isAllowed = context.crossOrigin.allows(origin: origin)
        if request.method == "OPTIONS", request.headers["Access-Control-Request-Method"] != nil {
            return .now(CrossOriginAnswer.preflight(origin, isAllowed: isAllowed))
        }
        switch answerHere(to: request) {
        case .now(let response): return .now(CrossOriginAnswer.marked(response, origin, isAllowed: isAllowed))
        case .later(let work):
            return .later { CrossOriginAnswer.marked(await work(), origin, isAllowed: isAllowed) }
        }
    }

    private func answerHere(to request: HTTPRequest) -> HTTPAnswer {
        let record = RequestRecord(request)
        let target: RequestTarget
        let route: Route
        let arguments: [String]
        do {
            try context.check(request)
            target = try RequestTarget(request.target)
            switch router.match(request.method, target.segments) {
            case .route(let found, let values): (route, arguments) = (found, values)
            case .otherMethods(let methods, let style):
                let allowed = Set(methods).sorted().joined(separator: ", ")
                let error = RequestError(
                    .methodNotAllowed, "This takes \(allowed) only.", headers: ["Allow": allowed])
                return .now(finish(error, record, style: style))
            case .none:
                return .now(
                    finish(
                        RequestError(.notFound, "There is nothing here."), record, style: Self.style(of: request.target)
                    ))
            }
        } catch {
            return .now(finish(error, record, style: Self.style(of: request.target)))
        }
        var named = record
        named.route = route.template
        let call = Call(route: route, request: request, target: target, arguments: arguments, record: named)
        if !route.asksDirectory { return begin(call) }
        // A thread that serves many connections never waits for a reader.
        if let answer = context.directory.lookUpAtOnce({ begin(call) }) { return answer }
        return .later {
            do {
                return try await context.directory.awaitLookUp { begin(call) }.response()
            } catch {
                return finish(error, call.record, style: route.style)
            }
        }
    }

    /// A request that has a route.
    private struct Call: Sendable {
        let route: Route
        let request: HTTPRequest
        let target: RequestTarget
        let arguments: [String]
        var record: RequestRecord
    }

    /// Finds out who asks, and has the handler answer. Looks things up without waiting for anything.
    private func begin(_ call: Call) -> HTTPAnswer {
        let (route, request) = (call.route, call.request)
        var call = call
        do {
            guard route.access == .authenticated else { return try reply(to: nil, call) }
            switch try context.signIn(request) {
            case .identified(let identity):
                call.record.who = identity.name
                try route.check(identity, context.oauth)
                return try reply(to: identity, call)
            case .later(let work):
                return .later { [call] in
                    var call = call
                    do {
                        var identity = try await work()
                        let renewal = identity.renewal
                        identity.renewal = nil
                        call.record.who = identity.name
                        try route.check(identity, context.oauth)
                        var response = await (try reply(to: identity, call)).response()
                        if let renewal { response.headers.add("Set-Cookie", renewal) }
                        return response
                    } catch {
                        return finish(ServiceContext.refusal(of: request, error), call.record, style: route.style)
                    }
                }
            case .notMine, .refused:
                return .now(finish(ServiceContext.refusal(of: request), call.record, style: route.style))
            }
        } catch {
            return .now(finish(ServiceContext.refusal(of: request, error), call.record, style: route.style))
        }
    }

    private func reply(to identity: Identity?, _ call: Call) throws -> HTTPAnswer {
        let exchange = Exchange(
            request: call.request, target: call.target, arguments: call.arguments, identity: identity, context: context)
        let handler = call.route.handler
        // A large request is read in the caller's turn among the searches, so that no caller's requests keep the threads
        // that all of them need.
        let reply: Reply =
            !call.request.isLarge
            ? try handler(exchange)
            : .later {
                guard identity != nil else { return try await handler(exchange).response() }
                return try await exchange.view.awaitTurn { try handler(exchange) }.response()
            }
        switch reply {
        case .now(let response): return .now(finish(response, call.record))
        case .later(let work):
            return .later {
                do {
                    return finish(try await work(), call.record)
                } catch {
                    return finish(error, call.record, style: call.route.style)
                }
            }
        }
    }

    /// Answers a request, waiting for what takes longer.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        await answer(to: request).response()
    }

    // MARK: Finishing

    /// The form of the interface that was asked, also where the rest of the target cannot be read.
    private static func style(of target: String) -> ErrorStyle {
        switch target.split(whereSeparator: { $0 == "/" || $0 == "?" }).first {
        case "scim": .scim
        case "oic_rest": .profile
        case "mobile": .mobile
        case "oauth2": .oauth
        default: .problem
        }
    }

    private func finish(_ error: any Error, _ record: RequestRecord, style: ErrorStyle) -> HTTPResponse {
        let answer = ErrorAnswer(ServiceContext.requestError(error))
        var record = record
        if answer.status >= 500 { record.failure = "\(error)" }
        return finish(answer.response(in: style, path: record.path, requestID: record.id), record)
    }

    private func finish(_ response: HTTPResponse, _ record: RequestRecord) -> HTTPResponse {
        var response = response
        response.headers.add("X-Request-ID", record.id)
        response.headers.add("X-Content-Type-Options", "nosniff")
        if response.headers["Cache-Control"] == nil { response.headers.add("Cache-Control", "no-store") }
        var record = record
        record.finish(status: response.status)
        context.metrics.count(record)
        context.log(record)
        return response
    }
}

extension HTTPRequest {
    /// Whether to read the request may take longer than to look something up.
    var isLarge: Bool { body.count + target.utf8.count > 4_096 }
}

extension HTTPAnswer {
    /// The response, waiting for what takes longer.
    fileprivate func response() async -> HTTPResponse {
        switch self {
        case .now(let response): response
        case .later(let work): await work()
        }
    }
}

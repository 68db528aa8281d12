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
            + TokenServicesAPI.routes + BackendsAPI.routes + KeysAPI.routes + RelyingPartyAPI.routes
            + TestProviderAPI.routes + PrivacyAPI.routes
        return routes + [OpenAPI.route(describing: routes.filter(\.isDescribed), context)]
    }

    /// Answers a request. Reading by name is done when this returns; everything else is handed out as work to be done.
    ///
    /// May be called from any thread. Never throws: what goes wrong is answered in the form of the interface that was
    /// asked.
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
        let style = route.style
        @Sendable func reply(to identity: Identity?, _ record: RequestRecord) throws -> HTTPAnswer {
            let exchange = Exchange(
                request: request, target: target, arguments: arguments, identity: identity, context: context)
            switch try route.handler(exchange) {
            case .now(let response): return .now(finish(response, record))
            case .later(let work):
                return .later {
                    do { return finish(try await work(), record) } catch { return finish(error, record, style: style) }
                }
            }
        }
        var named = record
        named.route = route.template
        do {
            guard route.access == .authenticated else { return try reply(to: nil, named) }
            switch try context.signIn(request) {
            case .identified(let identity):
                named.who = identity.name
                try route.check(identity, context.oauth)
                return try reply(to: identity, named)
            case .later(let work):
                return .later { [named] in
                    var named = named
                    do {
                        var identity = try await work()
                        let renewal = identity.renewal
                        identity.renewal = nil
                        named.who = identity.name
                        try route.check(identity, context.oauth)
                        var response: HTTPResponse
                        switch try reply(to: identity, named) {
                        case .now(let answer): response = answer
                        case .later(let work): response = await work()
                        }
                        if let renewal { response.headers.add("Set-Cookie", renewal) }
                        return response
                    } catch {
                        return finish(ServiceContext.refusal(of: request, error), named, style: style)
                    }
                }
            case .notMine, .refused:
                return .now(finish(ServiceContext.refusal(of: request), named, style: style))
            }
        } catch {
            return .now(finish(ServiceContext.refusal(of: request, error), named, style: style))
        }
    }

    /// Answers a request, waiting for what takes longer.
    public func respond(to request: HTTPRequest) async -> HTTPResponse {
        switch answer(to: request) {
        case .now(let response): response
        case .later(let work): await work()
        }
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

import Roster
import RosterBearer
import RosterServer
import RosterSignIn
import Testing

// The examples begin with these lines, whose modules stand in the folder StandIns:
// import Hummingbird
// import Vapor

/// A server, and an access token of an app that calls an API with the scope `orders`.
private struct Issuer {
    let url: String
    let accessToken: String
    private let server: DirectoryServer

    init() async throws {
        let directory = try Directory.inMemory()
        server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
        url = try server.start()
        let signIn = try #require(server.signIn)
        var app = BackendSettings()
        app.scopes = ["orders"]
        app.audiences = ["https://orders.example.com"]
        let secrets = try await signIn.createBackend(named: "shop", settings: app, in: directory.unrestricted)
        accessToken = try await signIn.tokens(
            .clientCredentials(scopes: ["orders"]), clientID: secrets.clientID, secret: secrets.secret
        ).accessToken
    }

    func validator() throws -> BearerValidator {
        try BearerValidator(
            BearerSettings(issuer: url, method: .keys(audience: "https://orders.example.com"), scopes: ["orders"]))
    }

    func stop() async { await server.stop() }
}

extension VaporStandIn {
    /// The caller of a request.
    struct Caller: Authenticatable {
        let token: BearerToken
    }

    /// Lets only requests with a valid access token through.
    struct TokenMiddleware: AsyncMiddleware {
        let validator: BearerValidator

        func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
            do {
                let token = try await validator.validate(
                    authorization: request.headers[.authorization], query: request.url.query ?? "")
                request.auth.login(Caller(token: token))
                return try await next.respond(to: request)
            } catch let refusal as BearerRefusal {
                request.logger.info("\(refusal.reason)")
                var headers = HTTPHeaders()
                if let challenge = refusal.challenge {
                    headers.replaceOrAdd(name: .wwwAuthenticate, value: challenge)
                }
                if let seconds = refusal.retryAfter {
                    headers.replaceOrAdd(name: .retryAfter, value: String(seconds))
                }
                return Response(status: HTTPResponseStatus(statusCode: refusal.status), headers: headers)
            }
        }
    }

    static func routes(_ app: Application) throws {
        let settings = BearerSettings(
            issuer: "https://id.example.com", method: .keys(audience: "https://orders.example.com"), scopes: ["orders"])
        let api = app.grouped(TokenMiddleware(validator: try BearerValidator(settings)))
        api.get("orders") { request async throws -> String in
            let caller = try request.auth.require(Caller.self)
            try caller.token.authorize(roles: ["buyers"])
            return "The orders of \(caller.token.name ?? caller.token.subject)"
        }
    }

    @Suite("Roster with Vapor")
    struct VaporTests {
        private func request(token: String? = nil) -> Request {
            var headers = HTTPHeaders()
            if let token { headers.replaceOrAdd(name: .authorization, value: "Bearer \(token)") }
            return Request(URI(path: "/orders", query: nil), headers: headers)
        }

        @Test("A request without a token gets the challenge")
        func refused() async throws {
            let app = Application()
            try VaporStandIn.routes(app)
            let response = try #require(try await app.respond(to: request()))
            #expect(response.status.code == 401)
            #expect(response.headers[.wwwAuthenticate].first?.hasPrefix("Bearer ") == true)
        }

        @Test("A route knows the caller, and refuses one without the role")
        func accepted() async throws {
            let issuer = try await Issuer()
            let app = Application()
            let api = app.grouped(TokenMiddleware(validator: try issuer.validator()))
            api.get("orders") { request in try request.auth.require(Caller.self).token.subject }
            api.get("invoices") { request in
                try request.auth.require(Caller.self).token.authorize(roles: ["buyers"])
                return ""
            }
            let response = try #require(try await app.respond(to: request(token: issuer.accessToken)))
            #expect(response.status.code == 200 && !response.body.isEmpty)
            let invoices = Request(
                URI(path: "/invoices", query: nil), headers: request(token: issuer.accessToken).headers)
            #expect(try await app.respond(to: invoices)?.status.code == 403)
            await issuer.stop()
        }
    }
}

extension HummingbirdStandIn {
    /// A request, with its access token.
    struct CallerContext: RequestContext {
        var coreContext: CoreRequestContextStorage
        var token: BearerToken?

        init(source: Source) {
            coreContext = .init(source: source)
        }
    }

    /// Lets only requests with a valid access token through.
    struct TokenMiddleware: RouterMiddleware {
        let validator: BearerValidator

        func handle(
            _ request: Request, context: CallerContext, next: (Request, CallerContext) async throws -> Response
        ) async throws -> Response {
            do {
                var caller = context
                caller.token = try await validator.validate(
                    authorization: request.headers[values: .authorization], query: request.uri.query ?? "")
                return try await next(request, caller)
            } catch let refusal as BearerRefusal {
                context.logger.info("\(refusal.reason)")
                var response = Response(status: .init(code: refusal.status))
                response.headers[.wwwAuthenticate] = refusal.challenge
                response.headers[.retryAfter] = refusal.retryAfter.map { String($0) }
                return response
            }
        }
    }

    static func makeRouter() throws -> Router<CallerContext> {
        let settings = BearerSettings(
            issuer: "https://id.example.com", method: .keys(audience: "https://orders.example.com"), scopes: ["orders"])
        let router = Router(context: CallerContext.self)
        router.add(middleware: TokenMiddleware(validator: try BearerValidator(settings)))
        router.get("orders") { _, context -> String in
            guard let token = context.token else { throw HTTPError(.unauthorized) }
            try token.authorize(roles: ["buyers"])
            return "The orders of \(token.name ?? token.subject)"
        }
        return router
    }

    @Suite("Roster with Hummingbird")
    struct HummingbirdTests {
        private func request(_ path: String = "/orders", token: String? = nil) -> Request {
            var headers = HTTPFields()
            headers[.authorization] = token.map { "Bearer \($0)" }
            return Request(uri: URI(path: path, query: nil), headers: headers)
        }

        @Test("A request without a token gets the challenge")
        func refused() async throws {
            let response = try #require(try await HummingbirdStandIn.makeRouter().respond(to: request()))
            #expect(response.status.code == 401)
            #expect(response.headers[.wwwAuthenticate]?.hasPrefix("Bearer ") == true)
        }

        @Test("A route knows the caller, and refuses one without the role")
        func accepted() async throws {
            let issuer = try await Issuer()
            let router = Router(context: CallerContext.self)
            router.add(middleware: TokenMiddleware(validator: try issuer.validator()))
            router.get("orders") { _, context -> String in context.token?.subject ?? "" }
            router.get("invoices") { _, context -> String in
                try context.token?.authorize(roles: ["buyers"])
                return ""
            }
            let response = try #require(try await router.respond(to: request(token: issuer.accessToken)))
            #expect(response.status.code == 200 && !response.body.isEmpty)
            let invoices = request("/invoices", token: issuer.accessToken)
            #expect(try await router.respond(to: invoices)?.status.code == 403)
            await issuer.stop()
        }
    }
}

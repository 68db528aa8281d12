import Foundation
import RosterCrypto
import RosterSignIn
import RosterText

/// Signing in with a provider, as Couchbase Sync Gateway's clients do it: this service stands between the app and the provider.
/// `{db}` may be any name, because there is one directory, unless the providers' document has `databases`.
enum RelyingPartyAPI {
    static let routes: [Route] = [
        route("GET", "_oidc", "Sign in with a provider: redirects to it.") { exchange in
            let (visit, cookie) = try await begin(exchange)
            return BrowserAPI.redirect(to: visit.url, [], status: 302, headers: cookie)
        },
        route("GET", "_oidc_challenge", "Where to sign in: answers 401 with the provider's address.") { exchange in
            let (visit, cookie) = try await begin(exchange)
            var headers = cookie
            headers.add("WWW-Authenticate", "OIDC login=\"\(visit.url)\"")
            return .json(["error": "Unauthorized", "reason": "Login required"], status: 401, headers: headers)
        },
        route("GET", "_oidc_callback", "Where the provider sends browsers back to.") { exchange in
            try await finish(exchange)
        },
        route("GET", "_oidc_refresh", "Renew an id token, as old clients ask: with the refresh token in the address.") {
            exchange in
            let query = try exchange.query()
            return try await refresh(exchange, query["refresh_token"], provider: query["provider"])
        },
        route("POST", "_oidc_refresh", "Renew an id token: with 'refresh_token' in a form or in JSON.") { exchange in
            let named = try exchange.query()["provider"]
            if exchange.request.headers["Content-Type"]?.lowercased().hasPrefix("application/json") == true {
                let body = try exchange.json()
                return try await refresh(
                    exchange, body["refresh_token"]?.text, provider: body["provider"]?.text ?? named)
            }
            let form = try exchange.form()
            return try await refresh(exchange, form["refresh_token"], provider: form["provider"] ?? named)
        },
    ]

    private static func route(
        _ method: String, _ name: String, _ summary: String,
        _ handler: @escaping @Sendable (Exchange) async throws -> HTTPResponse
    ) -> Route {
        Route(method, "/{db}/" + name, summary, style: .syncGateway, access: .everyone) { exchange in
            _ = try exchange.authorization()  // refuses tokens on connections that others could read
            return .later { try await handler(exchange) }
        }
    }

    /// The error that answers a refusal.
    static func error(_ refusal: RelyingParty.Refusal) -> any Error {
        switch refusal {
        case .stale:
            RequestError(.badRequest, "This sign-in was not begun by this browser, or too long ago. Begin again.")
        case .badToken: RequestError(.notAuthenticated, "The provider's id token is not good, or not for this service.")
        case .notAsAsked:
            RequestError(.notAuthenticated, "The provider does not say that the sign-in is as new as asked.")
        // The client learns that the provider is at fault.
        case .provider(let text): RequestError(.failed, "The provider could not be used: \(text)")
        case .notAdmitted: RequestError(.notAuthenticated, "Invalid login")
        }
    }

    // MARK: Going

    private static func provider(named name: String?, _ exchange: Exchange) throws -> IdentityProvider {
        let (providers, database) = (exchange.context.relyingParty.providers, exchange.arguments[0])
        guard providers.hasDatabase(database) else {
            throw RequestError(
                .notFound, "There is no database of that name: see 'databases' of the providers' document.")
        }
        guard let provider = providers.provider(named: name, of: database) else {
            throw RequestError(
                .badRequest,
                name == nil
                    ? "There is no default provider: name one with 'provider'." : "There is no provider of that name.")
        }
        return provider
    }

    /// The address to which a provider sends browsers back. It is made of the configured address, never of a request's host.
    private static func callback(_ exchange: Exchange, _ provider: IdentityProvider) -> String {
        if let url = provider.callbackURL { return url }
        let context = exchange.context
        let path = context.baseURL + "/" + PercentEncoding.segment(exchange.arguments[0]) + "/_oidc_callback"
        let usual = context.relyingParty.providers.provider(named: nil, of: exchange.arguments[0])
        return provider.name == usual?.name
            ? path : path + "?provider=" + PercentEncoding.segment(provider.name)
    }

    private static func begin(_ exchange: Exchange) async throws -> (RelyingParty.Visit, HTTPHeaders) {
        let provider = try provider(named: try exchange.query()["provider"], exchange)
        let isOffline = try exchange.query()["offline"] == "true"
        let visit = try await exchange.context.relyingParty.begin(
            provider, callback: callback(exchange, provider), isOffline: isOffline)
        guard !provider.needsNoCookie else { return (visit, [:]) }
        return (visit, ["Set-Cookie": cookie(exchange).field(visit.state, maximumAge: Int(RelyingParty.patience))])
    }

    /// The cookie that ties a visit to a provider to the browser that began it.
    private static func cookie(_ exchange: Exchange) -> HostCookie {
        HostCookie(
            "sg-oidc-state", path: "/" + PercentEncoding.segment(exchange.arguments[0]),
            isSecure: exchange.context.baseURL.hasPrefix("https:"))
    }

    // MARK: Coming back

    private static func finish(_ exchange: Exchange) async throws -> HTTPResponse {
        let query = try exchange.query()
        // An error has no effect here, because its sender need not have begun a sign-in.
        guard query["error"] == nil else {
            throw RequestError(.notAuthenticated, "The provider let nobody in.")
        }
        let relyingParty = exchange.context.relyingParty
        guard let state = query["state"], let provider = try relyingParty.provider(ofState: state),
            query["provider"].map({ $0 == provider.name }) ?? true,
            relyingParty.providers.provider(named: provider.name, of: exchange.arguments[0]) != nil,
            provider.needsNoCookie || isSame(cookie(exchange).value(in: exchange.request), state)
        else { throw RelyingParty.Refusal.stale }
        guard let code = query["code"] else { throw RequestError(.badRequest, "The parameter 'code' is missing.") }
        let signedIn = try await relyingParty.finish(
            provider,
            .init(code: code, state: state, issuer: query["iss"], callback: callback(exchange, provider)),
            from: exchange.request.peer)
        var response = answer(signedIn, exchange)
        response.headers.add("Set-Cookie", cookie(exchange).field("", maximumAge: 0))
        return response
    }

    private static func isSame(_ cookie: String?, _ state: String) -> Bool {
        cookie.map { constantTimeEqual($0, state) } ?? false
    }

    private static func refresh(
        _ exchange: Exchange, _ token: String?, provider name: String?
    ) async throws -> HTTPResponse {
        guard let token, token.utf8.count <= 16_384 else {
            throw RequestError(.badRequest, "The parameter 'refresh_token' is missing.")
        }
        return answer(
            try await exchange.context.relyingParty.refresh(
                try provider(named: name, exchange), token, from: exchange.request.peer), exchange)
    }

    /// The answer to a completed sign-in. Absent values are left out.
    private static func answer(_ signedIn: RelyingParty.SignedIn, _ exchange: Exchange) -> HTTPResponse {
        var members: [JSONValue.Member] = [.init("id_token", .string(signedIn.idToken))]
        func add(_ name: String, _ value: String?) {
            if let value { members.append(.init(name, .string(value))) }
        }
        add("refresh_token", signedIn.refreshToken)
        add("session_id", signedIn.session)
        add("name", signedIn.name)
        if let token = signedIn.accessToken {
            add("access_token", token)
            add("token_type", "Bearer")
            if let lifetime = signedIn.lifetime { members.append(.init("expires_in", .integer(lifetime))) }
        }
        var headers: HTTPHeaders = ["Pragma": "no-cache"]
        if let session = signedIn.session { headers.add("Set-Cookie", SessionAPI.field(session, exchange.context)) }
        return .json(.object(members), headers: headers)
    }
}

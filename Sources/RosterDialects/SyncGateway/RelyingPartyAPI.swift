import RosterCrypto
import RosterREST
import RosterSignIn
import RosterText

/// Signing in with a provider, as Couchbase Sync Gateway's clients do it: this service is between the app and the provider.
/// `{db}` may be any name, because there is one directory, unless the providers' document has `databases`.
enum RelyingPartyAPI {
    static let signIn = endpoint("Sign in with a provider: redirects to it.") { call in
        let (visit, cookie) = try await begin(call)
        return BrowserAPI.redirect(to: visit.url, [], status: 302, headers: cookie)
    }

    static let challenge = endpoint("Where to sign in: answers 401 with the provider's address.") { call in
        let (visit, cookie) = try await begin(call)
        var headers = cookie
        headers.add("WWW-Authenticate", "OIDC login=\"\(visit.url)\"")
        return .json(["error": "Unauthorized", "reason": "Login required"], status: 401, headers: headers)
    }

    static let callback = endpoint("Where the provider sends browsers back to.") { try await finish($0) }

    static let refreshByQuery = endpoint(
        "Renew an id token, as old clients ask: with the refresh token in the address."
    ) { call in
        let query = try call.query()
        return try await refresh(call, query["refresh_token"], provider: query["provider"])
    }

    static let refresh = endpoint("Renew an id token: with 'refresh_token' in a form or in JSON.") { call in
        let named = try call.query()["provider"]
        if call.request.headers["Content-Type"]?.lowercased().hasPrefix("application/json") == true {
            let body = try call.json()
            return try await refresh(call, body["refresh_token"]?.text, provider: body["provider"]?.text ?? named)
        }
        let form = try call.form()
        return try await refresh(call, form["refresh_token"], provider: form["provider"] ?? named)
    }

    private static func endpoint(
        _ summary: String, _ handler: @escaping @Sendable (Call) async throws -> HTTPResponse
    ) -> Endpoint {
        Endpoint(summary, asksProvider: true) { call in
            _ = try call.authorization()  // refuses tokens on connections that others could read
            return .later { try await handler(call) }
        }
    }

    // MARK: Going

    private static func provider(named name: String?, _ call: Call) throws -> IdentityProvider {
        let (providers, database) = (call.context.relyingParty.providers, call.arguments[0])
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
    private static func callback(_ call: Call, _ provider: IdentityProvider) -> String {
        if let url = provider.callbackURL { return url }
        let context = call.context
        let path = context.baseURL + "/" + PercentEncoding.segment(call.arguments[0]) + "/_oidc_callback"
        let usual = context.relyingParty.providers.provider(named: nil, of: call.arguments[0])
        return provider.name == usual?.name
            ? path : path + "?provider=" + PercentEncoding.segment(provider.name)
    }

    private static func begin(_ call: Call) async throws -> (RelyingParty.Visit, HTTPHeaders) {
        let provider = try provider(named: try call.query()["provider"], call)
        let isOffline = try call.query()["offline"] == "true"
        let visit = try await call.context.relyingParty.begin(
            provider, callback: callback(call, provider), isOffline: isOffline)
        guard !provider.needsNoCookie else { return (visit, [:]) }
        return (visit, ["Set-Cookie": cookie(call).field(visit.state, maximumAge: Int(RelyingParty.patience))])
    }

    /// The cookie that ties a visit to a provider to the browser that began it.
    private static func cookie(_ call: Call) -> HostCookie {
        HostCookie(
            "sg-oidc-state", path: call.context.basePath.text + "/" + PercentEncoding.segment(call.arguments[0]),
            isSecure: call.context.baseURL.hasPrefix("https:"))
    }

    // MARK: Coming back

    private static func finish(_ call: Call) async throws -> HTTPResponse {
        let query = try call.query()
        // An error has no effect here, because its sender need not have begun a sign-in.
        guard query["error"] == nil else { throw RequestError(.notAuthenticated, "The provider let nobody in.") }
        let relyingParty = call.context.relyingParty
        guard let state = query["state"], let provider = try relyingParty.provider(ofState: state),
            query["provider"].map({ $0 == provider.name }) ?? true,
            relyingParty.providers.provider(named: provider.name, of: call.arguments[0]) != nil,
            provider.needsNoCookie || cookie(call).value(in: call.request).map({ constantTimeEqual($0, state) }) == true
        else { throw RelyingParty.Refusal.stale }
        guard let code = query["code"] else { throw RequestError(.badRequest, "The parameter 'code' is missing.") }
        let signedIn = try await relyingParty.finish(
            provider, .init(code: code, state: state, issuer: query["iss"], callback: callback(call, provider)),
            from: call.origin)
        var response = answer(signedIn, call)
        response.headers.add("Set-Cookie", cookie(call).field("", maximumAge: 0))
        return response
    }

    private static func refresh(_ call: Call, _ token: String?, provider name: String?) async throws -> HTTPResponse {
        guard let token, token.utf8.count <= 16_384 else {
            throw RequestError(.badRequest, "The parameter 'refresh_token' is missing.")
        }
        return answer(
            try await call.context.relyingParty.refresh(
                try provider(named: name, call), token, from: call.origin), call)
    }

    /// The answer to a completed sign-in. Absent values are left out.
    private static func answer(_ signedIn: RelyingParty.SignedIn, _ call: Call) -> HTTPResponse {
        let lifetime = signedIn.accessToken.flatMap { _ in signedIn.lifetime }
        let body = JSONValue.members([
            "id_token": .string(signedIn.idToken), "refresh_token": signedIn.refreshToken.map { .string($0) },
            "session_id": signedIn.session.map { .string($0) }, "name": .string(signedIn.name),
            "access_token": signedIn.accessToken.map { .string($0) },
            "token_type": signedIn.accessToken.map { _ in "Bearer" }, "expires_in": lifetime.map { .integer($0) },
        ])
        var headers: HTTPHeaders = ["Pragma": "no-cache"]
        if let session = signedIn.session { headers.add("Set-Cookie", SessionAPI.field(session, call.context)) }
        return .json(body, headers: headers)
    }
}

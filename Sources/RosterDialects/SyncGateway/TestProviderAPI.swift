import RosterREST
import RosterSignIn
import RosterText

/// The provider for tests (Sync Gateway's `_oidc_testing`), where users sign in under any name. It answers only on a server that was
/// started with `--test-provider`.
enum TestProviderAPI {
    static let discovery = endpoint("What the test provider has, and where.") { _, provider in
        .json(provider.description)
    }

    static let keys = endpoint("The test provider's keys.") { _, provider in
        .json(provider.keys, type: "application/jwk-set+json")
    }

    static let page = endpoint("The test provider's page: who do you want to be?") { call, provider in
        let form = try call.query()
        try provider.check(AuthorizationParameters(form))
        // A page for developers, in English.
        let pages = SignInPages.english
        return try pages.response(pages.testProvider(action: "authenticate", fields: form.pairs))
    }

    static let authenticate = endpoint("The answer to the test provider's page.") { call, provider in
        let form = try call.form()
        let state = form["state"]
        let uri = try form.required("redirect_uri")
        guard form["decision"] != "deny" else {
            try provider.check(AuthorizationParameters(form))
            return BrowserAPI.redirect(
                to: uri, [("error", "access_denied"), ("state", state), ("iss", provider.issuer)])
        }
        guard let lifetime = Int64(form["tokenttl"] ?? "3600"), (1...86_400).contains(lifetime) else {
            throw OAuthError(.invalidRequest, "'tokenttl' takes 1 to 86400 seconds.")
        }
        let isOffline =
            form["access_type"] == "offline"
            || form["scope"]?.split(separator: " ").contains("offline_access") == true
        let code = try provider.code(
            for: try form.required("username"), AuthorizationParameters(form), lifetime: lifetime,
            isOffline: isOffline)
        return BrowserAPI.redirect(to: uri, [("code", code), ("state", state), ("iss", provider.issuer)])
    }

    static let token = endpoint("Tokens of the test provider.") { call, provider in
        let (form, proof) = try call.clientForm()
        return .json(try provider.tokens(TokenRequest(form), by: proof), headers: ["Pragma": "no-cache"])
    }

    private static func endpoint(
        _ summary: String, _ handler: @escaping @Sendable (Call, TestProvider) throws -> HTTPResponse
    ) -> Endpoint {
        Endpoint(summary, canBeMissing: true) { call in
            guard let provider = call.context.testProvider else {
                throw RequestError(.notFound, "This server has no provider for tests.")
            }
            return .now(try handler(call, provider))
        }
    }
}

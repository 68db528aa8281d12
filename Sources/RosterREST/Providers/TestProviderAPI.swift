import RosterSignIn
import RosterText

/// The provider for tests (Sync Gateway's `_oidc_testing`), where users sign in under any name. It answers only on a server that was
/// started with `--test-provider`.
enum TestProviderAPI {
    private static let base = "/db/_oidc_testing"

    static let routes: [Route] = [
        route("GET", ".well-known/openid-configuration", "What the test provider has, and where.") { _, provider in
            .json(provider.description)
        },
        route("GET", "certs", "The test provider's keys.") { _, provider in
            .json(provider.keys, type: "application/jwk-set+json")
        },
        route("GET", "authorize", "The test provider's page: who do you want to be?") { exchange, provider in
            let form = try exchange.query()
            try provider.check(AuthorizationParameters(form))
            return try SignInPages.response(
                SignInPages.testProvider(
                    action: "authenticate",
                    fields: form.pairs.map { ($0.name, $0.value) }
                ))
        },
        route("POST", "authenticate", "The answer to the test provider's page.") { exchange, provider in
            let form = try exchange.form()
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
        },
        route("POST", "token", "Tokens of the test provider.") { exchange, provider in
            let form = try exchange.form()
            let proof = ClientProof(authorization: try exchange.authorization(), form: form)
            return .json(try provider.tokens(TokenRequest(form), by: proof), headers: ["Pragma": "no-cache"])
        },
    ]

    private static func route(
        _ method: String, _ name: String, _ summary: String,
        _ handler: @escaping @Sendable (Exchange, TestProvider) throws -> HTTPResponse
    ) -> Route {
        Route(method, base + "/" + name, summary, style: .oauth, access: .everyone) { exchange in
            guard let provider = exchange.context.testProvider else {
                throw RequestError(.notFound, "There is no provider for tests here. See --test-provider.")
            }
            return .now(try handler(exchange, provider))
        }
    }
}

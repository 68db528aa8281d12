public import RosterREST
import RosterSignIn
import RosterText

extension ServiceInterface {
    /// The interface of Couchbase Sync Gateway: sessions in a cookie, and signing in with a provider.
    public static let syncGateway = ServiceInterface(
        "Sync Gateway",
        routes: [
            sessions("GET", "/_session", SessionAPI.read),
            sessions("POST", "/_session", SessionAPI.begin, for: .everyone),
            sessions("DELETE", "/_session", SessionAPI.end, for: .everyone),
            sessions("GET", "/_session/{session}", SessionAdministration.read),
            sessions("DELETE", "/_session/{session}", SessionAdministration.end),
            sessions("DELETE", "/_user/{name}/_session/{session}", SessionAdministration.endOfUser),
            sessions("DELETE", "/_user/{name}/_session", SessionAdministration.signOut),

            provider("GET", "/_oidc", RelyingPartyAPI.signIn),
            provider("GET", "/_oidc_challenge", RelyingPartyAPI.challenge),
            provider("GET", "/_oidc_callback", RelyingPartyAPI.callback),
            provider("GET", "/_oidc_refresh", RelyingPartyAPI.refreshByQuery),
            provider("POST", "/_oidc_refresh", RelyingPartyAPI.refresh),

            testing("GET", "/.well-known/openid-configuration", TestProviderAPI.discovery),
            testing("GET", "/certs", TestProviderAPI.keys),
            testing("GET", "/authorize", TestProviderAPI.page),
            testing("POST", "/authenticate", TestProviderAPI.authenticate),
            testing("POST", "/token", TestProviderAPI.token),
        ],
        credentials: CredentialReader(
            session: .init(
                value: SessionAPI.value(in:),
                check: { request, context in
                    try SessionAPI.checkOrigin(
                        request, context, "A session is not accepted from pages of other origins (login_origin).")
                },
                renewed: SessionAPI.renewal(of:_:lifetime:))),
        takesQuestions: true)

    private static let sessions = RouteGroup(base: "/{db}", style: .syncGateway, access: .signedIn)
    private static let provider = RouteGroup(base: "/{db}", style: .syncGateway, access: .everyone)
    /// The routes of the provider for tests.
    private static let testing = RouteGroup(base: "/db/_oidc_testing", style: .oauth, access: .everyone)
}

extension ErrorStyle {
    /// Writes an error as an object with `error` and `reason`.
    fileprivate static let syncGateway = ErrorStyle(
        "SyncGatewayError", required: ["error", "reason"],
        members: ["error": ["type": "string"], "reason": ["type": "string"]]
    ) { answer, _, _ in
        let words = [400: "Bad Request", 401: "Unauthorized", 403: "forbidden", 404: "not_found", 409: "conflict"]
        return ["error": .string(words[answer.status] ?? answer.title), "reason": .string(answer.message)]
    }
}

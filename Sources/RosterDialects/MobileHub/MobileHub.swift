public import RosterREST
import RosterSignIn
import RosterText

/// The header fields by which apps of Oracle Mobile Hub and Mobile Cloud Service name their backend.
enum MobileHub {
    /// The header field that names the backend of an app. A bearer token names the backend by itself.
    static let backendField = "Oracle-Mobile-Backend-ID"
    private static let providerField = "Oracle-Mobile-Social-Identity-Provider"
    private static let tokenField = "Oracle-Mobile-Social-Access-Token"
    static let fields = [backendField, providerField, tokenField]

    /// Reads the credential of an app that names its backend in a header field.
    static let credentials = CredentialReader(
        credentialFields: fields,
        backend: { request, text, login in
            guard request.headers[backendField] != nil else { return nil }
            let ids = request.headers.values(of: backendField)
            return BackendCredential(
                backendID: ids.count == 1 ? ids[0] : nil, key: text, login: login,
                providers: request.headers.values(of: providerField), tokens: request.headers.values(of: tokenField))
        })
}

extension ServiceInterface {
    /// The platform of Oracle Mobile Hub: users' own profiles and accounts, the exchange of tokens, and requests that name a backend.
    public static let mobileHub = ServiceInterface(
        "Mobile Hub",
        // A token needs the scope `profile` or `directory` to read one's own profile, and `directory` for every other route.
        routes: [
            users("GET", "/me", MobileAPI.readMe, for: .api(.mobile, orScope: .profile)),
            users("GET", "/login", MobileAPI.readMe, for: .api(.mobile, orScope: .profile)),
            extended("GET", "/{username}", MobileAPI.readExtended, for: .api(.mobile, orScope: .profile)),
            users("GET", "/{username}", MobileAPI.read, for: .api(.mobile, orScope: .profile)),
            users("PUT", "/{username}", MobileAPI.change),
            users("PATCH", "/{username}", MobileAPI.change),
            exchange("GET", "/sso/exchange-token", ExchangeAPI.exchange),
            exchange("POST", "/auth/token", ExchangeAPI.token),
        ] + RESTService.accountRoutes(account, root: "/account"),
        errorStyles: ["mobile": .mobileHub], credentials: MobileHub.credentials, fields: MobileHub.fields,
        takesQuestions: true, schemas: { [.init("OwnProfile", MobileAPI.schema($0))] })

    private static let users = RouteGroup(base: MobileAPI.base, style: .mobileHub, access: .api(.mobile))
    private static let extended = RouteGroup(
        base: "/mobile/platform/extended/users", style: .mobileHub, access: .api(.mobile))
    /// The routes of the caller's own account on their former path. The present path is `/account`.
    private static let account = RouteGroup(base: MobileAPI.base + "/~", style: .oauth, access: .ownAccount)
    /// The routes that exchange a trusted issuer's token for a token of this server.
    private static let exchange = RouteGroup(base: "/mobile/platform", style: .oauth, access: .everyone)
}

extension ErrorStyle {
    /// Writes an error as a problem (RFC 9457) with the members that Oracle's platform adds.
    fileprivate static let mobileHub = ErrorStyle(
        "MobileError", mediaType: "application/problem+json", required: ["status", "title"],
        members: ["status": ["type": "integer"], "title": ["type": "string"], "detail": ["type": "string"]],
        hasMembers: true
    ) { answer, path, requestID in
        [
            "type": "http://www.w3.org/Protocols/rfc2616/rfc2616-sec10.html", "status": .integer(Int64(answer.status)),
            "title": .string(answer.title), "detail": .string(answer.message), "o:ecid": .string(requestID),
            "o:errorCode": .string("MOBILE-\(57_000 + answer.status)"), "o:errorPath": .string(path),
        ]
    }
}

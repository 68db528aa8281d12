import Roster
package import RosterText

/// The settings of a backend: its rights, and how its tokens are made. They are stored as JSON, which no query reads, with the
/// names of OpenID Connect Dynamic Client Registration and of Cloud Access Manager.
package struct BackendSettings: Sendable, Hashable {
    package enum Grant: String, Sendable, Hashable, CaseIterable {
        case authorizationCode = "authorization_code"
        case refreshToken = "refresh_token"
        case clientCredentials = "client_credentials"
        /// Legacy: off unless it is turned on.
        case password
        case deviceCode = "urn:ietf:params:oauth:grant-type:device_code"
        case assertion = "urn:ietf:params:oauth:grant-type:jwt-bearer"
        case tokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange"
    }

    package var isEnabled = true
    /// Whether it is a public client, which cannot keep a secret, such as an app on a phone.
    package var isPublic = false
    package var grants: Set<Grant> = [.authorizationCode, .refreshToken, .clientCredentials]
    package var redirectURIs: [String] = []
    package var postLogoutRedirectURIs: [String] = []
    package var scopes: [String] = ["openid", "profile", "email", "roles", "offline_access"]
    /// The audiences of its access tokens; empty for this service itself.
    package var audiences: [String] = []
    /// Whether it may exchange the tokens of trusted issuers.
    package var allowsExchange = false
    /// Whether its users may sign in with HTTP Basic, and its apps with the anonymous key.
    package var allowsBasic = true
    /// Whether its users sign in with tokens of a social provider beside the anonymous key, and in no other way.
    package var allowsSocialLogin = false
    /// The rules of the APIs that may be called through the backend, by name; nil for all APIs without rules. Our own APIs are
    /// `userprofile`, `scim`, `mobile` and `directory`. Introspection tells other services which of their APIs a token may call.
    package var apis: [String: APIRule]?
    /// `consent`: whether a user is asked before the backend gets tokens.
    package var requiresConsent = false
    /// Whether a user is asked. A public client with the addresses of a native app cannot prove which app it is, and always asks, so
    /// that another app does not get tokens in its name unseen (RFC 8252, section 8.6).
    package var asksForConsent: Bool {
        requiresConsent || isPublic && redirectURIs.contains(where: RedirectURI.isOfNativeApp)
    }
    /// The rights of the backend's own tokens, without a user; nil for none.
    package var directoryRole: APIToken.Role?
    /// Whether the scope `directory:manage` may be among its scopes.
    package var isTrusted = false
    package var signing = SignatureAlgorithm.es256
    /// The public keys that verify its assertions (`private_key_jwt`).
    package var keys: JSONValue?
    package var tokens = TokenSettings()
    /// The server's token settings, for those that the backend does not set. They are not stored with the backend.
    var serverTokens = TokenSettings()
    /// The mapping of roles and attributes to claims; nil for ``ClaimMapping/standard``.
    package var claims: ClaimMapping?

    /// The time when the backend was disabled last, in seconds since 1970. Its own tokens of before stay invalid after it is enabled
    /// again. The directory sets the value.
    var disabled: Int64?

    package init() {}

    /// Reads settings from people.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the setting.
    package init(_ json: JSONValue) throws {
        try self.init(stored: json)
        disabled = nil
        try check()
    }

    /// Reads settings that are kept. What was allowed when they were written stays readable.
    package init(stored text: String) throws { try self.init(stored: JSONValue(text: text)) }

    private init(stored json: JSONValue) throws {
        var members = try DocumentObject(TokenSettings.plainlyNamed(json), at: "")
        isEnabled = try members.boolean("enabled") ?? isEnabled
        isPublic = try members.boolean("public") ?? isPublic
        allowsSocialLogin = try members.boolean("social_login") ?? allowsSocialLogin
        if let grants = try members.choices("grant_types", Grant.self) {
            self.grants = grants
        } else if allowsSocialLogin {
            grants = []
        } else if isPublic {
            grants.remove(.clientCredentials)
        }
        redirectURIs = try members.texts("redirect_uris") ?? []
        postLogoutRedirectURIs = try members.texts("post_logout_redirect_uris") ?? []
        if let value = members.value("scope") {
            guard let text = value.text else { throw DocumentObject.mismatch("scope", "a text", value) }
            scopes = text.words
        }
        audiences = try members.texts("audience") ?? []
        allowsExchange = try members.boolean("sso") ?? allowsExchange
        allowsBasic = try members.boolean("http_basic") ?? allowsBasic
        apis = try members.value("apis").map { try APIRule.rules($0, at: "apis") }
        requiresConsent = try members.boolean("consent") ?? requiresConsent
        directoryRole = try members.choice(
            "directory_role", among: [APIToken.Role.provisioning, .monitoring, .administrator])
        isTrusted = try members.boolean("trusted") ?? isTrusted
        signing = try members.choice("id_token_signed_response_alg", among: SignatureAlgorithm.ofOurs) ?? signing
        keys = members.value("jwks")
        tokens = try TokenSettings(from: &members)
        if case .integer(let time)? = members.value("disabled_at") { disabled = time }
        claims = try members.value("claims").map { try ClaimMapping($0, at: "claims") }
        try members.finish()
    }

    private func check() throws {
        func refuse(_ path: String, _ problem: String, _ advice: String) -> DirectoryError {
            DocumentObject.problem(path, problem, advice)
        }
        // OpenID Connect Core, section 10.1.
        guard !isPublic || signing != .hs256 else {
            throw refuse(
                "id_token_signed_response_alg", "HS256 signs with the client's secret, and a public client has none.",
                "Take ES256, or make the client a confidential one.")
        }
        for (name, uris) in [("redirect_uris", redirectURIs), ("post_logout_redirect_uris", postLogoutRedirectURIs)] {
            for uri in uris {
                guard let problem = RedirectURI.problem(with: uri) else { continue }
                throw refuse(name, "has '\(uri.prefix(128))', which cannot be registered: \(problem).", "Correct it.")
            }
        }
        if isPublic, grants.contains(.clientCredentials) {
            throw refuse(
                "grant_types", "has client_credentials, and a public client has no secret.", "Leave it out.")
        }
        if isPublic, directoryRole != nil {
            throw refuse("directory_role", "cannot be had by a public client.", "Leave one of them out.")
        }
        if isPublic, isTrusted {
            throw refuse(
                "trusted", "cannot be had by a public client: another program can pretend to be it.",
                "Make the client a confidential one.")
        }
        guard isTrusted || !scopes.contains(AuthorizationRequest.managing) else {
            throw refuse(
                "scope", "has \(AuthorizationRequest.managing), which only a trusted backend may have.",
                "Set 'trusted' to true, or leave the scope out.")
        }
        if allowsSocialLogin {
            guard grants.isEmpty, !allowsExchange else {
                throw refuse("social_login", "excludes grant_types and sso.", "Make two backends.")
            }
            guard allowsBasic, apis?.values.allSatisfy(\.roles.isEmpty) ?? true else {
                throw refuse(
                    "social_login", "takes http_basic, and no roles: its users have none here.",
                    "Leave the others out.")
            }
        }
        // Without a user, only a program with a directory role can use these APIs. An anonymous key would be useless.
        for (name, rule) in (apis ?? [:]).sorted(by: { $0.key < $1.key })
        where !rule.requiresLogin && directoryRole == nil && APIRule.needingLogin.contains(name) {
            throw refuse(
                "apis.\(name).login_required",
                "is false, but nobody may read or change anything there without signing in.",
                "Leave it out. Of this server's APIs only 'mobile' takes an anonymous key; a program needs a directory_role."
            )
        }
        guard scopes.allSatisfy(Self.isScope) else {
            throw refuse("scope", "has characters that no scope can have.", "Give words of ASCII without quotes.")
        }
    }

    /// RFC 6749, section 3.3.
    static func isScope(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 256
            && text.utf8.allSatisfy { $0 == 0x21 || (0x23...0x5B).contains($0) || (0x5D...0x7E).contains($0) }
    }

    /// All settings as JSON, without the server's token settings.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("enabled", .boolean(isEnabled)), .init("public", .boolean(isPublic)),
            .init("grant_types", .texts(grants.map(\.rawValue).sorted())),
            .init("redirect_uris", .texts(redirectURIs)),
            .init("post_logout_redirect_uris", .texts(postLogoutRedirectURIs)),
            .init("scope", .string(scopes.joined(separator: " "))),
            .init("audience", .texts(audiences)),
            .init("sso", .boolean(allowsExchange)), .init("http_basic", .boolean(allowsBasic)),
            .init("social_login", .boolean(allowsSocialLogin)),
            .init("consent", .boolean(requiresConsent)), .init("trusted", .boolean(isTrusted)),
            .init("id_token_signed_response_alg", .string(signing.rawValue)),
        ]
        members += tokens.members
        if let directoryRole { members.append(.init("directory_role", .string(directoryRole.rawValue))) }
        if let apis {
            let entries = apis.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value.json) }
            members.append(.init("apis", .object(entries)))
        }
        if let disabled { members.append(.init("disabled_at", .integer(disabled))) }
        if let keys { members.append(.init("jwks", keys)) }
        if let claims { members.append(.init("claims", claims.json)) }
        return .object(members)
    }
}

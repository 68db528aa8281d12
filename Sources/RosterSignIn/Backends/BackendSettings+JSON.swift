import Roster
package import RosterText

/// The JSON form of settings, in which they are stored. No query looks into the JSON.
extension BackendSettings {
    /// Reads and checks settings from a request, a file or a seed.
    ///
    /// - Throws: `DirectoryError` `invalidInput`, which names the setting.
    package init(_ json: JSONValue) throws {
        try self.init(stored: json)
        disabled = nil
        try check()
    }

    /// Reads stored settings. They are not checked, so that settings that an earlier version allowed stay readable.
    package init(stored text: String) throws { try self.init(stored: JSONValue(text: text)) }

    private init(stored json: JSONValue) throws {
        var members = try DocumentObject(TokenSettings.plainlyNamed(json), at: "")
        self.init(isPublic: try members.boolean("public") ?? false)
        isEnabled = try members.boolean("enabled") ?? isEnabled
        allowsSocialLogin = try members.boolean("social_login") ?? allowsSocialLogin
        if let grants = try members.choices("grant_types", Grant.self) {
            self.grants = grants
        } else if allowsSocialLogin {
            grants = []
        }
        redirectURIs = try members.texts("redirect_uris") ?? []
        postLogoutRedirectURIs = try members.texts("post_logout_redirect_uris") ?? []
        if let value = members.value("scope") {
            guard let text = value.text else { throw DocumentObject.mismatch("scope", "a text", value) }
            scopes = text.scopes
        }
        audiences = try members.texts("audience") ?? []
        allowsExchange = try members.boolean("sso") ?? allowsExchange
        allowsBasic = try members.boolean("http_basic") ?? allowsBasic
        apis = try members.value("apis").map { try APIRule.rules($0, at: "apis") }
        requiresConsent = try members.boolean("consent") ?? requiresConsent
        directoryRole = try members.choice(
            "directory_role", among: [ProgramRole.provisioning, .monitoring, .administrator])
        isTrusted = try members.boolean("trusted") ?? isTrusted
        signing = try members.choice("id_token_signed_response_alg", TokenSignature.self) ?? signing
        assertionKeys = members.value("jwks").map { PublicKeySet($0) }
        tokens = try TokenSettings(from: &members)
        if case .integer(let time)? = members.value("disabled_at") { disabled = time }
        claims = try members.value("claims").map { try ClaimMapping($0, at: "claims") }
        app = try members.value("app").map { try AppPolicy($0, at: "app") } ?? app
        webgate = try members.value("webgate").map { try WebgateChallenge($0, at: "webgate") }
        try members.finish()
    }

    /// All settings as JSON, without the service's token settings.
    package var document: JSONValue {
        var members: [JSONValue.Member] = [
            .init("enabled", .boolean(isEnabled)), .init("public", .boolean(isPublic)),
            .init("grant_types", .texts(grants.map(\.rawValue).sorted())),
            .init("redirect_uris", .texts(redirectURIs)),
            .init("post_logout_redirect_uris", .texts(postLogoutRedirectURIs)),
            .init("scope", .string(scopes.text)),
            .init("audience", .texts(audiences)),
            .init("sso", .boolean(allowsExchange)), .init("http_basic", .boolean(allowsBasic)),
            .init("social_login", .boolean(allowsSocialLogin)),
            .init("consent", .boolean(requiresConsent)), .init("trusted", .boolean(isTrusted)),
            .init("id_token_signed_response_alg", .string(signing.rawValue)),
        ]
        members += tokens.members
        if let directoryRole { members.append(.init("directory_role", .string(directoryRole.rawValue))) }
        if let apis {
            let entries = apis.sortedByName.map { JSONValue.Member($0.name.rawValue, $0.rule.json) }
            members.append(.init("apis", .object(entries)))
        }
        if let disabled { members.append(.init("disabled_at", .integer(disabled))) }
        if let assertionKeys { members.append(.init("jwks", assertionKeys.document)) }
        if let claims { members.append(.init("claims", claims.json)) }
        if app != AppPolicy() { members.append(.init("app", app.json)) }
        if let webgate { members.append(.init("webgate", webgate.json)) }
        return .object(members)
    }
}

public import Foundation
import Roster
package import RosterText

/// The JSON form of settings, in which they are stored. No query looks into the JSON.
extension BackendSettings {
    /// The settings in their JSON form.
    public var json: Data { Data(document.bytes) }

    /// Reads stored settings. They are not checked, so that settings that an earlier version allowed stay readable.
    package init(stored text: String) throws { try self.init(stored: JSONValue(text: text)) }

    init(stored json: JSONValue) throws {
        var members = try DocumentObject(TokenSettings.plainlyNamed(json), at: "")
        let purpose = try members.choice("for", Purpose.self)
        let isPublic = try members.boolean("public")
        if let purpose {
            self.init(for: purpose)
            self.isPublic = isPublic ?? self.isPublic
        } else {
            self.init(isPublic: isPublic ?? false)
        }
        isEnabled = try members.boolean("enabled") ?? isEnabled
        allowsSocialLogin = try members.boolean("social_login") ?? allowsSocialLogin
        socialApps = try members.texts("social_apps")
        if let grants = try members.choices("grant_types", Grant.self) {
            self.grants = grants
        } else if allowsSocialLogin {
            grants = []
        }
        redirectURIs = try members.texts("redirect_uris") ?? redirectURIs
        postLogoutRedirectURIs = try members.texts("post_logout_redirect_uris") ?? []
        if let value = members.value("scope") {
            guard let text = value.text else { throw DocumentObject.mismatch("scope", "a text", value) }
            scopes = text.scopes
        }
        audiences = try members.texts("audience") ?? []
        allowsExchange = try members.boolean("sso") ?? allowsExchange
        profile = try members.choice("security_profile", SecurityProfile.self) ?? profile
        allowsBasic = try members.boolean("http_basic") ?? !isFAPI
        apis = try members.value("apis").map { try APIRule.rules($0, at: "apis") }
        guardedOrigins = try members.texts("auth_request_origins") ?? []
        guard purpose != .web || !redirectURIs.isEmpty || !guardedOrigins.isEmpty else {
            throw DocumentObject.problem(
                "redirect_uris", "is missing, and a web application gets its codes there.",
                "Give the application's address for codes, such as [\"https://app.example.com/callback\"].")
        }
        backChannelLogoutURI = try members.text("backchannel_logout_uri")
        subjectType = try members.choice("subject_type", SubjectType.self) ?? subjectType
        sectorName = try members.text("sector")
        requiresPushedRequests =
            try members.boolean("require_pushed_authorization_requests") ?? requiresPushedRequests
        requiresPossession = try members.boolean("dpop_bound_access_tokens") ?? requiresPossession
        proofKey = try members.choice("pkce", ProofKey.self) ?? proofKey
        requiresConsent = try members.boolean("consent") ?? requiresConsent
        directoryRole = try members.choice(
            "directory_role", among: [ProgramRole.provisioning, .monitoring, .administrator])
        isTrusted = try members.boolean("trusted") ?? isTrusted
        signing = try members.choice("id_token_signed_response_alg", TokenSignature.self) ?? signing
        assertionKeys = members.value("jwks").map { PublicKeySet($0) }
        tokens = try TokenSettings(from: &members)
        if case .integer(let time)? = members.value("disabled_at") { disabled = time }
        claims = try members.value("claims").map { try ClaimMapping($0, at: "claims") }
        groupsForm = try members.choice("groups_claim", GroupsForm.self) ?? groupsForm
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
            .init("subject_type", .string(subjectType.rawValue)),
            .init("require_pushed_authorization_requests", .boolean(requiresPushedRequests)),
            .init("dpop_bound_access_tokens", .boolean(requiresPossession)),
            .init("security_profile", .string(profile.rawValue)),
            .init("groups_claim", .string(groupsForm.rawValue)), .init("pkce", .string(proofKey.rawValue)),
            .init("consent", .boolean(requiresConsent)), .init("trusted", .boolean(isTrusted)),
            .init("id_token_signed_response_alg", .string(signing.rawValue)),
        ]
        members += tokens.members
        if !guardedOrigins.isEmpty { members.append(.init("auth_request_origins", .texts(guardedOrigins))) }
        if let backChannelLogoutURI { members.append(.init("backchannel_logout_uri", .string(backChannelLogoutURI))) }
        if let socialApps { members.append(.init("social_apps", .texts(socialApps))) }
        if let sectorName { members.append(.init("sector", .string(sectorName))) }
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

import Foundation
import Roster
import RosterText

/// The exchange of somebody else's token for one of ours: RFC 7523's grant, RFC 8693, and the two interfaces of the mobile
/// cloud.
extension OAuthService {
    /// Answers the mobile cloud's `POST /mobile/platform/auth/token`, and the same grant at the token endpoint.
    package func assertionGrant(_ form: Form, authorization: String?, from peer: String) async throws -> Tokens {
        guard form["grant_type"] == BackendSettings.Grant.assertion.rawValue else {
            throw OAuthError(.unsupportedGrantType, "Only the grant 'jwt-bearer' is answered here.")
        }
        let credentials = try ClientCredentials(authorization: authorization, form: form)
        let (backend, isProven) = try await claimed(credentials)
        return try await exchange(
            try form.required("assertion"), for: backend, proof: isProven ? .given : .missing, scope: form["scope"],
            targets: backend.audiences(form, issuer: issuer), from: peer)
    }

    /// The backend of a client that has proved who it is, or that only says so: which is enough where an issuer does not
    /// require more.
    private func claimed(_ credentials: ClientCredentials?) async throws -> (Backend, isProven: Bool) {
        if case .named(let id)? = credentials, let backend = try clients.backend(.clientID(id)) {
            return (backend, backend.settings.isPublic)
        }
        // In the mobile cloud a client's own token is its assertion.
        if case .assertion(let text, let id)? = credentials, let (token, _) = try checker.check(text),
            case .client = token.subject, id == nil || id == token.clientID, token.audiences == [issuer],
            token.claims[AccessToken.assertionClaim]?.text == "client_assertion",
            let backend = try clients.backend(.clientID(token.clientID))
        {
            return (backend, true)
        }
        return (try await authenticated(credentials), true)
    }

    /// What a request holds of the proof who its client is.
    package enum ClientProof: Sendable {
        /// The client has proved who it is.
        case given
        /// The client only says who it is.
        case missing
        /// The interface has no place for a proof.
        case impossible

        func satisfies(_ issuer: TrustedIssuer) -> Bool {
            switch self {
            case .given: true
            case .missing: !issuer.requiresClientAuthentication
            case .impossible: !issuer.requiresClientAuthenticationAlways
            }
        }
    }

    /// Exchanges a token for a backend.
    ///
    /// - Parameters:
    ///   - text: A JWT, or a SAML assertion in base64.
    ///   - proof: Whether the client has proved who it is.
    ///   - scope: What is asked for; nil for all that the backend may have.
    ///   - targets: For whom the token is to be; none for all whom the backend may have them for.
    /// - Throws: ``OAuthError`` `invalid_grant` for all that is wrong with the token: who brings it does not learn what.
    package func exchange(
        _ text: String, for backend: Backend, proof: ClientProof, scope: String?, targets: [String] = [],
        from peer: String
    ) async throws -> Tokens {
        guard backend.settings.allowsExchange else {
            throw OAuthError(.unauthorizedClient, "The backend may not exchange tokens: turn 'sso' on for it.")
        }
        let asking = ExchangingBackend(
            name: backend.record.name, version: backend.record.version, clientID: backend.record.clientID)
        let isJWT = Self.isJWT(text)
        let report =
            isJWT ? await external.check(jwt: text, for: asking) : await external.check(saml: text, for: asking)
        func refuse(_ reason: String) -> OAuthError {
            tell(.refused, nil, backend, from: peer, means: isJWT ? "jwt" : "saml", reason: reason)
            return OAuthError(
                .invalidGrant, "The token is not taken. 'roster issuer check' tells an administrator why.")
        }
        guard let identity = report.identity, let issuer = report.issuer else {
            throw refuse(report.refusal.map { "\($0.name): \($0.explanation)".prefix(512).description } ?? "unknown")
        }
        guard proof.satisfies(issuer) else {
            throw proof == .impossible
                ? OAuthError(
                    .invalidClient,
                    "The issuer's entry requires that clients prove who they are: POST the token to "
                        + "/mobile/platform/auth/token.")
                : ClientDirectory.refused
        }
        let scopes = try AuthorizationRequest.scopes(scope, backend)
        if let use = report.use, try await !directory.spend(use) {
            throw refuse("use: the \(isJWT ? "token" : "assertion") was used before")
        }
        guard let person = try await person(identity) else {
            throw refuse("user: '\(identity.username.prefix(128))' is no active user here")
        }
        var detail = GrantDetail(
            scopes: scopes.filter { $0 != "offline_access" },
            authenticationTime: Int64(clock().timeIntervalSince1970), means: ["fed"])
        detail.audiences = targets.isEmpty ? backend.settings.audiences : targets
        if case .local = identity.user { detail.roles = try directory.accepted(identity.roles) }
        let (given, _) = try await tokens.begin(
            backend, person, detail, lifetime: Int64(identity.lifetimeSeconds))
        tell(.exchanged, person, backend, from: peer, means: isJWT ? "jwt" : "saml", reason: "from " + identity.issuer)
        return given
    }

    /// Whether a token is a JWT; if not, it is an assertion in base64, which has no dots.
    private static func isJWT(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: ".")) }

    /// Whom an external token stands for: a virtual user under issuer and subject, or the local user that it names. Nobody
    /// becomes a local user by it.
    private func person(_ identity: ExchangedIdentity) async throws -> Person? {
        let roles = try directory.accepted(identity.roles)
        switch try identity.localUser(in: directory) {
        case nil:
            let user = try await directory.remember(
                issuer: identity.issuer, subject: identity.subject, name: identity.username, roles: roles)
            return try Person(.virtualUser(user.id), in: directory)
        case .found(let id)?: return try Person(.user(id), in: directory, granted: roles)
        case .disabled?, .unknown?, .ambiguous?: return nil
        }
    }

    // MARK: RFC 8693

    private static let tokenType = "urn:ietf:params:oauth:token-type:"

    /// Answers RFC 8693's grant: an external token for one of ours, or one of ours for one that allows less.
    func tokenExchange(_ form: Form, _ backend: Backend, from peer: String) async throws -> Tokens {
        let text = try form.required("subject_token")
        let kind = try form.required("subject_token_type")
        guard kind.hasPrefix(Self.tokenType),
            ["access_token", "jwt", "id_token", "saml2"].contains(String(kind.dropFirst(Self.tokenType.count)))
        else { throw OAuthError(.invalidRequest, "That 'subject_token_type' is not exchanged.") }
        guard form["actor_token"] == nil, form["actor_token_type"] == nil else {
            throw OAuthError(.invalidRequest, "An 'actor_token' is not taken: the client itself is who acts.")
        }
        guard Self.isJWT(text) == (kind != Self.tokenType + "saml2") else {
            throw OAuthError(.invalidRequest, "The 'subject_token' is none of its 'subject_token_type'.")
        }
        if let wanted = form["requested_token_type"], wanted != Self.tokenType + "access_token",
            wanted != Self.tokenType + "jwt"
        {
            throw OAuthError(.invalidRequest, "Only access tokens are issued.")
        }
        let allowed = backend.settings.audiences.isEmpty ? [issuer] : backend.settings.audiences
        let targets = form.all("audience") + form.all("resource")
        guard targets.allSatisfy(allowed.contains) else {
            throw OAuthError(.invalidTarget, "The client may have no tokens for that audience.")
        }
        var given: Tokens
        if let (token, _) = try checker.check(text) {
            // A client's own token leads to no other audience than its own; whoever it was for goes on to theirs.
            let reachable =
                token.clientID == backend.record.clientID ? token.audiences.filter(allowed.contains) : allowed
            guard targets.allSatisfy(reachable.contains) else {
                throw OAuthError(.invalidTarget, "The token is not for that audience.")
            }
            given = try await narrowed(
                token, backend, form["scope"], targets.isEmpty ? reachable : targets, from: peer)
        } else {
            do {
                given = try await exchange(
                    text, for: backend, proof: .given, scope: form["scope"], targets: targets, from: peer)
            } catch let error as OAuthError where error.code == .invalidGrant {
                throw Self.unusable(error.text)
            }
        }
        // It is both (RFC 8693, section 2.2.1).
        let type = form["requested_token_type"] ?? Self.tokenType + "access_token"
        given.remarks = [.init("issued_token_type", .string(type))]
        return given
    }

    /// A subject token that is not taken is this grant's way of an invalid request (RFC 8693, section 2.2.2).
    private static func unusable(_ text: String) -> OAuthError { OAuthError(.invalidRequest, text) }

    /// A token that allows less than one of ours, and ends no later. The client must be one that the token was for.
    private func narrowed(
        _ token: AccessToken, _ backend: Backend, _ scope: String?, _ targets: [String], from peer: String
    ) async throws -> Tokens {
        let refused = Self.unusable("The token is not taken: it is a program's own, or was for others.")
        guard !targets.isEmpty, case .holder(_, let number, _) = token.subject,
            // A device's handle stands for no user.
            token.audiences != [Self.registration],
            token.clientID == backend.record.clientID || token.audiences.contains(backend.record.clientID),
            let grant = try directory.grant(number), let person = try person(of: grant)
        else { throw refused }
        let asked = scope.map { $0.split(separator: " ").map(String.init) } ?? token.scopes.sorted()
        guard asked.allSatisfy({ token.scopes.contains($0) && backend.settings.scopes.contains($0) }) else {
            throw OAuthError(.invalidScope, "More is asked for than the token allows.")
        }
        var detail = try GrantDetail(grant.detail)
        detail.scopes = asked.filter { $0 != "offline_access" && $0 != "openid" }
        detail.isRefreshable = false
        detail.audiences = targets
        if token.clientID != backend.record.clientID { detail.actor = backend.record.clientID }
        let left = token.expires - Int64(clock().timeIntervalSince1970)
        let lifetime = max(min(left, backend.settings.accessTokenLifetime), 1)
        // The client's own is of the same grant, and ends with it: a stolen code must not live on in what it was made.
        let given =
            token.clientID == backend.record.clientID
            ? try tokens.tokens(grant, backend, person, detail, lifetime: lifetime, nonce: nil, now: clock())
            : try await tokens.begin(backend, person, detail, session: grant.session, lifetime: lifetime).tokens
        tell(.exchanged, person, backend, from: peer, means: "access_token")
        return given
    }
}

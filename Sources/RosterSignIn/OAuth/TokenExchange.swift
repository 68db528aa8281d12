import Foundation
import Roster
import RosterText

/// The exchange of a token of another issuer for one of ours: the grants of RFC 7523 and RFC 8693, and the two interfaces of the
/// mobile cloud.
package struct TokenExchange: Sendable {
    let issuer: String
    let external: ExternalTokenChecker
    let audit: AuditTrail
    let directory: Directory
    let clock: @Sendable () -> Date
    let clientAuthentication: ClientAuthentication
    let credentials: CredentialChecker
    let tokenIssuer: TokenIssuer
    let accessTokens: AccessTokens

    /// Answers the grant of RFC 7523, at the token endpoint and at the mobile cloud's `POST /mobile/platform/auth/token`.
    ///
    /// - Throws: ``OAuthError``; `DirectoryError`.
    package func assertionTokens(
        _ request: TokenRequest, by proof: ClientProof, from origin: ClientOrigin
    ) async throws -> Tokens {
        guard request.grantType == BackendSettings.Grant.assertion.rawValue else {
            throw OAuthError(.unsupportedGrantType, "Only the grant 'jwt-bearer' is answered here.")
        }
        let (backend, isProven) = try await clientAuthentication.claimed(proof)
        guard case .assertion(let text) = request.grant else { throw OAuthError.missing("assertion") }
        var key = request.key
        if key == nil { key = try await credentials.provenKey(request.possession, of: backend) }
        return try await exchange(
            text, for: backend, isProven ? .proven : .named, scope: request.scope,
            targets: backend.audiences(request.resources, issuer: issuer),
            key: key, from: origin)
    }

    /// The authentication of the client that asks for an exchange.
    package enum ClientStanding: Sendable {
        /// The client has proved who it is.
        case proven
        /// The client only names itself.
        case named
        /// The interface has no place for a proof.
        case unprovable

        func satisfies(_ issuer: TrustedIssuer) -> Bool {
            switch self {
            case .proven: true
            case .named: !issuer.requiresClientAuthentication
            case .unprovable: !issuer.requiresClientAuthenticationAlways
            }
        }
    }

    /// Exchanges a token of another issuer for one of ours.
    ///
    /// - Parameters:
    ///   - text: A JWT, or a SAML assertion in base64.
    ///   - scope: The scopes that are asked for; nil for all that the backend may have.
    ///   - targets: The audiences of the new token; empty for all that the backend may have.
    /// - Throws: ``OAuthError`` `invalid_grant` for every fault of the token. The client does not learn the fault.
    package func exchange(
        _ text: String, for backend: Backend, _ standing: ClientStanding, scope: String?, targets: [String] = [],
        key: String? = nil, from origin: ClientOrigin
    ) async throws -> Tokens {
        guard backend.settings.allowsExchange else {
            throw OAuthError(.unauthorizedClient, "The backend may not exchange tokens: turn 'sso' on for it.")
        }
        let asking = ExchangingBackend(
            name: backend.name, version: backend.version, clientID: backend.clientID)
        let isJWT = Self.isJWT(text)
        let report =
            isJWT ? await external.check(jwt: text, for: asking) : await external.check(saml: text, for: asking)
        func refuse(_ reason: String) -> OAuthError {
            audit.record(.refused, nil, backend, from: origin, method: isJWT ? "jwt" : "saml", reason: reason)
            return OAuthError(
                .invalidGrant,
                "The token is not accepted. An administrator can check the token against the document of issuers.")
        }
        guard let identity = report.identity, let issuer = report.issuer else {
            throw refuse(
                report.refusal.map { "\($0.rule.rawValue): \($0.explanation)".prefix(512).description } ?? "unknown")
        }
        guard standing.satisfies(issuer) else {
            throw standing == .unprovable
                ? OAuthError(
                    .invalidClient,
                    "The issuer's entry requires that clients prove who they are: POST the token to /oauth2/token, with "
                        + "the grant urn:ietf:params:oauth:grant-type:jwt-bearer.")
                : ClientDirectory.refused
        }
        let scopes = try AuthorizationRequest.scopes(scope, backend)
        if let use = report.use, try await !directory.spentTokens.spend(use) {
            throw refuse("use: the \(isJWT ? "token" : "assertion") was used before")
        }
        guard let person = try await person(identity) else {
            throw refuse("user: '\(identity.username.prefix(128))' is not an active user here")
        }
        var detail = GrantDetail(
            scopes: scopes.filter { $0 != .offlineAccess },
            authenticationTime: Int64(clock().timeIntervalSince1970), amr: ["fed"],
            audiences: targets.isEmpty ? backend.settings.audiences : targets)
        detail.key = key
        if case .local = identity.user { detail.roles = try directory.grants.accepted(identity.roles) }
        let (given, _) = try await tokenIssuer.beginGrant(
            backend, person, detail, lifetime: Int64(identity.lifetimeSeconds))
        audit.record(
            .exchanged, person, backend, from: origin, method: isJWT ? "jwt" : "saml",
            reason: "from " + identity.issuer)
        return given
    }

    /// Whether a token is a JWT. Otherwise it is an assertion in base64, which has no dots.
    private static func isJWT(_ text: String) -> Bool { text.utf8.contains(UInt8(ascii: ".")) }

    /// The person of an external token: a virtual user under issuer and subject, or the local user that it names. An exchange
    /// never makes a local user.
    private func person(_ identity: ExchangedIdentity) async throws -> Person? {
        let roles = try directory.grants.accepted(identity.roles)
        switch try identity.localUser(in: directory) {
        case nil:
            let user = try await directory.holders.remember(
                issuer: identity.issuer, subject: identity.subject, name: identity.username, roles: roles)
            return try Person(.virtualUser(user.id), in: directory)
        case .found(let id)?: return try Person(.user(id), in: directory, granted: roles)
        case .disabled?, .unknown?, .ambiguous?: return nil
        }
    }

    // MARK: RFC 8693

    /// Answers the grant of RFC 8693: a token of another issuer for one of ours, or one of ours for one that allows less.
    func tokenExchange(
        _ request: TokenExchangeRequest, scope: String?, _ backend: Backend, key: String?, from origin: ClientOrigin
    ) async throws -> Tokens {
        let (text, type, prefix) = (request.subjectToken, request.subjectTokenType, TokenExchangeRequest.typePrefix)
        guard type.hasPrefix(prefix),
            ["access_token", "jwt", "id_token", "saml2"].contains(String(type.dropFirst(prefix.count)))
        else { throw OAuthError(.invalidRequest, "That 'subject_token_type' is not exchanged.") }
        guard !request.hasActor else {
            throw OAuthError(
                .invalidRequest, "An 'actor_token' is not accepted, because the client itself acts for the user.")
        }
        guard Self.isJWT(text) == (type != prefix + "saml2") else {
            throw OAuthError(.invalidRequest, "The 'subject_token' is none of its 'subject_token_type'.")
        }
        // Our access tokens are JWTs (RFC 8693, section 2.2.1).
        let issued = request.requestedTokenType ?? TokenExchangeRequest.accessToken
        guard [TokenExchangeRequest.accessToken, prefix + "jwt"].contains(issued) else {
            throw OAuthError(.invalidRequest, "Only access tokens are issued.")
        }
        let targets = request.targets
        let allowed = backend.settings.audiences.isEmpty ? [issuer] : backend.settings.audiences
        guard targets.allSatisfy(allowed.contains) else {
            throw OAuthError(.invalidTarget, "The client may have no tokens for that audience.")
        }
        var given: Tokens
        if let (token, _) = try accessTokens.check(text) {
            guard token.key == nil || token.key == key else {
                throw OAuthError(.invalidDPoPProof, "The token is bound to a key: send a proof of it.")
            }
            // A client reaches with its own token the audiences of that token only. With another client's token, which was for
            // this client, it reaches its own audiences.
            let reachable =
                token.clientID == backend.clientID ? token.audiences.filter(allowed.contains) : allowed
            guard targets.allSatisfy(reachable.contains) else {
                throw OAuthError(.invalidTarget, "The token is not for that audience.")
            }
            given = try await narrowed(
                token, backend, scope, targets.isEmpty ? reachable : targets, key: key, from: origin)
        } else {
            do {
                given = try await exchange(
                    text, for: backend, .proven, scope: scope, targets: targets, key: key, from: origin)
            } catch let error as OAuthError where error.code == .invalidGrant {
                throw Self.unusable(error.text)
            }
        }
        given.issuedTokenType = issued
        return given
    }

    /// A subject token that is not accepted is an invalid request in this grant (RFC 8693, section 2.2.2).
    private static func unusable(_ text: String) -> OAuthError { OAuthError(.invalidRequest, text) }

    /// Gives a token that allows less than one of ours, and ends no later. The token must have been for the client.
    private func narrowed(
        _ token: AccessToken, _ backend: Backend, _ scope: String?, _ targets: [String], key: String?,
        from origin: ClientOrigin
    ) async throws -> Tokens {
        let refused = Self.unusable(
            "The token is not accepted, because it belongs to a program or is for another audience.")
        guard !targets.isEmpty, case .holder(_, let number, _) = token.subject,
            // The handle of a device is not a user's token.
            token.audiences != [GrantDetail.registrationAudience],
            token.clientID == backend.clientID || token.audiences.contains(backend.clientID),
            let grant = try directory.grants.grant(number), let person = try accessTokens.person(of: grant)
        else { throw refused }
        let asked = scope?.scopes ?? token.scopes.sorted { $0.rawValue < $1.rawValue }
        guard asked.allSatisfy({ token.scopes.contains($0) && backend.settings.scopes.contains($0) }) else {
            throw OAuthError(.invalidScope, "More is asked for than the token allows.")
        }
        var detail = grant.detail
        detail.scopes = asked.filter { $0 != .offlineAccess && $0 != .openID }
        detail.isRefreshable = false
        (detail.audiences, detail.key) = (targets, key)
        if token.clientID != backend.clientID { detail.actor = backend.clientID }
        let left = token.expires - Int64(clock().timeIntervalSince1970)
        let lifetime = max(min(left, backend.settings.accessTokenLifetime), 1)
        // A token for the same client belongs to the same grant and ends with it, so that a stolen code leaves nothing behind.
        let given =
            token.clientID == backend.clientID
            ? try tokenIssuer.tokens(grant, backend, person, detail, lifetime: lifetime, nonce: nil, now: clock())
            : try await tokenIssuer.beginGrant(backend, person, detail, session: grant.session, lifetime: lifetime)
                .tokens
        audit.record(.exchanged, person, backend, from: origin, method: "access_token")
        return given
    }
}

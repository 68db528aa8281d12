package import Foundation
package import Roster
import RosterOpenID
package import RosterText

/// The answer of introspection (RFC 7662).
package enum TokenStatus: Sendable {
    /// The text is not a token, the token has ended, or the client may not learn about the token.
    case inactive
    case refreshToken(
        scopes: [Scope], clientID: String, username: String, subject: String, issuer: String, expires: Date)
    /// A living access token, with its claims and the name of its user or program. `apis` lists the APIs that its backend lets
    /// it call; it is nil for a backend without such rules.
    case accessToken(claims: [JSONValue.Member], username: String, apis: [String]?)
}

/// The answer of user info (OpenID Connect Core, section 5.3).
package struct UserInfo: Sendable {
    package let subject: String
    /// The claims that the scopes of the token allow.
    package let claims: [JSONValue.Member]
    /// The scopes of the token, which resource servers of Cloud Access Manager ask for.
    package let scopes: [Scope]
}

/// Introspection, revocation, and user info.
package struct Introspection: Sendable {
    let issuer: String
    let clients: ClientDirectory
    let directory: Directory
    let keys: KeyRing
    let audit: AuditTrail
    let clientAuthentication: ClientAuthentication
    let deviceRegistration: DeviceRegistration
    let accessTokens: AccessTokens
    let subjects: Subjects
    let userClaims: UserClaims
    /// The claims that introspection returned for a token. They are valid until the directory changes.
    let presentClaims = Locked(
        GenerationalMap<String, (changes: UInt64, claims: [JSONValue.Member])>(capacity: 2_000))

    /// Tells whether a token is alive, and its claims (RFC 7662). A backend learns about tokens that are for it or were issued to
    /// it. Any other token is inactive, as a text that is not a token. An app on a registered device learns about the access tokens
    /// of its own users.
    ///
    /// - Parameter text: The token; nil if the client sends none.
    /// - Throws: ``OAuthError`` `invalid_client`, `invalid_request`.
    package func introspect(_ text: String?, by proof: ClientProof) async throws -> TokenStatus {
        try status(of: text, for: try await clientAuthentication.authenticated(proof), isDevice: proof.isDevice)
    }

    /// Does the same without waiting. Returns nil for a client that sends an assertion, whose use has to be stored.
    package func introspectAtOnce(_ text: String?, by proof: ClientProof) throws -> TokenStatus? {
        guard proof.needsNoWrite else { return nil }
        return try status(of: text, for: clientAuthentication.authenticatedAtOnce(proof), isDevice: proof.isDevice)
    }

    private func status(of text: String?, for backend: Backend, isDevice: Bool) throws -> TokenStatus {
        guard isDevice || !backend.settings.isPublic else { throw ClientDirectory.refused }
        guard let text else { throw OAuthError.missing("token") }
        if isDevice {
            guard let (token, name) = try deviceRegistration.userToken(text, givenTo: backend.clientID) else {
                return .inactive
            }
            return .accessToken(claims: try current(token), username: name, apis: nil)
        }
        if text.hasPrefix(RefreshToken.prefix) {
            guard let grant = try refreshed(text, backend), let person = try accessTokens.person(of: grant) else {
                return .inactive
            }
            return .refreshToken(
                scopes: grant.detail.scopes, clientID: backend.clientID, username: person.shownName,
                subject: try subjects.subject(of: person.holder, for: backend), issuer: issuer, expires: grant.expires)
        }
        guard let (token, name) = try accessTokens.check(text),
            token.clientID == backend.clientID || isFor(backend, token)
        else { return .inactive }
        let own = token.clientID == backend.clientID ? backend : try clients.backend(.clientID(token.clientID))
        return .accessToken(
            claims: try current(token), username: name, apis: try own?.settings.apis.map { try apis(of: token, by: $0) }
        )
    }

    /// The claims of a token, with the name and the roles that its user has now. A virtual user has the roles of the issuer's last
    /// token, and is shown by issuer and subject.
    private func current(_ token: AccessToken) throws -> [JSONValue.Member] {
        guard case .holder = token.subject else { return token.claims.members }
        let count = directory.commitCount
        if let known = presentClaims.withLock({ $0.value(token.id) }), known.changes == count { return known.claims }
        guard let person = try accessTokens.person(of: token) else { return token.claims.members }
        var claims = token.claims
        claims["preferred_username"] = .string(person.shownName)
        if claims["roles"] != nil { claims["roles"] = .texts(person.roles) }
        presentClaims.withLock { $0.set((count, claims.members), for: token.id) }
        return claims.members
    }

    /// The APIs that the user or program of a token may call by the rules of its backend.
    private func apis(of token: AccessToken, by rules: [APIName: APIRule]) throws -> [String] {
        let roles: [String]? =
            if case .holder = token.subject { try accessTokens.person(of: token)?.roles ?? [] } else { nil }
        return rules.sortedByName.filter { $0.rule.allows(roles) }.map(\.name.rawValue)
    }

    private func isFor(_ backend: Backend, _ token: AccessToken) -> Bool {
        token.audiences.contains { audience in
            audience == issuer || audience == backend.clientID || backend.settings.audiences.contains(audience)
        }
    }

    /// The grant of a refresh token, if it is the current token of one of a backend's grants.
    private func refreshed(_ text: String, _ backend: Backend) throws -> TokenGrant? {
        guard let claim = RefreshToken.Claim(text), let grant = try directory.grants.grant(claim.number),
            try claim.isGenuine(salt: grant.salt, key: keys.refreshKey), grant.backend == backend.id,
            claim.generation == grant.generation
        else { return nil }
        return grant.detail.isRefreshable ? grant : nil
    }

    /// Ends a token (RFC 7009): a refresh token with its grant, or a single access token. Other texts, and tokens of other
    /// clients, are ignored.
    ///
    /// - Parameter text: The token; nil if the client sends none.
    /// - Throws: ``OAuthError`` `invalid_client`, `invalid_request`.
    package func revoke(_ text: String?, by proof: ClientProof, from origin: ClientOrigin) async throws {
        let backend = try await clientAuthentication.authenticated(proof)
        guard let text else { throw OAuthError.missing("token") }
        if let claim = RefreshToken.Claim(text) {
            // A used refresh token still ends its grant.
            guard let grant = try directory.grants.grant(claim.number),
                try claim.isGenuine(salt: grant.salt, key: keys.refreshKey), grant.backend == backend.id
            else { return }
            let person = try accessTokens.person(of: grant)
            try await directory.grants.end(grant)
            audit.record(.revoked, person, backend, from: origin, method: "refresh_token")
        } else if let (token, name) = try accessTokens.check(text), token.clientID == backend.clientID {
            // A handle ends with the tokens that the device got.
            if token.audiences == [GrantDetail.registrationAudience] {
                _ = try await end(token)
            } else {
                _ = try await directory.spentTokens.spend(token.use)
            }
            audit.record(.revoked, nil, backend, from: origin, method: "access_token", name: name)
        }
    }

    /// Ends an access token and its grant, with every token that belongs to the grant. The handle of a registered device ends with the
    /// tokens that the device got. The token services of Mobile and Social do
    /// this.
    ///
    /// - Returns: Whether the text was a living access token of the client.
    /// - Throws: ``OAuthError`` `invalid_client`.
    package func terminate(_ text: String, by proof: ClientProof, from origin: ClientOrigin) async throws -> Bool {
        let backend = try await clientAuthentication.authenticated(proof)
        guard let (token, name) = try accessTokens.check(text), token.clientID == backend.clientID else {
            return false
        }
        guard try await end(token) else { return false }
        audit.record(.revoked, nil, backend, from: origin, method: "access_token", name: name)
        return true
    }

    /// Ends a token with its grant. The tokens of a registered device end with its handle.
    ///
    /// - Returns: Whether the token was alive.
    private func end(_ token: AccessToken) async throws -> Bool {
        switch token.subject {
        case .client, .pairwise: _ = try await directory.spentTokens.spend(token.use)
        case .holder(_, let number, _):
            guard let grant = try directory.grants.grant(number) else { return false }
            if grant.detail.registered != nil, case .user(let user) = grant.holder {
                _ = try await directory.devices.end(Device.id(grant: number, salt: grant.salt), of: user)
            } else {
                try await directory.grants.end(grant)
            }
        }
        return true
    }

    /// The user of an access token, as far as its scopes allow (OpenID Connect Core, section 5.3).
    ///
    /// - Throws: ``OAuthError`` `invalid_token`, `insufficient_scope`.
    ///
    /// - Parameter isBound: Whether the sender proved to have the token's key.
    package func userInfo(_ text: String, isBound: Bool) throws -> UserInfo {
        let refused = OAuthError(.invalidToken, "The access token is wrong, has expired, or was ended.")
        guard let (token, _) = try accessTokens.check(text), (token.key != nil) == isBound else { throw refused }
        guard token.scopes.contains(.openID), case .holder = token.subject else {
            throw OAuthError(.insufficientScope, "User info needs a user's token with the scope 'openid'.")
        }
        guard case .holder(_, let number, _) = token.subject, let grant = try directory.grants.grant(number),
            let person = try accessTokens.person(of: grant),
            let backend = try clients.backend(.clientID(token.clientID))
        else { throw refused }
        return UserInfo(
            subject: try subjects.subject(of: person.holder, for: backend),
            claims: try userClaims.userClaims(
                backend, person, token.scopes, named: grant.detail.claims?.userInfo ?? []),
            scopes: token.scopes.sorted { $0.rawValue < $1.rawValue })
    }

    /// Reads an id token of this service, which may have expired; nil for any other text. A token that was signed with a client's
    /// secret counts only as a token of that client.
    package func idTokenHint(_ text: String) throws -> IDTokenHint? {
        if let claims = try keys.verify(text, type: "JWT") {
            return claims["iss"]?.text == issuer ? IDTokenHint(claims) : nil
        }
        guard let token = try? JSONWebToken(text), token.algorithm == .hs256, token.claims["iss"]?.text == issuer,
            let clientID = token.claims["aud"]?.text, let backend = try clients.backend(.clientID(clientID)),
            backend.settings.signing == .clientSecret
        else { return nil }
        let sealed = [backend.sealedSecret] + (try directory.signInRecords.formerSecrets(of: backend.id)).map(\.sealed)
        let known = try sealed.compactMap(\.self).map {
            VerificationKey(sharedSecret: Array(try keys.open($0, clientID).utf8))
        }
        return try token.isSigned(by: VerificationKeySet(known), allowing: [.hs256]) ? IDTokenHint(token.claims) : nil
    }

    /// Withdraws a user's consent to a backend, and ends the backend's tokens for the user.
    ///
    /// - Returns: Whether there was a consent.
    package func withdrawConsent(of user: UserID, clientID: String, from origin: ClientOrigin) async throws -> Bool {
        guard clientID.utf8.count <= 128, let backend = try clients.known(.clientID(clientID)),
            try await directory.consents.withdraw(of: user, to: backend.id)
        else { return false }
        audit.record(
            .revoked, try Person(.user(user), in: directory), backend, from: origin, method: "consent")
        return true
    }

    /// Signs a user out everywhere: all sessions and tokens of the user end at once.
    package func signOutEverywhere(_ user: UserID, from origin: ClientOrigin) async throws {
        let person = try Person(.user(user), in: directory)
        try await directory.endSignIns(of: user)
        audit.record(.revoked, person, nil, from: origin, method: "sign-out")
    }
}

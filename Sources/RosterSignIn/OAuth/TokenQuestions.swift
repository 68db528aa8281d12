import Foundation
package import Roster
package import RosterText

/// What is asked about tokens, and how they are ended: introspection, revocation, user info.
extension OAuthService {
    /// Answers whether a token is alive, and what it says (RFC 7662). A backend learns of tokens that are for it or were
    /// given to it; of others, as of those that are none, that they are not active.
    package func introspect(_ form: Form, authorization: String?) async throws -> JSONValue {
        try introspect(form, await authenticated(ClientCredentials(authorization: authorization, form: form)))
    }

    /// The same at once; nil for a client that brings an assertion, which has to be noted as used.
    package func introspectAtOnce(_ form: Form, authorization: String?) throws -> JSONValue? {
        guard form["client_assertion"] == nil else { return nil }
        return try introspect(
            form, authenticatedAtOnce(ClientCredentials(authorization: authorization, form: form)))
    }

    private func introspect(_ form: Form, _ backend: Backend) throws -> JSONValue {
        guard !backend.settings.isPublic else { throw ClientDirectory.refused }
        let text = try form.required("token")
        let inactive: JSONValue = ["active": false]
        if text.hasPrefix(RefreshToken.prefix) {
            guard let (grant, detail) = try refreshed(text, backend),
                let person = try person(of: grant)
            else { return inactive }
            return [
                "active": true, "scope": .string(detail.scopes.joined(separator: " ")),
                "client_id": .string(backend.record.clientID), "username": .string(person.shownName),
                "sub": .string(person.subject), "iss": .string(issuer),
                "exp": .integer(Int64(grant.expires.timeIntervalSince1970)), "token_type": "refresh_token",
            ]
        }
        guard let (token, name) = try checker.check(text),
            token.clientID == backend.record.clientID || isFor(backend, token)
        else { return inactive }
        var members: [JSONValue.Member] = [.init("active", true)]
        members += try current(token).filter { $0.name != "active" }
        members.append(.init("username", .string(name)))
        members.append(.init("token_type", "Bearer"))
        let own = token.clientID == backend.record.clientID ? backend : try clients.backend(.clientID(token.clientID))
        if let apis = try own?.settings.apis.map({ try apis(of: token, by: $0) }) {
            members.append(.init("apis", .array(apis.map { .string($0) })))
        }
        return .object(members)
    }

    /// The claims of a token, with the name and the roles that its user has now. A virtual user has those of the issuer's last
    /// token, and is shown by issuer and subject.
    func current(_ token: AccessToken) throws -> [JSONValue.Member] {
        guard case .holder = token.subject else { return token.claims.members }
        let count = directory.changeCount
        if let known = presentClaims.withLock({ $0.value(token.id) }), known.changes == count { return known.claims }
        guard let person = try person(of: token) else { return token.claims.members }
        var claims = token.claims
        claims["preferred_username"] = .string(person.shownName)
        claims["roles"] = .array(person.roles.map { .string($0) })
        presentClaims.withLock { $0.set((count, claims.members), for: token.id) }
        return claims.members
    }

    /// The APIs that whoever a token stands for may call by the rules of its backend.
    private func apis(of token: AccessToken, by rules: [String: APIRule]) throws -> [String] {
        let roles: [String]? =
            if case .holder = token.subject { try person(of: token)?.roles ?? [] } else { nil }
        return rules.filter { $0.value.allows(roles) }.keys.sorted()
    }

    private func isFor(_ backend: Backend, _ token: AccessToken) -> Bool {
        token.audiences.contains { audience in
            audience == issuer || audience == backend.record.clientID || backend.settings.audiences.contains(audience)
        }
    }

    /// The grant of a refresh token that is the living one of a backend.
    private func refreshed(_ text: String, _ backend: Backend) throws -> (GrantRecord, GrantDetail)? {
        guard let claim = RefreshToken.Claim(text), let grant = try directory.grant(claim.number),
            try claim.isGenuine(salt: grant.salt, key: keys.refreshKey), grant.backend == backend.record.id,
            claim.generation == grant.generation
        else { return nil }
        let detail = try GrantDetail(grant.detail)
        return detail.isRefreshable ? (grant, detail) : nil
    }

    /// Ends a token (RFC 7009): a refresh token with all that was made of it, an access token alone. What is none, or is
    /// another client's, is passed over.
    package func revoke(_ form: Form, authorization: String?, from peer: String) async throws {
        let backend = try await authenticated(ClientCredentials(authorization: authorization, form: form))
        let text = try form.required("token")
        if let claim = RefreshToken.Claim(text) {
            // Also one that was used already: whoever holds it may end what came of it.
            guard let grant = try directory.grant(claim.number),
                try claim.isGenuine(salt: grant.salt, key: keys.refreshKey), grant.backend == backend.record.id
            else { return }
            let person = try person(of: grant)
            try await directory.endGrant(grant)
            tell(.revoked, person, backend, from: peer, means: "refresh_token")
        } else if let (token, name) = try checker.check(text), token.clientID == backend.record.clientID {
            _ = try await directory.spend(token.use)
            tell(.revoked, nil, backend, from: peer, means: "access_token", name: name)
        }
    }

    /// Ends a token of a backend, and with an access token of a user its grant: every token that was given with it.
    ///
    /// - Returns: Whether it was one, and alive.
    func terminate(_ text: String, of backend: Backend, from peer: String) async throws -> Bool {
        guard let (token, name) = try checker.check(text), token.clientID == backend.record.clientID else {
            return false
        }
        switch token.subject {
        case .client: _ = try await directory.spend(token.use)
        case .holder(_, let number, _):
            guard let grant = try directory.grant(number) else { return false }
            try await directory.endGrant(grant)
        }
        tell(.revoked, nil, backend, from: peer, means: "access_token", name: name)
        return true
    }

    /// Ends a token for the client that it was given to, as the token services of Mobile and Social do.
    ///
    /// - Returns: Whether it was one, and alive.
    /// - Throws: ``OAuthError`` `invalid_client`.
    package func terminate(_ text: String, authorization: String, from peer: String) async throws -> Bool {
        let credentials = try ClientCredentials(authorization: authorization, form: Form([]))
        return try await terminate(text, of: try await authenticated(credentials), from: peer)
    }

    /// What user info tells of somebody (OpenID Connect Core, section 5.3): the claims that the scopes allow, and which
    /// scopes those are, as Cloud Access Manager's resource servers want to know.
    ///
    /// - Throws: ``OAuthError`` `invalid_token`, `insufficient_scope`.
    package func userInfo(_ text: String) throws -> JSONValue {
        let refused = OAuthError(.invalidToken, "The access token is wrong, has expired, or was ended.")
        guard let (token, _) = try checker.check(text) else { throw refused }
        guard token.scopes.contains("openid"), case .holder = token.subject else {
            throw OAuthError(.insufficientScope, "User info needs a user's token with the scope 'openid'.")
        }
        guard let person = try person(of: token), let backend = try clients.backend(.clientID(token.clientID)) else {
            throw refused
        }
        let claims = try tokens.userClaims(backend, person, token.scopes)
        return .object(
            [.init("sub", .string(person.subject))] + claims
                + [.init("scope", .string(token.scopes.sorted().joined(separator: " ")))])
    }

    /// The claims of an id token that this service made, also of one that has expired; nil for any other text. One that was
    /// signed with a client's secret says nothing about the tokens of others.
    package func idTokenHint(_ text: String) throws -> JSONValue? {
        if let claims = try keys.verify(text, type: "JWT") { return claims["iss"]?.text == issuer ? claims : nil }
        guard let token = try? JSONWebToken(text), token.algorithm == .hs256, token.claims["iss"]?.text == issuer,
            let clientID = token.claims["aud"]?.text, let backend = try clients.backend(.clientID(clientID)),
            backend.settings.signing == .hs256, let sealed = backend.record.sealedSecret
        else { return nil }
        let key = VerificationKey(sharedSecret: Array(try keys.open(sealed, clientID).utf8))
        return try token.isSigned(by: VerificationKeySet([key]), allowing: [.hs256]) ? token.claims : nil
    }

    /// Takes back what a user allows a backend, and ends the backend's tokens for the user.
    ///
    /// - Returns: Whether there was anything to take back.
    package func withdrawConsent(of user: UserID, clientID: String, from peer: String) async throws -> Bool {
        guard clientID.utf8.count <= 128, let record = try directory.backend(.clientID(clientID)),
            try await directory.withdrawConsent(of: user, to: record.id)
        else { return false }
        tell(.revoked, try Person(.user(user), in: directory), try Backend(record), from: peer, means: "consent")
        return true
    }

    /// Signs somebody out everywhere: sessions and tokens end at once.
    package func signOutEverywhere(_ user: UserID, from peer: String) async throws {
        let person = try Person(.user(user), in: directory)
        try await directory.endSignIns(of: user)
        tell(.revoked, person, nil, from: peer, means: "sign-out")
    }
}

import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterText

/// Makes access, id and refresh tokens.
extension OAuthService {
    /// Begins a grant for a person and makes its first tokens.
    ///
    /// - Parameters:
    ///   - audiences: The audiences of the access token; nil for those of the grant.
    ///   - lifetime: The lifetime of the access token in seconds; nil for the backend's.
    ///   - nonce: The client's nonce, for the id token.
    func beginGrant(
        _ backend: Backend, _ person: Person, _ detail: GrantDetail, audiences: [String]? = nil,
        session: String? = nil, lifetime: Int64? = nil, nonce: String? = nil
    ) async throws -> (tokens: Tokens, grant: Grant) {
        try countSignIn(.tokens, of: person.holder)
        let now = clock()
        let lifetime = lifetime ?? backend.settings.accessTokenLifetime
        let end = detail.isRefreshable ? max(backend.settings.refreshTokenLifetime, lifetime) : lifetime
        let grant: Grant
        do {
            grant = try await directory.beginGrant(
                salt: SecureRandom.token(bytes: 12), backend: backend.id, holder: person.holder,
                version: person.version, session: session, detail: detail,
                expires: now.addingTimeInterval(Double(end)))
        } catch let error as DirectoryError where error.code == .notFound {
            throw OAuthError(.invalidGrant, error.description)
        }
        var detail = detail
        detail.audiences = audiences ?? detail.audiences
        return (try tokens(grant, backend, person, detail, lifetime: lifetime, nonce: nonce, now: now), grant)
    }

    func tokens(
        _ grant: Grant, _ backend: Backend, _ person: Person, _ detail: GrantDetail, lifetime: Int64,
        nonce: String?, now: Date
    ) throws -> Tokens {
        let time = Int64(now.timeIntervalSince1970)
        // An access token must not outlive its grant.
        let lifetime = max(min(lifetime, Int64(grant.expires.timeIntervalSince1970) - time), 1)
        var claims = head(backend, time: time, lifetime: lifetime, audiences: detail.audiences)
        claims.append(.init("sub", .string(person.subject)))
        claims.append(.init("jti", .string(AccessToken.id(of: grant, random: try SecureRandom.token(bytes: 12)))))
        claims.append(.init("scope", .string(detail.scopes.text)))
        claims.append(.init("auth_time", .integer(detail.authenticationTime)))
        if !detail.amr.isEmpty { claims.append(.init("amr", .texts(detail.amr))) }
        claims.append(.init("preferred_username", .string(person.shownName)))
        claims.append(.init("roles", .texts(person.roles)))
        if let actor = detail.actor { claims.append(.init("act", ["sub": .string(actor)])) }
        if let origin = person.origin {
            claims.append(.init("origin", ["iss": .string(origin.issuer), "sub": .string(origin.subject)]))
        }
        let access = try accessToken(claims, backend.settings.signing)
        // A longer token would be accepted nowhere.
        guard access.utf8.count <= AccessToken.maximumLength else {
            throw OAuthError(.invalidGrant, "The user has more roles than fit into a token.")
        }
        var tokens = Tokens(accessToken: access, lifetime: lifetime, scopes: detail.scopes)
        if detail.isRefreshable {
            tokens.refreshToken = try RefreshToken.text(
                grant.number, generation: grant.generation, salt: grant.salt, key: keys.refreshKey)
        }
        if detail.scopes.contains(.openID) {
            tokens.idToken = try idToken(backend, person, detail, access: access, nonce: nonce, time: time)
        }
        return tokens
    }

    /// Makes a token for a client itself, without a user. Nothing is stored. The token ends by itself, or when the backend is
    /// deleted, gets another secret, or loses the right to such tokens.
    ///
    /// - Parameter isAssertion: Whether the client may present the token as a proof of itself.
    func clientToken(_ backend: Backend, scopes: [Scope], audiences: [String], isAssertion: Bool) throws -> Tokens {
        let lifetime = backend.settings.consumerTokenLifetime
        var claims = head(
            backend, time: Int64(clock().timeIntervalSince1970), lifetime: lifetime,
            audiences: audiences)
        claims.append(.init("sub", .string(backend.clientID)))
        claims.append(
            .init("jti", .string(AccessToken.id(of: backend, random: try SecureRandom.token(bytes: 15)))))
        claims.append(.init("scope", .string(scopes.text)))
        if isAssertion { claims.append(.init(AccessToken.assertionClaim, "client_assertion")) }
        let access = try accessToken(claims, backend.settings.signing)
        var tokens = Tokens(accessToken: access, lifetime: lifetime, scopes: scopes)
        tokens.isClientAssertion = isAssertion
        return tokens
    }

    /// The claims of RFC 9068, section 2.2, and the backend.
    private func head(
        _ backend: Backend, time: Int64, lifetime: Int64, audiences: [String]
    ) -> [JSONValue.Member] {
        let audiences = audiences.isEmpty ? [issuer] : audiences
        return [
            .init("iss", .string(issuer)),
            .init("aud", audiences.count == 1 ? .string(audiences[0]) : .texts(audiences)),
            .init("iat", .integer(time)), .init("exp", .integer(time &+ lifetime)),
            .init("client_id", .string(backend.clientID)),
            .init(
                "backend",
                [
                    "id": .string(backend.backendID), "name": .string(backend.name),
                    "version": .string(backend.version),
                ]),
        ]
    }

    /// A signed access token. A shared secret signs id tokens only, because everybody must be able to verify access tokens.
    private func accessToken(_ claims: [JSONValue.Member], _ signing: TokenSignature) throws -> String {
        try keys.sign(claims, type: "at+jwt", with: signing.keyAlgorithm)
    }

    private func idToken(
        _ backend: Backend, _ person: Person, _ detail: GrantDetail, access: String, nonce: String?, time: Int64
    ) throws -> String {
        var claims: [JSONValue.Member] = [
            .init("iss", .string(issuer)), .init("sub", .string(person.subject)),
            .init("aud", .string(backend.clientID)), .init("azp", .string(backend.clientID)),
            .init("iat", .integer(time)), .init("exp", .integer(time &+ backend.settings.idTokenLifetime)),
            .init("auth_time", .integer(detail.authenticationTime)),
            .init("at_hash", .string(try backend.settings.signing.algorithm.halfHash(of: access))),
        ]
        if !detail.amr.isEmpty { claims.append(.init("amr", .texts(detail.amr))) }
        if let nonce { claims.append(.init("nonce", .string(nonce))) }
        if backend.settings.claimsAvailability == .idToken {
            claims += try userClaims(backend, person, Set(detail.scopes))
        }
        switch backend.settings.signing {
        case .key(let algorithm): return try keys.sign(claims, type: "JWT", with: algorithm)
        case .clientSecret:
            guard let sealed = backend.sealedSecret else {
                throw DirectoryError(
                    .unusableKey, "The secret of the backend, which signs its tokens, was lost with a key file.",
                    advice: "Give the backend a new secret.")
            }
            let secret = Array(try keys.open(sealed, backend.clientID).utf8)
            return try SigningKey.sign(claims, type: "JWT", sharedSecret: secret)
        }
    }

    /// The claims that scopes allow about a person, mapped by the backend's rules.
    func userClaims(
        _ backend: Backend, _ person: Person, _ scopes: Set<Scope>
    ) throws -> [JSONValue.Member] {
        var claims = person.claims(for: scopes)
        if scopes.contains(.roles) { claims.append(.init("roles", .texts(person.roles))) }
        let mapping = backend.settings.claims ?? .standard
        let mapped = try mapping.members(roles: person.roles) { attribute in
            // The manager is stored as a link, not as an attribute.
            guard attribute == "manager", let id = person.id else { return person.values(of: attribute) }
            let users = directory.acting(as: .administrator("sign-in")).users
            return try users.manager(of: .id(id), attributes: ["uid"]).map { [.string($0.uid)] } ?? []
        }
        // The backend's mappings replace claims with the same name.
        return claims.filter { claim in !mapped.contains { $0.name == claim.name } } + mapped
    }
}

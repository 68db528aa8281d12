import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterText

/// Makes access, id and refresh tokens.
package struct TokenIssuer: Sendable {
    let clock: @Sendable () -> Date
    let directory: Directory
    let keys: KeyRing
    let issuer: String
    let signingIn: SigningIn
    let subjects: Subjects
    let userClaims: UserClaims

    /// Begins a grant for a person and makes its first tokens.
    ///
    /// - Parameters:
    ///   - audiences: The audiences of the access token; nil for those of the grant.
    ///   - lifetime: The lifetime of the access token in seconds; nil for the backend's.
    ///   - nonce: The client's nonce, for the id token.
    func beginGrant(
        _ backend: Backend, _ person: Person, _ detail: GrantDetail, audiences: [String]? = nil,
        session: String? = nil, lifetime: Int64? = nil, nonce: String? = nil
    ) async throws -> (tokens: Tokens, grant: TokenGrant) {
        try signingIn.countSignIn(.tokens, of: person.holder)
        let now = clock()
        let lifetime = lifetime ?? backend.settings.accessTokenLifetime
        let end = detail.isRefreshable ? max(backend.settings.refreshTokenLifetime, lifetime) : lifetime
        let grant: TokenGrant
        do {
            grant = try await directory.grants.begin(
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
        _ grant: TokenGrant, _ backend: Backend, _ person: Person, _ detail: GrantDetail, lifetime: Int64,
        nonce: String?, now: Date
    ) throws -> Tokens {
        let time = Int64(now.timeIntervalSince1970)
        // An access token must not outlive its grant.
        let lifetime = max(min(lifetime, Int64(grant.expires.timeIntervalSince1970) - time), 1)
        var claims = head(backend, time: time, lifetime: lifetime, audiences: detail.audiences)
        let (subject, isPairwise) = (
            try subjects.subject(of: person.holder, for: backend), backend.settings.subjectType == .pairwise
        )
        claims.append(.init("sub", .string(subject)))
        claims.append(
            .init(
                "jti",
                .string(
                    AccessToken.id(of: grant, isPairwise: isPairwise, random: try SecureRandom.token(bytes: 12)))))
        claims.append(.init("scope", .string(detail.scopes.text)))
        claims.append(.init("auth_time", .integer(detail.authenticationTime)))
        if !detail.amr.isEmpty { claims.append(.init("amr", .texts(detail.amr))) }
        claims.append(.init("preferred_username", .string(person.shownName)))
        if userClaims.tellsRoles(detail.scopes, backend) { claims.append(.init("roles", .texts(person.roles))) }
        if let key = detail.key { claims.append(.init("cnf", ["jkt": .string(key)])) }
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
        tokens.isBound = detail.key != nil
        if detail.isRefreshable {
            tokens.refreshToken = try RefreshToken.text(
                grant.number, generation: grant.generation, salt: grant.salt, key: keys.refreshKey)
        }
        if detail.scopes.contains(.openID) {
            tokens.idToken = try idToken(
                backend, person, detail, session: grant.session, access: access, nonce: nonce, time: time)
        }
        return tokens
    }

    /// Makes a token for a client itself, without a user. Nothing is stored. The token ends by itself, or when the backend is
    /// deleted, gets another secret, or loses the right to such tokens.
    ///
    /// - Parameters:
    ///   - isAssertion: Whether the client may present the token as a proof of itself.
    ///   - key: The thumbprint of the key that the token is bound to; nil for a bearer token.
    func clientToken(
        _ backend: Backend, scopes: [Scope], audiences: [String], isAssertion: Bool, key: String?
    ) throws -> Tokens {
        let lifetime = backend.settings.consumerTokenLifetime
        var claims = head(
            backend, time: Int64(clock().timeIntervalSince1970), lifetime: lifetime,
            audiences: audiences)
        claims.append(.init("sub", .string(backend.clientID)))
        claims.append(
            .init("jti", .string(AccessToken.id(of: backend, random: try SecureRandom.token(bytes: 15)))))
        claims.append(.init("scope", .string(scopes.text)))
        if let key { claims.append(.init("cnf", ["jkt": .string(key)])) }
        if isAssertion { claims.append(.init(AccessToken.assertionClaim, "client_assertion")) }
        let access = try accessToken(claims, backend.settings.signing)
        var tokens = Tokens(accessToken: access, lifetime: lifetime, scopes: scopes)
        (tokens.isClientAssertion, tokens.isBound) = (isAssertion, key != nil)
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
        _ backend: Backend, _ person: Person, _ detail: GrantDetail, session: String?, access: String,
        nonce: String?, time: Int64
    ) throws -> String {
        var claims: [JSONValue.Member] = [
            .init("iss", .string(issuer)), .init("sub", .string(try subjects.subject(of: person.holder, for: backend))),
            .init("aud", .string(backend.clientID)), .init("azp", .string(backend.clientID)),
            .init("iat", .integer(time)), .init("exp", .integer(time &+ backend.settings.idTokenLifetime)),
            .init("auth_time", .integer(detail.authenticationTime)),
            .init("at_hash", .string(try backend.settings.signing.algorithm.halfHash(of: access))),
        ]
        if !detail.amr.isEmpty { claims.append(.init("amr", .texts(detail.amr))) }
        if let session, backend.settings.backChannelLogoutURI != nil {
            claims.append(.init("sid", .string(try SignOutNotice.sid(session))))
        }
        if let nonce { claims.append(.init("nonce", .string(nonce))) }
        let scopes = backend.settings.claimsAvailability == .idToken ? Set(detail.scopes) : []
        let names = detail.claims?.idToken ?? []
        if backend.settings.claimsAvailability == .idToken || !names.isEmpty {
            claims += try userClaims.userClaims(backend, person, scopes, named: names)
        }
        return try sign(claims, type: "JWT", for: backend)
    }

    /// Signs a token for a backend as its setting says.
    func sign(_ claims: [JSONValue.Member], type: String, for backend: Backend) throws -> String {
        switch backend.settings.signing {
        case .key(let algorithm): return try keys.sign(claims, type: type, with: algorithm)
        case .clientSecret:
            guard let sealed = backend.sealedSecret else {
                throw DirectoryError(
                    .unusableKey, "The secret of the backend, which signs its tokens, was lost with a key file.",
                    advice: "Give the backend a new secret.")
            }
            let secret = Array(try keys.open(sealed, backend.clientID).utf8)
            return try SigningKey.sign(claims, type: type, sharedSecret: secret)
        }
    }
}

import Foundation
import Roster
import RosterCrypto
import RosterText

/// The token endpoint (RFC 6749, section 3.2): a method for each grant.
package struct TokenEndpoint: Sendable {
    let audit: AuditTrail
    let issuer: String
    let clients: ClientDirectory
    let directory: Directory
    let clock: @Sendable () -> Date
    /// The authorizations that clients have not redeemed yet, by their codes.
    let codes: PendingCodes<Authorization>
    let sessions: CookieSessions
    let keys: KeyRing
    let tokenExchange: TokenExchange
    let clientAuthentication: ClientAuthentication
    let credentials: CredentialChecker
    let deviceRegistration: DeviceRegistration
    let deviceFlow: DeviceFlow
    let tokenIssuer: TokenIssuer
    let signingIn: SigningIn
    let signOutNotices: SignOutNotices
    let accessTokens: AccessTokens

    /// Gives tokens to a client.
    ///
    /// - Parameter origin: The address and the browser of the client, for the delays and the change feed.
    /// - Throws: ``OAuthError``; ``AuthenticationFailure`` for a sign-in that has to be tried again later; `DirectoryError`.
    package func tokens(
        _ request: TokenRequest, by proof: ClientProof, from origin: ClientOrigin
    ) async throws -> Tokens {
        var backend: Backend?
        do {
            // A request without a grant is refused before the client proves anything.
            if case .unusable("", _, let error) = request.grant { throw error }
            // For this grant an issuer may accept a client that only names itself.
            if request.grantType == BackendSettings.Grant.assertion.rawValue, !proof.isDevice {
                return try await tokenExchange.assertionTokens(request, by: proof, from: origin)
            }
            let client = try await clientAuthentication.authenticated(proof)
            backend = client
            var request = request
            request.key = try await credentials.provenKey(request.possession, of: client)
            if case .handle(let id, _) = proof { try checkDevice(request, clientID: id) }
            try clientAuthentication.check(request.grantType, of: client)
            switch request.grant {
            case .clientCredentials: return try clientCredentials(request, client, from: origin)
            case .password(let login):
                return try await password(
                    login, request, client, device: deviceRegistration.device(of: proof), from: origin)
            case .code(let code, let verifier, let uri):
                return try await redeem(
                    code, verifier: verifier, redirectURI: uri, request, client, from: origin)
            case .refreshToken(let token): return try await refresh(token, request, client, from: origin)
            case .deviceCode(let code):
                return try await deviceFlow.redeem(deviceCode: code, client, key: request.key, from: origin)
            case .exchange(let exchange):
                return try await tokenExchange.tokenExchange(
                    exchange, scope: request.scope, client, key: request.key, from: origin)
            case .assertion: return try await tokenExchange.assertionTokens(request, by: proof, from: origin)
            case .unusable(_, _, let error): throw error
            }
        } catch let failure as AuthenticationFailure {
            // The sign-in recorded the refusal already.
            throw OAuthError(failure) ?? failure
        } catch let error as OAuthError {
            record(error, request, backend, from: origin)
            throw error
        }
    }

    /// Gives tokens to a program for itself, which takes a signature and no waiting; nil for any other request.
    package func tokensAtOnce(
        _ request: TokenRequest, by proof: ClientProof, from origin: ClientOrigin
    ) throws -> Tokens? {
        guard case .clientCredentials = request.grant, proof.needsNoWrite, !proof.isDevice, request.possession == nil
        else { return nil }
        var backend: Backend?
        do {
            let client = try clientAuthentication.authenticatedAtOnce(proof)
            backend = client
            guard !client.settings.needsPossession else { return nil }
            try clientAuthentication.check(request.grantType, of: client)
            return try clientCredentials(request, client, from: origin)
        } catch let error as OAuthError {
            record(error, request, backend, from: origin)
            throw error
        }
    }

    private func record(_ error: OAuthError, _ request: TokenRequest, _ backend: Backend?, from origin: ClientOrigin) {
        guard ![.authorizationPending, .slowDown].contains(error.code) else { return }
        audit.record(
            .refused, nil, backend, from: origin, method: String(request.grantType.prefix(64)),
            reason: error.code.rawValue, name: request.userName)
    }

    /// Refuses a request that an app on a registered device may not make. The app gets tokens of its own users only, for a password or for a
    /// token that it has already.
    private func checkDevice(_ request: TokenRequest, clientID: String) throws {
        switch request.grant {
        case .password: return
        case .exchange(let exchange):
            guard try deviceRegistration.userToken(exchange.subjectToken, givenTo: clientID) != nil else {
                throw OAuthError(
                    .invalidRequest, "The token is not accepted, because it belongs to no user of this app.")
            }
        default: throw OAuthError(.unauthorizedClient, "A registered device gets tokens of users only.")
        }
    }

    private func clientCredentials(
        _ request: TokenRequest, _ backend: Backend, from origin: ClientOrigin
    ) throws -> Tokens {
        let user = AuthorizationRequest.claimScopes.union([.openID, .roles, .groups, .offlineAccess])
        let scopes =
            try request.scope == nil
            ? backend.settings.scopes.filter { !user.contains($0) }
            : AuthorizationRequest.scopes(request.scope, backend)
        guard !scopes.contains(.openID) else {
            throw OAuthError(.invalidScope, "Without a user there is no id token: leave 'openid' out.")
        }
        let audiences = try backend.audiences(request.resources, issuer: issuer)
        // Only a token for this service can be a proof of the client: any other audience could present it in the client's name.
        let isAssertion =
            request.scope.map { Scope($0).isConsumer } == true
            && (audiences.isEmpty || audiences == [issuer])
        let given = try tokenIssuer.clientToken(
            backend, scopes: scopes, audiences: audiences, isAssertion: isAssertion, key: request.key)
        audit.record(.granted, nil, backend, from: origin, method: request.grantType)
        return given
    }

    private func password(
        _ login: Login, _ request: TokenRequest, _ backend: Backend, device: String?, from origin: ClientOrigin
    ) async throws -> Tokens {
        let person = try await signingIn.signIn(login, at: .grant(request, backend), from: origin)
        return try await tokens(
            for: person, backend, AuthorizationRequest.scopes(request.scope, backend),
            audiences: backend.audiences(request.resources, issuer: issuer),
            method: "password", device: device, key: request.key, from: origin)
    }

    /// Gives tokens for a person whom an app that is linked with this module has signed in.
    func tokens(
        for person: Person, clientID: String, scopes: [Scope]?, from origin: ClientOrigin
    ) async throws -> Tokens {
        guard let backend = try clients.backend(.clientID(clientID)) else { throw ClientDirectory.refused }
        // The account may have been disabled or deleted since the person signed in.
        guard var now = try Person(person.holder, in: directory) else {
            throw OAuthError(.invalidGrant, "The account cannot be used any more.")
        }
        now.version = person.version
        now.signedIn = person.signedIn
        now.amr = person.amr
        // The app has signed the person in itself, so a refresh token needs no further consent.
        if let refused = scopes?.first(where: { !AuthorizationRequest.isAllowed($0, backend) }) {
            throw OAuthError(.invalidScope, "The backend may not have the scope '\(refused)'.")
        }
        let scopes =
            try scopes.map { try AuthorizationRequest.scopes($0.text, backend) }
            ?? backend.settings.scopes.filter { $0 != .directoryManage }
        return try await tokens(
            for: now, backend, scopes, audiences: backend.settings.audiences, method: "app", from: origin)
    }

    private func tokens(
        for person: Person, _ backend: Backend, _ scopes: [Scope], audiences: [String], method: String,
        device: String? = nil, key: String? = nil, from origin: ClientOrigin
    ) async throws -> Tokens {
        // The mobile cloud's clients know no refresh tokens, so their access tokens live long.
        let isConsumer = scopes.contains(where: \.isConsumer)
        var detail = GrantDetail(
            scopes: scopes, authenticationTime: Int64((person.signedIn ?? clock()).timeIntervalSince1970),
            amr: person.amr, audiences: audiences,
            isRefreshable: !isConsumer && AuthorizationCodes.isRefreshable(scopes, backend))
        (detail.registration, detail.key) = (device, key)
        let lifetime = detail.isRefreshable ? nil : backend.settings.consumerTokenLifetime
        let (given, _) = try await tokenIssuer.beginGrant(backend, person, detail, lifetime: lifetime)
        audit.record(.granted, person, backend, from: origin, method: method)
        return given
    }

    // MARK: Codes

    private func redeem(
        _ code: String, verifier: String, redirectURI: String?, _ request: TokenRequest, _ backend: Backend,
        from origin: ClientOrigin
    ) async throws -> Tokens {
        let refused = OAuthError(.invalidGrant, "The code is wrong, was used, has expired, or is another client's.")
        enum Found {
            case good(Authorization)
            case used(TokenGrant?)
            case wrong
        }
        let found = try codes.change(code) { authorization -> Found in
            guard authorization.backend == backend.id else { return .wrong }
            if authorization.isUsed {
                authorization.wasReused = true
                return .used(authorization.grant)
            }
            // The attempt uses the code up even if it fails: nobody can try several verifiers, and an expired code does not come
            // back with a clock that is set back.
            authorization.isUsed = true
            guard clock() < authorization.expires else { return .wrong }
            guard redirectURI == nil || redirectURI == authorization.redirectURI,
                authorization.key == nil || authorization.key == request.key,
                try Self.proves(verifier, authorization.challenge)
            else { return .wrong }
            return .good(authorization)
        }
        switch found {
        case .good(let authorization)?:
            guard let person = try Person(authorization.holder, in: directory) else { throw refused }
            let audiences = try backend.audiences(
                request.resources, among: authorization.detail.audiences, issuer: issuer)
            var detail = authorization.detail
            detail.key = request.key
            let (given, grant) = try await tokenIssuer.beginGrant(
                backend, person, detail, audiences: audiences, session: authorization.session,
                nonce: authorization.nonce)
            // The session may have ended, or the consent been withdrawn, since the code was issued.
            guard try stands(authorization, backend) else {
                try await directory.grants.end(grant)
                throw refused
            }
            try await signOutNotices.note(authorization.session, person, in: backend)
            let wasReused = try codes.change(code) { authorization in
                authorization.grant = grant
                return authorization.wasReused
            }
            if wasReused == true { try await endReused(grant, backend, from: origin) }
            audit.record(.granted, person, backend, from: origin, method: "authorization_code")
            return given
        case .used(let grant?)?:
            try await endReused(grant, backend, from: origin)
            throw refused
        default: throw refused
        }
    }

    /// Uses a refresh token. Under FAPI 2.0 it stays the same.
    private func rotate(_ grant: TokenGrant, _ claim: RefreshToken.Claim, _ backend: Backend) async throws -> Rotation {
        if backend.settings.isFAPI { return claim.generation == grant.generation ? .repeated(grant) : .gone }
        return try await directory.grants.rotate(
            grant.number, salt: grant.salt, generation: claim.generation, grace: Self.refreshGrace)
    }

    /// Whether the session and the consent behind a code still exist.
    private func stands(_ authorization: Authorization, _ backend: Backend) throws -> Bool {
        if let session = authorization.session, try sessions.session(session) == nil { return false }
        guard backend.settings.asksForConsent, case .user(let user) = authorization.holder else { return true }
        let allowed = try directory.consents.consent(of: user, to: backend.id) ?? []
        return Set(authorization.detail.scopes).isSubset(of: allowed)
    }

    /// Ends the grant of a code that was used twice, because somebody else has the code as well (RFC 6749, section 4.1.2).
    private func endReused(_ grant: TokenGrant, _ backend: Backend, from origin: ClientOrigin) async throws {
        try await directory.grants.end(grant)
        audit.record(
            .revoked, nil, backend, from: origin, method: "authorization_code", reason: "the code was used again")
        throw OAuthError(.invalidGrant, "The code was used by somebody else as well. Its tokens have ended.")
    }

    /// Whether a verifier proves a challenge. A code without a challenge takes no verifier, so that nobody can remove the challenge on
    /// its way (RFC 9700, section 2.1.1).
    static func proves(_ verifier: String, _ challenge: String?) throws -> Bool {
        guard let challenge else { return verifier.isEmpty }
        // Only the digest of the verifier is compared, whatever its characters are (RFC 7636, section 4.6).
        guard (1...longestVerifier).contains(verifier.utf8.count) else { return false }
        return constantTimeEqual(Base64URL.text(try SHA256.digest(Array(verifier.utf8))), challenge)
    }

    /// The longest verifier in bytes. The standard allows 128, and some clients exceed it.
    private static let longestVerifier = 1_024

    // MARK: Refreshing

    /// The seconds after its use for which a refresh token gets the same successor again, because an answer may be lost.
    static let refreshGrace: TimeInterval = 10

    private func refresh(
        _ token: String, _ request: TokenRequest, _ backend: Backend, from origin: ClientOrigin
    ) async throws -> Tokens {
        let refused = OAuthError(.invalidGrant, "The refresh token is wrong, was used, has expired, or was ended.")
        guard let claim = RefreshToken.Claim(token),
            let grant = try directory.grants.grant(claim.number),
            try claim.isGenuine(salt: grant.salt, key: keys.refreshKey),
            grant.backend == backend.id
        else { throw refused }
        var detail = grant.detail
        guard detail.isRefreshable, backend.settings.usesRefreshTokens != false else { throw refused }
        if let key = detail.key {
            guard let proven = request.key else {
                throw OAuthError(.invalidDPoPProof, "The tokens of this grant are bound to a key: send a proof of it.")
            }
            // A confidential client may take another key; nothing else proves which public client it is (RFC 9449, section 5).
            guard !backend.settings.isPublic || proven == key else {
                throw OAuthError(.invalidDPoPProof, "The refresh token is bound to another key.")
            }
        }
        detail.key = request.key
        // The backend may have lost scopes since.
        detail.scopes.removeAll { !AuthorizationRequest.isAllowed($0, backend) }
        // A client may ask for fewer scopes than were granted, never for more (RFC 6749, section 6).
        if let names = request.scope?.scopes {
            // The mobile cloud's clients always send their own scope.
            let asked = names.filter { detail.scopes.contains($0) || !$0.isConsumer }
            guard asked.allSatisfy(detail.scopes.contains) else {
                throw OAuthError(.invalidScope, "More is asked for than was granted.")
            }
            detail.scopes = detail.scopes.filter(asked.contains)
        }
        let audiences = detail.audiences.filter { $0 == issuer || backend.settings.audiences.contains($0) }
        guard detail.audiences.isEmpty || !audiences.isEmpty else { throw refused }
        detail.audiences = try backend.audiences(request.resources, among: audiences, issuer: issuer)
        guard let person = try accessTokens.person(of: grant) else { throw refused }
        try signingIn.countSignIn(.tokens, of: person.holder)
        switch try await rotate(grant, claim, backend) {
        case .rotated(let now), .repeated(let now):
            let given = try tokenIssuer.tokens(
                now, backend, person, detail, lifetime: backend.settings.accessTokenLifetime, nonce: nil, now: clock())
            audit.record(.granted, person, backend, from: origin, method: "refresh_token")
            return given
        case .reused:
            audit.record(
                .revoked, person, backend, from: origin, method: "refresh_token",
                reason: "a refresh token was used again, and may have been stolen")
            throw refused
        case .gone: throw refused
        }
    }
}

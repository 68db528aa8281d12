import Foundation
import Roster
import RosterCrypto
import RosterText

/// The token endpoint (RFC 6749, section 3.2): a method for each grant.
extension OAuthService {
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
                return try await assertionTokens(request, by: proof, from: origin)
            }
            let client = try await authenticated(proof)
            backend = client
            if case .handle(let id, _) = proof { try checkDevice(request, clientID: id) }
            try check(request.grantType, of: client)
            switch request.grant {
            case .clientCredentials: return try clientCredentials(request, client, from: origin)
            case .password(let login):
                return try await password(login, request, client, device: device(of: proof), from: origin)
            case .code(let code, let verifier, let uri):
                return try await redeem(
                    code, verifier: verifier, redirectURI: uri, request.resources, client, from: origin)
            case .refreshToken(let token): return try await refresh(token, request, client, from: origin)
            case .deviceCode(let code): return try await redeem(deviceCode: code, client, from: origin)
            case .exchange(let exchange):
                return try await tokenExchange(exchange, scope: request.scope, client, from: origin)
            case .assertion: return try await assertionTokens(request, by: proof, from: origin)
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
        guard case .clientCredentials = request.grant, proof.needsNoWrite, !proof.isDevice else { return nil }
        var backend: Backend?
        do {
            let client = try authenticatedAtOnce(proof)
            backend = client
            try check(request.grantType, of: client)
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

    func check(_ grantType: String, of backend: Backend) throws {
        guard let grant = BackendSettings.Grant(rawValue: grantType) else {
            throw OAuthError(.unsupportedGrantType, "There is no such grant here.")
        }
        // A backend with the setting 'sso' may exchange tokens in the standard's way as well.
        let isExchange = grant == .tokenExchange && backend.settings.allowsExchange
        guard backend.settings.grants.contains(grant) || isExchange else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant.")
        }
    }

    /// Refuses a request that an app on a registered device may not make. The app gets tokens of its own users only, for a password or for a
    /// token that it has already.
    private func checkDevice(_ request: TokenRequest, clientID: String) throws {
        switch request.grant {
        case .password: return
        case .exchange(let exchange):
            guard try userToken(exchange.subjectToken, givenTo: clientID) != nil else {
                throw OAuthError(
                    .invalidRequest, "The token is not accepted, because it belongs to no user of this app.")
            }
        default: throw OAuthError(.unauthorizedClient, "A registered device gets tokens of users only.")
        }
    }

    private func clientCredentials(
        _ request: TokenRequest, _ backend: Backend, from origin: ClientOrigin
    ) throws -> Tokens {
        let user = AuthorizationRequest.claims.union([.openID, .roles, .offlineAccess])
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
        let given = try clientToken(backend, scopes: scopes, audiences: audiences, isAssertion: isAssertion)
        audit.record(.granted, nil, backend, from: origin, method: request.grantType)
        return given
    }

    private func password(
        _ login: Login, _ request: TokenRequest, _ backend: Backend, device: String?, from origin: ClientOrigin
    ) async throws -> Tokens {
        let person = try await signIn(login, at: .grant(request, backend), from: origin)
        return try await tokens(
            for: person, backend, AuthorizationRequest.scopes(request.scope, backend),
            audiences: backend.audiences(request.resources, issuer: issuer),
            method: "password", device: device, from: origin)
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
        let scopes =
            try scopes.map { try AuthorizationRequest.scopes($0.text, backend) }
            ?? backend.settings.scopes.filter { $0 != .directoryManage }
        return try await tokens(
            for: now, backend, scopes, audiences: backend.settings.audiences, method: "app", from: origin)
    }

    private func tokens(
        for person: Person, _ backend: Backend, _ scopes: [Scope], audiences: [String], method: String,
        device: String? = nil, from origin: ClientOrigin
    ) async throws -> Tokens {
        // The mobile cloud's clients know no refresh tokens, so their access tokens live long.
        let isConsumer = scopes.contains(where: \.isConsumer)
        var detail = GrantDetail(
            scopes: scopes, authenticationTime: Int64((person.signedIn ?? clock()).timeIntervalSince1970),
            amr: person.amr, audiences: audiences,
            isRefreshable: !isConsumer && Self.isRefreshable(scopes, backend))
        detail.registration = device
        let lifetime = detail.isRefreshable ? nil : backend.settings.consumerTokenLifetime
        let (given, _) = try await beginGrant(backend, person, detail, lifetime: lifetime)
        audit.record(.granted, person, backend, from: origin, method: method)
        return given
    }

    // MARK: Codes

    private func redeem(
        _ code: String, verifier: String, redirectURI: String?, _ resources: [String], _ backend: Backend,
        from origin: ClientOrigin
    ) async throws -> Tokens {
        let refused = OAuthError(.invalidGrant, "The code is wrong, was used, has expired, or is another client's.")
        enum Found {
            case good(Authorization)
            case used(Grant?)
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
                // Only the digest of the verifier is compared, whatever its characters are (RFC 7636, section 4.6).
                (1...Self.longestVerifier).contains(verifier.utf8.count),
                let challenge = authorization.challenge,
                constantTimeEqual(Base64URL.text(try SHA256.digest(Array(verifier.utf8))), challenge)
            else { return .wrong }
            return .good(authorization)
        }
        switch found {
        case .good(let authorization)?:
            guard let person = try Person(authorization.holder, in: directory) else { throw refused }
            let audiences = try backend.audiences(resources, among: authorization.detail.audiences, issuer: issuer)
            let (given, grant) = try await beginGrant(
                backend, person, authorization.detail, audiences: audiences, session: authorization.session,
                nonce: authorization.nonce)
            // The session may have ended, or the consent been withdrawn, since the code was issued.
            guard try stands(authorization, backend) else {
                try await directory.endGrant(grant)
                throw refused
            }
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

    /// Whether the session and the consent behind a code still exist.
    private func stands(_ authorization: Authorization, _ backend: Backend) throws -> Bool {
        if let session = authorization.session, try sessions.session(session) == nil { return false }
        guard backend.settings.asksForConsent, case .user(let user) = authorization.holder else { return true }
        let allowed = try directory.consent(of: user, to: backend.id) ?? []
        return Set(authorization.detail.scopes).isSubset(of: allowed)
    }

    /// Ends the grant of a code that was used twice, because somebody else has the code as well (RFC 6749, section 4.1.2).
    private func endReused(_ grant: Grant, _ backend: Backend, from origin: ClientOrigin) async throws {
        try await directory.endGrant(grant)
        audit.record(
            .revoked, nil, backend, from: origin, method: "authorization_code", reason: "the code was used again")
        throw OAuthError(.invalidGrant, "The code was used by somebody else as well. Its tokens have ended.")
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
            let grant = try directory.grant(claim.number),
            try claim.isGenuine(salt: grant.salt, key: keys.refreshKey),
            grant.backend == backend.id
        else { throw refused }
        var detail = grant.detail
        guard detail.isRefreshable, backend.settings.usesRefreshTokens != false else { throw refused }
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
        guard let person = try person(of: grant) else { throw refused }
        try countSignIn(.tokens, of: person.holder)
        switch try await directory.rotateGrant(
            grant.number, salt: grant.salt, generation: claim.generation, grace: Self.refreshGrace)
        {
        case .rotated(let now), .repeated(let now):
            let given = try tokens(
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

import Foundation
import Roster
import RosterCrypto
import RosterText

/// The token endpoint (RFC 6749, section 3.2): one method for each grant.
extension OAuthService {
    /// Answers a request for tokens.
    ///
    /// - Parameters:
    ///   - peer: The address that it came from, for throttling and the audit.
    /// - Throws: ``OAuthError``, ``AuthenticationFailure`` for too many attempts.
    package func tokens(_ form: Form, authorization: String?, from peer: String) async throws -> Tokens {
        var backend: Backend?
        do {
            let name = try form.required("grant_type")
            // Here an issuer may be content with a client that only says who it is.
            if name == BackendSettings.Grant.assertion.rawValue {
                return try await assertionGrant(form, authorization: authorization, from: peer)
            }
            let client = try await authenticated(ClientCredentials(authorization: authorization, form: form))
            backend = client
            let grant = try allowed(name, client)
            switch grant {
            case .clientCredentials: return try clientCredentials(form, client, from: peer)
            case .password: return try await password(form, client, from: peer)
            case .authorizationCode: return try await authorizationCode(form, client, from: peer)
            case .refreshToken: return try await refresh(form, client, from: peer)
            case .deviceCode: return try await deviceCode(form, client, from: peer)
            case .tokenExchange: return try await tokenExchange(form, client, from: peer)
            case .assertion: return try await assertionGrant(form, authorization: authorization, from: peer)
            }
        } catch let error as OAuthError {
            tell(error, form, backend, from: peer)
            throw error
        }
    }

    /// Answers a request of a program for itself, which takes a signature and no waiting; nil for any other one.
    package func tokensAtOnce(_ form: Form, authorization: String?, from peer: String) throws -> Tokens? {
        guard let name = form["grant_type"], name == BackendSettings.Grant.clientCredentials.rawValue,
            form["client_assertion"] == nil
        else { return nil }
        var backend: Backend?
        do {
            let client = try authenticatedAtOnce(ClientCredentials(authorization: authorization, form: form))
            backend = client
            _ = try allowed(name, client)
            return try clientCredentials(form, client, from: peer)
        } catch let error as OAuthError {
            tell(error, form, backend, from: peer)
            throw error
        }
    }

    /// Registers a device: whoever has a name and a password gets a handle by which an app on it proves itself from now on, in
    /// place of a secret that no app can keep. It ends as all tokens of the user do.
    package func register(
        _ form: Form, clientID: String, authorization: String?, from peer: String
    ) async throws -> (handle: String, name: String) {
        let backend: Backend
        if let authorization {
            backend = try await authenticated(ClientCredentials(authorization: authorization, form: Form([])))
        } else {
            backend = try clients.authenticate(clientID: clientID, secret: nil)
        }
        guard backend.record.clientID == clientID else { throw ClientDirectory.refused }
        do {
            _ = try allowed(BackendSettings.Grant.password.rawValue, backend)
            let (person, means) = try await signIn(
                name: try form.required("username"), password: try form.required("password"),
                proof: try SecondFactorProof(form), from: peer)
            var detail = GrantDetail(
                scopes: [], authenticationTime: Int64(clock().timeIntervalSince1970), means: means)
            detail.audiences = [Self.registration]
            let (given, _) = try await tokens.begin(
                backend, person, detail, lifetime: backend.settings.refreshTokenLifetime)
            tell(.granted, person, backend, from: peer, means: "register")
            return (given.accessToken, person.name)
        } catch let error as OAuthError {
            tell(error, form, backend, from: peer)
            throw error
        }
    }

    /// For whom the handle of a registered device is: for nobody else, so that it is no access token anywhere.
    static let registration = "urn:roster:registration"

    /// Answers an app on a registered device, which may ask for tokens of its users only: by a password, or by one that it
    /// has already.
    package func tokens(
        _ form: Form, clientID: String, handle: String, from peer: String
    ) async throws -> Tokens {
        let backend = try backend(clientID, handle: handle)
        do {
            switch BackendSettings.Grant(rawValue: form["grant_type"] ?? "") {
            case .password?:
                _ = try allowed(BackendSettings.Grant.password.rawValue, backend)
                return try await password(form, backend, from: peer)
            case .tokenExchange?:
                _ = try allowed(BackendSettings.Grant.tokenExchange.rawValue, backend)
                guard try userToken(form.required("subject_token"), givenTo: clientID) != nil else {
                    throw OAuthError(.invalidRequest, "The token is not taken: it is no user's of this app.")
                }
                return try await tokenExchange(form, backend, from: peer)
            default: throw OAuthError(.unauthorizedClient, "A registered device gets tokens of users only.")
            }
        } catch let error as OAuthError {
            tell(error, form, backend, from: peer)
            throw error
        }
    }

    private func tell(_ error: OAuthError, _ form: Form, _ backend: Backend?, from peer: String) {
        guard ![.authorizationPending, .slowDown].contains(error.code) else { return }
        tell(
            .refused, nil, backend, from: peer, means: String((form["grant_type"] ?? "").prefix(64)),
            reason: error.code.rawValue, name: form["username"])
    }

    private func allowed(_ name: String, _ backend: Backend) throws -> BackendSettings.Grant {
        guard let grant = BackendSettings.Grant(rawValue: name) else {
            throw OAuthError(.unsupportedGrantType, "There is no such grant here.")
        }
        // Who may exchange tokens may do so in the standard's way as well.
        let isExchange = grant == .tokenExchange && backend.settings.allowsExchange
        guard backend.settings.grants.contains(grant) || isExchange else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant.")
        }
        return grant
    }

    /// The backend of a client that has proved who it is.
    package func authenticated(_ credentials: ClientCredentials?) async throws -> Backend {
        if case .assertion(let text, let id)? = credentials { return try await proven(by: text, clientID: id) }
        return try authenticatedAtOnce(credentials)
    }

    /// The same for who brings no assertion, which has to be noted as used.
    func authenticatedAtOnce(_ credentials: ClientCredentials?) throws -> Backend {
        switch credentials {
        case .secret(let id, let secret)?: return try clients.authenticate(clientID: id, secret: secret)
        case .named(let id)?: return try clients.authenticate(clientID: id, secret: nil)
        case .assertion?, nil: throw ClientDirectory.refused
        }
    }

    /// `private_key_jwt` (RFC 7523, section 3): signed with a key of the backend's settings, for us, and used once.
    private func proven(by text: String, clientID: String?) async throws -> Backend {
        guard let token = try? JSONWebToken(text), token.kind(otherThan: ["client-authentication+jwt"]) == nil,
            let id = token.claims["iss"]?.text, id == token.claims["sub"]?.text,
            clientID == nil || clientID == id, let backend = try clients.backend(.clientID(id)),
            let keys = backend.settings.keys.flatMap({ VerificationKeySet($0) }),
            try token.isSigned(by: keys, allowing: Set(SignatureAlgorithm.allCases).subtracting([.hs256])),
            TokenTimes.problem(with: token.claims, now: clock(), skew: ExternalTokenChecker.skew) == nil,
            case .integer(let end)? = token.claims["exp"],
            Double(end) - clock().timeIntervalSince1970 < 3_600,
            let audience = token.claims["aud"], let use = token.claims["jti"]?.text, !use.isEmpty
        else { throw ClientDirectory.refused }
        let audiences = audience.text.map { [$0] } ?? audience.elements.compactMap(\.text)
        // Any of the places where a client proves who it is.
        let places = [
            "", "/oauth2/token", "/oauth2/introspect", "/oauth2/revoke", "/oauth2/device_authorization",
            "/mobile/platform/auth/token",
        ]
        guard places.contains(where: { audiences.contains(issuer + $0) }) else { throw ClientDirectory.refused }
        let until = Date(timeIntervalSince1970: Double(end) + ExternalTokenChecker.skew)
        let issued = token.claims["iat"]?.seconds.map { Date(timeIntervalSince1970: $0) }
        guard
            try await directory.spend(
                .init("client:" + SHA256.hex(id + "\n" + use), issued: issued, until: until))
        else {
            throw ClientDirectory.refused
        }
        return backend
    }

    private func clientCredentials(_ form: Form, _ backend: Backend, from peer: String) throws -> Tokens {
        let user = AuthorizationRequest.claims.union(["openid", "roles", "offline_access"])
        let scopes =
            try form["scope"] == nil
            ? backend.settings.scopes.filter { !user.contains($0) }
            : AuthorizationRequest.scopes(form["scope"], backend)
        guard !scopes.contains("openid") else {
            throw OAuthError(.invalidScope, "Without a user there is no id token: leave 'openid' out.")
        }
        let audiences = try backend.audiences(form, issuer: issuer)
        // For nobody but us: whoever else got it could call themselves by the client's name.
        let isAssertion =
            form["scope"].map(AuthorizationRequest.isConsumer) == true && (audiences.isEmpty || audiences == [issuer])
        var given = try tokens.clientToken(backend, scopes: scopes, audiences: audiences, isAssertion: isAssertion)
        if isAssertion {
            // So the mobile cloud's clients are told that they may prove themselves by it.
            given.remarks = [
                .init("oracle_client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
                .init("oracle_tk_context", "client_assertion"),
            ]
        }
        tell(.granted, nil, backend, from: peer, means: "client_credentials")
        return given
    }

    private func password(_ form: Form, _ backend: Backend, from peer: String) async throws -> Tokens {
        let (person, means) = try await signIn(
            name: try form.required("username"), password: try form.required("password"),
            proof: try SecondFactorProof(form), from: peer)
        return try await tokens(
            person, backend, form["scope"], means, audiences: backend.audiences(form, issuer: issuer), by: "password",
            from: peer)
    }

    /// Gives tokens for somebody whom an app that is linked with us has signed in.
    func tokens(
        for person: Person, clientID: String, scope: String?, from peer: String
    ) async throws -> Tokens {
        guard let backend = try clients.backend(.clientID(clientID)) else { throw ClientDirectory.refused }
        // Disabled or deleted since they signed in.
        guard var now = try Person(person.holder, in: directory) else {
            throw OAuthError(.invalidGrant, "The account cannot be used any more.")
        }
        now.version = person.version
        now.signedIn = person.signedIn
        return try await tokens(
            now, backend, scope, person.means, audiences: backend.settings.audiences, by: "app", from: peer)
    }

    private func tokens(
        _ person: Person, _ backend: Backend, _ scope: String?, _ means: [String], audiences: [String],
        by grant: String, from peer: String
    ) async throws -> Tokens {
        let scopes = try AuthorizationRequest.scopes(scope, backend)
        var detail = GrantDetail(
            scopes: scopes, authenticationTime: Int64((person.signedIn ?? clock()).timeIntervalSince1970),
            means: means)
        detail.audiences = audiences
        // The mobile cloud's clients know no refresh tokens: what they get lives long.
        let isConsumer = scopes.contains(where: AuthorizationRequest.isConsumer)
        detail.isRefreshable = !isConsumer && Self.isRefreshable(scopes, backend)
        let lifetime = detail.isRefreshable ? nil : backend.settings.consumerTokenLifetime
        let (given, _) = try await tokens.begin(backend, person, detail, lifetime: lifetime)
        tell(.granted, person, backend, from: peer, means: grant)
        return given
    }

    /// Who has a name and a password, and the second factor where there is one; and by what they proved it (RFC 8176).
    ///
    /// - Throws: ``OAuthError`` `invalid_grant`, `mfa_required`; ``AuthenticationFailure``.
    package func signIn(
        name: String, password: String, proof: SecondFactorProof, from peer: String
    ) async throws -> (person: Person, means: [String]) {
        let identity: Identity
        do {
            switch passwords.authenticate(name: name, password: password, from: peer) {
            case .identified(let known): identity = known
            case .later(let work): identity = try await work()
            case .refused(let failure): throw failure
            case .notMine: throw AuthenticationFailure.wrong
            }
        } catch AuthenticationFailure.wrong {
            throw OAuthError(.invalidGrant, "The name or the password is wrong, or the account cannot be used.")
        }
        guard case .user(let id) = identity.caller, var person = try Person(.user(id), in: directory) else {
            throw OAuthError(.invalidGrant, "The name or the password is wrong, or the account cannot be used.")
        }
        person.version = identity.version
        person.signedIn = clock()
        guard identity.needsSecondFactor else { return (person, ["pwd"]) }
        return (person, ["pwd", try await secondFactors.prove(proof, for: id, from: peer)])
    }

    // MARK: Codes

    private func authorizationCode(_ form: Form, _ backend: Backend, from peer: String) async throws -> Tokens {
        let code = try form.required("code")
        let refused = OAuthError(.invalidGrant, "The code is wrong, was used, has expired, or is another client's.")
        enum Found {
            case good(Authorization)
            case used(GrantRecord?)
            case wrong
        }
        let verifier = form["code_verifier"]
        let found = try codes.change(code) { authorization -> Found in
            guard authorization.backend == backend.record.id else { return .wrong }
            if authorization.isUsed {
                authorization.wasReused = true
                return .used(authorization.grant)
            }
            // Used by this attempt, whatever comes of it: a code cannot be guessed at, and one that has expired does not
            // come back with a clock that is set back.
            authorization.isUsed = true
            guard clock() < authorization.expires else { return .wrong }
            guard form["redirect_uri"] == nil || form["redirect_uri"] == authorization.redirectURI,
                // Its form is the client's business, as long as it is the one (RFC 7636, section 4.6).
                let verifier, verifier.utf8.count <= Self.longestVerifier,
                let challenge = authorization.challenge,
                constantTimeEqual(Base64URL.text(try SHA256.digest(Array(verifier.utf8))), challenge)
            else { return .wrong }
            return .good(authorization)
        }
        switch found {
        case .good(let authorization)?:
            guard let person = try Person(authorization.holder, in: directory) else { throw refused }
            let audiences = try backend.audiences(form, among: authorization.detail.audiences, issuer: issuer)
            let (given, grant) = try await tokens.begin(
                backend, person, authorization.detail, audiences: audiences, session: authorization.session,
                nonce: authorization.nonce)
            // A sign-out, or a consent taken back, ends what the code was given for as well.
            guard try stands(authorization, backend) else {
                try await directory.endGrant(grant)
                throw refused
            }
            let wasReused = codes.change(code) { authorization in
                authorization.grant = grant
                return authorization.wasReused
            }
            if wasReused == true { try await endReused(grant, backend, from: peer) }
            tell(.granted, person, backend, from: peer, means: "authorization_code")
            return given
        case .used(let grant?)?:
            try await endReused(grant, backend, from: peer)
            throw refused
        default: throw refused
        }
    }

    /// Whether the session that a code was given in is still there, and the consent that it was given by.
    private func stands(_ authorization: Authorization, _ backend: Backend) throws -> Bool {
        if let session = authorization.session, try directory.session(session) == nil { return false }
        guard backend.settings.asksForConsent, case .user(let user) = authorization.holder else { return true }
        let allowed = try directory.consent(of: user, to: backend.record.id) ?? []
        return Set(authorization.detail.scopes).isSubset(of: allowed)
    }

    /// Somebody else has the code as well: what was given for it ends (RFC 6749, section 4.1.2).
    private func endReused(_ grant: GrantRecord, _ backend: Backend, from peer: String) async throws {
        try await directory.endGrant(grant)
        tell(.revoked, nil, backend, from: peer, means: "authorization_code", reason: "the code was used again")
        throw OAuthError(.invalidGrant, "The code was used by somebody else as well. What was given for it has ended.")
    }

    /// In bytes; the standard's has 128 at most, and some clients exceed it.
    private static let longestVerifier = 1_024

    // MARK: Refreshing

    /// How long after its use a refresh token gets the same child again, in seconds: an answer may be lost.
    static let refreshGrace: TimeInterval = 10

    private func refresh(_ form: Form, _ backend: Backend, from peer: String) async throws -> Tokens {
        let refused = OAuthError(.invalidGrant, "The refresh token is wrong, was used, has expired, or was ended.")
        guard let claim = RefreshToken.Claim(try form.required("refresh_token")),
            let grant = try directory.grant(claim.number),
            try claim.isGenuine(salt: grant.salt, key: keys.refreshKey),
            grant.backend == backend.record.id
        else { throw refused }
        var detail = try GrantDetail(grant.detail)
        guard detail.isRefreshable, backend.settings.usesRefreshTokens != false else { throw refused }
        // What has been taken from the backend since is not given any more.
        detail.scopes.removeAll { !AuthorizationRequest.isAllowed($0, backend) }
        // Fewer scopes for this access token; never more than were granted (RFC 6749, section 6).
        if let names = form["scope"]?.split(separator: " ").map(String.init) {
            // The mobile cloud's clients send theirs always.
            let asked = names.filter { detail.scopes.contains($0) || !AuthorizationRequest.isConsumer($0) }
            guard asked.allSatisfy(detail.scopes.contains) else {
                throw OAuthError(.invalidScope, "More is asked for than was granted.")
            }
            detail.scopes = detail.scopes.filter(asked.contains)
        }
        let audiences = detail.audiences.filter { $0 == issuer || backend.settings.audiences.contains($0) }
        guard detail.audiences.isEmpty || !audiences.isEmpty else { throw refused }
        detail.audiences = try backend.audiences(form, among: audiences, issuer: issuer)
        guard let person = try person(of: grant) else { throw refused }
        switch try await directory.rotateGrant(
            grant.number, salt: grant.salt, generation: claim.generation, grace: Self.refreshGrace)
        {
        case .rotated(let now), .repeated(let now):
            let given = try tokens.tokens(
                now, backend, person, detail, lifetime: backend.settings.accessTokenLifetime, nonce: nil, now: clock())
            tell(.granted, person, backend, from: peer, means: "refresh_token")
            return given
        case .reused:
            tell(
                .revoked, person, backend, from: peer, means: "refresh_token",
                reason: "a refresh token was used again, and may have been stolen")
            throw refused
        case .gone: throw refused
        }
    }
}

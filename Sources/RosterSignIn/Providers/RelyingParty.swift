package import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterText

/// Signing in with identity providers, whose client this service is: the code flow of OpenID Connect between an app and a
/// provider, as Couchbase Sync Gateway has it, always with PKCE and a nonce.
///
/// Nothing is stored while the user is at the provider. The state that comes back is signed, and nonce and verifier are derived
/// from it.
package struct RelyingParty: Sendable {
    /// The providers that users can sign in with.
    package var providers: IdentityProviders { settings.current.providers }
    private let settings: SettingsKeeper
    let directory: Directory
    private let keys: KeyRing
    private let sessions: CookieSessions
    let audit: AuditTrail
    let clock: @Sendable () -> Date
    let client: ProviderClient
    let known = IdentityMemory()
    /// Delays wrong tokens of social providers.
    let throttle: AttemptThrottle
    private let asking = Locked<[String: Int]>([:])
    /// The number of requests to a provider that may be open at a time, because strangers can cause them.
    private static let maximumAsking = 64

    init(
        _ settings: SettingsKeeper, directory: Directory, keys: KeyRing, sessions: CookieSessions,
        audit: AuditTrail, fetcher: DocumentFetcher, clock: @escaping @Sendable () -> Date
    ) {
        (self.settings, self.directory, self.keys) = (settings, directory, keys)
        (self.sessions, self.audit, self.clock) = (sessions, audit, clock)
        throttle = AttemptThrottle("social", directory)
        client = ProviderClient(by: fetcher, clock: clock)
    }

    // MARK: Going and coming back

    /// The seconds that a provider's clock may be behind when it says when a user signed in.
    private static let leeway: Double = 10

    /// Begins to sign in with a provider.
    ///
    /// - Parameters:
    ///   - callback: The address that the browser comes back to.
    ///   - isOffline: Whether the app wants to stay signed in (`offline=true`).
    ///   - demands: The app's demands.
    /// - Throws: ``Refusal`` `provider`.
    package func begin(
        _ provider: IdentityProvider, callback: String, isOffline: Bool, demands: Demands? = nil
    ) async throws -> Visit {
        let description = try await asked(provider.name) { try await client.description(of: provider) }
        let now = Int64(clock().timeIntervalSince1970)
        var content: JSONValue = [
            "provider": .string(provider.name), "random": .string(try SecureRandom.token(bytes: 16)),
            "until": .integer(now + Self.patience),
        ]
        if let age = demands?.allowedAge { content["earliest"] = .integer(now - min(age, now)) }
        let contexts = demands?.contexts ?? []
        if !contexts.isEmpty { content["acr"] = .texts(contexts) }
        let text = Base64URL.text(content.bytes)
        let state = text + "." + (try derived("state", text))
        let challenge = try CodeFlow.challenge(of: try derived("verifier", state))
        var parameters: [(name: String, value: String)] = [
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", callback),
            ("scope", provider.scopes.joined(separator: " ")), ("state", state),
            ("nonce", try derived("nonce", state)), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        let prompts = (demands?.prompts ?? []) + (isOffline ? ["consent"] : [])
        if isOffline { parameters.append(("access_type", "offline")) }
        if !prompts.isEmpty { parameters.append(("prompt", prompts.joined(separator: " "))) }
        if let age = demands?.maximumAge { parameters.append(("max_age", String(age))) }
        if !contexts.isEmpty { parameters.append(("acr_values", contexts.joined(separator: " "))) }
        guard let endpoint = description.authorizationEndpoint else {
            throw Refusal.provider("The provider's discovery document names no 'authorization_endpoint'.")
        }
        return Visit(url: CodeFlow.url(endpoint, parameters), state: state)
    }

    /// Text that is derived from another one with a secret key.
    private func derived(_ purpose: String, _ text: String) throws -> String {
        Base64URL.text(try HMACSHA256.code(for: Array("\(purpose)\n\(text)".utf8), key: keys.visitKey))
    }

    /// The provider of a state; nil for a state that was not made here or is too old.
    package func provider(ofState state: String) throws -> IdentityProvider? {
        try content(ofState: state)?["provider"]?.text.flatMap { providers.providers[$0] }
    }

    private func content(ofState state: String) throws -> JSONValue? {
        guard state.utf8.count <= 1_024, let point = state.lastIndex(of: "."),
            constantTimeEqual(
                String(state[state.index(after: point)...]), try derived("state", String(state[..<point]))),
            let content = Base64URL.bytes(state[..<point]).flatMap({ try? JSONValue(strictly: $0) }),
            case .integer(let until)? = content["until"], Int64(clock().timeIntervalSince1970) < until
        else { return nil }
        return content
    }

    /// Checks that a provider did what the app asked for when the visit began.
    ///
    /// - Throws: ``Refusal`` `notAsAsked`, also if the provider says nothing about it.
    private func check(_ claims: JSONValue, state: String) throws {
        guard let asked = try content(ofState: state) else { throw Refusal.stale }
        if case .integer(let earliest)? = asked["earliest"] {
            let latest = clock().timeIntervalSince1970 + ExternalTokenChecker.skew
            guard let time = claims["auth_time"]?.seconds, Double(earliest) - Self.leeway <= time, time <= latest else {
                throw Refusal.notAsAsked
            }
        }
        let contexts = asked["acr"]?.texts ?? []
        guard contexts.isEmpty || claims["acr"]?.text.map(contexts.contains) == true else { throw Refusal.notAsAsked }
    }

    /// Redeems the code that a browser brought back, and signs the provider's user in to an app.
    ///
    /// - Throws: ``Refusal``.
    package func finish(_ provider: IdentityProvider, _ back: Return, from origin: ClientOrigin) async throws
        -> SignedIn
    {
        try await signIn(
            provider, try await redeemed(back, provider), nonce: try derived("nonce", back.state), from: origin)
    }

    /// Redeems the code that a browser brought back to our own sign-in page.
    ///
    /// - Returns: The user, and the time when the user proved to the provider who they are.
    /// - Throws: ``Refusal``.
    package func person(
        _ provider: IdentityProvider, _ back: Return, from origin: ClientOrigin
    ) async throws -> (person: Person, time: Date) {
        let claims = try await claims(
            try await redeemed(back, provider), of: provider, nonce: try derived("nonce", back.state))
        do {
            try check(claims, state: back.state)
        } catch Refusal.notAsAsked {
            audit.record(
                .refused, nil, nil, from: origin, method: "oidc", reason: "the sign-in is not as new as the app asked",
                name: "\(provider.name): \(claims["sub"]?.text ?? "")")
            throw Refusal.notAsAsked
        }
        let now = clock()
        // The number can be anything. Our times never lie before 1970 or in the future.
        let time = claims["auth_time"]?.seconds.map { min(Date(timeIntervalSince1970: max($0, 0)), now) }
        return (try await admit(claims, from: provider, origin), time ?? now)
    }

    private func redeemed(_ back: Return, _ provider: IdentityProvider) async throws -> ProviderClient.Tokens {
        let description = try await asked(provider.name) { try await client.description(of: provider) }
        // The answer of one provider must not pass as that of another one.
        guard back.issuer == provider.issuer || back.issuer == nil && !description.namesItself else {
            throw Refusal.stale
        }
        return try await asked(provider.name) {
            try await client.tokens(
                from: provider,
                [
                    ("grant_type", "authorization_code"), ("code", back.code), ("redirect_uri", back.callback),
                    ("code_verifier", try derived("verifier", back.state)),
                ])
        }
    }

    /// Renews an app's tokens with the provider's refresh token.
    ///
    /// - Throws: ``Refusal``; ``AuthenticationFailure`` `overloaded`.
    package func refresh(_ provider: IdentityProvider, _ token: String, from origin: ClientOrigin) async throws
        -> SignedIn
    {
        let tokens = try await asked(provider.name) {
            try await client.tokens(from: provider, [("grant_type", "refresh_token"), ("refresh_token", token)])
        }
        var answer = try await signIn(provider, tokens, nonce: nil, from: origin)
        // The app has the refresh token that it sent; only another one is returned.
        if answer.refreshToken == token { answer.refreshToken = nil }
        return answer
    }

    func asked<Result: Sendable>(
        _ provider: String, _ work: () async throws -> Result
    ) async throws -> Result {
        let mayAsk = asking.withLock { asking in
            guard asking[provider, default: 0] < Self.maximumAsking else { return false }
            asking[provider, default: 0] += 1
            return true
        }
        guard mayAsk else { throw AuthenticationFailure.overloaded }
        defer { asking.withLock { $0[provider, default: 1] -= 1 } }
        do {
            return try await work()
        } catch let problem as DocumentFetcher.Problem {
            throw Refusal.provider(problem.description)
        }
    }

    private func signIn(
        _ provider: IdentityProvider, _ tokens: ProviderClient.Tokens, nonce: String?, from origin: ClientOrigin
    ) async throws -> SignedIn {
        let claims = try await claims(tokens, of: provider, nonce: nonce)
        let person = try await admit(claims, from: provider, origin)
        let session =
            provider.isSessionless
            ? nil
            : try await sessions.begin(
                person.holder, at: clock(), amr: ["fed"], lifetime: lifetime(of: claims))
        return SignedIn(
            name: person.name, idToken: tokens.idToken ?? "", refreshToken: tokens.refreshToken,
            accessToken: provider.includesAccessToken ? tokens.accessToken : nil,
            lifetime: provider.includesAccessToken ? tokens.lifetime : nil, session: session)
    }

    /// The claims of the id token that a provider gave.
    private func claims(
        _ tokens: ProviderClient.Tokens, of provider: IdentityProvider, nonce: String?
    ) async throws -> JSONValue {
        guard let idToken = tokens.idToken else { throw Refusal.badToken }
        guard
            let claims = try await asked(
                provider.name,
                {
                    try await client.claims(
                        of: idToken, from: provider, nonce: nonce, accessToken: tokens.accessToken)
                })
        else { throw Refusal.badToken }
        return claims
    }

    /// The lifetime of a session that an id token began: that of the token, and a minute at least.
    private func lifetime(of claims: JSONValue) -> TimeInterval {
        min(max((claims["exp"]?.seconds ?? 0) - clock().timeIntervalSince1970, 60), CookieSessions.lifetime)
    }

    // MARK: Id tokens that apps got themselves

    /// Whether a text looks like an id token of one of the providers. The signature is not checked.
    package func isProviders(_ text: String) -> Bool {
        !providers.providers.isEmpty && (try? JSONWebToken(text)).flatMap { providers.provider(of: $0.claims) } != nil
    }

    /// Finds out to whom an id token of a provider belongs; nil for any other text. A good token is checked again each minute.
    func authenticate(idToken: String, from origin: ClientOrigin) -> Authentication? {
        guard idToken.utf8.count <= JSONWebToken.maximumLength,
            idToken.utf8.count(where: { $0 == UInt8(ascii: ".") }) == 2, isProviders(idToken)
        else { return nil }
        return .later {
            let digest = try SHA256.digest(Array(idToken.utf8))
            if let found = known.identity(of: digest, now: clock()), case .user(let id) = found.caller,
                try Person(.user(id), in: directory) != nil
            {
                return found
            }
            do {
                let (person, lifetime) = try await signIn(idToken: idToken, from: origin)
                let identity = Identity(person.caller, name: person.name)
                let now = clock()
                known.remember(identity, of: digest, now: now, end: now.addingTimeInterval(lifetime))
                return identity
            } catch is Refusal {
                throw AuthenticationFailure.wrong
            }
        }
    }

    /// Signs a user in with an id token that a provider gave to the user's app (the implicit flow).
    ///
    /// - Returns: The user, and the lifetime of the token in seconds.
    /// - Throws: ``Refusal``.
    package func signIn(idToken: String, from origin: ClientOrigin) async throws -> (
        person: Person, lifetime: TimeInterval
    ) {
        guard let token = try? JSONWebToken(idToken), let provider = providers.provider(of: token.claims),
            let claims = try await asked(
                provider.name, { try await client.claims(of: idToken, from: provider, nonce: nil, accessToken: nil) })
        else { throw Refusal.notAdmitted }
        return (try await admit(claims, from: provider, origin), lifetime(of: claims))
    }

    /// The user who is linked to the issuer and the subject. The roles that the provider gives replace those that it gave before;
    /// roles that were given here stay.
    private func admit(_ claims: JSONValue, from provider: IdentityProvider, _ origin: ClientOrigin) async throws
        -> Person
    {
        let subject = claims["sub"]?.text ?? ""
        func refuse(_ reason: String) -> Refusal {
            audit.record(
                .refused, nil, nil, from: origin, method: "oidc", reason: reason,
                name: "\(provider.name): \(subject)")
            return .notAdmitted
        }
        guard let (name, isCertain) = provider.userName(claims) else { throw refuse("the token names no user") }
        let admission: Admission
        do {
            admission = try await directory.holders.admit(
                issuer: provider.issuer, subject: subject, named: name,
                orElse: isCertain ? name + "!" + SHA256.hex(subject).prefix(10) : nil, isNameCertain: isCertain,
                creating: provider.registers ? Self.account(name, claims) : nil)
        } catch let error as DirectoryError where [.invalidName, .invalidAttribute].contains(error.code) {
            throw refuse("the name cannot be a user's")
        }
        switch admission {
        case .unknown: throw refuse("nobody here has the name, and 'register' is off")
        case .taken: throw refuse("somebody else here has the name")
        case .user(let id):
            try await directory.holders.setTokenRoles(provider.roles(claims), of: id, from: provider.issuer)
            guard let person = try Person(.user(id), in: directory) else {
                throw refuse("the account is disabled")
            }
            try directory.holders.countSignIn(.password, of: person.holder)
            if claims["email_verified"] == true, let mail = claims["email"]?.text, mail.utf8.count <= 254 {
                try await directory.signInRecords.noteVerified(mail, of: id)
            }
            audit.record(.signedIn, person, nil, from: origin, method: "oidc", reason: "from " + provider.issuer)
            return person
        }
    }

    /// A new account without a password, with the provider's claims about its owner.
    private static func account(_ name: String, _ claims: JSONValue) -> NewUser {
        var attributes: AttributeSet = [:]
        for (claim, attribute) in [
            ("name", "displayName"), ("given_name", "givenName"), ("family_name", "familyName"),
        ] as [(String, AttributeName)] {
            if let text = claims[claim]?.text, (1...256).contains(text.count) { attributes[attribute] = .string(text) }
        }
        if claims["email_verified"] == true, let mail = claims["email"]?.text, (3...254).contains(mail.utf8.count) {
            attributes["mail"] = .string(mail)
        }
        var user = NewUser(name, attributes: attributes)
        user.isNamedByProvider = true
        return user
    }
}

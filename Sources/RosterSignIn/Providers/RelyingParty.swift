package import Foundation
import Roster
import RosterCrypto
import RosterText

/// Signing in with providers of identities, ourselves being their client: the code flow of OpenID Connect between an app and
/// a provider, as Couchbase Sync Gateway has it, with PKCE and a nonce always.
///
/// Nothing is kept while somebody is at the provider: what comes back is sealed, and nonce and verifier are made of it.
package struct RelyingParty: Sendable {
    /// Whom people can sign in with.
    package let providers: IdentityProviders
    private let oauth: OAuthService
    private let client: ProviderClient
    private let social: SocialSignIn
    private let asking = Locked<[String: Int]>([:])
    /// How many requests to a provider are on their way at a time: strangers can have us send them.
    private static let maximumAsking = 64

    package init(_ providers: IdentityProviders, _ oauth: OAuthService) {
        self.providers = providers
        self.oauth = oauth
        client = ProviderClient(clock: oauth.clock)
        social = SocialSignIn(oauth)
    }

    /// Why somebody is not let in.
    package enum Refusal: Error, Sendable, Hashable {
        /// The request is not one that was begun here, by this browser, a moment ago.
        case stale
        /// The provider does not answer, or not with what it should. The text is for the log.
        case provider(String)
        /// The provider sent no id token, or one whose signature, issuer, audience, nonce or time is wrong.
        case badToken
        /// The provider does not say that somebody signed in as lately, or in the way, as the app asked.
        case notAsAsked
        /// The provider's word is not enough.
        case notAdmitted
    }

    /// How long somebody may take at a provider, in seconds.
    package static let patience: Int64 = 300

    // MARK: Going and coming back

    /// A visit to a provider.
    package struct Visit: Sendable {
        /// Where the browser goes.
        package let url: String
        /// What it comes back with, and keeps in a cookie meanwhile.
        package let state: String
    }

    /// What an app asks of a sign-in (OpenID Connect Core, section 3.1.2.1). The provider is asked for the same, and what it
    /// answers is checked.
    package struct Demands: Sendable {
        /// `prompt`: `login` and `select_account`.
        let prompts: [String]
        /// `max_age`: how long ago, in seconds, the user may have proved who they are when the browser leaves for the provider.
        let maximumAge: Int64?
        /// `acr_values`.
        let contexts: [String]

        /// Nothing is asked.
        package static let none = Demands(prompts: [], maximumAge: nil, contexts: [])

        private init(prompts: [String], maximumAge: Int64?, contexts: [String]) {
            self.prompts = prompts
            self.maximumAge = maximumAge
            self.contexts = contexts
        }

        /// What a request asks.
        package init(_ request: AuthorizationRequest) {
            prompts = ["login", "select_account"].filter(request.prompts.contains)
            // A provider must tell when somebody signed in where an age is asked for; 0 means what the prompt 'login' means.
            maximumAge = request.maximumAge ?? (prompts.contains("login") ? 0 : nil)
            contexts = request.contexts
        }

        /// How long ago the user may have proved who they are, in seconds; nil where that is all the same.
        var allowedAge: Int64? { prompts.contains("login") ? 0 : maximumAge }
    }

    /// How far a provider's clock may be behind, in seconds, where it says when somebody signed in.
    private static let leeway: Double = 10

    /// Begins to sign in with a provider.
    ///
    /// - Parameters:
    ///   - callback: Where the browser is to come back to.
    ///   - isOffline: Whether the app wants to stay signed in (`offline=true`).
    ///   - demands: What the app asks of the sign-in.
    /// - Throws: ``Refusal`` `provider`.
    package func begin(
        _ provider: IdentityProvider, callback: String, isOffline: Bool, demands: Demands = .none
    ) async throws -> Visit {
        let description = try await asked(provider.name) { try await client.description(of: provider) }
        let now = Int64(oauth.clock().timeIntervalSince1970)
        var content: JSONValue = [
            "provider": .string(provider.name), "random": .string(try SecureRandom.token(bytes: 16)),
            "until": .integer(now + Self.patience),
        ]
        if let age = demands.allowedAge { content["earliest"] = .integer(now - min(age, now)) }
        if !demands.contexts.isEmpty { content["acr"] = .array(demands.contexts.map { .string($0) }) }
        let text = Base64URL.text(content.bytes)
        let state = text + "." + (try derived("state", text))
        let challenge = Base64URL.text(try SHA256.digest(Array(try derived("verifier", state).utf8)))
        var parameters = [
            ("response_type", "code"), ("client_id", provider.clientID), ("redirect_uri", callback),
            ("scope", provider.scopes.joined(separator: " ")), ("state", state),
            ("nonce", try derived("nonce", state)), ("code_challenge", challenge), ("code_challenge_method", "S256"),
        ]
        let prompts = demands.prompts + (isOffline ? ["consent"] : [])
        if isOffline { parameters.append(("access_type", "offline")) }
        if !prompts.isEmpty { parameters.append(("prompt", prompts.joined(separator: " "))) }
        if let age = demands.maximumAge { parameters.append(("max_age", String(age))) }
        if !demands.contexts.isEmpty {
            parameters.append(("acr_values", demands.contexts.joined(separator: " ")))
        }
        let query = parameters.map { "\($0.0)=\(PercentEncoding.text($0.1))" }.joined(separator: "&")
        let endpoint = description.authorizationEndpoint
        return Visit(url: endpoint + (endpoint.contains("?") ? "&" : "?") + query, state: state)
    }

    /// Text that only we can make of another one.
    private func derived(_ purpose: String, _ text: String) throws -> String {
        Base64URL.text(try HMACSHA256.code(for: Array("\(purpose)\n\(text)".utf8), key: oauth.keys.visitKey))
    }

    /// The provider that a state was made for, where it was made here and is not too old.
    package func provider(ofState state: String) throws -> IdentityProvider? {
        try content(ofState: state)?["provider"]?.text.flatMap { providers.providers[$0] }
    }

    private func content(ofState state: String) throws -> JSONValue? {
        guard state.utf8.count <= 1_024, let point = state.lastIndex(of: "."),
            constantTimeEqual(
                String(state[state.index(after: point)...]), try derived("state", String(state[..<point]))),
            let content = Base64URL.bytes(state[..<point]).flatMap({ try? JSONValue(strictly: $0) }),
            case .integer(let until)? = content["until"], Int64(oauth.clock().timeIntervalSince1970) < until
        else { return nil }
        return content
    }

    /// Checks that a provider did what the app asked for when the visit began.
    ///
    /// - Throws: ``Refusal`` `notAsAsked`, also where the provider says nothing of it.
    private func check(_ claims: JSONValue, state: String) throws {
        guard let asked = try content(ofState: state) else { throw Refusal.stale }
        if case .integer(let earliest)? = asked["earliest"] {
            let latest = oauth.clock().timeIntervalSince1970 + ExternalTokenChecker.skew
            guard let time = claims["auth_time"]?.seconds, Double(earliest) - Self.leeway <= time, time <= latest else {
                throw Refusal.notAsAsked
            }
        }
        let contexts = asked["acr"]?.elements.compactMap(\.text) ?? []
        guard contexts.isEmpty || claims["acr"]?.text.map(contexts.contains) == true else { throw Refusal.notAsAsked }
    }

    /// What an app is given that has signed in with a provider.
    package struct SignedIn: Sendable {
        package let name: String
        package let idToken: String
        package let refreshToken: String?
        package let accessToken: String?
        package let lifetime: Int64?
        /// What the cookie of the session holds; nil where the provider's entry wants none.
        package let session: String?
    }

    /// What a browser brings back from a provider.
    package struct Return: Sendable {
        package let code: String
        /// It has been checked to be this browser's.
        package let state: String
        /// `iss`, where the provider said who it is (RFC 9207).
        package let issuer: String?
        /// Where the browser was to come back to.
        package let callback: String

        package init(code: String, state: String, issuer: String?, callback: String) {
            self.code = code
            self.state = state
            self.issuer = issuer
            self.callback = callback
        }
    }

    /// Redeems the code that a browser brought back, and signs an app in as whom the provider vouches for.
    ///
    /// - Throws: ``Refusal``.
    package func finish(_ provider: IdentityProvider, _ back: Return, from peer: String) async throws -> SignedIn {
        try await signIn(
            provider, try await redeemed(back, provider), nonce: try derived("nonce", back.state), from: peer)
    }

    /// Redeems the code that a browser brought back to our own sign-in page.
    ///
    /// - Returns: Whom the provider vouches for, and when they proved to it who they are.
    /// - Throws: ``Refusal``.
    package func person(
        _ provider: IdentityProvider, _ back: Return, from peer: String
    ) async throws -> (person: Person, time: Date) {
        let claims = try await claims(
            try await redeemed(back, provider), of: provider, nonce: try derived("nonce", back.state))
        do {
            try check(claims, state: back.state)
        } catch Refusal.notAsAsked {
            oauth.tell(
                .refused, nil, nil, from: peer, means: "oidc", reason: "the sign-in is not as new as the app asked",
                name: "\(provider.name): \(claims["sub"]?.text ?? "")")
            throw Refusal.notAsAsked
        }
        let now = oauth.clock()
        // Whatever number stands there: no time of ours lies before 1970 or in the future.
        let time = claims["auth_time"]?.seconds.map { min(Date(timeIntervalSince1970: max($0, 0)), now) }
        return (try await admit(claims, from: provider, peer), time ?? now)
    }

    private func redeemed(_ back: Return, _ provider: IdentityProvider) async throws -> ProviderClient.Tokens {
        let description = try await asked(provider.name) { try await client.description(of: provider) }
        // An answer of one provider must not be taken for another one's.
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

    /// Renews what an app has, with the provider's refresh token.
    ///
    /// - Throws: ``Refusal``; ``AuthenticationFailure`` `overloaded`.
    package func refresh(_ provider: IdentityProvider, _ token: String, from peer: String) async throws -> SignedIn {
        let tokens = try await asked(provider.name) {
            try await client.tokens(from: provider, [("grant_type", "refresh_token"), ("refresh_token", token)])
        }
        var answer = try await signIn(provider, tokens, nonce: nil, from: peer)
        // The app has the token that it sent: only another one is worth telling.
        if answer.refreshToken == token { answer = answer.without(refreshToken: token) }
        return answer
    }

    private func asked<Result: Sendable>(
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
        } catch let problem as ProviderClient.Problem {
            throw Refusal.provider(problem.description)
        }
    }

    private func signIn(
        _ provider: IdentityProvider, _ tokens: ProviderClient.Tokens, nonce: String?, from peer: String
    ) async throws -> SignedIn {
        let claims = try await claims(tokens, of: provider, nonce: nonce)
        let person = try await admit(claims, from: provider, peer)
        let session =
            provider.isSessionless
            ? nil
            : try await oauth.sessions.begin(
                person.holder, at: oauth.clock(), means: ["fed"], lifetime: lifetime(of: claims))
        return SignedIn(
            name: person.name, idToken: tokens.idToken ?? "", refreshToken: tokens.refreshToken,
            accessToken: provider.includesAccessToken ? tokens.accessToken : nil,
            lifetime: provider.includesAccessToken ? tokens.lifetime : nil, session: session)
    }

    /// The claims of the id token among what a provider gave.
    private func claims(
        _ tokens: ProviderClient.Tokens, of provider: IdentityProvider, nonce: String?
    ) async throws -> JSONValue {
        guard let idToken = tokens.idToken else { throw Refusal.badToken }
        guard
            let claims = try await asked(
                provider.name, { try await client.claims(of: idToken, from: provider, nonce: nonce) })
        else { throw Refusal.badToken }
        return claims
    }

    /// How long a session lives that an id token began: as long as the token is good, and a minute at least.
    private func lifetime(of claims: JSONValue) -> TimeInterval {
        min(max((claims["exp"]?.seconds ?? 0) - oauth.clock().timeIntervalSince1970, 60), SessionKeeper.lifetime)
    }

    // MARK: Tokens that apps got themselves

    /// Whether a text looks like an id token of one of the providers. Says nothing about whether it is good.
    package func isProviders(_ text: String) -> Bool {
        !providers.providers.isEmpty && (try? JSONWebToken(text)).flatMap { providers.provider(of: $0.claims) } != nil
    }

    /// Signs in whoever brings an id token that a provider gave to their app (the implicit flow).
    ///
    /// - Returns: Who it is, and for how long the token says so, in seconds.
    /// - Throws: ``Refusal``.
    package func signIn(idToken: String, from peer: String) async throws -> (person: Person, lifetime: TimeInterval) {
        guard let token = try? JSONWebToken(idToken), let provider = providers.provider(of: token.claims),
            let claims = try await asked(
                provider.name, { try await client.claims(of: idToken, from: provider, nonce: nil) })
        else { throw Refusal.notAdmitted }
        return (try await admit(claims, from: provider, peer), lifetime(of: claims))
    }

    /// The user whom a provider vouches for: the one who is linked to issuer and subject. The roles that it gives replace those
    /// that it gave before; those that were given here stay.
    private func admit(_ claims: JSONValue, from provider: IdentityProvider, _ peer: String) async throws -> Person {
        let subject = claims["sub"]?.text ?? ""
        func refuse(_ reason: String) -> Refusal {
            oauth.tell(
                .refused, nil, nil, from: peer, means: "oidc", reason: reason,
                name: "\(provider.name): \(subject)")
            return .notAdmitted
        }
        guard let (name, isCertain) = provider.userName(claims) else { throw refuse("the token names no user") }
        let admission: Admission
        do {
            admission = try await oauth.directory.admit(
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
            try await oauth.directory.setTokenRoles(provider.roles(claims), of: id, from: provider.issuer)
            guard let person = try Person(.user(id), in: oauth.directory) else {
                throw refuse("the account is disabled")
            }
            oauth.tell(.signedIn, person, nil, from: peer, means: "oidc", reason: "from " + provider.issuer)
            return person
        }
    }

    /// An account without a password, with what the provider tells of its owner.
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
        return NewUser(name, attributes: attributes)
    }

    // MARK: Social login

    /// Whoever a social provider's access token is of; nil where there is no provider of that name.
    package func socialIdentity(
        provider name: String, token: String, from peer: String
    ) async throws -> Identity? {
        guard let provider = providers.social[name] else { return nil }
        return try await asked(provider.name) { try await social.identity(provider, token, from: peer) }
    }
}

extension RelyingParty.SignedIn {
    fileprivate func without(refreshToken: String) -> Self {
        Self(
            name: name, idToken: idToken, refreshToken: nil, accessToken: accessToken, lifetime: lifetime,
            session: session)
    }
}

public import RosterClient
import RosterSecrets
import RosterText
import RosterTransport

/// Signing in with name and password, or with the token of a social provider.
extension MobileBackendAuthorization: RESTCredentials {
    /// How a user came who did not come by an exchange.
    enum Login: Sendable {
        /// The name and the password, which go with each call (RFC 7617).
        case basic(String)
        /// The provider's name and its access token.
        case social(provider: String, token: String)
        case account(Account)
    }

    private static let accountID = "mobile backend"

    /// Signs a user in with name and password. Mirrors `authenticate:password:completionBlock:`.
    ///
    /// With a client id (``MobileBackend/clientID``) the server gives tokens, which are kept in the store and renewed; the backend needs
    /// the grant `password`, which `roster backend create --for app` gives. Without a client id the name and the password stay in
    /// memory, and go with each call.
    ///
    /// - Parameters:
    ///   - userName: The user's name.
    ///   - password: The user's password.
    ///   - secondFactor: The second factor, after a first attempt threw `secondFactorRequired`. OAuth only.
    /// - Throws: `ClientError`: `wrongCredentials`; the errors of `Authenticator.signIn(account:userName:password:secondFactor:)`;
    ///   `CancellationError`.
    public func authenticate(
        userName: String, password: String, secondFactor: SecondFactorAnswer = SecondFactorAnswer()
    ) async throws {
        let login: Login
        if let authenticator {
            login = .account(
                try await authenticator.signIn(
                    account: Self.accountID, userName: userName, password: password, secondFactor: secondFactor))
        } else {
            guard !userName.contains(":") else {
                throw ClientError.invalidInput(
                    "A name with a colon cannot be sent with HTTP Basic.", "Give the backend's client id.")
            }
            login = .basic(Base64.text(Array("\(userName):\(password)".utf8)))
            try await check(login)
        }
        try await begin(login)
    }

    /// Signs a user in with the access token of a social provider. The token stays in memory. Mirrors `authenticateSocial:`.
    ///
    /// - Parameters:
    ///   - accessToken: The token that the provider gave the app.
    ///   - provider: The provider's name in the server's document of providers.
    /// - Throws: `ClientError`: `wrongCredentials` if the server does not accept the token; `badConfiguration` if the backend was named
    ///   without an anonymous key; `unreachable`, `serverBusy`, `serverFailed`; `CancellationError`.
    public func authenticateSocial(accessToken: String, provider: String = "facebook") async throws {
        guard
            [accessToken, provider].allSatisfy({ text in
                (1...8_192).contains(text.utf8.count) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
            })
        else {
            throw ClientError.invalidInput(
                "The provider's token has characters that no token has.", "Give the token as the provider gave it.")
        }
        let login = Login.social(provider: provider, token: accessToken)
        try await check(login)
        try await begin(login)
    }

    /// Signs the user out. The tokens are removed from this device first, also without a network; the server ends those of OAuth. Mirrors
    /// `logout:`.
    ///
    /// - Throws: The errors of the store; `CancellationError`.
    public func logout() async throws {
        state.withLock { $0 = State() }
        try await changing { store, key in
            try store.remove(named: key)
            try store.remove(named: key + "/exchange")
        }
        _ = try await authenticator?.account(Self.accountID)?.signOut()
    }

    /// The account of a user who signed in with OAuth, also before an earlier end of the app; nil for everybody else.
    ///
    /// - Throws: The errors of the store.
    public var account: Account? {
        get throws {
            switch try? held() {
            case .account(let account)?: account
            case nil: try authenticator?.account(Self.accountID)
            default: nil
            }
        }
    }

    /// Whether a refused token can be replaced by a new one.
    package var canRenew: Bool { (try? account) != nil }

    /// Takes a login into use, in place of an exchanged token.
    private func begin(_ login: Login) async throws {
        state.withLock { $0 = State(login: login) }
        try await changing { store, key in
            try store.remove(named: key)
            try store.remove(named: key + "/exchange")
        }
    }

    /// Asks the server whether it accepts a login.
    private func check(_ login: Login) async throws {
        let token = try token(of: login)
        let request = token.authorizing(TransportRequest("GET", base + "/mobile/platform/users/~"))
        let reply: ProviderConnection.Reply
        do { reply = try await connection.send(request, deadline: .seconds(15)) } catch let error as TransportError {
            throw ClientError(error)
        }
        switch reply.status {
        case 200: return
        case 401:
            throw ClientError(
                .wrongCredentials, "The server does not accept the name and the password, or the provider's token.",
                advice: "Let the user try again.")
        default: throw reply.failure(at: "sign-in")
        }
    }

    // MARK: Tokens

    private enum Held {
        case exchanged(Token)
        case account(Account)
        case other(Login)
    }

    private func held() throws -> Held {
        let (token, login) = state.withLock { ($0.token, $0.login) }
        if case .account(let account)? = login { return .account(account) }
        if let login { return .other(login) }
        if let token, token.isAlive(clock()) { return .exchanged(token) }
        if token == nil, let account = try authenticator?.account(Self.accountID) { return .account(account) }
        throw ClientError.notSignedIn("There is no token of the backend, or it has expired.")
    }

    /// The credential of a login without an account.
    private func token(of login: Login) throws -> RESTToken {
        switch login {
        case .basic(let text): return bearing("Basic", text)
        case .social(let provider, let text):
            guard let key = backend.anonymousKey else {
                throw ClientError(
                    .badConfiguration, "The backend has no anonymous key, which goes with a provider's token.",
                    advice: "Give the key that the server showed when the backend was made.")
            }
            var token = bearing("Basic", key)
            token.fields.add("Oracle-Mobile-Social-Identity-Provider", provider)
            token.fields.add("Oracle-Mobile-Social-Access-Token", text)
            return token
        case .account: throw Account.ended
        }
    }

    private func bearing(_ scheme: String, _ text: String) -> RESTToken {
        RESTToken(scheme: scheme, text: text, fields: [Self.backendField: backend.backendID])
    }

    /// The token of an exchange, unless the server has refused it: only the app can get another one.
    private func bearing(_ token: Token, replacing refused: String?) throws -> RESTToken {
        guard token.text != refused else {
            throw ClientError.notSignedIn("The server does not accept the exchanged token any more.")
        }
        return bearing(RESTToken.bearer, token.text)
    }

    /// The credential of the user, in place of one that was refused.
    ///
    /// - Parameter scopes: The scopes that the token of an account must have. The scopes of other tokens are not known.
    package func token(replacing refused: String?, _ scopes: [String]) async throws -> RESTToken {
        switch try held() {
        case .exchanged(let token): return try bearing(token, replacing: refused)
        case .other(let login): return try token(of: login)
        case .account(let account):
            guard let refused else {
                return bearing(RESTToken.bearer, try await account.validAccessToken(scopes: scopes))
            }
            return bearing(RESTToken.bearer, try await account.accessToken(replacing: refused, scopes: scopes))
        }
    }

    /// The credential of the user, for a caller that waits on its thread.
    package func tokenAndWait(replacing refused: String?, _ scopes: [String]) throws -> RESTToken {
        switch try held() {
        case .exchanged(let token): return try bearing(token, replacing: refused)
        case .other(let login): return try token(of: login)
        case .account(let account):
            guard let refused else {
                return bearing(RESTToken.bearer, try account.validAccessTokenAndWait(scopes: scopes))
            }
            return bearing(RESTToken.bearer, try account.accessTokenAndWait(replacing: refused, scopes: scopes))
        }
    }
}

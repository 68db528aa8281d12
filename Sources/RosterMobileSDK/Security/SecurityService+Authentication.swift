public import Foundation
import RosterClient
import RosterText

/// Signing in.
extension SecurityService {
    /// The name and the password of a sign-in, and the second factor that the user gave.
    struct Login {
        var userName: String
        var password: String
        var factor: SecondFactorAnswer
    }

    /// Signs a user in, and tells the delegate. Mirrors `startAuthenticationProcess:presenterViewController:`.
    ///
    /// A request without a password returns the session that there is, without asking the server or the app, if the session is of the
    /// user whom the request names, and has the scopes that the request names. A request for an online sign-in does not return an
    /// offline session. A password is always checked.
    ///
    /// - Parameter request: How the user signs in.
    /// - Returns: The context of the user, which replaces that of any other user.
    /// - Throws: `ClientError`: `wrongCredentials`; `secondFactorRequired` without a challenge handler; `signInCancelled`;
    ///   `offlineNotAllowed`; `onlineSignInRequired` if nothing is kept any more after too many wrong passwords; `invalidInput` for a
    ///   request without a name or a password; `signInInProgress`; the errors of ``setup()`` and of
    ///   `Authenticator.signIn(account:userName:password:secondFactor:)`. The handler's errors; `CancellationError`.
    @discardableResult
    public func startAuthentication(_ request: AuthenticationRequest) async throws -> AuthenticationContext {
        let result: Result<AuthenticationContext, any Error>
        do {
            result = .success(
                try await exclusively {
                    if let running = try running(for: request) { return running }
                    return try await authenticate(request)
                })
        } catch {
            result = .failure(error)
        }
        delegate?.securityService(self, didFinishAuthentication: result)
        return try result.get()
    }

    /// The session that there is, if a request can have it; nil if the user must sign in. The session is used then.
    private func running(for request: AuthenticationRequest) throws -> AuthenticationContext? {
        guard request.password == nil, let context = try authenticationContext,
            context.isOnline || request.connectivityMode != .online,
            request.userName.map({ $0 == context.userName }) ?? true,
            request.identityDomain.map({ $0 == context.identityDomain }) ?? true,
            Set(request.scopes ?? []).isSubset(of: context.account?.scopes ?? []),
            try left(of: context.record, isUse: true) != nil
        else { return nil }
        return context
    }

    private func authenticate(_ request: AuthenticationRequest) async throws -> AuthenticationContext {
        if request.connectivityMode == .offline { return try await offline(request, nil) }
        switch try await reach() {
        case .profile:
            var progress = Progress()
            do {
                return try await online(request, &progress)
            } catch let error as ClientError
                where [.unreachable, .tls, .serverFailed].contains(error.code) && request.connectivityMode == .auto
                && !progress.hasAnswered && (try? policy.allowsOffline) == true && request.browser == nil
            {
                return try await offline(request, progress.login)
            }
        case .unreachable(let error):
            guard request.connectivityMode == .auto, try policy.allowsOffline else { throw error }
            return try await offline(request, nil)
        }
    }

    // MARK: Online

    /// How far an online sign-in has come.
    struct Progress {
        var login: Login?
        /// Whether the server has refused something, or asked for more. The device alone must not decide then.
        var hasAnswered = false
    }

    private func online(
        _ request: AuthenticationRequest, _ progress: inout Progress
    ) async throws -> AuthenticationContext {
        let scopes = request.scopes ?? properties.scopes
        guard let authenticator = try authenticator(scopes: scopes) else { throw Self.noProfile }
        if let browser = request.browser {
            let account = try await authenticator.signIn(account: Self.accountID, callback: browser)
            return try await begin(account, account.userName, request)
        }
        let keepsPassword = try policy.allowsOffline
        return try await asking(request, &progress) { login in
            let account = try await signIn(login, authenticator)
            if keepsPassword {
                try await offline.keep(
                    login.password, of: login.userName, request.identityDomain, account: account.sessionID)
            }
            return try await begin(account, login.userName, request)
        }
    }

    /// Signs in as the registered device, or as the app if there is no device or the server has ended the registration.
    private func signIn(_ login: Login, _ authenticator: Authenticator) async throws -> Account {
        func signIn(_ handle: String?) async throws -> Account {
            try await authenticator.signIn(
                account: Self.accountID, userName: login.userName, password: login.password,
                secondFactor: login.factor, handle: handle)
        }
        guard let handle = try deviceHandle else { return try await signIn(nil) }
        do { return try await signIn(handle) } catch let error as ClientError where error.code == .badConfiguration {
            let account = try await signIn(nil)
            try forgetDevice(handle)
            return account
        }
    }

    /// Tries a name, a password and a second factor, and asks for others as often as the policy allows.
    ///
    /// - Parameter attempt: Sends the login to the server.
    func asking<Value>(
        _ request: AuthenticationRequest, _ progress: inout Progress, _ attempt: (Login) async throws -> Value
    ) async throws -> Value {
        let maximum = try policy.maximumLoginAttempts
        var number = 1
        var login = try await login(request, number, nil)
        while true {
            progress.login = login
            do {
                return try await attempt(login)
            } catch let error as ClientError where error.code == .secondFactorRequired {
                progress.hasAnswered = true
                // A factor was sent already, and was not enough.
                guard let challenge = request.challenge, !login.factor.isGiven else { throw error }
                let asked = error.questions.isEmpty ? AuthenticationChallenge.code : .questions(error.questions)
                guard case .secondFactor(let factor) = try await challenge(asked) else { throw Self.cancelled }
                login.factor = factor
            } catch let error as ClientError where error.code == .wrongCredentials {
                progress.hasAnswered = true
                if !login.factor.isGiven {
                    try await offline.forget(login.password, of: login.userName, request.identityDomain)
                }
                number += 1
                guard number <= maximum, request.challenge != nil else { throw error }
                login = try await self.login(request, number, error)
            }
        }
    }

    private func begin(
        _ account: Account, _ userName: String?, _ request: AuthenticationRequest
    ) async throws -> AuthenticationContext {
        do {
            return try begin(
                SessionRecord(
                    userName: userName, identityDomain: request.identityDomain, isOnline: true,
                    accountSession: account.sessionID, at: sessions.now()))
        } catch {
            // Nobody can use the tokens without a session.
            _ = try? await account.signOut()
            throw error
        }
    }

    // MARK: Offline

    private func offline(_ request: AuthenticationRequest, _ known: Login?) async throws -> AuthenticationContext {
        let policy = try policy
        guard policy.allowsOffline else {
            throw ClientError(
                .offlineNotAllowed, "The server does not permit the app to sign users in offline.",
                advice: "Sign in while the server can be reached.")
        }
        var attempt = 1
        var login: Login
        if let known { login = known } else { login = try await self.login(request, attempt, nil) }
        while true {
            let verdict = try await offline.check(
                login.password, of: login.userName, request.identityDomain, maximum: policy.maximumLoginAttempts)
            switch verdict {
            case .right(let account):
                return try begin(
                    SessionRecord(
                        userName: login.userName, identityDomain: request.identityDomain, isOnline: false,
                        accountSession: account, at: sessions.now()))
            case .exhausted:
                throw ClientError(
                    .onlineSignInRequired, "After too many wrong passwords the user cannot sign in offline.",
                    advice: "Sign in while the server can be reached.")
            case .wrong:
                let error = ClientError(
                    .wrongCredentials, "The name or the password is wrong, or nothing is kept for the user.",
                    advice: "Let the user try again, or sign in while the server can be reached.")
                attempt += 1
                guard attempt <= policy.maximumLoginAttempts, request.challenge != nil else { throw error }
                login = try await self.login(request, attempt, error)
            }
        }
    }

    /// Keeps the credential of an app that used Oracle's SDK, so that its user can sign in offline at once. The hash is replaced
    /// by one with scrypt when the user signs in; a password that is encrypted or in plain text is replaced now.
    ///
    /// - Parameters:
    ///   - credential: The credential, such as `{SaltedSHA-512}…` or `{AES}…`. Without a name in braces, the scheme is the `cryptoScheme` of the
    ///     properties; plain text is accepted only if that is `plainText`.
    ///   - userName: The user's name.
    ///   - identityDomain: The user's identity domain; nil for none.
    ///   - key: The old app's `symmetricEncryptionKey`, 16, 24 or 32 bytes, for `{AES}…`; nil for none.
    /// - Throws: `ClientError`: `offlineNotAllowed`, `invalidInput` for a credential that cannot be read; `decryptionFailed` for another
    ///   key; the errors of the store.
    public func importOfflineCredential(
        _ credential: String, for userName: String, identityDomain: String? = nil, key: Data? = nil
    ) async throws {
        guard try policy.allowsOffline else {
            throw ClientError(
                .offlineNotAllowed, "The server does not permit the app to sign users in offline.",
                advice: "Call setup before, and ask the server's administrator.")
        }
        let scheme = properties.cryptoScheme
        if scheme == .plainText, !credential.hasPrefix("{") {
            return try await offline.keep(credential, of: userName, identityDomain)
        }
        if credential.hasPrefix("{AES}") || scheme == .aes && !credential.hasPrefix("{") {
            return try await offline.keep(try Self.decrypted(credential, key), of: userName, identityDomain)
        }
        let isNamed = credential.hasPrefix("{") || credential.hasPrefix("$")
        let hash = isNamed ? credential : "{\(scheme.rawValue)}\(credential)"
        // A hash that cannot be read is refused now.
        _ = try CryptoService.verify(password: "", hash: hash)
        try await offline.keep(hash: hash, of: userName, identityDomain)
    }

    /// The password in a credential that Oracle's SDK encrypted: with CBC, PKCS #7, and an initialization vector of zeros.
    private static func decrypted(_ credential: String, _ key: Data?) throws -> String {
        guard let key else {
            throw ClientError.invalidInput(
                "The credential is encrypted, and there is no key.", "Give the old app's 'symmetricEncryptionKey'.")
        }
        let bytes = try CryptoService.decrypt(text: credential, key: key, insecure: InsecureCipher())
        guard let password = String(validating: bytes, as: UTF8.self),
            (1...CryptoService.longestPassword).contains(password.utf8.count)
        else {
            throw ClientError(
                .decryptionFailed, "The decrypted credential is not a password.",
                advice: "Give the key with which the credential was encrypted.")
        }
        return password
    }

    // MARK: Challenges

    static let noProfile = ClientError(
        .badConfiguration, "The service has no profile of the app.", advice: "Call setup first.")

    private func login(
        _ request: AuthenticationRequest, _ attempt: Int, _ error: ClientError?
    ) async throws -> Login {
        if attempt == 1, let name = request.userName, let password = request.password {
            return Login(userName: name, password: password, factor: request.secondFactor)
        }
        guard let challenge = request.challenge else {
            throw ClientError.invalidInput(
                "The request has no name or no password, and nobody to ask.",
                "Give both, or a challenge handler, or the browser.")
        }
        let answer = try await challenge(.userNameAndPassword(attempt: attempt, error: error))
        guard case .userNameAndPassword(let name, let password) = answer else { throw Self.cancelled }
        return Login(userName: name, password: password, factor: SecondFactorAnswer())
    }
}

extension SecondFactorAnswer {
    fileprivate var isGiven: Bool { code != nil || !answers.isEmpty }
}

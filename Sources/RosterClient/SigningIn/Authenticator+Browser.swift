public import Foundation
import RosterOpenID
import RosterText

/// Signing in with the system's browser: the code flow of OpenID Connect (RFC 6749, section 4.1; RFC 7636; RFC 8252).
extension Authenticator {
    /// Signs a user in with the system's browser, which comes back to a loopback URL.
    ///
    /// The sign-in can take ten minutes. To give up earlier, cancel the task.
    ///
    /// - Parameters:
    ///   - account: The app's own label for the user; most apps need only the default.
    ///   - maximumAge: The seconds since the user proved who they are, at most; 0 asks always. nil for any.
    ///   - options: What is asked of the page.
    ///   - opening: Opens the sign-in page in the system's browser, and returns.
    /// - Throws: The errors of ``signIn(account:maximumAge:options:callback:)``. `badConfiguration` for an app whose redirect URL is not a
    ///   loopback URL, because only the app gets that URL.
    public func signIn(
        account: String = "default", maximumAge: Int? = nil, options: SignInOptions = SignInOptions(),
        opening: @escaping @Sendable (_ loginURL: URL) -> Void
    ) async throws -> Account {
        guard case .loopback = provider.registration.redirect else {
            throw ClientError(
                .badConfiguration, "The system gives the redirected URL to the app, and not to the library.",
                advice: "Take the sign-in with a callback, and give the redirected URL to its continuation.")
        }
        return try await signIn(account: account, maximumAge: maximumAge, options: options) { loginURL, _, _ in
            opening(loginURL)
        }
    }

    /// Signs a user in with the system's browser.
    ///
    /// The sign-in can take ten minutes. It is in the store before the browser opens: if the app ends meanwhile, give the redirected URL
    /// to ``resume(_:)`` after the next start. That needs a redirect URL with the app's own scheme, because nobody listens at a loopback
    /// URL while the app does not run.
    ///
    /// - Parameters:
    ///   - account: The app's own label for the user; most apps need only the default. The session of a user who is signed in to the
    ///     account is replaced.
    ///   - maximumAge: The seconds since the user proved who they are, at most; 0 asks always, such as for another user of the same
    ///     browser. nil for any.
    ///   - options: What is asked of the page. Some servers give refresh tokens only with the prompt
    ///     ``SignInOptions/Prompt/consent``.
    ///   - callback: Opens the browser.
    /// - Throws: ``ClientError``: `signInCancelled`; `signInExpired`, also after a later sign-in to the account or a sign-out; `refused`, `badToken`, `clockWrong`, `badAnswer`, `unreachable`,
    ///   `serverBusy`, `serverFailed`, `badConfiguration`, the errors of the store; the callback's error; `CancellationError`.
    public func signIn(
        account: String = "default", maximumAge: Int? = nil, options: SignInOptions = SignInOptions(),
        callback: LoginCallback
    ) async throws -> Account {
        try SessionStore.check(account)
        let form = try options.form(lastUser: try sessions.lastUserName(of: account, now: provider.clock()))
        let metadata = try await provider.metadata()
        try provider.checkEndpoints(metadata)
        var listener: LoopbackListener?
        let redirectURI: String
        switch provider.registration.redirect {
        case .loopback(let path, let port):
            let made = try LoopbackListener(path: path, port: port)
            (listener, redirectURI) = (made, made.url)
        case .url(let text): redirectURI = text
        }
        defer { listener?.stop() }
        let pending = try PendingSignIn(
            account: account, redirectURI: redirectURI, maximumAge: maximumAge.map { min(max($0, 0), 1 << 31) },
            begun: provider.clock())
        guard let loginURL = URL(string: try pending.loginURL(metadata, provider.registration, options: form)),
            let redirectURL = URL(string: redirectURI)
        else { throw ClientError.badAnswer("The server's sign-in page has no valid URL.") }
        try await sessions.add(pending, now: provider.clock())
        let continuation = LoginContinuation(result: SharedResult())
        listener?.start(state: pending.state, seconds: PendingSignIn.patience) { url in
            continuation(URL(string: url))
        }
        callback(loginURL, redirectURL, continuation)
        do {
            guard let redirected = try await redirected(continuation, listener) else {
                throw ClientError(.signInCancelled, "The sign-in was cancelled.", advice: "Let the user begin again.")
            }
            return try await resume(redirected)
        } catch {
            // An answer that comes later must not sign anybody in.
            _ = try? await sessions.remove(pending)
            throw error
        }
    }

    private func redirected(_ continuation: LoginContinuation, _ listener: LoopbackListener?) async throws -> URL? {
        let end = Task { [sleep] in
            try await sleep(.seconds(PendingSignIn.patience))
            let last = listener?.lastProblem.map { " The last URL with which a browser came back \($0.text)." } ?? ""
            continuation(
                nil,
                error: ClientError(
                    .signInExpired, "The browser did not come back with an answer within ten minutes." + last,
                    advice: "Let the user begin again."))
        }
        defer { end.cancel() }
        return try await continuation.result.value()
    }

    private static let expired = ClientError(
        .signInExpired, "The sign-in was not begun by this app, was used already, or took too long.",
        advice: "Let the user begin again.")

    /// Ends a sign-in whose browser came back, also after the app was started anew.
    ///
    /// - Parameter redirectedURL: The URL to which the sign-in page redirected the browser.
    /// - Returns: The account that was named when the sign-in began.
    /// - Throws: The errors of ``signIn(account:maximumAge:options:callback:)``. `signInExpired` also for a URL that was used already.
    public func resume(_ redirectedURL: URL) async throws -> Account {
        let answer: RedirectedURL
        do { answer = try RedirectedURL(redirectedURL.absoluteString) } catch {
            throw ClientError(
                .signInExpired, "The URL with which the browser came back \(error.text).",
                advice: "Give the whole URL as the browser brought it, or let the user begin again.")
        }
        guard let redirectURI = try sessions.redirectURI(ofPending: answer.state),
            // A URL with another base must not consume the pending sign-in.
            answer.base == redirectURI,
            let pending = try await sessions.takePending(answer.state, now: provider.clock())
        else { throw Self.expired }
        if case .malformed(let problem) = answer.answer {
            throw ClientError.badAnswer("The answer of the sign-in page has \(problem).")
        }
        let metadata = try await provider.metadata()
        // The answer of one server must not pass as that of another one (RFC 9207).
        guard answer.issuer.map({ $0.hasSameBytes(as: metadata.issuer) }) ?? !metadata.namesItself else {
            throw ClientError.badAnswer("The answer of the sign-in page is of another server ('iss').")
        }
        guard case .code(let code) = answer.answer else {
            var reason = ""
            if case .refusal(let name?) = answer.answer { reason = " (\(name))" }
            throw ClientError(
                .refused, "The server or the user refused the sign-in\(reason).",
                advice: "Let the user begin again, or check the app's registration.")
        }
        let wrong = ClientError(
            .signInExpired, "The server does not accept the code that the browser brought.",
            advice: "Let the user begin again.")
        let reply = try await provider.reply(
            to: [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", pending.redirectURI),
                ("code_verifier", pending.verifier),
            ], wrong: wrong)
        return try await finish(pending.signIn, reply, nonce: pending.nonce) { claims in
            try pending.checkAge(claims, now: provider.clock())
        }
    }
}

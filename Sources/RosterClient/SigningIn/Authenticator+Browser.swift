public import Foundation
import RosterOpenID
import RosterText

/// Signing in with the system's browser: the code flow of OpenID Connect (RFC 6749, section 4.1; RFC 7636; RFC 8252).
extension Authenticator {
    /// Signs a user in with the system's browser.
    ///
    /// The sign-in can take ten minutes. It is in the store before the browser opens: if the app ends meanwhile, give the redirected URL
    /// to ``resume(_:)`` after the next start. That needs a redirect URL with the app's own scheme, because nobody listens at a loopback
    /// URL while the app does not run.
    ///
    /// - Parameters:
    ///   - name: The name of the account. The session of a user who is signed in under the name is replaced.
    ///   - maximumAge: The seconds since the user proved who they are, at most; 0 asks always, such as for another user of the same
    ///     browser. nil for any.
    ///   - callback: Opens the browser.
    /// - Throws: ``ClientError``: `signInCancelled`, `signInExpired`, `refused`, `badToken`, `clockWrong`, `badAnswer`, `unreachable`,
    ///   `serverBusy`, `serverFailed`, `badConfiguration`, the errors of the store; the callback's error; `CancellationError`.
    public func signIn(
        as name: String = "default", maximumAge: Int? = nil, callback: LoginCallback
    ) async throws -> Account {
        try SessionStore.check(name)
        let metadata = try await provider.metadata()
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
            account: name, redirectURI: redirectURI, maximumAge: maximumAge.map { min(max($0, 0), 1 << 31) },
            begun: provider.clock())
        guard let loginURL = URL(string: try pending.loginURL(metadata, provider.registration)),
            let redirectURL = URL(string: redirectURI)
        else { throw ClientError.badAnswer("The server's sign-in page has no valid URL.") }
        try await sessions.add(pending, now: provider.clock())
        let continuation = LoginContinuation(result: SharedResult())
        listener?.start(state: pending.state, seconds: PendingSignIn.patience) { url in
            continuation(URL(string: url))
        }
        callback(loginURL, redirectURL, continuation)
        do {
            guard let redirected = try await redirected(continuation) else {
                throw ClientError(.signInCancelled, "The sign-in was cancelled.", advice: "Let the user begin again.")
            }
            return try await resume(redirected)
        } catch {
            // An answer that comes later must not sign anybody in.
            _ = try? await sessions.takePending(pending.state, now: provider.clock())
            throw error
        }
    }

    private func redirected(_ continuation: LoginContinuation) async throws -> URL? {
        let end = Task { [sleep] in
            try await sleep(.seconds(PendingSignIn.patience))
            continuation(nil, error: Self.expired)
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
    /// - Returns: The account under the name that was given when the sign-in began.
    /// - Throws: The errors of ``signIn(as:maximumAge:callback:)``. `signInExpired` also for a URL that was used already.
    public func resume(_ redirectedURL: URL) async throws -> Account {
        guard let answer = RedirectedURL(redirectedURL.absoluteString),
            let redirectURI = try sessions.redirectURI(ofPending: answer.state),
            // A URL with another base must not consume the pending sign-in.
            answer.base == redirectURI,
            let pending = try await sessions.takePending(answer.state, now: provider.clock())
        else { throw Self.expired }
        let metadata = try await provider.metadata()
        // The answer of one server must not pass as that of another one (RFC 9207).
        guard answer.issuer.map({ $0.hasSameBytes(as: metadata.issuer) }) ?? !metadata.namesItself else {
            throw ClientError.badAnswer("The answer of the sign-in page is of another server ('iss').")
        }
        guard let code = answer.code else {
            let reason = answer.refusal.map { " (\($0))" } ?? ""
            throw ClientError(
                .refused, "The server or the user refused the sign-in\(reason).",
                advice: "Let the user begin again, or check the app's registration.")
        }
        let wrong = ClientError(
            .signInExpired, "The server does not accept the code that the browser brought.",
            advice: "Let the user begin again.")
        let (tokens, claims) = try await provider.tokens(
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", pending.redirectURI),
                ("code_verifier", pending.verifier),
            ], nonce: pending.nonce, wrong: wrong)
        try pending.checkAge(claims, now: provider.clock())
        return try await begin(pending.account, tokens, claims)
    }
}

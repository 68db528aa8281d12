public import RosterText

/// The user's answer to the question for a second factor.
///
/// The description shows nothing of it.
public struct SecondFactorAnswer: Sendable, CustomStringConvertible, Redacted {
    /// A code of the authenticator app, or a recovery code.
    public var code: String?
    /// The answers to the challenge questions, by question.
    public var answers: [String: String]

    /// Makes an answer.
    public init(code: String? = nil, answers: [String: String] = [:]) { (self.code, self.answers) = (code, answers) }

    /// Nothing of the answer.
    public var description: String { "second factor" }

    var form: [(name: String, value: String)] {
        var form: [(name: String, value: String)] = code.map { [("otp", $0)] } ?? []
        if !answers.isEmpty {
            let members = answers.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, .string($0.value)) }
            form.append(("kba_answers", JSONValue.object(members).written))
        }
        return form
    }
}

/// Signing in without a browser.
extension Authenticator {
    /// Signs a user in with a password (RFC 6749, section 4.3).
    ///
    /// Prefer the browser: there the app never sees the password. The server's registration of the app must allow the grant `password`.
    ///
    /// - Parameters:
    ///   - account: The app's own label for the user; most apps need only the default.
    ///   - userName: The user's name at the server.
    ///   - password: The user's password. It is not stored.
    ///   - secondFactor: The second factor, after a first attempt threw `secondFactorRequired`.
    /// - Throws: ``ClientError``: `wrongCredentials`; `secondFactorRequired`, whose ``ClientError/questions`` has the challenge
    ///   questions; `serverBusy` after too many attempts; the errors of ``signIn(account:maximumAge:options:callback:)``.
    public func signIn(
        account: String = "default", userName: String, password: String,
        secondFactor: SecondFactorAnswer = SecondFactorAnswer()
    ) async throws -> Account {
        try await signIn(
            account: account, userName: userName, password: password, secondFactor: secondFactor, handle: nil)
    }

    /// Signs a user in with a password.
    ///
    /// - Parameter handle: The handle of a registered device, in place of the app's secret; nil for the secret.
    package func signIn(
        account: String, userName: String, password: String, secondFactor: SecondFactorAnswer, handle: String?
    ) async throws -> Account {
        let signIn = try await sessions.beginSignIn(to: account)
        let wrong = ClientError(
            .wrongCredentials, "The name, the password or the second factor is wrong.",
            advice: "Let the user try again.")
        let reply = try await provider.reply(
            to: [("grant_type", "password"), ("username", userName), ("password", password), scope] + secondFactor.form,
            wrong: wrong, handle: handle)
        return try await finish(signIn, reply, userName: userName)
    }

    var scope: (name: String, value: String) { ("scope", provider.registration.scopes.joined(separator: " ")) }
}

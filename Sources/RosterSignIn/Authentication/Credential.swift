package import RosterOpenID

/// The proof of an identity.
package enum Credential: Sendable {
    case password(Login)
    /// The text of HTTP Basic, and how to read it. A text that was verified within the last minute is recognized without being
    /// read.
    case basic(String, @Sendable (String) -> Login?)
    /// As `basic`, and an app password for this use is accepted in the place of the password.
    case app(AppPassword.Use, String, @Sendable (String) -> Login?)
    case backend(BackendCredential)
    /// A bearer token (RFC 6750): an access token, an id token of a provider, or the token of a program.
    case bearer(String)
    /// An access token that counts only with a proof of its key (RFC 9449); nil for a request without a proof.
    case bound(String, PossessionProof.Sent?)
    case session(String)
    /// A credential of an unknown form.
    case unreadable
}

package struct Login: Sendable, Hashable {
    /// The name, in any spelling that means the same.
    package let name: String
    package let password: String
    /// The proof of the second factor, which may be empty; nil if the interface has no place for one. There, a user who has
    /// a second factor is refused as if the password were wrong.
    package let proof: SecondFactorProof?

    package init(name: String, password: String, proof: SecondFactorProof?) {
        (self.name, self.password, self.proof) = (name, password, proof)
    }
}

/// The credential of a mobile app that names its backend: a user's name and password, the backend's anonymous key alone, or
/// that key with a user's token of a social provider.
package struct BackendCredential: Sendable {
    /// The backend that the app names; nil if it names none or several.
    package let backendID: String?
    /// The text in the place of the anonymous key.
    package let key: String
    /// Reads the text as a name and a password.
    package let login: @Sendable (String) -> Login?
    package let providers: [String]
    package let tokens: [String]

    package init(
        backendID: String?, key: String, login: @escaping @Sendable (String) -> Login?, providers: [String],
        tokens: [String]
    ) {
        (self.backendID, self.key, self.login, self.providers, self.tokens) = (backendID, key, login, providers, tokens)
    }
}

/// The place where somebody signs in. It decides what the change feed says about the attempt.
package enum SignInPlace: Sendable {
    /// A request that carries its credential. Of good credentials only passwords are recorded, once an hour; tokens and sessions
    /// were recorded when they were made. Every refusal is recorded.
    ///
    /// - scheme: The scheme of the `Authorization` field, or `session`.
    /// - name: Reads the name that the sender claims to have.
    case request(scheme: String, name: @Sendable () -> String?)
    case page
    /// The interface that begins sessions.
    case session
    /// An app that is linked with this module.
    case app
    /// The token endpoint. Success is recorded when the tokens are given.
    case grant(TokenRequest, Backend)
    /// The registration of a device. Success is recorded when the handle is given.
    case registration(Backend)

    /// The method in the change feed.
    var method: String {
        switch self {
        case .request(let scheme, _): scheme
        case .page: "sign-in page"
        case .session: "session"
        case .app: "pwd"
        case .grant(let request, _): request.grantType
        case .registration: ""
        }
    }
}

package import Roster

/// Finds out who sends a request by what its `Authorization` field holds. One for each scheme: passwords (HTTP Basic) and
/// tokens (Bearer).
package protocol Authenticator: Sendable {
    /// Answers for credentials of its own scheme.
    ///
    /// - Parameters:
    ///   - scheme: The word before the credentials, in lower case: `basic`, `bearer`.
    ///   - credentials: What follows it.
    ///   - peer: The address that the request came from, for throttling.
    func authenticate(scheme: String, credentials: String, from peer: String) -> Authentication
}

/// What an ``Authenticator`` found out.
package enum Authentication: Sendable {
    /// Not its scheme.
    case notMine
    /// Known at once.
    case identified(Identity)
    /// Refused at once.
    case refused(AuthenticationFailure)
    /// It takes longer, such as hashing a password. Throws ``AuthenticationFailure``.
    case later(@Sendable () async throws -> Identity)
}

/// Who sends a request.
package struct Identity: Sendable, Hashable {
    /// On whose behalf the directory is asked.
    package let caller: Caller
    /// How the log names them.
    package let name: String
    /// What their token allows; nil where they proved who they are themselves, which allows everything that is theirs.
    package let scopes: Set<String>?
    /// The access token that the request came with.
    package let token: String?
    /// The client id of the backend by way of which they come; nil where they come by none.
    package private(set) var clientID: String?
    /// The social provider that vouches for them; nil for everybody else.
    package var socialProvider: String?
    /// The cookie of a session that lives on by this request, as the answer is to set it.
    package var renewal: String?
    /// Whether they come by a session that ended with this request.
    package var isOneTime = false

    /// Whether what they proved is not enough yet: they have a second factor.
    let needsSecondFactor: Bool
    /// Which password they proved to know; nil for whoever brings none.
    package internal(set) var version: CredentialVersion?
    /// What the request proves beside the name. Of nobody it proves anything unless an authenticator says so.
    package var presence = Presence.person(nil)

    /// Names who sends a request.
    package init(
        _ caller: Caller, name: String, scopes: Set<String>? = nil, token: String? = nil,
        clientID: String? = nil, needsSecondFactor: Bool = false
    ) {
        self.needsSecondFactor = needsSecondFactor
        self.caller = caller
        self.name = name
        self.scopes = scopes
        self.token = token
        self.clientID = clientID
    }

    /// The same, coming by way of a backend.
    package func coming(by backend: Backend) -> Identity {
        var identity = self
        identity.clientID = backend.record.clientID
        return identity
    }

    /// Whether they may use the directory's interfaces. A token that an app got to know who somebody is must not let the
    /// app do whatever that somebody may.
    package var mayUseDirectory: Bool {
        guard let scopes else { return true }
        return scopes.contains("directory") || scopes.contains(where: AuthorizationRequest.isConsumer)
    }
}

/// Why somebody is not let in. It never says whether the name or the password was wrong.
public enum AuthenticationFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// Unknown, wrong, disabled, expired, revoked or unreadable.
    case wrong
    /// Too many attempts; the next one in so many seconds.
    case tooManyAttempts(seconds: Int)
    /// More sign-ins at once than can be hashed.
    case overloaded
    /// The password is right, and a second factor is needed as well: a code, or the answers to these questions.
    case secondFactorRequired(questions: [String])

    /// What is wrong, and what to do.
    public var description: String {
        switch self {
        case .wrong: "The credentials are wrong, or the account cannot be used."
        case .tooManyAttempts(let seconds): "Too many attempts. Wait \(seconds) seconds."
        case .overloaded: "Too many sign-ins at once. Try again in some seconds."
        case .secondFactorRequired: "A second factor is needed as well."
        }
    }
}

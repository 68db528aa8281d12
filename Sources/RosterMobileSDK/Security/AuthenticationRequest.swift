public import RosterClient
public import RosterText

/// How a user signs in. Mirrors `OMAuthenticationRequest`.
///
/// The description shows no name, no password and no answer.
public struct AuthenticationRequest: Sendable, CustomStringConvertible, Redacted {
    /// Whether the server decides, or the device alone. Mirrors `OMConnectivityMode`.
    public enum ConnectivityMode: Sendable, Hashable {
        /// The server if it answers, else the credentials on the device. A refusal by the server is final.
        case auto
        /// The server always.
        case online
        /// The credentials on the device, even if the server answers.
        case offline
    }

    /// Whether the server decides, or the device alone.
    public var connectivityMode: ConnectivityMode
    /// The identity domain of the user; nil for none. Users of different domains can have the same name on one device.
    public var identityDomain: String?
    /// The scopes to ask for; nil for those of the properties.
    public var scopes: [String]?
    /// The user's name; nil to ask the ``challenge``.
    public var userName: String?
    /// The user's password; nil to ask the ``challenge``.
    public var password: String?
    /// The second factor, if it is known before the server asks (`kbaAnswers` and one-time codes).
    public var secondFactor = SecondFactorAnswer()
    /// Answers what the server or the service asks; nil to throw instead.
    public var challenge: AuthenticationChallenge.Handler?
    /// Opens the browser for an online sign-in, in place of a name and a password; nil for none. Nothing is kept for signing in
    /// offline then, because the app never sees the password.
    public var browser: LoginCallback?

    /// Makes a request.
    public init(
        _ connectivityMode: ConnectivityMode = .auto, userName: String? = nil, password: String? = nil,
        identityDomain: String? = nil, scopes: [String]? = nil, challenge: AuthenticationChallenge.Handler? = nil,
        browser: LoginCallback? = nil
    ) {
        self.connectivityMode = connectivityMode
        (self.userName, self.password, self.identityDomain) = (userName, password, identityDomain)
        (self.scopes, self.challenge, self.browser) = (scopes, challenge, browser)
    }

    /// The connectivity mode.
    public var description: String { "\(connectivityMode) sign-in" }
}

/// A question to the app during a sign-in. Mirrors `OMAuthenticationChallenge` of the SDK's second version.
public enum AuthenticationChallenge: Sendable, Hashable {
    /// Answers a challenge.
    public typealias Handler = @Sendable (AuthenticationChallenge) async throws -> AuthenticationAnswer

    /// A name and a password. The attempt is 1 at first; after a wrong password the error says so.
    case userNameAndPassword(attempt: Int, error: ClientError?)
    /// A code of the user's authenticator app.
    case code
    /// The answers to challenge questions, by question.
    case questions([String])
}

/// The answer of the app to a challenge. The description shows nothing of it.
public enum AuthenticationAnswer: Sendable, CustomStringConvertible, Redacted {
    /// The user's name and password.
    case userNameAndPassword(String, String)
    /// A code, or the answers to the questions.
    case secondFactor(SecondFactorAnswer)
    /// The user cancelled.
    case cancel

    /// Nothing of the answer.
    public var description: String { "answer" }
}

/// Is told what a security service does. Mirrors `OMMobileServiceDelegate`. All members have a default that does nothing.
public protocol SecurityServiceDelegate: AnyObject, Sendable {
    /// The setup has ended. Mirrors `mobileSecurityService:didReceiveApplicationProfile:error:`.
    func securityService(_ service: SecurityService, didReceive profile: Result<ApplicationProfile, any Error>)
    /// A sign-in has ended. Mirrors `mobileSecurityService:didFinishAuthentication:error:`.
    func securityService(
        _ service: SecurityService, didFinishAuthentication result: Result<AuthenticationContext, any Error>)
    /// The registration of this device has ended. Mirrors `mobileSecurityService:didFinishRegistration:error:`.
    func securityService(_ service: SecurityService, didFinishRegistration result: Result<Void, any Error>)
    /// A sign-out has ended. Mirrors `mobileSecurityService:didFinishLogout:`.
    func securityService(_ service: SecurityService, didFinishLogout result: Result<SignOutReport?, any Error>)
    /// A session is about to end: a tenth of its time is left. With no time left, the session has ended. Mirrors
    /// `authContext:timeoutOccuredForTimer:remainingTime:`.
    func securityService(_ service: SecurityService, timer: SessionTimer, endsIn remaining: Duration)
}

extension SecurityServiceDelegate {
    /// Does nothing.
    public func securityService(_ service: SecurityService, didReceive profile: Result<ApplicationProfile, any Error>) {
    }
    /// Does nothing.
    public func securityService(
        _ service: SecurityService, didFinishAuthentication result: Result<AuthenticationContext, any Error>
    ) {}
    /// Does nothing.
    public func securityService(_ service: SecurityService, didFinishRegistration result: Result<Void, any Error>) {}
    /// Does nothing.
    public func securityService(_ service: SecurityService, didFinishLogout result: Result<SignOutReport?, any Error>) {
    }
    /// Does nothing.
    public func securityService(_ service: SecurityService, timer: SessionTimer, endsIn remaining: Duration) {}
}

public import Foundation

/// The reason why the client library could not do what was asked. A cancelled call throws `CancellationError` instead, and a call that
/// cannot use the store of secrets throws `SecureStoreError`.
///
/// No text of this error holds a password, a token, a code or a key.
public struct ClientError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure. Later versions can add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        package enum Kind: String, Sendable, CaseIterable {
            case notSignedIn = "not_signed_in"
            case badAnswer = "bad_answer"
            case badConfiguration = "bad_configuration"
            case unreachable = "unreachable"
            case tls = "tls"
            case serverBusy = "server_busy"
            case serverFailed = "server_failed"
            case refused = "refused"
            case wrongCredentials = "wrong_credentials"
            case secondFactorRequired = "second_factor_required"
            case signInCancelled = "sign_in_cancelled"
            case signInExpired = "sign_in_expired"
            case badToken = "bad_token"
            case clockWrong = "clock_wrong"
            case scopeNotGranted = "scope_not_granted"
            case invalidInput = "invalid_input"
            case cryptographyFailed = "cryptography_failed"
            case alreadyExists = "already_exists"
            case notFound = "not_found"
            case decryptionFailed = "decryption_failed"
            case badURL = "bad_url"
            case insecureServer = "insecure_server"
            case offlineNotAllowed = "offline_not_allowed"
            case onlineSignInRequired = "online_sign_in_required"
            case signInInProgress = "sign_in_in_progress"
            case originNotNamed = "origin_not_named"
        }
        package let kind: Kind
        package init(_ kind: Kind) { self.kind = kind }

        /// The stable identifier of the code, as used in logs and by other programs.
        public var description: String { kind.rawValue }

        /// Nobody is signed in, or the server has ended the sign-in. Sign in again.
        public static let notSignedIn = Code(.notSignedIn)
        /// The server's answer is not what the protocol says.
        public static let badAnswer = Code(.badAnswer)
        /// A setting of the app is wrong, or the server does not accept the app as it is registered.
        public static let badConfiguration = Code(.badConfiguration)
        /// The server cannot be reached, or did not answer in time. Stored tokens stay.
        public static let unreachable = Code(.unreachable)
        /// TLS with the server failed, such as for a certificate that the system does not accept. Stored tokens stay.
        public static let tls = Code(.tls)
        /// The server is overloaded, or limits this app's requests. ``ClientError/retryAfter`` says when to try again, if the server does.
        public static let serverBusy = Code(.serverBusy)
        /// The server failed.
        public static let serverFailed = Code(.serverFailed)
        /// The server or the user refused the request.
        public static let refused = Code(.refused)
        /// The name, the password, the second factor or the token that was to be exchanged is wrong.
        public static let wrongCredentials = Code(.wrongCredentials)
        /// The user has a second factor. ``ClientError/questions`` has the challenge questions; if it is empty, a code is needed.
        public static let secondFactorRequired = Code(.secondFactorRequired)
        /// The user cancelled the sign-in.
        public static let signInCancelled = Code(.signInCancelled)
        /// The sign-in was not begun by this app, was used already, or took too long.
        public static let signInExpired = Code(.signInExpired)
        /// The server's id token does not prove who signed in.
        public static let badToken = Code(.badToken)
        /// The clock of this device differs too much from that of the server.
        public static let clockWrong = Code(.clockWrong)
        /// The token does not have a scope that the call needs.
        public static let scopeNotGranted = Code(.scopeNotGranted)
        /// A value that the app gave cannot be used.
        public static let invalidInput = Code(.invalidInput)
        /// The cryptographic library failed: no memory, no entropy, or an algorithm that the system's policy forbids.
        public static let cryptographyFailed = Code(.cryptographyFailed)
        /// A URL from another app or a browser is malformed, or of another kind.
        public static let badURL = Code(.badURL)
        /// A request goes to an origin that the app did not name, so that no token is sent there.
        public static let originNotNamed = Code(.originNotNamed)
    }

    /// The kind of the failure.
    public let code: Code
    /// The failure in one sentence.
    public let message: String
    /// Advice on the next step in one sentence.
    public let advice: String
    /// The challenge questions that the user has to answer; empty for other errors.
    public let questions: [String]
    /// The delay that the server asks for (`Retry-After`); nil if the server names none.
    public let retryAfter: Duration?
    /// Whether the server may have received and executed the request although no answer came. If false, the request can be repeated
    /// without harm.
    public let mayHaveBeenSent: Bool

    /// The message and the advice.
    public var description: String { "\(message) \(advice)" }
    /// The message, for `localizedDescription`.
    public var errorDescription: String? { message }
    /// The advice.
    public var recoverySuggestion: String? { advice }

    package init(
        _ kind: Code.Kind, _ message: String, advice: String, questions: [String] = [], retryAfter: Duration? = nil,
        mayHaveBeenSent: Bool = false
    ) {
        code = Code(kind)
        self.mayHaveBeenSent = mayHaveBeenSent
        (self.questions, self.retryAfter) = (questions, retryAfter)
        self.message = message
        self.advice = advice
    }
}

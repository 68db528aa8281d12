import RosterText
import RosterTransport

/// The errors of requests to servers.
extension ClientError {
    /// The error for a request that got no answer.
    init(_ error: TransportError) {
        switch error.code.kind {
        case .badURL, .badRequest: self.init(.badConfiguration, error.message, advice: error.advice)
        case .badAnswer, .tooLarge: self.init(.badAnswer, error.message, advice: Self.wrongServer)
        default: self.init(.unreachable, error.message, advice: error.advice)
        }
    }

    private static let wrongServer = "Check that the URL is that of the right server, and ask its administrator."

    /// An answer that the protocol does not allow.
    ///
    /// - Parameter message: A sentence without anything of the answer, which a hostile server can fill with our own secrets.
    static func badAnswer(_ message: String) -> ClientError {
        ClientError(.badAnswer, message, advice: wrongServer)
    }

    /// An id token that does not prove who signed in.
    static func badToken(_ message: String) -> ClientError {
        ClientError(.badToken, message, advice: "Nothing of the answer was stored. Ask the server's administrator.")
    }

    /// The session of an account has ended.
    static func notSignedIn(_ message: String) -> ClientError {
        ClientError(.notSignedIn, message, advice: "Sign in again.")
    }
}

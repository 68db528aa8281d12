import Foundation
import RosterCrypto

/// Errors of several parts of the library.
extension ClientError {
    /// A value of the app that cannot be used.
    package static func invalidInput(_ message: String, _ advice: String) -> Self {
        Self(.invalidInput, message, advice: advice)
    }

    static let wrongServer = "Check that the URL is that of the right server, and ask its administrator."

    /// An answer that the protocol does not allow.
    ///
    /// - Parameter message: A sentence without anything of the answer, which a hostile server can fill with our own secrets.
    package static func badAnswer(_ message: String) -> Self { Self(.badAnswer, message, advice: wrongServer) }

    /// An id token that does not prove who signed in.
    static func badToken(_ message: String) -> Self {
        Self(.badToken, message, advice: "Nothing of the answer was stored. Ask the server's administrator.")
    }

    /// The session of an account has ended.
    package static func notSignedIn(_ message: String) -> Self { Self(.notSignedIn, message, advice: "Sign in again.") }

    /// Runs a body, and gives a failure of the cryptographic library as an error of the client library.
    package static func wrapping<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let failure as CryptoFailure {
            throw ClientError(
                .cryptographyFailed, failure.description,
                advice: "Check the free memory and the system's configuration of OpenSSL.")
        }
    }
}

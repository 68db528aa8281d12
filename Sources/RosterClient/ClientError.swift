public import Foundation

/// The reason why the client library could not do what was asked. A cancelled call throws `CancellationError` instead.
///
/// No text of this error holds a password, a token, a code or a key.
public struct ClientError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure. Later versions can add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        package enum Kind: String, Sendable, CaseIterable {
            case notSignedIn = "not_signed_in"
            case badAnswer = "bad_answer"
        }
        package let kind: Kind
        package init(_ kind: Kind) { self.kind = kind }

        /// The stable identifier of the code, as used in logs and by other programs.
        public var description: String { kind.rawValue }

        /// Nobody is signed in, or the server has ended the sign-in. Sign in again.
        public static let notSignedIn = Code(.notSignedIn)
        /// The server's answer is not what the protocol says.
        public static let badAnswer = Code(.badAnswer)
    }

    /// The kind of the failure.
    public let code: Code
    /// What happened, in one sentence.
    public let message: String
    /// What to do next, in one sentence.
    public let advice: String

    /// The message and the advice.
    public var description: String { "\(message) \(advice)" }
    /// The message, for `localizedDescription`.
    public var errorDescription: String? { message }
    /// The advice.
    public var recoverySuggestion: String? { advice }

    package init(_ kind: Code.Kind, _ message: String, advice: String) {
        code = Code(kind)
        self.message = message
        self.advice = advice
    }
}

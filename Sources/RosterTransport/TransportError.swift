public import Foundation

/// The reason why a request got no answer. A status such as 404 or 500 is an answer.
///
/// A cancelled call throws `CancellationError` instead. No text of this error holds more of the request than the host.
public struct TransportError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure. Later versions can add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        package enum Kind: String, Sendable, CaseIterable {
            case badURL = "bad_url"
            case badRequest = "bad_request"
            case hostNotFound = "host_not_found"
            case refused = "refused"
            case unreachable = "unreachable"
            case addressNotAllowed = "address_not_allowed"
            case tlsFailed = "tls_failed"
            case timedOut = "timed_out"
            case interrupted = "interrupted"
            case badAnswer = "bad_answer"
            case tooLarge = "too_large"
            case closed = "closed"
        }
        package let kind: Kind
        package init(_ kind: Kind) { self.kind = kind }

        /// The stable identifier of the code, as used in logs and by other programs.
        public var description: String { kind.rawValue }

        /// The URL is not an absolute `https` URL, or an `http` URL of another machine.
        public static let badURL = Code(.badURL)
        /// The method or a header field cannot be sent.
        public static let badRequest = Code(.badRequest)
        /// The name of the host has no address.
        public static let hostNotFound = Code(.hostNotFound)
        /// Nothing listens at the port of the host.
        public static let refused = Code(.refused)
        /// The network has no way to the host.
        public static let unreachable = Code(.unreachable)
        /// The host's address is one that the request must not connect to.
        public static let addressNotAllowed = Code(.addressNotAllowed)
        /// TLS could not be agreed on, or one side does not accept the other's certificate.
        public static let tlsFailed = Code(.tlsFailed)
        /// The time for connecting, for the answer, or for the silence of a stream has passed.
        public static let timedOut = Code(.timedOut)
        /// The connection ended before the answer was complete.
        public static let interrupted = Code(.interrupted)
        /// The answer is not valid HTTP.
        public static let badAnswer = Code(.badAnswer)
        /// The answer's head or body exceeds its limit.
        public static let tooLarge = Code(.tooLarge)
        /// The transport was closed.
        public static let closed = Code(.closed)
    }

    /// The kind of the failure.
    public let code: Code
    /// The failure in one sentence.
    public let message: String
    /// Advice on the next step in one sentence.
    public let advice: String
    /// Whether the server may have received and executed the request. If false, the request can be repeated without harm.
    public let mayHaveBeenSent: Bool

    /// The message and the advice.
    public var description: String { "\(message) \(advice)" }
    /// The message, for `localizedDescription`.
    public var errorDescription: String? { message }
    /// The advice.
    public var recoverySuggestion: String? { advice }

    package init(_ kind: Code.Kind, _ message: String, _ advice: String, mayHaveBeenSent: Bool = false) {
        code = Code(kind)
        self.message = message
        self.advice = advice
        self.mayHaveBeenSent = mayHaveBeenSent
    }
}

extension TransportError {
    static func badURL(_ message: String) -> Self {
        Self(.badURL, message, "Give an absolute https URL without user name.")
    }

    static func badRequest(_ message: String) -> Self { Self(.badRequest, message, "Correct the request.") }

    static func closed(mayHaveBeenSent: Bool = false) -> Self {
        Self(.closed, "The transport was closed.", "Use another transport.", mayHaveBeenSent: mayHaveBeenSent)
    }

    static func timedOut(_ host: String, _ message: String, mayHaveBeenSent: Bool) -> Self {
        Self(
            .timedOut, "'\(host)' \(message)", "Try again later, or allow more time.", mayHaveBeenSent: mayHaveBeenSent)
    }

    static func tooLarge(_ host: String, _ part: String, limit: Int) -> Self {
        Self(
            .tooLarge, "'\(host)' answers with a \(part) of more than \(limit) bytes.",
            "Ask for less, or allow a larger answer.", mayHaveBeenSent: true)
    }

    static func badAnswer(_ host: String, _ message: String) -> Self {
        Self(
            .badAnswer, "'\(host)' \(message)", "Check that the URL is that of the right server.", mayHaveBeenSent: true
        )
    }

    static func interrupted(_ host: String, mayHaveBeenSent: Bool) -> Self {
        Self(
            .interrupted, "The connection to '\(host)' ended before the answer was complete.",
            mayHaveBeenSent ? "Find out whether the request was executed, and repeat it if not." : "Try again.",
            mayHaveBeenSent: mayHaveBeenSent)
    }
}

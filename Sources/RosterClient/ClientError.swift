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
            case invalidInput = "invalid_input"
            case wrongKey = "wrong_key"
            case damagedStore = "damaged_store"
            case unreadableStore = "unreadable_store"
            case newerStore = "newer_store"
            case lockedStore = "locked_store"
            case busyStore = "busy_store"
            case storageFailed = "storage_failed"
            case cryptographyFailed = "cryptography_failed"
            case alreadyExists = "already_exists"
            case notFound = "not_found"
            case decryptionFailed = "decryption_failed"
            case badURL = "bad_url"
            case insecureServer = "insecure_server"
        }
        package let kind: Kind
        package init(_ kind: Kind) { self.kind = kind }

        /// The stable identifier of the code, as used in logs and by other programs.
        public var description: String { kind.rawValue }

        /// Nobody is signed in, or the server has ended the sign-in. Sign in again.
        public static let notSignedIn = Code(.notSignedIn)
        /// The server's answer is not what the protocol says.
        public static let badAnswer = Code(.badAnswer)
        /// A value that the app gave cannot be used.
        public static let invalidInput = Code(.invalidInput)
        /// The passphrase or key file is not the one that the secure store was made with.
        public static let wrongKey = Code(.wrongKey)
        /// The secure store's file was altered, or is no secure store.
        public static let damagedStore = Code(.damagedStore)
        /// The operating system does not let the app read the secure store.
        public static let unreadableStore = Code(.unreadableStore)
        /// A newer version of this library wrote the secure store.
        public static let newerStore = Code(.newerStore)
        /// The device is locked, so that its keychain cannot be read now. The values are still there.
        public static let lockedStore = Code(.lockedStore)
        /// Another process has been changing the secure store for too long.
        public static let busyStore = Code(.busyStore)
        /// The operating system could not write the secure store.
        public static let storageFailed = Code(.storageFailed)
        /// The cryptographic library failed: no memory, no entropy, or an algorithm that the system's policy forbids.
        public static let cryptographyFailed = Code(.cryptographyFailed)
        /// The secure store has a credential or a key pair with this name already.
        public static let alreadyExists = Code(.alreadyExists)
        /// The secure store has no credential or key pair with this name.
        public static let notFound = Code(.notFound)
        /// Data was altered, or was encrypted with another key or in another way.
        public static let decryptionFailed = Code(.decryptionFailed)
        /// A URL that another app or a browser opened is not what such a URL has to be.
        public static let badURL = Code(.badURL)
        /// Settings name a server without TLS, so that everybody on the way could read passwords and tokens.
        public static let insecureServer = Code(.insecureServer)
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

public import Foundation

/// The reason why a ``SecureStore`` could not do what was asked. A cancelled wait throws `CancellationError` instead.
///
/// No text of this error holds a secret or a key.
public struct SecureStoreError: LocalizedError, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure. Later versions can add codes, so a `switch` needs a `default`.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        package enum Kind: String, Sendable, CaseIterable {
            case invalidInput = "invalid_input"
            case badConfiguration = "bad_configuration"
            case wrongKey = "wrong_key"
            case damagedStore = "damaged_store"
            case unreadableStore = "unreadable_store"
            case newerStore = "newer_store"
            case deviceLocked = "device_locked"
            case busyStore = "busy_store"
            case storageFailed = "storage_failed"
            case cryptographyFailed = "cryptography_failed"
        }
        package let kind: Kind

        /// The stable identifier of the code, as used in logs and by other programs.
        public var description: String { kind.rawValue }

        /// A value that the app gave cannot be used.
        public static let invalidInput = Code(kind: .invalidInput)
        /// Other users can read or write the key file.
        public static let badConfiguration = Code(kind: .badConfiguration)
        /// The passphrase or key file is not the one that the secure store was made with.
        public static let wrongKey = Code(kind: .wrongKey)
        /// The secure store's file was altered, or is not a secure store.
        public static let damagedStore = Code(kind: .damagedStore)
        /// The secure store's file has disappeared, or the operating system does not let the app read it.
        public static let unreadableStore = Code(kind: .unreadableStore)
        /// A newer version of this library wrote the secure store.
        public static let newerStore = Code(kind: .newerStore)
        /// The device is locked, so that its keychain cannot be read now. The values are still there.
        public static let deviceLocked = Code(kind: .deviceLocked)
        /// Another process has been changing the secure store for too long.
        public static let busyStore = Code(kind: .busyStore)
        /// The operating system could not write the secure store.
        public static let storageFailed = Code(kind: .storageFailed)
        /// The cryptographic library failed: no memory, no entropy, or an algorithm that the system's policy forbids.
        public static let cryptographyFailed = Code(kind: .cryptographyFailed)
    }

    /// The kind of the failure.
    public let code: Code
    /// The failure in one sentence.
    public let message: String
    /// Advice on the next step in one sentence.
    public let advice: String

    /// The message and the advice.
    public var description: String { "\(message) \(advice)" }
    /// The message, for `localizedDescription`.
    public var errorDescription: String? { message }
    /// The advice.
    public var recoverySuggestion: String? { advice }

    package init(_ kind: Code.Kind, _ message: String, advice: String) {
        (code, self.message, self.advice) = (Code(kind: kind), message, advice)
    }
}

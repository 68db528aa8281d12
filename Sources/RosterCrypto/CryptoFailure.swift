/// A failure of libcrypto or libcrypt: no memory, no entropy, or an algorithm that the configuration forbids. It never
/// represents a wrong password. Callers refuse the sign-in and log ``operation``.
package struct CryptoFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the C function that failed. Never a secret.
    package let operation: String

    package init(operation: String) { self.operation = operation }

    /// The failure as a log message.
    package var description: String { "The cryptographic library failed in \(operation)." }
}

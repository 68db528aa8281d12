/// libcrypto or libcrypt could not do what it was asked: no memory, no entropy, or an algorithm that its configuration
/// forbids. Never a wrong password. Whoever sees it refuses the sign-in and logs ``operation``.
package struct CryptoFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// The name of the C function that failed; holds no secret.
    package let operation: String

    /// Names the C function that failed.
    package init(operation: String) { self.operation = operation }

    /// What failed, for logs.
    package var description: String { "The cryptographic library failed in \(operation)." }
}

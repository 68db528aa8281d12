/// A hash of no known password, to spend the same time on names that are unknown as on those that are known.
///
/// Make one when the server starts, with the parameters that new passwords have.
package struct DummyHash: Sendable {
    private let hash: PasswordHash
    private let parameters: PasswordParameters
    /// The hash as it would be stored.
    package var text: String { hash.text }

    /// Costs one hash.
    /// - Throws: ``CryptoFailure``.
    package init(_ parameters: PasswordParameters = .standard) throws {
        hash = try PasswordHash.make(Base64URL.text(try SecureRandom.bytes(32)), parameters)
        self.parameters = parameters
    }

    /// Whether it is the password; the only way in which a sign-in should ask that.
    ///
    /// With no stored hash (the name is unknown, has no password, or may not sign in) it hashes all the same and is
    /// `false`. A wrong password for an imported hash, or one with lower parameters, costs the dummy's hash on top of its
    /// own, so that it is never quicker than an unknown name. It is slower by the imported hash's time: until an imported
    /// user signs in for the first time, or a lower hash is made anew, a patient observer may find out that there is such
    /// a hash. For `{SSHA}` and the like that is 0.5 µs in 0.15 s, which nobody measures through a network; for bcrypt or
    /// many rounds of PBKDF2 it can be.
    /// - Throws: What ``PasswordHash/verify(_:)`` throws; a password that is too long is so whatever the name.
    package func verify(_ password: String, against stored: PasswordHash?) throws -> Bool {
        guard let stored else {
            _ = try hash.verify(password)
            return false
        }
        if try stored.verify(password) { return true }
        if stored.needsRehash(parameters) { _ = try hash.verify(password) }
        return false
    }
}

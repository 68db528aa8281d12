/// The name and the password with which somebody signs in.
package struct Login: Sendable, Hashable {
    /// The name, in any spelling that means the same.
    package let name: String
    package let password: String
    /// The proof of the second factor, which may be empty; nil if the interface has no place for one. There, a user who has
    /// a second factor is refused as if the password were wrong.
    package let proof: SecondFactorProof?

    package init(name: String, password: String, proof: SecondFactorProof?) {
        (self.name, self.password, self.proof) = (name, password, proof)
    }
}

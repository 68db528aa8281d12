/// The right of users over their own account, in one transaction. The user is present.
///
/// Only ``Transaction/asSelf(of:to:)`` makes this value, as ``Administrator`` is made.
package struct Oneself {
    package let transaction: Transaction
    /// The user, with the name only.
    package let user: User

    fileprivate init(_ transaction: Transaction, _ user: User) { (self.transaction, self.user) = (transaction, user) }
}

extension Transaction {
    /// The right of the caller over the caller's own account; nil if the user is somebody else.
    ///
    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notFound`, `recentSignInRequired`, `appNotPermitted`.
    package func asSelf(of reference: UserReference, to action: String) throws -> Oneself? {
        let user = try users.user(reference, ["uid"])
        guard rights.person == user.id else { return nil }
        try access.checkPresence(to: action)
        return Oneself(self, user)
    }
}

/// The right of users over their own account, in one transaction. The user is present.
///
/// Making the value is the check, as of ``Administrator``.
package struct Oneself {
    package let transaction: Transaction
    /// The user, with the name only.
    package let user: User

    /// Returns nil if the caller is somebody else.
    ///
    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notFound`, `recentSignInRequired`, `appNotPermitted`.
    init?(_ transaction: Transaction, of reference: UserReference, to action: String) throws {
        user = try transaction.users.user(reference, ["uid"])
        guard transaction.rights.person == user.id else { return nil }
        try transaction.access.checkPresence(to: action)
        self.transaction = transaction
    }
}

/// The right to help one user to sign in again, in one transaction: of administrators, and of the help desk for users without a power. The
/// caller is present.
///
/// Making the value is the check, as of ``Administrator``.
package struct Helper {
    package let transaction: Transaction
    /// The user, with the name only.
    package let user: User

    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notFound`; `notPermitted` for all who may not help the user; `recentSignInRequired`, `appNotPermitted`.
    init(_ transaction: Transaction, of reference: UserReference, to action: String) throws {
        user = try transaction.users.user(reference, ["uid"])
        try transaction.rights.checkHelping(user.id, to: action, in: transaction)
        try transaction.access.checkPresence(to: action)
        self.transaction = transaction
    }
}

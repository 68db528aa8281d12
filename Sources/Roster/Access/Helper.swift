/// The right to help one user to sign in again, in one transaction: of administrators, and of the help desk for users without a power. The
/// caller is present.
///
/// Only ``Transaction/asHelper(of:to:)`` makes this value, as ``Administrator`` is made.
package struct Helper {
    package let transaction: Transaction
    /// The user, with the name only.
    package let user: User

    fileprivate init(_ transaction: Transaction, _ user: User) { (self.transaction, self.user) = (transaction, user) }
}

/// The right to end what one user is signed in with, in one transaction: the user's own, and that of a ``Helper``.
///
/// Only ``Transaction/asSelfOrHelper(of:)`` makes this value, as ``Administrator`` is made.
package struct SelfOrHelper {
    package let transaction: Transaction
    /// The user, with the name only.
    package let user: User

    fileprivate init(_ transaction: Transaction, _ user: User) { (self.transaction, self.user) = (transaction, user) }

    /// Ends all sign-ins of the user: every session and every token.
    package func endSignIns() throws { try transaction.accounts.endSignIns(of: user.id) }
}

extension Transaction {
    /// The right to help a user to sign in again.
    ///
    /// - Parameter action: The intended action, for the message.
    /// - Throws: `notFound`; `notPermitted` for all who may not help the user; `recentSignInRequired`, `appNotPermitted`.
    package func asHelper(of reference: UserReference, to action: String) throws -> Helper {
        let user = try users.user(reference, ["uid"])
        try rights.checkHelping(user.id, to: action, in: self)
        try access.checkPresence(to: action)
        return Helper(self, user)
    }

    /// The right to end what a user is signed in with. Users may do so at any time; helpers must be present.
    ///
    /// - Throws: `notFound`; `notPermitted` for all but the user and who may help the user; `recentSignInRequired` and
    ///   `appNotPermitted` for helpers.
    package func asSelfOrHelper(of reference: UserReference) throws -> SelfOrHelper {
        let user = try users.user(reference, ["uid"])
        try rights.checkSessions(of: user.id, in: self)
        if rights.person != user.id { try access.checkPresence(to: "end what others are signed in with") }
        return SelfOrHelper(self, user)
    }
}

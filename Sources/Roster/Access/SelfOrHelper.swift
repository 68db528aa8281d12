/// The right to end what one user is signed in with, in one transaction: of the user at any time, and of who may help the user and is present.
///
/// Making the value is the check, as of ``Administrator``.
package struct SelfOrHelper {
    package let transaction: Transaction
    /// The user, with the name only.
    package let user: User

    /// - Throws: `notFound`; `notPermitted` for all but the user and who may help the user; `recentSignInRequired` and
    ///   `appNotPermitted` for helpers.
    init(_ transaction: Transaction, of reference: UserReference) throws {
        user = try transaction.users.user(reference, ["uid"])
        try transaction.rights.checkSessions(of: user.id, in: transaction)
        if transaction.rights.person != user.id {
            try transaction.access.checkPresence(to: "end what others are signed in with")
        }
        self.transaction = transaction
    }

    /// Ends all sign-ins of the user: every session and every token.
    package func endSignIns() throws { try transaction.accounts.endSignIns(of: user.id) }
}

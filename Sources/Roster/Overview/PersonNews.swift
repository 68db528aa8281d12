/// A user who is new, or whose manager, title or department has changed.
package struct PersonNews: Sendable {
    /// The user as the caller may read the user at present.
    package let user: User
    /// The latest change; ``Change/Kind/created`` for a new user.
    package let change: Change
}

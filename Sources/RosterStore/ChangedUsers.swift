/// The users' rows that a statement can change.
public enum ChangedUsers: Sendable {
    case any
    /// Only the row of the user with this identifier. The statement does not change the user's name.
    case one(Int64)
    case none
}

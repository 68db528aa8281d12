/// A statement that a transaction is expected to run, with its one parameter. Its row is a user's and begins with the identifier.
public struct ExpectedRead: Sendable, Hashable {
    public let sql: SQL
    public let binding: Binding

    public init(_ sql: SQL, _ binding: Binding) { (self.sql, self.binding) = (sql, binding) }
}

/// The users' rows that a statement can change.
public enum ChangedUsers: Sendable {
    case any
    /// Only the row of the user with this identifier. The statement does not change the user's name.
    case one(Int64)
    case none
}

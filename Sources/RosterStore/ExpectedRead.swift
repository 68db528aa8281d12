/// A statement that a transaction is expected to run, with its parameters.
///
/// If the answer depends on the row of a user, the answer is one row, which begins with the identifier of this user. The answer depends
/// neither on the values and the texts by which users are found, nor on the change feed.
public struct ExpectedRead: Sendable, Hashable {
    public let sql: SQL
    public let bindings: [Binding]

    public init(_ sql: SQL, _ bindings: [Binding]) { (self.sql, self.bindings) = (sql, bindings) }
}

/// The users' rows that a statement can change.
public enum ChangedUsers: Sendable {
    case any
    /// Only the row of the user with this identifier. The statement does not change the user's name.
    case one(Int64)
    case none
}

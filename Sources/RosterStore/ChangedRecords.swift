/// The records, such as users, that a statement can change. The connection drops the answers to expected reads that depend on them.
public enum ChangedRecords: Sendable {
    /// Any record.
    case any
    /// Only the record with this identifier. The statement does not change the record's name.
    case one(Int64)
    /// No record.
    case none
}

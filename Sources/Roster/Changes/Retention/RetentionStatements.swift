import RosterStore

/// The statements that remove the oldest entries of the change feed.
enum RetentionStatements {
    static let retention: SQL = "SELECT change_days, sign_in_days FROM directory"
    static let setRetention: SQL = "UPDATE directory SET change_days = ?1, sign_in_days = ?2"
    static let prunedMarks: SQL = "SELECT changes_pruned, sign_ins_pruned FROM directory"
    static let setPrunedMarks: SQL = "UPDATE directory SET changes_pruned = ?1, sign_ins_pruned = ?2"
    static let prunable: SQL = """
        SELECT sequence, kind, id, time FROM change WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
        """
    static let rowBefore: SQL = """
        SELECT sequence, kind, id, time FROM change WHERE sequence < ?1 ORDER BY sequence DESC LIMIT 1
        """
    static let deleteRange: SQL = "DELETE FROM change WHERE sequence BETWEEN ?1 AND ?2"
    /// Deletes the numbers of repeated sign-ins whose entries are deleted.
    static let deleteNumbers: SQL = "DELETE FROM repeated_sign_in WHERE sequence BETWEEN ?1 AND ?2"
    static let compact: SQL = "DELETE FROM change WHERE sequence <= ?1"
    static let setCompacted = SQL(
        "UPDATE directory SET compacted = max(compacted, ?1)",
        postgreSQL: "UPDATE directory SET compacted = greatest(compacted, ?1)")
}

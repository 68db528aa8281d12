/// The statements of the change feed.
enum ChangeStatements {
    static let insert: SQL = """
        INSERT INTO change (sequence, time, actor, kind, entity, id, name, before, after)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        """
    static let last: SQL = """
        SELECT max(coalesce((SELECT max(sequence) FROM change), 0), (SELECT compacted FROM directory))
        """
    static let compacted: SQL = "SELECT compacted FROM directory"
    static let since: SQL = """
        SELECT sequence, time, actor, kind, entity, id, name, before, after
        FROM change WHERE sequence > ?1 ORDER BY sequence LIMIT ?2
        """
    static let compact: SQL = "DELETE FROM change WHERE sequence <= ?1"
    static let setCompacted: SQL = "UPDATE directory SET compacted = max(compacted, ?1)"
    static let gaps: SQL = """
        SELECT count(*), coalesce(max(sequence), 0) - coalesce(min(sequence), 1) + 1,
            coalesce(min(sequence), 0) FROM change
        """
}

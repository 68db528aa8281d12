import RosterStore

/// The statements of batches of changes.
enum BatchStatements {
    static let insert: SQL = "INSERT INTO change_batch (number, actor, time) VALUES (?1, ?2, ?3)"
    static let actor: SQL = "SELECT actor, lost FROM change_batch WHERE number = ?1"
    /// Adds the entry ?3, or the last one without a number, to batch ?1 of the actor ?2.
    static let add: SQL = """
        INSERT INTO batched_change (sequence, batch)
        SELECT coalesce(CAST(?3 AS BIGINT), (SELECT max(sequence) FROM change)), number FROM change_batch
        WHERE number = ?1 AND actor = ?2
        RETURNING sequence
        """
    /// The entries of batch ?1 before ?2, newest first.
    static let entries: SQL = """
        SELECT change.sequence, time, actor, kind, entity, id, name, before, after, NULL, NULL, batch
        FROM batched_change JOIN change ON change.sequence = batched_change.sequence
        WHERE batch = ?1 AND batched_change.sequence < ?2 ORDER BY batched_change.sequence DESC LIMIT ?3
        """
    /// Counts for each batch the entries from ?1 to ?2, which are about to be removed from the change feed.
    static let countLost: SQL = """
        UPDATE change_batch SET lost = lost + (
            SELECT count(*) FROM batched_change WHERE batch = number AND sequence BETWEEN ?1 AND ?2
        ) WHERE number IN (SELECT batch FROM batched_change WHERE sequence BETWEEN ?1 AND ?2)
        """
    static let remove: SQL = "DELETE FROM batched_change WHERE sequence BETWEEN ?1 AND ?2"
    static let eraseActor: SQL = "UPDATE change_batch SET actor = '' WHERE actor = ?1"
}

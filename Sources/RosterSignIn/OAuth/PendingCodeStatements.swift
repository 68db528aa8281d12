import RosterStore

/// The statements for codes that several servers share.
enum PendingCodeStatements {
    static let upsert: SQL = """
        INSERT INTO pending_code (kind, code, value, expires, owner, address) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
        ON CONFLICT (kind, code) DO UPDATE
        SET value = excluded.value, expires = excluded.expires, owner = excluded.owner, address = excluded.address
        """
    /// Deletes the oldest codes of the owner ?2 beyond ?3, and those of the address ?4 beyond ?5.
    static let makeRoom: SQL = """
        DELETE FROM pending_code WHERE kind = ?1 AND code IN (
            (SELECT code FROM pending_code WHERE kind = ?1 AND owner = ?2 ORDER BY expires DESC OFFSET ?3)
            UNION ALL
            (SELECT code FROM pending_code WHERE kind = ?1 AND address = ?4 ORDER BY expires DESC OFFSET ?5))
        """
    /// Holds the codes of an owner until the transaction ends.
    static let lock: SQL = "SELECT 1 FROM (SELECT pg_advisory_xact_lock(1382249334, hashtext(?1))) AS lock"
    static let waiting: SQL = """
        SELECT count(*), min(expires) FROM pending_code WHERE kind = ?1 AND owner = ?2 AND expires > ?3
        """
    static let select: SQL = "SELECT value FROM pending_code WHERE kind = ?1 AND code = ?2 AND expires > ?3"
    static let selectForUpdate: SQL = """
        SELECT value FROM pending_code WHERE kind = ?1 AND code = ?2 AND expires > ?3 FOR UPDATE
        """
    static let update: SQL = "UPDATE pending_code SET value = ?3 WHERE kind = ?1 AND code = ?2"
    static let take: SQL = "DELETE FROM pending_code WHERE kind = ?1 AND code = ?2 RETURNING value, expires"
    static let clean: SQL = "DELETE FROM pending_code WHERE expires < ?1"
}

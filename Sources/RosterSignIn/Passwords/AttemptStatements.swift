import RosterStore

/// The statements for counts that several servers share.
enum AttemptStatements {
    /// Hold the counts of an address or an account until the transaction ends.
    static let lockAddress: SQL = "SELECT 1 FROM (SELECT pg_advisory_xact_lock(1382249334, hashtext(?1))) AS lock"
    static let lockAccount: SQL = "SELECT 1 FROM (SELECT pg_advisory_xact_lock(1382249333, hashtext(?1))) AS lock"
    static let select: SQL = "SELECT failures, last, until FROM attempt WHERE throttle = ?1 AND kind = ?2 AND key = ?3"
    static let upsert: SQL = """
        INSERT INTO attempt (throttle, kind, key, failures, last, until, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (throttle, kind, key) DO UPDATE
        SET failures = excluded.failures, last = excluded.last, until = excluded.until, expires = excluded.expires
        """
    static let delete: SQL = "DELETE FROM attempt WHERE throttle = ?1 AND kind = ?2 AND key = ?3"
    /// Leaves out rows that other transactions change, because two that wait for one another would not end.
    static let clean: SQL = """
        DELETE FROM attempt WHERE (throttle, kind, key) IN (
            SELECT throttle, kind, key FROM attempt WHERE expires < ?1 FOR UPDATE SKIP LOCKED
        )
        """
}

import RosterStore

/// The statements for counts that several servers share.
enum AttemptStatements {
    /// Holds the counts of an account or an address until the transaction ends.
    static let lock: SQL = "SELECT 1 FROM (SELECT pg_advisory_xact_lock(1382249333, hashtext(?1))) AS lock"
    static let select: SQL = "SELECT failures, last, until FROM attempt WHERE throttle = ?1 AND kind = ?2 AND key = ?3"
    static let upsert: SQL = """
        INSERT INTO attempt (throttle, kind, key, failures, last, until, expires) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (throttle, kind, key) DO UPDATE
        SET failures = excluded.failures, last = excluded.last, until = excluded.until, expires = excluded.expires
        """
    static let delete: SQL = "DELETE FROM attempt WHERE throttle = ?1 AND kind = ?2 AND key = ?3"
    static let clean: SQL = "DELETE FROM attempt WHERE expires < ?1"
}

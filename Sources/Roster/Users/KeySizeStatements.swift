import RosterStore

/// The statements that ask PostgreSQL whether an index has space for a key.
enum KeySizeStatements {
    static let openProbe: SQL = "SAVEPOINT key_size"
    /// Inserts a row whose entry in an index is as large as that of an attribute's value with the longest name.
    static let probe: SQL = """
        INSERT INTO attempt (throttle, kind, key, failures, last, until, expires)
        VALUES (repeat('k', 72), 'key', ?1, 0, 0, 0, 0) RETURNING 1
        """
    static let returnToProbe: SQL = "ROLLBACK TO key_size"
    static let releaseProbe: SQL = "RELEASE key_size"
}

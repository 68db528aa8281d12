import RosterStore

enum DirectoryStatements {
    static let lastID: SQL = "SELECT last_id FROM directory"
    /// The statement names the key of the row. Otherwise SQLite would write the text index to the file at each change, because
    /// the change could concern many rows.
    static let setLastID: SQL = "UPDATE directory SET last_id = ?1 WHERE id = 1"
    /// Whether changes wait for standbys, how many of these are there, and how many the database role may not see.
    static let standbys = SQL(
        "SELECT 0, 0, 0",
        postgreSQL: """
            SELECT current_setting('synchronous_standby_names') <> '',
                count(*) FILTER (WHERE state = 'streaming' AND sync_state IN ('sync', 'quorum')),
                count(*) FILTER (WHERE pid IS NOT NULL AND sync_state IS NULL)
            FROM pg_stat_replication
            """)
}

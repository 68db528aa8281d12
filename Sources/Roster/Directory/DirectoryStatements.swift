import RosterStore

enum DirectoryStatements {
    /// On PostgreSQL, the row of the last commit has the identifier: in a row that all changes share, each look-up would walk through
    /// the versions that a long snapshot keeps. The row of `directory` has the identifier as of a copy into the database.
    static let lastID = SQL(
        "SELECT last_id FROM directory",
        postgreSQL: """
            SELECT greatest(last_id, (SELECT last_id FROM head ORDER BY number DESC LIMIT 1)) FROM directory
            """)
    /// The statement names the key of the row. Otherwise SQLite would write the text index to the file at each change, because
    /// the change could concern many rows.
    static let setLastID = SQL(
        "UPDATE directory SET last_id = ?1 WHERE id = 1",
        postgreSQL: "UPDATE head SET last_id = ?1 WHERE number = (SELECT max(number) FROM head)")
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

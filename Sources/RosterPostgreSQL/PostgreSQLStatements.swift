import RosterStore

enum PostgreSQLStatements {
    /// Sets what every connection needs. Answers with the timeline and the time at which the server was started. A server and its
    /// standbys share the timeline, and a standby that takes over begins another one. The time tells servers apart.
    static let session = """
        SET client_min_messages = warning;
        SET default_transaction_isolation = 'repeatable read';
        SET default_transaction_read_only = on;
        SET idle_in_transaction_session_timeout = '60s';
        SET statement_timeout = 0;
        SET lock_timeout = 0;
        SET plan_cache_mode = force_generic_plan;
        SET tcp_keepalives_idle = 10;
        SET tcp_keepalives_interval = 5;
        SET tcp_keepalives_count = 3;
        SELECT concat_ws('/', CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_control_checkpoint())
            ELSE CAST(CAST('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8) AS bit(32)) AS int) END,
            extract(epoch FROM pg_postmaster_start_time()))
        """
    static let beginWriting: SQL = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
    /// Returns whether a statement surely changes nothing. A statement that begins with WITH can contain one that changes something.
    static func isRead(_ text: String) -> Bool {
        text.hasPrefix("SELECT")
            || text.hasPrefix("WITH") && !["INSERT", "UPDATE", "DELETE"].contains { text.contains($0) }
    }
    static let head: SQL = "SELECT commits, vocabulary FROM head"
    /// Waits for the other servers' transactions that write. Each statement after this one reads their commits.
    /// Also stores this transaction's number, which tells after a loss whether the transaction was committed.
    static let takeTurn: SQL = """
        WITH mark AS (
            INSERT INTO commit_mark VALUES (?1, ?2, now()) ON CONFLICT (server) DO UPDATE SET number = excluded.number, time = now()
        )
        UPDATE head SET commits = commits + 1 WHERE id = 1 RETURNING commits, vocabulary
        """
    static let waitForTurn: SQL = "SELECT commits FROM head WHERE id = 1 FOR UPDATE"
    /// Finds the mark of a transaction that was kept, and writes it again, so that a commit waits for the standbys.
    static let writeMarkAgain: SQL = """
        UPDATE commit_mark SET number = number WHERE server = ?1 AND number = ?2 RETURNING 1
        """
    /// Codes and counts may be lost by a crash.
    static let commitSoon: SQL = "SET LOCAL synchronous_commit = off"
    static func copy(into table: String, _ columns: [String]) -> String {
        "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN"
    }
    static let nothing: SQL = "SELECT 1"
    static let cancel: SQL = "SELECT pg_cancel_backend(CAST(?1 AS int))"
    static let limitTime: SQL = "SELECT set_config('statement_timeout', ?1, false)"
    static let planOnce: SQL = "SET plan_cache_mode = force_generic_plan"
    static let planAsNeeded: SQL = "SET plan_cache_mode = auto"
    static let migrationLock: SQL = "SELECT 1 FROM (SELECT pg_advisory_xact_lock(1382249332)) AS lock"
}

import RosterStore

enum PostgreSQLStatements {
    /// Sets what every connection needs. Without statistics, the server would take every recursive query for a large one, and compile it
    /// for longer than it runs. Answers with the timeline and the time at which the server was started. A server and its
    /// standbys share the timeline, and a standby that takes over begins another one. The time tells servers apart.
    static let session = """
        SET client_min_messages = warning;
        SET default_transaction_isolation = 'repeatable read';
        SET default_transaction_read_only = on;
        SET idle_in_transaction_session_timeout = '60s';
        SET statement_timeout = 0;
        SET lock_timeout = 0;
        SET plan_cache_mode = force_generic_plan;
        SET jit = off;
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
    /// The number of commits, and the number of changes of the vocabulary.
    static let head: SQL = "SELECT number, vocabulary FROM head ORDER BY number DESC LIMIT 1"
    /// Waits for the other servers' transactions that write, and ends a server that has the turn and pauses for longer than
    /// ``PauseWatch/longest``. Each statement after this one reads their commits.
    static let waitForTurn: SQL = "SELECT wait_for_turn()"
    /// Waits for the other servers' transactions that write, where the tables may be of an older version.
    static let waitToMigrate: SQL = "SELECT 1 FROM (SELECT pg_advisory_xact_lock(1382249332)) AS turn"
    /// Adds the row of this transaction, which tells after a loss whether the transaction was committed, and removes the row of an old
    /// one. Each row is found by its key, so that the removed rows, which the server keeps for a long snapshot, take no time.
    static let takeTurn: SQL = """
        WITH turn AS (
            INSERT INTO head (number, vocabulary, last_id, server)
                SELECT number + 1, vocabulary, last_id, CAST(?1 AS UUID) FROM head ORDER BY number DESC LIMIT 1
                RETURNING number, vocabulary
        ), removed AS (
            DELETE FROM head WHERE number = (SELECT number - 100000 FROM turn)
        )
        SELECT number, vocabulary FROM turn
        """
    /// Finds the row of a transaction that was kept, and writes the row again, so that a commit waits for the standbys. Answers whether
    /// there is such a row, and whether rows of that age are removed.
    static let writeAgain: SQL = """
        WITH kept AS (UPDATE head SET server = server WHERE number = ?1 AND server = CAST(?2 AS UUID) RETURNING 1)
        SELECT EXISTS (SELECT FROM kept), (SELECT max(number) FROM head) >= ?1 + 100000
        """
    /// Codes and counts may be lost by a crash.
    static let commitSoon: SQL = "SET LOCAL synchronous_commit = off"
    static func copy(into table: String, _ columns: [String]) -> String {
        "COPY \(table) (\(columns.joined(separator: ", "))) FROM STDIN"
    }
    static let nothing: SQL = "SELECT 1"
    static let cancel: SQL = "SELECT pg_cancel_backend(CAST(?1 AS int))"
    /// Answers with what one of several processes of the server waits for: `standby`, or `lock/` and the processes that have the lock;
    /// without a row if none waits.
    static func waits(of processes: [Int32]) -> String {
        """
        SELECT CASE WHEN wait_event = 'SyncRep' THEN 'standby'
            ELSE 'lock/' || array_to_string(pg_blocking_pids(pid), ', ') END
        FROM pg_stat_activity
        WHERE pid = ANY ('{\(processes.map(String.init).joined(separator: ","))}')
            AND (wait_event = 'SyncRep' OR wait_event_type = 'Lock') LIMIT 1
        """
    }
    static let limitTime: SQL = "SELECT set_config('statement_timeout', ?1, false)"
    static let planOnce: SQL = "SET plan_cache_mode = force_generic_plan"
    static let planAsNeeded: SQL = "SET plan_cache_mode = auto"
}

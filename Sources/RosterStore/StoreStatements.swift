public enum StoreStatements {
    /// The settings of every connection. Automatic checkpoints are off, because only the writer may checkpoint. Deleted rows and free
    /// pages are overwritten, as they are by Debian's SQLite in any case.
    package static let configuration: [SQL] = [
        "PRAGMA synchronous = FULL",
        "PRAGMA foreign_keys = ON",
        "PRAGMA wal_autocheckpoint = 0",
        "PRAGMA cache_size = -2000",
        "PRAGMA trusted_schema = OFF",
        "PRAGMA secure_delete = ON",
    ]
    static let ignoreReferences: SQL = "PRAGMA foreign_keys = OFF"
    package static let readOnly: SQL = "PRAGMA query_only = ON"
    package static func mapMemory(bytes: Int64) -> String { "PRAGMA mmap_size = \(bytes)" }
    package static let pageCount: SQL = "PRAGMA page_count"
    static let isVacuumedByItself: SQL = "PRAGMA auto_vacuum"
    package static let useLog: SQL = "PRAGMA journal_mode = WAL"
    package static let bulkCache: SQL = "PRAGMA cache_size = -49152"
    package static let usualCache: SQL = "PRAGMA cache_size = -16000"

    package static let begin: SQL = "BEGIN"
    package static let takeSnapshot: SQL = "SELECT 1 FROM sqlite_schema LIMIT 1"
    package static let beginWriting: SQL = "BEGIN IMMEDIATE"
    package static let commit: SQL = "COMMIT"
    public static let rollback: SQL = "ROLLBACK"
    package static let openSavepoint: SQL = "SAVEPOINT job"
    package static let releaseSavepoint: SQL = "RELEASE job"
    package static let returnToSavepoint: SQL = "ROLLBACK TO job"

    static func insert(into table: String, _ columns: [String]) -> String {
        let places = (1...max(columns.count, 1)).map { "?\($0)" }
        return "INSERT INTO \(table) (\(columns.joined(separator: ", "))) VALUES (\(places.joined(separator: ", ")))"
    }

    /// Removes what deleted rows have left on a server.
    package static let rewrite: SQL = "VACUUM"

    package static let tableCount = SQL(
        "SELECT count(*) FROM sqlite_schema",
        postgreSQL: "SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()")
    package static let applicationID = SQL(
        "PRAGMA application_id",
        postgreSQL:
            "SELECT CASE WHEN to_regclass('migration') IS NULL OR to_regclass('head') IS NULL THEN 0 ELSE 1383035764 END"
    )
    package static let userVersion = SQL(
        "PRAGMA user_version", postgreSQL: "SELECT coalesce(max(number), 0) FROM migration")
    package static func mark(applicationID: Int32) -> String { "PRAGMA application_id = \(applicationID)" }
    package static func mark(version: Int) -> String { "PRAGMA user_version = \(version)" }
    package static let createMigration = SQL(
        """
        CREATE TABLE migration (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied INTEGER NOT NULL
        ) STRICT
        """,
        postgreSQL: """
            CREATE TABLE migration (
                number BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied BIGINT NOT NULL
            )
            """)
    /// Waits for all running transactions that read or change the directory. Each of them reads `head` first, so that later ones wait
    /// here before they lock a table. Changes of codes and attempts do not read `head`.
    static let lockOnServer = "LOCK TABLE head IN ACCESS EXCLUSIVE MODE"
    package static let migrations: SQL = "SELECT number, name, checksum FROM migration ORDER BY number"
    package static let recordMigration: SQL = "INSERT INTO migration VALUES (?1, ?2, ?3, ?4)"
    /// The number of commits, and the name of the database's history: the cluster, the database, and the timeline, which changes when
    /// a standby takes over. A standby knows its timeline since its last restart point only, and is not used until then.
    static let position = SQL(
        "SELECT 0, ''",
        postgreSQL: """
            SELECT number, concat_ws('/', (SELECT system_identifier FROM pg_control_system()),
                (SELECT oid FROM pg_database WHERE datname = current_database()),
                CASE WHEN pg_is_in_recovery() THEN (SELECT timeline_id FROM pg_control_checkpoint())
                ELSE CAST(CAST('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8) AS bit(32)) AS int) END)
            FROM head ORDER BY number DESC LIMIT 1
            """)
    package static let schema: SQL = """
        SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'text\\_index\\_%' ESCAPE '\\' ORDER BY name
        """

    /// PostgreSQL checks its own files, and refuses rows without their counterparts.
    package static let integrity = SQL("PRAGMA integrity_check(100)", postgreSQL: "SELECT 'ok'")
    /// The pages of the file, without a comparison of the indexes with their tables.
    static let structure: SQL = "PRAGMA quick_check(1)"
    package static let foreignKeys = SQL("PRAGMA foreign_key_check", postgreSQL: "SELECT 1 WHERE FALSE")
}

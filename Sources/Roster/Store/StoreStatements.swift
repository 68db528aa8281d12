/// The statements of the store itself.
enum StoreStatements {
    /// Every connection's settings. No connection checkpoints by itself: the writer does, alone.
    static let configuration: [SQL] = [
        "PRAGMA synchronous = FULL",
        "PRAGMA foreign_keys = ON",
        "PRAGMA wal_autocheckpoint = 0",
        "PRAGMA cache_size = -2000",
        "PRAGMA trusted_schema = OFF",
    ]
    static let readOnly: SQL = "PRAGMA query_only = ON"
    static func mapMemory(bytes: Int64) -> String { "PRAGMA mmap_size = \(bytes)" }
    static let pageCount: SQL = "PRAGMA page_count"
    static let useLog: SQL = "PRAGMA journal_mode = WAL"
    static let bulkCache: SQL = "PRAGMA cache_size = -65536"
    static let usualCache: SQL = "PRAGMA cache_size = -16000"

    static let begin: SQL = "BEGIN"
    static let takeSnapshot: SQL = "SELECT 1 FROM sqlite_schema LIMIT 1"
    static let beginWriting: SQL = "BEGIN IMMEDIATE"
    static let commit: SQL = "COMMIT"
    static let rollback: SQL = "ROLLBACK"
    static let openSavepoint: SQL = "SAVEPOINT job"
    static let releaseSavepoint: SQL = "RELEASE job"
    static let returnToSavepoint: SQL = "ROLLBACK TO job"

    /// Writes the file anew, without pages that were freed.
    static let rewrite: SQL = "VACUUM"

    static let tableCount: SQL = "SELECT count(*) FROM sqlite_schema"
    static let applicationID: SQL = "PRAGMA application_id"
    static let userVersion: SQL = "PRAGMA user_version"
    static func mark(applicationID: Int32) -> String { "PRAGMA application_id = \(applicationID)" }
    static func mark(version: Int) -> String { "PRAGMA user_version = \(version)" }
    static let createMigration: SQL = """
        CREATE TABLE migration (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied INTEGER NOT NULL
        ) STRICT
        """
    static let migrations: SQL = "SELECT number, name, checksum FROM migration ORDER BY number"
    static let recordMigration: SQL = "INSERT INTO migration VALUES (?1, ?2, ?3, ?4)"
    static let schema: SQL = """
        SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'text\\_index\\_%' ESCAPE '\\' ORDER BY name
        """

    static let lastID: SQL = "SELECT last_id FROM directory"
    static let setLastID: SQL = "UPDATE directory SET last_id = ?1"
    static let integrity: SQL = "PRAGMA integrity_check(100)"
    static let foreignKeys: SQL = "PRAGMA foreign_key_check"
}

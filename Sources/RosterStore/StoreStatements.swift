package enum StoreStatements {
    /// The settings of every connection. Automatic checkpoints are off, because only the writer may checkpoint.
    package static let configuration: [SQL] = [
        "PRAGMA synchronous = FULL",
        "PRAGMA foreign_keys = ON",
        "PRAGMA wal_autocheckpoint = 0",
        "PRAGMA cache_size = -2000",
        "PRAGMA trusted_schema = OFF",
    ]
    package static let readOnly: SQL = "PRAGMA query_only = ON"
    package static func mapMemory(bytes: Int64) -> String { "PRAGMA mmap_size = \(bytes)" }
    package static let pageCount: SQL = "PRAGMA page_count"
    package static let useLog: SQL = "PRAGMA journal_mode = WAL"
    package static let bulkCache: SQL = "PRAGMA cache_size = -65536"
    package static let usualCache: SQL = "PRAGMA cache_size = -16000"

    package static let begin: SQL = "BEGIN"
    package static let takeSnapshot: SQL = "SELECT 1 FROM sqlite_schema LIMIT 1"
    package static let beginWriting: SQL = "BEGIN IMMEDIATE"
    package static let commit: SQL = "COMMIT"
    package static let rollback: SQL = "ROLLBACK"
    package static let openSavepoint: SQL = "SAVEPOINT job"
    package static let releaseSavepoint: SQL = "RELEASE job"
    package static let returnToSavepoint: SQL = "ROLLBACK TO job"

    /// Rewrites the file without freed pages.
    package static let rewrite: SQL = "VACUUM"

    package static let tableCount: SQL = "SELECT count(*) FROM sqlite_schema"
    package static let applicationID: SQL = "PRAGMA application_id"
    package static let userVersion: SQL = "PRAGMA user_version"
    package static func mark(applicationID: Int32) -> String { "PRAGMA application_id = \(applicationID)" }
    package static func mark(version: Int) -> String { "PRAGMA user_version = \(version)" }
    package static let createMigration: SQL = """
        CREATE TABLE migration (
            number INTEGER PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied INTEGER NOT NULL
        ) STRICT
        """
    package static let migrations: SQL = "SELECT number, name, checksum FROM migration ORDER BY number"
    package static let recordMigration: SQL = "INSERT INTO migration VALUES (?1, ?2, ?3, ?4)"
    package static let schema: SQL = """
        SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL AND name NOT LIKE 'text\\_index\\_%' ESCAPE '\\' ORDER BY name
        """

    package static let integrity: SQL = "PRAGMA integrity_check(100)"
    package static let foreignKeys: SQL = "PRAGMA foreign_key_check"
}

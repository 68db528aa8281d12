import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension Store {
    /// The number of searches and look-ups that were refused because too many waited, or because one had waited too long.
    package var refusedReads: Int { readers.refused }

    /// The mode for reading a file. A file on a read-only medium is opened as immutable, because SQLite cannot create
    /// the companions for its write-ahead log there.
    package static func readingMode(of path: String, mappedBytes: Int64) throws -> SQLiteEngine.Mode {
        let mode = SQLiteEngine.Mode(isWriter: false, mappedBytes: mappedBytes)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        let hasLog = FileManager.default.fileExists(atPath: path + "-wal")
        if hasLog || FileManager.default.isWritableFile(atPath: folder) { return mode }
        return SQLiteEngine.Mode(isWriter: false, mappedBytes: mappedBytes, isImmutable: true)
    }

    static func reader(_ path: String, _ mode: SQLiteEngine.Mode, _ ending: Ending? = nil) throws
        -> Connection
    {
        let connection = try Connection(path: path, mode: mode, ending: ending)
        try connection.run(StoreStatements.readOnly)
        return connection
    }

    /// Reads one snapshot of a file with this or an older schema, such as a backup.
    package static func visit<Value>(
        _ path: String, _ migrations: Migrations, _ body: (Connection) throws -> Value
    ) throws -> Value {
        try checkHeader(of: path)
        // Without a log, no process writes to the file. Opened as immutable, it gets no companions.
        let hasLog = FileManager.default.fileExists(atPath: path + "-wal")
        let connection = try reader(path, .init(isWriter: false, mappedBytes: 0, isImmutable: !hasLog))
        guard case .version = try migrations.inspect(connection, path: path) else {
            throw StoreError.emptyFile(path)
        }
        try connection.run(StoreStatements.begin)
        defer { connection.endSnapshot() }
        return try body(connection)
    }

    /// Refuses a file without the header of an SQLite database. SQLite reads the header, because the process may have the file open.
    package static func checkHeader(of path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { return }
        if status.st_mode & S_IFMT == S_IFDIR {
            throw StoreError(.notADirectory, "'\(path)' is a folder, not a file.", advice: "Name a file in it.")
        }
        if status.st_size == 0 { return }
        guard access(path, R_OK) == 0, let head = try? SQLiteEngine.start(of: path) else {
            throw StoreError(.storageFailed, "'\(path)' cannot be read.", advice: "Check the file's permissions.")
        }
        guard status.st_size >= 100, head.starts(with: Data("SQLite format 3\0".utf8)) else {
            throw StoreError(
                .notADirectory, "'\(path)' is not a directory file.",
                advice: "Check the path; the file was not touched.")
        }
    }
}

internal import CSQLite
import Foundation

/// The number of instructions after which a running statement looks whether it has to end.
private let stepsBetweenLooks = 10_000

extension SQLiteEngine {
    /// The way to open a file.
    package struct Mode: Sendable {
        package let isWriter: Bool
        /// The number of bytes of the file that are mapped into memory.
        package let mappedBytes: Int64
        /// Whether the file is on a read-only medium, so that nobody can change it.
        package var isImmutable = false

        package init(isWriter: Bool, mappedBytes: Int64, isImmutable: Bool = false) {
            self.isWriter = isWriter
            self.mappedBytes = mappedBytes
            self.isImmutable = isImmutable
        }
    }
}

/// A connection to a file, or to a database in memory.
extension Connection {
    /// - Parameter ending: Ends callers' work on the connection; nil if nothing ends it early.
    package convenience init(path: String, mode: SQLiteEngine.Mode, ending: Ending? = nil) throws {
        if mode.isWriter, path != ":memory:" { DirectoryFile.make(path) }
        try self.init(path: path, mode: mode, ending: ending, on: nil)
    }

    /// - Parameter scratch: The files that are used in place of those at the path; nil for the files there.
    convenience init(path: String, mode: SQLiteEngine.Mode, ending: Ending?, on scratch: ScratchSystem?) throws {
        let engine = try SQLiteEngine(path: path, mode: mode, on: scratch)
        self.init(engine, ending: ending)
        let handle = engine.handle
        try check(roster_sqlite_harden(handle))
        engine.waitForLocks()
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 * 1024 * 1024)
        sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, 8_192)
        if !mode.isWriter || scratch != nil { try check(roster_sqlite_never_checkpoint_on_close(handle)) }
        try engine.configure(self)
        try RowFunction.register(on: self)
        watchDeadline()
    }

    /// A connection to a database in memory of its own.
    ///
    /// - Parameter image: The initial bytes; nil for an empty database.
    convenience init(image: Data?, ending: Ending?) throws {
        try self.init(path: ":memory:", mode: .init(isWriter: true, mappedBytes: 0), ending: ending)
        if let image { try (engine as? SQLiteEngine)?.load(image) }
    }

    /// SQLite's handle of the database; nil on a server.
    var handle: OpaquePointer? { (engine as? SQLiteEngine)?.handle }

    private func watchDeadline() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            handle, Int32(stepsBetweenLooks),
            { context in
                guard let context else { return 0 }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                if connection.mustEnd { return 1 }
                // SQLite ignores an interrupt that arrives before the statement begins, so the handler asks again.
                if connection.cancellation?.isCancelled == true { return 1 }
                if let left = connection.stepsLeft {
                    connection.stepsLeft = left - stepsBetweenLooks
                    if left <= stepsBetweenLooks { return 1 }
                }
                return connection.deadline.map { ContinuousClock.now > $0 } == true ? 1 : 0
            }, context)
    }

    /// Throws the error for a result code of SQLite other than success.
    func check(_ result: Int32) throws {
        guard result != SQLITE_OK, result != SQLITE_ROW, result != SQLITE_DONE else { return }
        if result & 0xFF == SQLITE_INTERRUPT, cancellation?.isCancelled == true { throw CancellationError() }
        if result & 0xFF == SQLITE_INTERRUPT { try checkOpen() }
        if result & 0xFF == SQLITE_INTERRUPT, let stepsLeft, stepsLeft <= 0 { throw StoreError.tooMuch }
        throw StoreFailure.error(result, on: handle)
    }
}

internal import CSQLite
import Foundation

/// The number of instructions after which a running statement looks whether it has to end.
private let stepsBetweenLooks = 10_000

/// A connection to a file, or to a database in memory.
package final class SQLiteConnection: Connection, @unchecked Sendable {
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

    let handle: OpaquePointer
    /// The files of a connection whose changes nobody else sees; nil for any other connection.
    private let scratch: ScratchSystem?
    private var mappedBytes: Int64 = 0
    private var mappedPages: Int64 = 0

    /// - Parameter ending: Ends callers' work on the connection; nil if nothing ends it early.
    package convenience init(path: String, mode: Mode, ending: Ending? = nil) throws {
        if mode.isWriter, path != ":memory:" { DirectoryFile.make(path) }
        try self.init(path: path, mode: mode, ending: ending, on: nil)
    }

    /// - Parameter scratch: The files that are used in place of those at the path; nil for the files there.
    init(path: String, mode: Mode, ending: Ending?, on scratch: ScratchSystem?) throws {
        var handle: OpaquePointer?
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= mode.isWriter ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        var name = path
        if mode.isImmutable {
            flags |= SQLITE_OPEN_URI
            name = URL(fileURLWithPath: path).absoluteString + "?immutable=1"
        }
        let result = sqlite3_open_v2(name, &handle, flags, scratch?.name)
        guard result == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw StoreFailure.error(result, path: path)
        }
        self.handle = handle
        self.scratch = scratch
        super.init(engine: .sqlite, ending: ending)
        try check(roster_sqlite_harden(handle))
        waitForLocks()
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 * 1024 * 1024)
        sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, 8_192)
        if !mode.isWriter || scratch != nil { try check(roster_sqlite_never_checkpoint_on_close(handle)) }
        try configure(mappedBytes: mode.mappedBytes)
        try RowFunction.register(on: self)
        watchDeadline()
    }

    /// The first bytes of a file.
    static func start(of path: String) throws -> [UInt8] {
        var handle: OpaquePointer?
        let result = sqlite3_open_v2(path, &handle, SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_READONLY, nil)
        defer { sqlite3_close_v2(handle) }
        guard result == SQLITE_OK, let handle else { throw StoreFailure.error(result, path: path) }
        var bytes = [UInt8](repeating: 0, count: 100)
        let read = roster_sqlite_read_start(handle, &bytes, 100)
        guard read & 0xFF == SQLITE_OK || read == SQLITE_IOERR | 2 << 8 else {
            throw StoreFailure.error(read, path: path)
        }
        return bytes
    }

    /// Maps the file again after it has grown. SQLite does this only after another process has written, so that the
    /// writer would read its own new pages by system calls forever.
    func mapGrownFile() throws {
        guard mappedBytes > 0 else { return }
        let size = try first(StoreStatements.pageCount) { $0.integer(0) } ?? 0
        guard size > mappedPages + mappedPages / 8 else { return }
        mappedPages = size
        // SQLite maps again only if the limit changes.
        try run(dynamic: StoreStatements.mapMemory(bytes: mappedBytes - 65_536))
        try run(dynamic: StoreStatements.mapMemory(bytes: mappedBytes))
    }

    private func configure(mappedBytes: Int64) throws {
        self.mappedBytes = min(mappedBytes, 0x7FFF_0000)
        try run(dynamic: StoreStatements.mapMemory(bytes: self.mappedBytes))
        for statement in StoreStatements.configuration { try run(statement) }
    }

    private func watchDeadline() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            handle, Int32(stepsBetweenLooks),
            { context in
                guard let context else { return 0 }
                let connection = Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue()
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

    /// Sets how long statements wait for locks of other connections.
    func waitForLocks(milliseconds: Int32 = 5_000) { sqlite3_busy_timeout(handle, milliseconds) }

    /// The bytes of the statements that the connection keeps.
    package var bytesOfStatements: Int { statusOfStatements(SQLITE_STMTSTATUS_MEMUSED) }

    /// The work of the statements that the connection does not keep any more.
    let finished = FinishedWork()

    package override var work: StatementWork {
        var work = finished.work
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            work = work + SQLiteStatement.work(of: current)
            statement = sqlite3_next_stmt(handle, current)
        }
        return work
    }

    private func statusOfStatements(_ status: Int32) -> Int {
        var sum = 0
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            sum += Int(sqlite3_stmt_status(current, status, 0))
            statement = sqlite3_next_stmt(handle, current)
        }
        return sum
    }

    deinit {
        finalizeStatements()
        ending?.add(finished.work)
        sqlite3_close_v2(handle)
    }

    package override func makeStatement(_ text: String) throws -> Statement {
        try SQLiteStatement(text: text, on: self)
    }
    package override func interrupt() { sqlite3_interrupt(handle) }
    package override func run(script: String) throws { try check(sqlite3_exec(handle, script, nil, nil, nil)) }
    package override var changedRows: Int { Int(sqlite3_changes64(handle)) }
    package override var insertedRow: Int64 { sqlite3_last_insert_rowid(handle) }
    package override var totalChangedRows: Int { Int(sqlite3_total_changes64(handle)) }
    package override var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    /// Throws the error for a result code other than success.
    func check(_ result: Int32) throws {
        guard result != SQLITE_OK, result != SQLITE_ROW, result != SQLITE_DONE else { return }
        if result & 0xFF == SQLITE_INTERRUPT, cancellation?.isCancelled == true { throw CancellationError() }
        if result & 0xFF == SQLITE_INTERRUPT { try checkOpen() }
        if result & 0xFF == SQLITE_INTERRUPT, let stepsLeft, stepsLeft <= 0 { throw StoreError.tooMuch }
        throw StoreFailure.error(result, on: handle)
    }
}

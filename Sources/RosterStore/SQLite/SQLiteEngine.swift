internal import CSQLite
import Foundation

/// SQLite on a file, or on a database in memory.
package final class SQLiteEngine: Engine {
    package let kind = EngineKind.sqlite
    let handle: OpaquePointer
    /// The files of a connection whose changes nobody else sees; nil for any other connection.
    private let scratch: ScratchSystem?
    /// The number of bytes of the file that are mapped into memory.
    private let mappedBytes: Int64
    private var mappedPages: Int64 = 0
    /// The statements that the engine has prepared. SQLite's text indexes prepare further ones, which SQLite itself finalizes.
    private var statements: Set<OpaquePointer> = []
    /// The work of the statements that the connection does not keep any more.
    private var finishedWork = StatementWork()

    /// - Parameter scratch: The files that are used in place of those at the path; nil for the files there.
    init(path: String, mode: Mode, on scratch: ScratchSystem?) throws {
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
        (self.handle, self.scratch) = (handle, scratch)
        mappedBytes = min(mode.mappedBytes, 0x7FFF_0000)
    }

    deinit {
        for statement in statements { sqlite3_finalize(statement) }
        sqlite3_close_v2(handle)
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

    // MARK: Settings

    /// Sets SQLite's options for the connection, such as the part of the file that is mapped into memory.
    func configure(_ connection: Connection) throws {
        try connection.run(dynamic: StoreStatements.mapMemory(bytes: mappedBytes))
        for statement in StoreStatements.configuration { try connection.run(statement) }
    }

    /// Maps the file again after the file has grown. SQLite maps a grown file only after another process has written. Without this call,
    /// the writer would read the pages that it has added by system calls forever.
    func mapGrownFile(of connection: Connection) throws {
        guard mappedBytes > 0 else { return }
        let size = try connection.first(StoreStatements.pageCount) { $0.integer(0) } ?? 0
        guard size > mappedPages + mappedPages / 8 else { return }
        mappedPages = size
        // SQLite maps again only if the limit changes.
        try connection.run(dynamic: StoreStatements.mapMemory(bytes: mappedBytes - 65_536))
        try connection.run(dynamic: StoreStatements.mapMemory(bytes: mappedBytes))
    }

    /// Sets how long statements wait for locks of other connections.
    func waitForLocks(milliseconds: Int32 = 5_000) { sqlite3_busy_timeout(handle, milliseconds) }

    // MARK: Transactions

    package func beginReading(once: Bool, on connection: Connection) throws {
        try connection.run(StoreStatements.begin)
    }
    package func beginWriting(expecting reads: [ExpectedRead], on connection: Connection) throws {
        try connection.run(StoreStatements.beginWriting)
    }
    package func beginMigrating(on connection: Connection) throws { try connection.run(StoreStatements.beginWriting) }
    package func beginSideTables(on connection: Connection) throws {
        throw StoreError(.storageFailed, "A file has no tables beside the directory.")
    }
    package var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }
    package var hasLostTransaction: Bool { false }
    package var isTransactionBroken: Bool { false }

    // MARK: Statements

    package func makeStatement(_ text: String, on connection: Connection) throws -> Statement {
        var statement: OpaquePointer?
        try connection.check(
            sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else { throw StoreError(.storageFailed, "An empty statement was prepared.") }
        statements.insert(statement)
        return SQLiteStatement(statement, text: text, of: self)
    }
    package func run(script: String, on connection: Connection) throws {
        try connection.check(sqlite3_exec(handle, script, nil, nil, nil))
    }
    package func insert(
        _ rows: [[Binding]], into table: String, _ columns: [String], on connection: Connection
    ) throws {
        let statement = try connection.dynamicStatement(StoreStatements.insert(into: table, columns))
        for row in rows { try connection.execute(statement, row) }
    }
    package var reportsLate: Bool { false }
    package var changedRows: Int { Int(sqlite3_changes64(handle)) }
    package var totalChangedRows: Int { Int(sqlite3_total_changes64(handle)) }
    package var insertedRow: Int64 { sqlite3_last_insert_rowid(handle) }

    package var work: StatementWork {
        var work = finishedWork
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            work = work + SQLiteStatement.work(of: current)
            statement = sqlite3_next_stmt(handle, current)
        }
        return work
    }

    /// Finalizes a statement, and keeps its work.
    func finalize(_ statement: OpaquePointer) {
        finishedWork = finishedWork + SQLiteStatement.work(of: statement)
        statements.remove(statement)
        sqlite3_finalize(statement)
    }

    /// The bytes of memory that SQLite uses for the prepared statements.
    package var bytesOfStatements: Int {
        var sum = 0
        var statement = sqlite3_next_stmt(handle, nil)
        while let current = statement {
            sum += Int(sqlite3_stmt_status(current, SQLITE_STMTSTATUS_MEMUSED, 0))
            statement = sqlite3_next_stmt(handle, current)
        }
        return sum
    }

    // MARK: Interruptions

    package func interrupt() { sqlite3_interrupt(handle) }
    package func interruptRead() {}
    package func didPause(_ connection: Connection) {}

    // MARK: What only a server needs

    package func expect(_ reads: [ExpectedRead], on connection: Connection) throws {}
    package func settleSnapshot(of connection: Connection) throws {}
    package func revision() -> Int64? { nil }
}

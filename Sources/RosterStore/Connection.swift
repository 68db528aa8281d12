import CSQLite
package import Dispatch
import Foundation
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection to the file. Only one thread may use it at a time: the thread that took it from the pool, or the
/// writer.
public final class Connection: @unchecked Sendable {
    // Unchecked: the pool and the writer pass a connection to one thread at a time, which the compiler cannot see.

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

    package let handle: OpaquePointer
    /// Runs the work of callers that must not block their own thread.
    package let queue = DispatchQueue(label: "roster.reader")
    private var prepared: [UnsafeRawPointer: Statement] = [:]
    private var compiled: [String: Statement] = [:]
    private var compiledOrder: [String] = []
    private var mappedBytes: Int64 = 0
    private var mappedPages: Int64 = 0

    /// The thread that keeps this connection for several look-ups, if any. Only the pool changes it.
    package var keeper: UInt?
    /// The running operation.
    package var cancellation: Cancellation?
    /// The number of commits before the open snapshot; nil if no snapshot is open.
    package var snapshot: UInt64?
    /// The same number if no later commit can be in the snapshot; nil otherwise. Facts read from such a snapshot can be
    /// cached.
    package var exactSnapshot: UInt64?
    /// Answers questions without an index for each row of the running statement; nil if the statement has none.
    package var rowFunction: RowFunction.Body?
    /// The time at which the running search fails.
    package var deadline: ContinuousClock.Instant?
    /// Tells that the store is closed, which ends callers' work.
    private let ending: Ending?
    /// Whether a caller's work runs, as opposed to maintenance.
    var isAtWork = false

    /// - Parameter ending: Ends callers' work on the connection; nil if nothing ends it early.
    package init(path: String, mode: Mode, ending: Ending? = nil) throws {
        self.ending = ending
        if mode.isWriter, path != ":memory:" { Self.makeFile(path) }
        var handle: OpaquePointer?
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        flags |= mode.isWriter ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE : SQLITE_OPEN_READONLY
        var name = path
        if mode.isImmutable {
            flags |= SQLITE_OPEN_URI
            name = URL(fileURLWithPath: path).absoluteString + "?immutable=1"
        }
        let result = sqlite3_open_v2(name, &handle, flags, nil)
        guard result == SQLITE_OK, let handle else {
            sqlite3_close_v2(handle)
            throw StoreFailure.error(result, path: path)
        }
        self.handle = handle
        do {
            try check(roster_sqlite_harden(handle))
            waitForLocks()
            sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, 64 * 1024 * 1024)
            sqlite3_limit(handle, SQLITE_LIMIT_VARIABLE_NUMBER, 8_192)
            if !mode.isWriter { try check(roster_sqlite_never_checkpoint_on_close(handle)) }
            try configure(mappedBytes: mode.mappedBytes)
            try RowFunction.register(on: self)
            watchDeadline()
        } catch {
            sqlite3_close_v2(handle)
            throw error
        }
    }

    /// Creates a missing file with access for its owner only, because it contains password hashes. SQLite gives its
    /// companions the same permissions. If this fails, opening the file reports the error.
    private static func makeFile(_ path: String) {
        // Closing a descriptor of an existing file would release this process's locks on the file.
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Maps the file again after it has grown. SQLite does this only after another process has written, so that the
    /// writer would read its own new pages by system calls forever.
    package func mapGrownFile() throws {
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

    /// Throws if the running search has exceeded its time, or was cancelled.
    package func checkGoesOn() throws {
        try cancellation?.check()
        try checkOpen()
        guard let deadline, ContinuousClock.now > deadline else { return }
        throw StoreFailure.error(SQLITE_INTERRUPT, path: nil)
    }

    private func watchDeadline() {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_progress_handler(
            handle, 10_000,
            { context in
                guard let context else { return 0 }
                let connection = Unmanaged<Connection>.fromOpaque(context).takeUnretainedValue()
                if connection.mustEnd { return 1 }
                return connection.deadline.map { ContinuousClock.now > $0 } == true ? 1 : 0
            }, context)
    }

    /// Runs a caller's work, which fails with `closed` once the store is closed.
    package func work<Value>(_ body: (Connection) throws -> Value) rethrows -> Value {
        let wasAtWork = isAtWork
        isAtWork = true
        defer { isAtWork = wasAtWork }
        return try body(self)
    }

    @inline(__always)
    var mustEnd: Bool { isAtWork && ending?.hasCome == true }

    /// Throws `closed` within a caller's work if the store is closed.
    @inline(__always)
    package func checkOpen() throws {
        if mustEnd { throw ReaderPool.closed }
    }

    /// Sets how long statements wait for locks of other connections.
    package func waitForLocks(milliseconds: Int32 = 5_000) { sqlite3_busy_timeout(handle, milliseconds) }

    /// Ends the read transaction that a reader keeps open for its next use.
    package func endSnapshot() {
        snapshot = nil
        exactSnapshot = nil
        guard !isOutsideTransaction else { return }
        // Ending a read transaction loses nothing and must not fail, so it ignores cancellation.
        let cancellation = cancellation
        self.cancellation = nil
        defer { self.cancellation = cancellation }
        try? run(StoreStatements.commit)
    }

    deinit {
        for statement in prepared.values { statement.finalize() }
        for statement in compiled.values { statement.finalize() }
        sqlite3_close_v2(handle)
    }

    // MARK: Statements

    /// Runs a statement and passes its rows to `body`.
    ///
    /// - Throws: ``StoreError``, or `CancellationError` if the running operation was cancelled.
    @inlinable public func forEach(_ sql: SQL, _ bindings: [Binding] = [], _ body: (borrowing Row) throws -> Void)
        throws
    {
        try step(try statement(sql), bindings) { row in
            try body(row)
            return true
        }
    }

    /// Runs a statement composed by the filter compiler; `body` returns whether to continue.
    @inlinable public func forEach(dynamic text: String, _ bindings: [Binding], _ body: (borrowing Row) throws -> Bool)
        throws
    {
        try step(try dynamicStatement(text), bindings, body)
    }

    /// The first row of a statement; nil if it has none.
    @inlinable public func first<Value>(
        _ sql: SQL, _ bindings: [Binding] = [], _ body: (borrowing Row) throws -> Value
    ) throws -> Value? {
        var value: Value?
        try step(try statement(sql), bindings) { row in
            value = try body(row)
            return false
        }
        return value
    }

    /// The first row of a statement with one text binding. Avoids allocating a list of bindings.
    @inlinable
    public func first<Value>(_ sql: SQL, text: String, _ body: (borrowing Row) throws -> Value) throws -> Value? {
        let statement = try statement(sql)
        try statement.begin(on: self)
        defer { statement.end() }
        try statement.bind(text, at: 1)
        guard try statement.step(on: self) else { return nil }
        return try body(Row(statement.handle))
    }

    /// All rows of a statement.
    @inlinable public func all<Value>(
        _ sql: SQL, _ bindings: [Binding] = [], _ body: (borrowing Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(sql, bindings) { values.append(try body($0)) }
        return values
    }

    /// Runs a statement without rows.
    package func run(_ sql: SQL, _ bindings: [Binding] = []) throws {
        try step(try statement(sql), bindings) { _ in true }
    }

    /// Runs a statement without rows for bulk loads. `bind` binds the values without allocating a list. The caller has
    /// to check for cancellation from time to time.
    @inlinable public func run(_ sql: SQL, bind: (Statement) throws -> Void) throws {
        let statement = try statement(sql)
        defer { statement.end() }
        try bind(statement)
        while try statement.step(on: self) {}
    }

    /// Runs a statement composed of constants.
    package func run(dynamic text: String) throws {
        try step(try dynamicStatement(text), []) { _ in true }
    }

    /// Runs work in a savepoint. An error rolls back the work and leaves the transaction open.
    ///
    /// - Parameter undoFailed: Called with the error if SQLite has ended the whole transaction, for example after an
    ///   interruption or because the disk is full.
    package func savepoint<Value>(_ body: () throws -> Value, undoFailed: (any Error) -> Void) throws -> Value {
        try run(StoreStatements.openSavepoint)
        do {
            let value = try body()
            try run(StoreStatements.releaseSavepoint)
            return value
        } catch {
            do {
                try run(StoreStatements.returnToSavepoint)
                try run(StoreStatements.releaseSavepoint)
            } catch let failure {
                undoFailed(error is CancellationError ? error : failure)
            }
            throw error
        }
    }

    /// Runs a script, such as a migration.
    package func run(script: String) throws {
        try check(sqlite3_exec(handle, script, nil, nil, nil))
    }

    /// The number of rows that the last statement changed.
    package var changedRows: Int { Int(sqlite3_changes64(handle)) }

    /// The number of rows that all statements of the connection have changed.
    package var totalChangedRows: Int { Int(sqlite3_total_changes64(handle)) }

    /// Whether no transaction is open. SQLite ends a transaction itself after some errors and after an interrupt.
    package var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    @usableFromInline func step(
        _ statement: Statement, _ bindings: [Binding], _ body: (borrowing Row) throws -> Bool
    ) throws {
        // The body of a running statement can run the same statement again, for example to read each user's managers. A
        // second one is prepared then.
        if statement.isBusy {
            let other = try Statement(text: statement.text, on: self)
            defer { other.finalize() }
            return try step(other, bindings, body)
        }
        try statement.begin(on: self)
        defer { statement.end() }
        for (index, binding) in bindings.enumerated() { try statement.bind(binding, at: Int32(index + 1)) }
        while try statement.step(on: self) {
            guard try body(Row(statement.handle)) else { return }
        }
    }

    @usableFromInline
    func statement(_ sql: SQL) throws -> Statement {
        if let statement = prepared[UnsafeRawPointer(sql.text.utf8Start)] { return statement }
        let statement = try Statement(text: sql.text.description, on: self)
        prepared[UnsafeRawPointer(sql.text.utf8Start)] = statement
        return statement
    }

    @usableFromInline
    func dynamicStatement(_ text: String) throws -> Statement {
        if let statement = compiled[text] { return statement }
        let statement = try Statement(text: text, on: self)
        if compiledOrder.count >= 64, !compiled.values.contains(where: \.isBusy) {
            compiled.removeValue(forKey: compiledOrder.removeFirst())?.finalize()
        }
        compiled[text] = statement
        compiledOrder.append(text)
        return statement
    }

    /// Throws the error for a result code other than success.
    package func check(_ result: Int32) throws {
        guard result != SQLITE_OK, result != SQLITE_ROW, result != SQLITE_DONE else { return }
        if result & 0xFF == SQLITE_INTERRUPT, cancellation?.isCancelled == true { throw CancellationError() }
        if result & 0xFF == SQLITE_INTERRUPT { try checkOpen() }
        throw StoreFailure.error(result, on: handle)
    }
}

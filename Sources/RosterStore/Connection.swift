import CSQLite
package import Dispatch
import Foundation
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// One connection to the file. Not safe to share: whoever has checked it out of the pool, or the writer, has it alone.
public final class Connection: @unchecked Sendable {
    // Unchecked: the pool and the writer hand a connection to one thread at a time, which no compiler can see.

    /// How a file is opened.
    package struct Mode: Sendable {
        package let isWriter: Bool
        /// How much of the file is mapped into memory, in bytes.
        package let mappedBytes: Int64
        /// For a file on a read-only medium, which nobody can be changing.
        package var isImmutable = false

        /// Describes how a file is opened.
        package init(isWriter: Bool, mappedBytes: Int64, isImmutable: Bool = false) {
            self.isWriter = isWriter
            self.mappedBytes = mappedBytes
            self.isImmutable = isImmutable
        }
    }

    package let handle: OpaquePointer
    /// Where it works for callers who do not want their own thread occupied.
    package let queue = DispatchQueue(label: "roster.reader")
    private var prepared: [UnsafeRawPointer: Statement] = [:]
    private var compiled: [String: Statement] = [:]
    private var compiledOrder: [String] = []
    private var mappedBytes: Int64 = 0
    private var mappedPages: Int64 = 0

    /// The thread that keeps this connection for several look-ups; nil where none does. Only the pool changes it.
    package var keeper: UInt?
    /// The operation that runs on this connection now.
    package var cancellation: Cancellation?
    /// The commit after which this connection's open snapshot was taken; nil where none is open.
    package var snapshot: UInt64?
    /// The same where it is certain that no later commit is in the snapshot: what is remembered of it holds for others.
    package var exactSnapshot: UInt64?
    /// Decides what no index answers, for each row of the running statement; nil where the statement asks for nothing.
    package var rowFunction: RowFunction.Body?
    /// When the running search has taken too long.
    package var deadline: ContinuousClock.Instant?
    /// Raised when the store is closed: then callers' work ends.
    private let ending: Ending?
    /// Whether a caller's work runs, and not what keeps the file in order.
    var isAtWork = false

    /// - Parameter ending: What ends callers' work on the connection; nil where nothing does.
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

    /// Makes the file where there is none, for its owner only: passwords can be guessed by what stands in it. SQLite gives
    /// its companions the same mode. What cannot be made, SQLite complains about.
    private static func makeFile(_ path: String) {
        // A file that is there is not touched: to close it would take away this process's locks on it.
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Maps the file anew when it has grown: SQLite does so when somebody else has written, which nobody but the writer
    /// does, so that the writer would read what it has written by system calls for ever.
    package func mapGrownFile() throws {
        guard mappedBytes > 0 else { return }
        let size = try first(StoreStatements.pageCount) { $0.integer(0) } ?? 0
        guard size > mappedPages + mappedPages / 8 else { return }
        mappedPages = size
        // Only another limit than before makes SQLite map again.
        try run(dynamic: StoreStatements.mapMemory(bytes: mappedBytes - 65_536))
        try run(dynamic: StoreStatements.mapMemory(bytes: mappedBytes))
    }

    private func configure(mappedBytes: Int64) throws {
        self.mappedBytes = min(mappedBytes, 0x7FFF_0000)
        try run(dynamic: StoreStatements.mapMemory(bytes: self.mappedBytes))
        for statement in StoreStatements.configuration { try run(statement) }
    }

    /// Throws where the running search has taken too long, or nobody waits for it any more.
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

    /// Runs a caller's work, which ends with `closed` when the store is closed.
    package func work<Value>(_ body: (Connection) throws -> Value) rethrows -> Value {
        let wasAtWork = isAtWork
        isAtWork = true
        defer { isAtWork = wasAtWork }
        return try body(self)
    }

    @inline(__always)
    private var mustEnd: Bool { isAtWork && ending?.hasCome == true }

    /// Ends a caller's work on a store that has been closed.
    @inline(__always)
    package func checkOpen() throws {
        if mustEnd { throw ReaderPool.closed }
    }

    /// How long it waits for what other connections hold.
    package func waitForLocks(milliseconds: Int32 = 5_000) { sqlite3_busy_timeout(handle, milliseconds) }

    /// Ends the transaction that a reader keeps open for the next one.
    package func endSnapshot() {
        snapshot = nil
        exactSnapshot = nil
        guard !isOutsideTransaction else { return }
        // Ending a read cannot lose anything, so it is not cancelled either.
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

    /// Runs a statement and hands out its rows one by one.
    ///
    /// - Throws: ``StoreError``, or `CancellationError` where the running operation was cancelled.
    @inlinable public func forEach(_ sql: SQL, _ bindings: [Binding] = [], _ body: (borrowing Row) throws -> Void)
        throws
    {
        try step(try statement(sql), bindings) { row in
            try body(row)
            return true
        }
    }

    /// Runs a statement of the filter compiler's; `body` says whether it wants more rows.
    @inlinable public func forEach(dynamic text: String, _ bindings: [Binding], _ body: (borrowing Row) throws -> Bool)
        throws
    {
        try step(try dynamicStatement(text), bindings, body)
    }

    /// The first row of a statement, or nil.
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

    /// The first row of a statement with one text, without a list of bindings to allocate.
    @inlinable
    public func first<Value>(_ sql: SQL, text: String, _ body: (borrowing Row) throws -> Value) throws -> Value? {
        let statement = try statement(sql)
        try statement.begin(on: self)
        defer { statement.end() }
        try statement.bind(text, at: 1)
        guard try statement.step(on: self) else { return nil }
        return try body(Row(statement.handle))
    }

    /// All the rows of a statement.
    @inlinable public func all<Value>(
        _ sql: SQL, _ bindings: [Binding] = [], _ body: (borrowing Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(sql, bindings) { values.append(try body($0)) }
        return values
    }

    /// Runs a statement that has no rows.
    package func run(_ sql: SQL, _ bindings: [Binding] = []) throws {
        try step(try statement(sql), bindings) { _ in true }
    }

    /// Runs a statement that has no rows. For bulk loads: `bind` binds the values itself, so that no list of them is
    /// allocated, and whoever calls this checks for cancellation now and then.
    @inlinable public func run(_ sql: SQL, bind: (Statement) throws -> Void) throws {
        let statement = try statement(sql)
        defer { statement.end() }
        try bind(statement)
        while try statement.step(on: self) {}
    }

    /// Runs a statement that is composed of constants.
    package func run(dynamic text: String) throws {
        try step(try dynamicStatement(text), []) { _ in true }
    }

    /// Runs a script, such as a migration.
    package func run(script: String) throws {
        try check(sqlite3_exec(handle, script, nil, nil, nil))
    }

    /// How many rows the last statement changed.
    package var changedRows: Int { Int(sqlite3_changes64(handle)) }

    /// Whether no transaction is open. SQLite ends one by itself after some errors and after an interruption.
    package var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    @usableFromInline func step(
        _ statement: Statement, _ bindings: [Binding], _ body: (borrowing Row) throws -> Bool
    ) throws {
        // A body may run the same statement again (the chain of each of many users): then a second one is prepared.
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

    /// Throws what a result code stands for.
    package func check(_ result: Int32) throws {
        guard result != SQLITE_OK, result != SQLITE_ROW, result != SQLITE_DONE else { return }
        if result & 0xFF == SQLITE_INTERRUPT, cancellation?.isCancelled == true { throw CancellationError() }
        if result & 0xFF == SQLITE_INTERRUPT { try checkOpen() }
        throw StoreFailure.error(result, on: handle)
    }
}

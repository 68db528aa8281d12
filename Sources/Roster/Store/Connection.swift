internal import CSQLite
import Dispatch
import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The text of a statement, known by its address so that the prepared form is found again at once.
struct SQL: Sendable, ExpressibleByStringLiteral {
    let text: StaticString
    init(stringLiteral value: StaticString) { text = value }
}

/// A value on its way into a statement. Values never become part of a statement's text.
enum Binding: Sendable, Hashable {
    case null
    case integer(Int64)
    case real(Double)
    case text(String)

    static func text(_ text: String?) -> Binding { text.map { .text($0) } ?? .null }
    static func integer(_ number: Int64?) -> Binding { number.map { .integer($0) } ?? .null }
}

/// One connection to the file. Not safe to share: whoever has checked it out of the pool, or the writer, has it alone.
final class Connection: @unchecked Sendable {
    // Unchecked: the pool and the writer hand a connection to one thread at a time, which no compiler can see.

    /// How a file is opened.
    struct Mode: Sendable {
        let isWriter: Bool
        /// How much of the file is mapped into memory, in bytes.
        let mappedBytes: Int64
        /// For a file on a read-only medium, which nobody can be changing.
        var isImmutable = false
    }

    let handle: OpaquePointer
    /// Where it works for callers who do not want their own thread occupied.
    let queue = DispatchQueue(label: "roster.reader")
    private var prepared: [UnsafeRawPointer: Statement] = [:]
    private var compiled: [String: Statement] = [:]
    private var compiledOrder: [String] = []
    private var mappedBytes: Int64 = 0
    private var mappedPages: Int64 = 0

    /// The thread that keeps this connection for several look-ups; nil where none does. Only the pool changes it.
    var keeper: UInt?
    /// The operation that runs on this connection now.
    var cancellation: Cancellation?
    /// The commit after which this connection's open snapshot was taken; nil where none is open.
    var snapshot: UInt64?
    /// The same where it is certain that no later commit is in the snapshot: what is remembered of it holds for others.
    var exactSnapshot: UInt64?
    /// The filter conditions that the running statement asks ``ResidualFunction`` to decide.
    var residuals = Residuals()
    /// The record that they looked at last.
    var residualRecord: ResidualRecord?
    /// When the running search has taken too long.
    var deadline: ContinuousClock.Instant?
    /// Raised when the store is closed: then callers' work ends.
    private let ending: Ending?
    /// Whether a caller's work runs, and not what keeps the file in order.
    private var isAtWork = false

    /// - Parameter ending: What ends callers' work on the connection; nil where nothing does.
    init(path: String, mode: Mode, ending: Ending? = nil) throws {
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
            try ResidualFunction.register(on: self)
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
    func mapGrownFile() throws {
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
    func checkGoesOn() throws {
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
    @inline(__always)
    func work<Value>(_ body: (Connection) throws -> Value) rethrows -> Value {
        let wasAtWork = isAtWork
        isAtWork = true
        defer { isAtWork = wasAtWork }
        return try body(self)
    }

    @inline(__always)
    private var mustEnd: Bool { isAtWork && ending?.hasCome == true }

    /// Ends a caller's work on a store that has been closed.
    @inline(__always)
    func checkOpen() throws {
        if mustEnd { throw ReaderPool.closed }
    }

    /// How long it waits for what other connections hold.
    func waitForLocks(milliseconds: Int32 = 5_000) { sqlite3_busy_timeout(handle, milliseconds) }

    /// Ends the transaction that a reader keeps open for the next one.
    func endSnapshot() {
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
    /// - Throws: ``DirectoryError``, or `CancellationError` where the running operation was cancelled.
    func forEach(_ sql: SQL, _ bindings: [Binding] = [], _ body: (borrowing Row) throws -> Void) throws {
        try step(try statement(sql), bindings) { row in
            try body(row)
            return true
        }
    }

    /// Runs a statement of the filter compiler's; `body` says whether it wants more rows.
    func forEach(dynamic text: String, _ bindings: [Binding], _ body: (borrowing Row) throws -> Bool) throws {
        try step(try dynamicStatement(text), bindings, body)
    }

    /// The first row of a statement, or nil.
    func first<Value>(
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
    @inline(__always)
    func first<Value>(_ sql: SQL, text: String, _ body: (borrowing Row) throws -> Value) throws -> Value? {
        let statement = try statement(sql)
        try statement.begin(on: self)
        defer { statement.end() }
        try statement.bind(text, at: 1)
        guard try statement.step(on: self) else { return nil }
        return try body(Row(statement.handle))
    }

    /// All the rows of a statement.
    func all<Value>(
        _ sql: SQL, _ bindings: [Binding] = [], _ body: (borrowing Row) throws -> Value
    ) throws -> [Value] {
        var values: [Value] = []
        try forEach(sql, bindings) { values.append(try body($0)) }
        return values
    }

    /// Runs a statement that has no rows.
    func run(_ sql: SQL, _ bindings: [Binding] = []) throws {
        try step(try statement(sql), bindings) { _ in true }
    }

    /// Runs a statement that is composed of constants.
    func run(dynamic text: String) throws {
        try step(try dynamicStatement(text), []) { _ in true }
    }

    /// Runs a script, such as a migration.
    func run(script: String) throws {
        try check(sqlite3_exec(handle, script, nil, nil, nil))
    }

    /// How many rows the last statement changed.
    var changedRows: Int { Int(sqlite3_changes64(handle)) }

    /// Whether no transaction is open. SQLite ends one by itself after some errors and after an interruption.
    var isOutsideTransaction: Bool { sqlite3_get_autocommit(handle) != 0 }

    private func step(
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

    @inline(__always)
    private func statement(_ sql: SQL) throws -> Statement {
        if let statement = prepared[UnsafeRawPointer(sql.text.utf8Start)] { return statement }
        let statement = try Statement(text: sql.text.description, on: self)
        prepared[UnsafeRawPointer(sql.text.utf8Start)] = statement
        return statement
    }

    private func dynamicStatement(_ text: String) throws -> Statement {
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
    func check(_ result: Int32) throws {
        guard result != SQLITE_OK, result != SQLITE_ROW, result != SQLITE_DONE else { return }
        if result & 0xFF == SQLITE_INTERRUPT, cancellation?.isCancelled == true { throw CancellationError() }
        if result & 0xFF == SQLITE_INTERRUPT { try checkOpen() }
        // The filter compiler's text is right but for one thing: SQLite's parser takes no more than some 100 open brackets.
        if result == SQLITE_ERROR, String(cString: sqlite3_errmsg(handle)).hasSuffix("stack overflow") {
            throw DirectoryError(.invalidFilter, "The filter is nested too deep.", advice: "Make it simpler.")
        }
        throw StoreFailure.error(result, on: handle)
    }
}

/// A prepared statement.
final class Statement {
    let handle: OpaquePointer
    let text: String
    private(set) var isBusy = false

    init(text: String, on connection: Connection) throws {
        var statement: OpaquePointer?
        try connection.check(
            sqlite3_prepare_v3(connection.handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil))
        guard let statement else {
            throw DirectoryError(.storageFailed, "An empty statement was prepared.")
        }
        self.handle = statement
        self.text = text
    }

    func begin(on connection: Connection) throws {
        // An interruption does nothing to a statement that has not begun, so the flag is looked at here.
        try connection.cancellation?.check()
        try connection.checkOpen()
        isBusy = true
    }

    /// Always called, so that no statement keeps a snapshot or an interruption alive.
    func end() {
        sqlite3_reset(handle)
        isBusy = false
    }

    func bind(_ binding: Binding, at index: Int32) throws {
        let result =
            switch binding {
            case .null: sqlite3_bind_null(handle, index)
            case .integer(let number): sqlite3_bind_int64(handle, index, number)
            case .real(let number): sqlite3_bind_double(handle, index, number)
            case .text(let text): bindText(text, at: index)
            }
        guard result == SQLITE_OK else { throw StoreFailure.error(result, path: nil) }
    }

    func bind(_ text: String, at index: Int32) throws {
        let result = bindText(text, at: index)
        guard result == SQLITE_OK else { throw StoreFailure.error(result, path: nil) }
    }

    private func bindText(_ text: String, at index: Int32) -> Int32 {
        var text = text
        return text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) { characters in
                guard let start = characters.baseAddress else {
                    return roster_sqlite_bind_text(handle, index, "", 0)
                }
                return roster_sqlite_bind_text(handle, index, start, Int32(clamping: characters.count))
            }
        }
    }

    @inline(__always)
    func step(on connection: Connection) throws -> Bool {
        try connection.checkOpen()
        let result = sqlite3_step(handle)
        if result == SQLITE_ROW { return true }
        if result == SQLITE_DONE { return false }
        try connection.check(result)
        return false
    }

    func finalize() { sqlite3_finalize(handle) }
}

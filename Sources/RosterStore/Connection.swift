package import Dispatch
import RosterText

/// A connection to the file, or to a server that keeps the directory. Only one thread may use it at a time: the thread that took it
/// from the pool, or the writer.
///
/// The connection keeps what all engines need: the prepared statements, and what the caller asks of the running operation. The
/// statements of the library run on any engine.
public final class Connection: @unchecked Sendable {
    // Unchecked: the pool and the writer pass a connection to one thread at a time, which the compiler cannot see.

    /// The engine that runs the statements.
    public let engine: any Engine
    /// The kind of the engine, whose form of each statement the connection runs.
    public let kind: EngineKind
    /// Runs the work of callers that must not block their own thread.
    package let queue = DispatchQueue(label: "roster.reader")
    private var prepared: [UnsafeRawPointer: Statement] = [:]
    private var compiled: [String: Statement] = [:]
    private var compiledOrder: [String] = []

    /// The thread that keeps this connection for several look-ups, if any. Only the pool changes it.
    package var keeper: UInt?
    /// The running operation.
    public var cancellation: Cancellation?
    /// The number of commits before the open snapshot; nil if no snapshot is open.
    package var snapshot: UInt64?
    /// The number of commits before the open snapshot. Nil if a later commit can be in the snapshot, or if a server has not told the
    /// number yet: ``exactSnapshot()`` waits for the server.
    public var settledSnapshot: UInt64?
    /// Whether the open read has failed before it has handed out anything, and can be repeated.
    public var mustReadAgain = false
    /// The reads that the thread which keeps the connection is expected to make in its next snapshot.
    public var expectedReads: [ExpectedRead] = []
    /// The records that the running statement can change.
    public private(set) var changedRecords = ChangedRecords.any
    /// The snapshot of a server's database, for a connection to an image. An image is a database that receives a row of the snapshot
    /// when a preview needs the row. Nil for a connection to any other database, and for an image that has all rows.
    package var source: Connection?
    /// Answers questions without an index for each row of the running statement; nil if the statement has none.
    package var rowFunction: RowFunction.Body?
    /// The time at which the running search fails.
    public var deadline: ContinuousClock.Instant?
    /// The instructions of SQLite's virtual machine that long statements of the running change may still take; nil for any number.
    public var stepsLeft: Int?
    /// Whether a server may make a plan for each run of a statement, because the best plan depends on the values of the parameters.
    public var plansEachRun = false
    /// The error of the last transaction that waited for an unreachable server in vain; nil if there was none since
    /// ``ReaderPool`` last lent the connection to look-ups that share it.
    public var loss: (any Error)?
    /// Tells that the store is closed, which ends callers' work.
    public let ending: Ending?
    /// Whether a caller's work runs, as opposed to maintenance.
    var isAtWork = false

    /// - Parameter ending: Ends callers' work on the connection; nil if nothing ends it early.
    public init(_ engine: any Engine, ending: Ending?) {
        (self.engine, kind) = (engine, engine.kind)
        self.ending = ending
    }

    deinit { ending?.add(engine.work) }

    // MARK: Operations

    /// Throws if the running search has exceeded its time, or was cancelled.
    package func checkGoesOn() throws {
        try cancellation?.check()
        try checkOpen()
        guard let deadline, ContinuousClock.now > deadline else { return }
        throw StoreError.tooLong
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

    /// Returns the number of commits before the open snapshot, under which facts from the snapshot can be cached. Nil if a later commit can
    /// be in the snapshot.
    ///
    /// - Throws: ``StoreError`` `unreachable` if the server does not answer, or if the read has to run again.
    package func exactSnapshot() throws -> UInt64? {
        try engine.settleSnapshot(of: self)
        return settledSnapshot
    }

    /// Ends the read transaction that a reader keeps open for its next use.
    package func endSnapshot() {
        (snapshot, settledSnapshot) = (nil, nil)
        guard !engine.isOutsideTransaction else { return }
        // Ending a read transaction loses nothing and must not fail.
        ignoringCancellation { try? run(StoreStatements.commit) }
    }

    /// Rolls back, also if the caller's work was cancelled.
    public func rollBack() { ignoringCancellation { try? run(StoreStatements.rollback) } }

    private func ignoringCancellation(_ body: () -> Void) {
        let cancellation = cancellation
        self.cancellation = nil
        defer { self.cancellation = cancellation }
        body()
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
    public func forEach(
        dynamic text: String, _ bindings: [Binding], _ body: (borrowing Row) throws -> Bool
    )
        throws
    {
        guard Self.isKept(text) else {
            let statement = try engine.makeStatement(text, on: self)
            defer { statement.finalize() }
            return try step(statement, bindings, body)
        }
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
        return try body(statement.row)
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
    ///
    /// - Parameter records: The records that the statement can change. Expected reads of others keep their answers.
    public func run(_ sql: SQL, _ bindings: [Binding] = [], changing records: ChangedRecords = .any) throws {
        changedRecords = records
        defer { changedRecords = .any }
        try execute(try statement(sql), bindings)
    }

    /// Runs a statement without rows for bulk loads. `bind` binds the values without allocating a list. The caller has
    /// to check for cancellation from time to time.
    @inlinable public func run(_ sql: SQL, bind: (Statement) throws -> Void) throws {
        let statement = try statement(sql)
        defer { statement.end() }
        try bind(statement)
        try statement.execute(on: self)
    }

    /// Runs a script of several statements, such as a migration.
    public func run(script: String) throws { try engine.run(script: script, on: self) }

    /// Runs a statement composed of constants.
    package func run(dynamic text: String, _ bindings: [Binding] = [], changing records: ChangedRecords = .any) throws {
        changedRecords = records
        defer { changedRecords = .any }
        try execute(try dynamicStatement(text), bindings)
    }

    /// Inserts rows within the open transaction. Each row has one value for each column. The table and the columns must come from the
    /// schema.
    public func insert(_ rows: [[Binding]], into table: String, _ columns: [String]) throws {
        guard !rows.isEmpty else { return }
        try engine.insert(rows, into: table, columns, on: self)
    }

    /// Runs work in a savepoint. An error rolls back the work and leaves the transaction open.
    ///
    /// - Parameter undoFailed: Called with the error if SQLite has ended the whole transaction, for example after an
    ///   interruption or because the disk is full.
    package func savepoint<Value>(_ body: () throws -> Value, undoFailed: (any Error) -> Void) throws -> Value {
        try run(StoreStatements.openSavepoint, changing: .none)
        do {
            let value = try body()
            try run(StoreStatements.releaseSavepoint, changing: .none)
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

    func execute(_ statement: Statement, _ bindings: [Binding]) throws {
        if statement.isBusy {
            let other = try engine.makeStatement(statement.text, on: self)
            defer { other.finalize() }
            return try execute(other, bindings)
        }
        try statement.begin(on: self)
        defer { statement.end() }
        for (index, binding) in bindings.enumerated() { try statement.bind(binding, at: Int32(index + 1)) }
        try statement.execute(on: self)
    }

    @usableFromInline func step(
        _ statement: Statement, _ bindings: [Binding], _ body: (borrowing Row) throws -> Bool
    ) throws {
        // The body of a running statement can run the same statement again, for example to read each user's managers. A
        // second one is prepared then.
        if statement.isBusy {
            let other = try engine.makeStatement(statement.text, on: self)
            defer { other.finalize() }
            return try step(other, bindings, body)
        }
        try statement.begin(on: self)
        defer { statement.end() }
        for (index, binding) in bindings.enumerated() { try statement.bind(binding, at: Int32(index + 1)) }
        while try statement.step(on: self) {
            guard try body(statement.row) else { return }
        }
    }

    /// A prepared statement, for an engine that sends it itself.
    public func prepared(_ sql: SQL) throws -> Statement { try statement(sql) }

    @usableFromInline
    func statement(_ sql: SQL) throws -> Statement {
        // Two statements can have the same text on one engine only, and the compiler keeps equal texts once.
        let text = sql.staticText(for: kind)
        if let statement = prepared[UnsafeRawPointer(text.utf8Start)] { return statement }
        let statement = try engine.makeStatement(text.description, on: self)
        prepared[UnsafeRawPointer(text.utf8Start)] = statement
        return statement
    }

    /// Whether a composed statement is kept for its next run. A large one takes a hundred times its text in memory, on each
    /// connection that has run it, and is rarely run again.
    @usableFromInline static func isKept(_ text: String) -> Bool { text.utf8.count <= 8_192 }

    @usableFromInline
    func dynamicStatement(_ text: String) throws -> Statement {
        if let statement = compiled[text] { return statement }
        let statement = try engine.makeStatement(text, on: self)
        if compiledOrder.count >= 64, !compiled.values.contains(where: \.isBusy) {
            compiled.removeValue(forKey: compiledOrder.removeFirst())?.finalize()
        }
        compiled[text] = statement
        compiledOrder.append(text)
        return statement
    }
}

/// The engine of a connection: SQLite, which keeps the directory in a file or in memory, or PostgreSQL, which keeps the directory on a
/// server.
///
/// Only the thread that uses the connection may call an engine. Any thread may call ``interrupt()`` and ``interruptRead()``.
public protocol Engine: AnyObject {
    /// The kind of the engine, which tells the form of each statement.
    var kind: EngineKind { get }

    // MARK: Transactions

    /// Begins a transaction that reads one snapshot.
    ///
    /// - Parameter once: Whether the read is expected to have one statement, with which an engine can end the transaction.
    func beginReading(once: Bool, on connection: Connection) throws
    /// Begins a transaction that writes, after all others that write.
    ///
    /// - Parameter reads: The statements that the transaction is expected to run, which an engine can run at once.
    func beginWriting(expecting reads: [ExpectedRead], on connection: Connection) throws
    /// Begins a transaction that writes tables beside the directory, such as codes, without waiting for others.
    func beginSideTables(on connection: Connection) throws
    /// Begins a transaction that migrates, after other migrations have ended.
    func beginMigrating(on connection: Connection) throws
    /// Whether no transaction is open. An engine ends a transaction itself after some errors.
    var isOutsideTransaction: Bool { get }
    /// Whether the open transaction was lost with the server, and has kept nothing.
    var hasLostTransaction: Bool { get }
    /// Whether a statement of the open transaction has failed, after which a server refuses further statements of the transaction.
    var isTransactionBroken: Bool { get }

    // MARK: Statements

    /// Prepares a statement, which the connection keeps.
    func makeStatement(_ text: String, on connection: Connection) throws -> Statement
    /// Runs a script of several statements.
    func run(script: String, on connection: Connection) throws
    /// Inserts one row or more. ``Connection/insert(_:into:_:)`` says what the rows, the table and the columns have to be.
    func insert(_ rows: [[Binding]], into table: String, _ columns: [String], on connection: Connection) throws
    /// Whether an error of a statement can come at a later statement.
    var reportsLate: Bool { get }
    /// The number of rows that the last statement changed.
    var changedRows: Int { get }
    /// The number of rows that all statements of the connection have changed.
    var totalChangedRows: Int { get }
    /// The number of the row that SQLite inserted last; 0 on PostgreSQL.
    var insertedRow: Int64 { get }
    /// The work that the statements of the connection have taken.
    var work: StatementWork { get }

    // MARK: Interruptions

    /// Asks the engine to end the running statement, and does not wait for the end. Any thread may call this function.
    func interrupt()
    /// Asks the engine to end the running statement of a read, and does not wait for the end. Any thread may call this function. SQLite
    /// does nothing, because its statements look at the store's ``Ending`` themselves.
    func interruptRead()
    /// Tells the engine that an operation which can be cancelled has ended.
    func didPause(_ connection: Connection)

    // MARK: What only a server needs

    /// Asks a server in one round trip for the answers to expected reads, and keeps the answers. Does nothing for a file.
    func expect(_ reads: [ExpectedRead], on connection: Connection) throws
    /// Waits until ``Connection/settledSnapshot`` is known, if a server was asked for it.
    ///
    /// - Throws: ``StoreError`` `unreachable` if the read has to run again.
    func settleSnapshot(of connection: Connection) throws
    /// Returns the revision in the open transaction. The database counts revisions beside commits, so that callers notice when facts have
    /// changed that they keep from one transaction to the next. Nil for a file, whose only writer is this process.
    func revision() -> Int64?
}

/// The kinds of engines.
public enum EngineKind: Sendable, Hashable {
    /// A file, or memory.
    case sqlite
    /// A server.
    case postgreSQL
}

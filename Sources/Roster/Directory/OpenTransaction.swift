import RosterStore
import RosterText

/// A transaction in which an app's closure runs: the writing connection, for as long as the closure runs on its thread.
final class OpenTransaction: Sendable {
    private struct State {
        /// Nil when the closure has returned.
        var connection: Connection?
        /// Why nothing of the transaction can be kept.
        var failure: (any Error)?
        /// The attributes, where the transaction has declared some.
        var vocabulary: Vocabulary?
    }

    private let state: Locked<State>
    private let thread = ReaderPool.thread

    private init(_ connection: Connection) { state = Locked(State(connection: connection)) }

    /// Runs a closure in a transaction.
    ///
    /// - Returns: What the closure returns, and the attributes where it has declared some.
    static func run<Value>(
        on connection: Connection, for view: DirectoryView, _ body: (DirectoryView) throws -> Value
    ) throws -> (value: Value, vocabulary: Vocabulary?) {
        _ = try Transaction(connection, view)
        let open = OpenTransaction(connection)
        defer { open.state.withLock { $0.connection = nil } }
        var inner = view
        inner.open = open
        let value = try body(inner)
        let end = open.state.withLock { $0 }
        if let failure = end.failure { throw failure }
        return (value, end.vocabulary)
    }

    /// The attributes, where the transaction has declared some.
    var vocabulary: Vocabulary? {
        get { state.withLock { $0.vocabulary } }
        set { state.withLock { $0.vocabulary = newValue } }
    }

    /// Reads what the transaction has made so far.
    ///
    /// - Returns: Nil when the transaction is over: then whoever was read in it asks the directory itself.
    func read<Value>(for view: DirectoryView, _ body: (Transaction) throws -> Value) throws -> Value? {
        guard let connection = try connection() else { return nil }
        return try DirectoryError.translating { try body(try Transaction(connection, view)) }
    }

    /// Changes something; an error leaves no trace of it, and the transaction goes on.
    func change<Value>(for view: DirectoryView, _ body: (Transaction) throws -> Value) throws -> Value {
        try savepoint { try body(try Transaction($0, view)) }
    }

    /// Runs work of which an error leaves no trace.
    func savepoint<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        guard let connection = try connection() else {
            throw DirectoryError(
                .outsideTransaction, "The transaction is over.", advice: "Make the change within its closure.")
        }
        return try DirectoryError.translating {
            try connection.savepoint(
                { try body(connection) },
                undoFailed: { failure in
                    state.withLock { $0.failure = $0.failure ?? failure }
                })
        }
    }

    private func connection() throws -> Connection? {
        let (connection, failure) = state.withLock { ($0.connection, $0.failure) }
        guard let connection else { return nil }
        guard thread == ReaderPool.thread else {
            throw DirectoryError(
                .outsideTransaction, "The view of a transaction was used on another thread than its closure's.",
                advice: "Use it within the closure only.")
        }
        if let failure { throw failure }
        return connection
    }
}

extension DirectoryView {
    /// Runs several reads and changes as one: all of the changes are kept or, where the closure throws, none.
    ///
    /// ```swift
    /// try view.transaction { view in
    ///     let lead = try view.users.create("grace")
    ///     try view.users.modify("ada", [.set("manager", .string(lead.uid))])
    /// }
    /// ```
    ///
    /// Reads through the view that the closure gets see its changes; others see them when the call has returned. A change that
    /// throws within the closure leaves no trace, and the closure may go on. While the closure runs, all other changes
    /// wait: keep it short. It may be run again where another change of the same commit was interrupted, so it must not do
    /// what cannot be repeated. Other views of the directory throw `reentrantCall` within the closure.
    ///
    /// - Parameter body: Reads and changes through the view that it gets, on the thread that it is called on.
    /// - Returns: What the closure returns.
    /// - Throws: What the closure throws; `outsideTransaction` where the closure's view is used elsewhere.
    @discardableResult
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (DirectoryView) throws -> Value
    ) throws -> Value {
        if let open { return try open.savepoint { _ in try body(self) } }
        let (value, vocabulary) = try core.store.write(for: caller.requester) { connection in
            try OpenTransaction.run(on: connection, for: self, body)
        }
        if let vocabulary { core.adopt(vocabulary) }
        return value
    }

    /// Runs several reads and changes as one, as the synchronous form does, without occupying the caller's thread. The task's
    /// cancellation ends it until the commit begins.
    @discardableResult
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (DirectoryView) throws -> Value
    ) async throws -> Value {
        if let open { return try open.savepoint { _ in try body(self) } }
        let (value, vocabulary) = try await core.store.awaitWrite(for: caller.requester) { connection in
            try OpenTransaction.run(on: connection, for: self, body)
        }
        if let vocabulary { core.adopt(vocabulary) }
        return value
    }
}

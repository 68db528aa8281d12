import RosterStore
import RosterText

/// The transaction of an app's closure. It lends the writing connection to the closure's thread while the closure runs.
final class OpenTransaction: Sendable {
    private struct State {
        /// The writing connection; nil after the closure has returned.
        var connection: Connection?
        /// The failure after which SQLite has rolled the transaction back; nil if there was none.
        var failure: (any Error)?
        /// The vocabulary after the transaction's declarations; nil if the transaction has declared no attributes.
        var vocabulary: Vocabulary?
    }

    private let state: Locked<State>
    private let thread = ReaderPool.thread

    private let mark: VocabularyMark

    private init(_ connection: Connection, _ mark: VocabularyMark) {
        state = Locked(State(connection: connection))
        self.mark = mark
    }

    /// Runs a closure in a transaction.
    ///
    /// - Parameter mark: Set if the closure changes the vocabulary. The caller releases the mark after adopting it.
    /// - Returns: The closure's result, and the vocabulary if the closure has declared attributes.
    static func run<Value>(
        on connection: Connection, for view: DirectoryView, _ mark: VocabularyMark,
        _ body: (DirectoryView) throws -> Value
    ) throws -> (value: Value, vocabulary: Vocabulary?) {
        let shared = try view.embedded()
        _ = try Transaction(connection, shared)
        let open = OpenTransaction(connection, mark)
        if shared.core.isVocabularyChanging {
            let vocabulary = try AttributeManager.vocabulary(on: connection)
            open.state.withLock { $0.vocabulary = vocabulary }
        }
        defer { open.state.withLock { $0.connection = nil } }
        let value = try body(try view.within(open))
        let end = open.state.withLock { $0 }
        if let failure = end.failure { throw failure }
        return (value, end.vocabulary)
    }

    /// The vocabulary after the transaction's declarations; nil if the transaction has declared no attributes.
    var vocabulary: Vocabulary? {
        get { state.withLock { $0.vocabulary } }
        set {
            mark.set()
            state.withLock { $0.vocabulary = newValue }
        }
    }

    /// Reads within the transaction, which sees its own changes.
    ///
    /// - Returns: nil after the end of the transaction. The view then reads the committed directory.
    func read<Value>(for shared: EmbeddedView, _ body: (Transaction) throws -> Value) throws -> Value? {
        guard let connection = try connection() else { return nil }
        return try DirectoryError.translating { try body(try Transaction(connection, shared)) }
    }

    /// Makes a change. If the change throws, the transaction takes the change back and goes on.
    func change<Value>(for shared: EmbeddedView, _ body: (Transaction) throws -> Value) throws -> Value {
        try savepoint { try Transaction.changing($0, shared, body) }
    }

    /// Runs work in a savepoint. If the work throws, the transaction takes its changes back and goes on.
    func savepoint<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        guard let connection = try connection() else {
            throw DirectoryError(
                .outsideTransaction, "The transaction is over.", advice: "Make the change within its closure.")
        }
        let vocabulary = vocabulary
        do {
            return try DirectoryError.translating {
                try connection.savepoint(
                    { try body(connection) },
                    undoFailed: { failure in
                        state.withLock { $0.failure = $0.failure ?? failure }
                    })
            }
        } catch {
            state.withLock { $0.vocabulary = vocabulary }
            throw error
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
    /// Runs several reads and changes as one transaction. If the closure throws, the directory keeps none of the changes.
    ///
    /// ```swift
    /// try view.transaction { view in
    ///     let lead = try view.users.create("grace")
    ///     try view.users.modify("ada", [.set(.manager, .string(lead.uid))])
    /// }
    /// ```
    ///
    /// The closure's view sees the closure's changes; other views see them after the call has returned. If a change throws, the
    /// transaction takes that change back, and the closure may go on. All other changes wait while the closure runs, so keep
    /// the closure short. The directory may run the closure again if another change of the same commit failed, so
    /// the closure must not do what cannot be repeated. Changes through other views of the directory throw `reentrantCall`
    /// within the closure.
    ///
    /// On a server, the changes of all processes wait, the closure also runs again after a lost connection, and the closure must not pause
    /// for more than 60 seconds between two calls, because the server then ends the transaction, and the call throws `limitExceeded`.
    ///
    /// - Parameter body: The closure. It must use only the view that it receives, on the thread on which it runs.
    /// - Returns: The closure's result.
    /// - Throws: The closure's error; `outsideTransaction` if another thread uses the closure's view; `unreachable` or `outcomeUnknown`
    ///   if a server is lost.
    @discardableResult
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (DirectoryView) throws -> Value
    ) throws -> Value {
        let shared = try embedded()
        if let open = shared.open { return try open.savepoint { _ in try body(self) } }
        let mark = VocabularyMark(shared.core)
        let (value, vocabulary) = try shared.core.store.write(for: caller.requester) { connection in
            try OpenTransaction.run(on: connection, for: self, mark, body)
        }
        if let vocabulary { shared.core.adopt(vocabulary) }
        withExtendedLifetime(mark) {}
        return value
    }

    /// Runs several reads and changes as one, as the synchronous form does, without occupying the caller's thread.
    ///
    /// - Throws: The errors of the synchronous form; `CancellationError` if the task is cancelled before the commit begins.
    @discardableResult
    public func transaction<Value: Sendable>(
        _ body: @escaping @Sendable (DirectoryView) throws -> Value
    ) async throws -> Value {
        let shared = try embedded()
        if let open = shared.open { return try open.savepoint { _ in try body(self) } }
        let mark = VocabularyMark(shared.core)
        let (value, vocabulary) = try await shared.core.store.awaitWrite(for: caller.requester) { connection in
            try OpenTransaction.run(on: connection, for: self, mark, body)
        }
        if let vocabulary { shared.core.adopt(vocabulary) }
        withExtendedLifetime(mark) {}
        return value
    }
}

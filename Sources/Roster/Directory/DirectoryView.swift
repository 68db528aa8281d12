import Foundation
import RosterStore
import RosterText
import Synchronization

/// The directory with the rights of one caller, as returned by ``Directory/acting(as:)`` and
/// ``Directory/unrestricted``. A view is a value that is cheap to create and to copy.
///
/// A view of a server has the same members as a view of an embedded directory. Members that need the file, such as `export`
/// and `transaction`, throw `notOffered` there.
public struct DirectoryView: Sendable {
    /// The back end: a directory in this process, or a server. Copying a view copies one reference.
    enum Source: Sendable {
        case embedded(EmbeddedView)
        case remote(RemoteView)
    }

    let source: Source
    /// Keeps the file open; nil in the views of users and roles, which do not keep the file open, and of servers.
    var lease: DirectoryLease?

    init(shared: EmbeddedView, lease: DirectoryLease?) {
        source = .embedded(shared)
        self.lease = lease
    }

    /// Makes the view of a server.
    package init(_ remote: RemoteView) {
        source = .remote(remote)
        lease = nil
    }

    /// The server of the view; nil for a directory in this process.
    package var remote: RemoteView? {
        if case .remote(let remote) = source { remote } else { nil }
    }

    /// The caller whose rights apply.
    public var caller: Caller {
        switch source {
        case .embedded(let shared): shared.caller
        case .remote(let remote): remote.caller
        }
    }

    /// The proof of the request that a person is present or that a program acts. A server finds that out by itself.
    package var presence: Presence {
        switch source {
        case .embedded(let shared): shared.presence
        case .remote: .person(nil)
        }
    }

    /// The users and their reporting lines.
    public var users: UserManager { UserManager(view: self) }
    /// The roles, their members and their owners.
    public var roles: RoleManager { RoleManager(view: self) }
    /// The vocabulary, and the attributes that the app declares.
    public var attributes: AttributeManager { AttributeManager(view: self) }
    /// The change feed. An administrator sees every entry, any other caller the readable entries.
    public var changes: ChangeFeed { ChangeFeed(view: self) }

    /// The known attributes.
    var vocabulary: Vocabulary {
        switch source {
        case .embedded(let shared): shared.vocabulary
        case .remote(let remote): remote.vocabulary
        }
    }

    /// The embedded directory.
    ///
    /// - Throws: `notOffered` if the view is of a server.
    func embedded() throws -> EmbeddedView {
        guard case .embedded(let shared) = source else {
            throw DirectoryError(
                .notOffered, "A server does not offer this operation to its clients.",
                advice:
                    "Use the view of a directory that this process has opened, or the program 'roster' on the server.")
        }
        return shared
    }

    /// Refuses callers who may not read the server's metrics.
    package func checkMonitoring() throws {
        let shared = try embedded()
        try shared.core.store.read { try Rights(shared.caller, on: $0, shared.core.standings).checkMonitoring() }
    }

    /// Reads from one snapshot with the caller's rights, on the caller's thread.
    ///
    /// - Parameter isBrief: Whether the read is a look-up of some microseconds. A longer read is a search, which waits
    ///   for one of the readers reserved for searches.
    /// - Parameter once: Whether the body is expected to run one statement. On a server, the body may run again if it runs several.
    /// - Parameter isNarrow: Whether reading programs may run the body, because each read of the body obeys their narrow view.
    /// - Throws: `overloaded` if a user has too many running searches.
    package func read<Value>(
        isBrief: Bool = true, once: Bool = false, isNarrow: Bool = false, _ body: (Transaction) throws -> Value
    ) throws -> Value {
        let shared = try embedded()
        if let open = shared.open, let value = try open.read(for: shared, body) { return value }
        let known = shared.vocabulary
        return try shared.core.store.read(for: shared.purpose(isBrief), once: once) { connection in
            try body(try Transaction(connection, shared, known, isNarrow: isNarrow))
        }
    }

    /// Reads as the synchronous form does, without blocking the caller's thread. Cancelling the task ends the read.
    package func awaitRead<Value: Sendable>(
        isBrief: Bool = false, once: Bool = false, isNarrow: Bool = false,
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let shared = try embedded()
        if let open = shared.open, let value = try open.read(for: shared, body) { return value }
        let known = shared.vocabulary
        return try await shared.core.store.awaitRead(for: shared.purpose(isBrief), once: once) { connection in
            try body(try Transaction(connection, shared, known, isNarrow: isNarrow))
        }
    }

    /// Runs a look-up with the caller's rights on the caller's thread.
    ///
    /// - Returns: Nil if a user's record is too large for a look-up; run a search instead.
    package func lookUp<Value>(isNarrow: Bool = false, _ body: (Transaction) throws -> Value) throws -> Value? {
        let shared = try embedded()
        if let open = shared.open, let value = try open.read(for: shared, body) { return value }
        let known = shared.vocabulary
        do {
            return try shared.core.store.read { connection in
                let transaction = try Transaction(connection, shared, known, isNarrow: isNarrow)
                transaction.largestRecord = Transaction.smallRecord
                return try body(transaction)
            }
        } catch is LargeRecord {
            return nil
        }
    }

    /// Runs long work that reads little on a search thread, within the caller's search limits.
    package func awaitTurn<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
        let shared = try embedded()
        return try await shared.core.store.awaitReader(for: shared.purpose(false), body)
    }

    /// Runs a transaction with the caller's rights. An error rolls it back.
    ///
    /// - Parameter expectations: The reads that the transaction is expected to make before its first change.
    package func write<Value: Sendable>(
        expecting expectations: [Expectation] = [], _ body: @escaping @Sendable (Transaction) throws -> Value
    ) throws -> Value {
        let shared = try embedded()
        if let open = shared.open { return try open.change(for: shared, body) }
        return try shared.core.store.write(
            for: shared.caller.requester, expecting: shared.core.readsOfChange(expectations, by: shared.caller)
        ) {
            connection in
            try Transaction.changing(connection, shared, body)
        }
    }

    /// Runs a transaction as the synchronous form does, without blocking the caller's thread.
    package func awaitWrite<Value: Sendable>(
        expecting expectations: [Expectation] = [], isLong: Bool = false,
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        let shared = try embedded()
        if let open = shared.open { return try open.change(for: shared, body) }
        return try await shared.core.store.awaitWrite(
            for: shared.caller.requester, expecting: shared.core.readsOfChange(expectations, by: shared.caller),
            isLong: isLong
        ) { connection in
            try Transaction.changing(connection, shared, body)
        }
    }

    /// The same view within a transaction.
    func within(_ open: OpenTransaction) throws -> DirectoryView {
        let shared = try embedded()
        return DirectoryView(
            shared: EmbeddedView(
                core: shared.core, caller: shared.caller, presence: shared.presence, open: open,
                delegateReference: shared.delegateReference, batch: shared.batch),
            lease: lease)
    }
}

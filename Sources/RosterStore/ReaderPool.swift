import Dispatch
import Foundation
import Synchronization
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The connections that read. Each belongs to one thread at a time; other callers wait in a queue.
///
/// A look-up takes microseconds and can use any connection. A search can take longer. Searches use only some of the
/// connections, so that look-ups never wait for them, and each requester has limits. Requesters with waiting searches
/// take turns, so that one requester cannot block another. On a server, several waiting look-ups share one connection and one
/// round trip.
///
/// A reader keeps its snapshot open until the next commit, because beginning and ending a transaction would dominate a
/// look-up. Before a checkpoint the writer makes idle readers end their snapshots.
public final class ReaderPool: Sendable {
    /// The purpose of a connection.
    public enum Purpose: Sendable, Hashable {
        case lookUp
        /// A search for a requester; nil for the store itself.
        case search(Requester?)
    }
    private struct State {
        var idle: [Connection] = []
        var opened = 0
        var line: ReaderLine
        /// The connections that threads keep for several look-ups.
        var kept: [UInt: Connection] = [:]
        var nextWaiter: UInt64 = 0
        var isClosed = false
        /// Whether a checkpoint is running. No reader may keep a snapshot after its use then.
        var isCheckpointing = false
    }

    /// The largest number of waiting callers. Further callers are refused as `overloaded`.
    package static let maximumWaiters = 100_000
    /// The largest number of waiting searches of all users.
    package static let maximumWaitingOfUsers = 512
    /// The largest number of concurrent searches of one limited requester.
    package static let maximumSearchesOfRequester = 2
    /// The largest number of waiting searches of one limited requester.
    package static let maximumWaitingOfRequester = 32
    /// The longest wait of a limited requester's search.
    package static let maximumWait = Duration.seconds(5)

    private let refusals = Atomic(0)
    private let state: Locked<State>
    private let maximum: Int
    private let maximumWait: Duration
    private let open: @Sendable () throws -> Connection
    /// Runs work without a connection. A serial queue has its own threads. On Linux, concurrent queues share threads
    /// with Swift's tasks, so that a few long searches would block every task of the process.
    private let queue = DispatchQueue(label: "roster.readers")

    /// - Parameters:
    ///   - maximum: The largest number of connections.
    ///   - maximumSearches: The largest number of connections that searches use, 1 or more.
    ///   - maximumSharing: The largest number of connections on which look-ups share round trips.
    ///   - maximumWait: The longest wait of a user's search.
    package init(
        maximum: Int, maximumSearches: Int, maximumSharing: Int = 1, maximumWait: Duration = ReaderPool.maximumWait,
        open: @escaping @Sendable () throws -> Connection
    ) {
        self.maximum = maximum
        state = Locked(State(line: ReaderLine(maximumSearches: maximumSearches, maximumSharing: maximumSharing)))
        self.maximumWait = maximumWait
        self.open = open
    }

    // MARK: Taking

    /// Returns a connection for a look-up if one is free now, preferably the one that the thread keeps. Neither waits
    /// nor opens a connection.
    @inline(__always)
    package func takeIdle() -> Connection? {
        state.withLock { state in
            if !state.kept.isEmpty, let connection = state.kept.removeValue(forKey: Self.thread) { return connection }
            return state.idle.popLast()
        }
    }

    /// Returns a connection, after waiting on the caller's thread if necessary.
    package func take(for purpose: Purpose) throws -> Connection {
        if purpose == .lookUp || isKept() {
            if let connection = takeIdle() { return connection }
        } else if let connection = state.withLock({ takeAtOnce(for: purpose, &$0) }) {
            return connection
        }
        let arrived = DispatchSemaphore(value: 0)
        let received = Locked<Result<Connection, any Error>?>(nil)
        request(for: purpose, cancellation: nil, blocksOwnThread: true) { result in
            received.withLock { $0 = result }
            arrived.signal()
        }
        arrived.wait()
        guard let result = received.withLock({ $0 }) else { throw Self.closed }
        return try result.get()
    }

    /// Whether the thread keeps a connection, so that it need not wait.
    private func isKept() -> Bool { state.withLock { !$0.kept.isEmpty && $0.kept[Self.thread] != nil } }

    private func takeAtOnce(for purpose: Purpose, _ state: inout State) -> Connection? {
        guard case .search(let requester) = purpose, state.line.maySearch(requester),
            let connection = state.idle.popLast()
        else { return nil }
        state.line.beginSearch(of: requester)
        return connection
    }

    /// Passes a connection to `receive` on a thread that may block, once one is free. There are at most ``maximum``
    /// such threads for any number of waiting callers.
    ///
    /// - Parameters:
    ///   - sharedReads: The reads that a look-up is expected to make. The look-up can share the connection's snapshot with others then,
    ///     and the pool takes back the connection. Nil if the caller needs the connection alone, and returns it with ``give(_:after:)``.
    ///   - blocksOwnThread: Whether the caller blocks its own thread. `receive` then runs on any thread, and only wakes that one.
    package func request(
        for purpose: Purpose, sharedReads: [ExpectedRead]? = nil, cancellation: Cancellation?,
        blocksOwnThread: Bool = false,
        receive: @escaping @Sendable (Result<Connection, any Error>) -> Void
    ) {
        let number: UInt64
        do {
            number = try state.withLock { state in
                if state.isClosed { throw Self.closed }
                try checkLoad(for: purpose, state)
                state.nextWaiter += 1
                let number = state.nextWaiter
                try cancellation?.wait { [weak self] in self?.abandon(number, CancellationError()) }
                state.line.add(
                    ReaderLine.Waiter(
                        number: number, purpose: purpose, sharedReads: sharedReads, blocksOwnThread: blocksOwnThread,
                        receive: receive))
                return number
            }
        } catch {
            return receive(.failure(error))
        }
        serve()
        if let requester = purpose.requester, requester.isLimited { limitWait(of: number) }
    }

    // MARK: Limits

    /// The number of searches and look-ups that were refused because too many waited, or because one had waited too long.
    package var refused: Int { refusals.load(ordering: .relaxed) }

    private func checkLoad(for purpose: Purpose, _ state: State) throws {
        guard let requester = purpose.requester, requester.isLimited else {
            let waiting = state.line.count(of: purpose)
            guard waiting >= Self.maximumWaiters else { return }
            throw counted(
                StoreError(
                    .overloaded, "\(waiting) callers are already waiting for the directory.", advice: "Try again later."
                ))
        }
        let waiting = state.line.count(of: purpose)
        guard waiting < Self.maximumWaitingOfRequester else { throw counted(Self.tooManySearches) }
        guard state.line.waitingOfUsers < Self.maximumWaitingOfUsers else {
            throw counted(
                StoreError(
                    .overloaded, "\(state.line.waitingOfUsers) searches of users are already waiting.",
                    advice: "Try again later."))
        }
    }

    /// Refuses a search that has waited too long.
    private func limitWait(of number: UInt64) {
        guard state.withLock({ $0.line.waitingOfUsers > 0 }) else { return }
        queue.asyncAfter(deadline: .now() + (maximumWait / .seconds(1))) { [weak self] in
            guard let self, abandon(number, Self.tooManySearches) else { return }
            refusals.add(1, ordering: .relaxed)
        }
    }

    private static var tooManySearches: StoreError {
        StoreError(
            .overloaded, "The user, or all users together, have too many running searches.",
            advice: "Wait for them to end, or make them more specific.")
    }

    private func counted(_ error: StoreError) -> StoreError {
        refusals.add(1, ordering: .relaxed)
        return error
    }

    // MARK: The line

    /// Hands out connections while there are callers who may have one.
    private func serve() {
        while let (waiters, connection) = state.withLock({ next(&$0) }) {
            if let connection {
                if let only = waiters.first, only.blocksOwnThread {
                    only.receive(.success(connection))
                } else {
                    connection.queue.async { self.pass(connection, to: waiters) }
                }
                continue
            }
            DispatchQueue(label: "roster.reader.opening").async { [self] in
                do {
                    pass(try open(), to: waiters)
                } catch {
                    state.withLock { state in
                        state.opened -= 1
                        end(waiters, &state)
                    }
                    serve()
                    for waiter in waiters { waiter.receive(.failure(error)) }
                }
            }
        }
    }

    /// The next callers who may have a connection, with the connection; nil in its place if one must be opened.
    private func next(_ state: inout State) -> ([ReaderLine.Waiter], Connection?)? {
        guard !state.idle.isEmpty || state.opened < maximum else { return nil }
        let waiters = state.line.next()
        guard !waiters.isEmpty else { return nil }
        if let connection = state.idle.popLast() { return (waiters, connection) }
        state.opened += 1
        return (waiters, nil)
    }

    /// Lends the connection to one caller, or to several look-ups. The look-ups use the connection one after the other, read the same
    /// snapshot, and the pool takes the connection back.
    private func pass(_ connection: Connection, to waiters: [ReaderLine.Waiter]) {
        guard let first = waiters.first, first.sharedReads != nil else {
            for waiter in waiters { waiter.receive(.success(connection)) }
            return
        }
        withOneConnection(connection, after: .lookUp) {
            connection.expectedReads = waiters.flatMap { $0.sharedReads ?? [] }
            connection.loss = nil
            first.receive(.success(connection))
            for waiter in waiters.dropFirst() {
                // The look-up before has waited for the lost server in vain, so this look-up fails without waiting.
                waiter.receive(connection.loss.map { .failure($0) } ?? .success(connection))
            }
            connection.expectedReads = []
            state.withLock { end(waiters, &$0) }
        }
    }

    private func end(_ waiters: [ReaderLine.Waiter], _ state: inout State) {
        guard let first = waiters.first else { return }
        state.line.end(first.purpose, isShared: first.sharedReads != nil)
    }

    /// Removes a caller from the queue.
    ///
    /// - Returns: Whether the caller still waited.
    @discardableResult
    private func abandon(_ number: UInt64, _ error: any Error) -> Bool {
        let waiter = state.withLock { $0.line.remove(number) }
        guard let waiter else { return false }
        queue.async { waiter.receive(.failure(error)) }
        return true
    }

    // MARK: Giving back

    /// Returns a connection: to the thread that keeps it, to the next waiting caller, or to the idle connections.
    @inline(__always)
    package func give(_ connection: Connection, after purpose: Purpose) {
        let isWaitedFor = state.withLock { state -> Bool in
            if let keeper = connection.keeper {
                state.kept[keeper] = connection
                return false
            }
            state.line.end(purpose, isShared: false)
            let isWaitedFor = !state.line.isEmpty
            if state.isCheckpointing, !isWaitedFor { connection.endSnapshot() }
            if state.isClosed { state.opened -= 1 } else { state.idle.append(connection) }
            return isWaitedFor
        }
        if isWaitedFor { serve() }
    }

    /// Runs `body` on the caller's thread with one connection for all its look-ups. Returns nil, without having begun,
    /// if no connection is free at once.
    package func withOneConnection<Value>(_ body: () throws -> Value) rethrows -> Value? {
        guard let connection = takeIdle() else { return nil }
        return try withOneConnection(connection, after: .lookUp, body)
    }

    /// Runs `body` with a taken connection, and returns the connection.
    package func withOneConnection<Value>(
        _ connection: Connection, after purpose: Purpose, _ body: () throws -> Value
    ) rethrows -> Value {
        defer { give(connection, after: purpose) }
        guard connection.keeper == nil else { return try body() }
        let thread = Self.thread
        connection.keeper = thread
        state.withLock { $0.kept[thread] = connection }
        defer {
            state.withLock { _ = $0.kept.removeValue(forKey: thread) }
            connection.keeper = nil
            // On a server, a thread keeps one snapshot for all its reads.
            if connection.kind == .postgreSQL { connection.endSnapshot() }
        }
        return try body()
    }

    /// Ends the snapshot of the connection that the caller's thread keeps, if it keeps one.
    func endKeptSnapshot() {
        let thread = Self.thread
        state.withLock { $0.kept[thread] }?.endSnapshot()
    }

    /// The number of the thread that this is called on.
    package static var thread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Runs a checkpoint. Idle readers keep no snapshot meanwhile, because an unused reader's snapshot would prevent
    /// the log from starting over.
    package func withoutIdleSnapshots(_ checkpoint: () throws -> Void) rethrows {
        state.withLock { state in
            state.isCheckpointing = true
            for connection in state.idle { connection.endSnapshot() }
        }
        defer { state.withLock { $0.isCheckpointing = false } }
        try checkpoint()
    }

    /// Whether a caller uses one of the pool's connections, keeps one for more look-ups, or has not given one back yet.
    var isInUse: Bool { state.withLock { $0.idle.count < $0.opened } }

    /// Calls `body` with each connection that nobody uses.
    func forEachIdle(_ body: (Connection) -> Void) {
        state.withLock { state in for connection in state.idle { body(connection) } }
    }

    /// Refuses new callers, and closes each connection when it is returned.
    package func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            state.opened -= state.idle.count
            state.idle.removeAll()
            return state.line.removeAll()
        }
        for waiter in waiters { queue.async { waiter.receive(.failure(Self.closed)) } }
    }

    static var closed: StoreError { StoreError(.closed, "The directory has been closed.") }
}

extension ReaderPool.Purpose {
    fileprivate var requester: Requester? {
        guard case .search(let requester) = self else { return nil }
        return requester
    }
}

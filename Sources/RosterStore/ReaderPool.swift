import Dispatch
import Foundation
import Synchronization
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The connections that read. Each belongs to one thread at a time; the other callers wait in line.
///
/// A look-up takes microseconds and may use any connection. A search is a read that may take longer: searches use only
/// some of the connections, so that a look-up never waits for one, and they are limited for each requester. Callers whose
/// searches wait take turns, so that one requester's flood does not keep another requester from searching.
///
/// A reader keeps its snapshot open until a commit has happened, so that a look-up does not pay for beginning and
/// ending a transaction. The writer asks idle readers to let go of theirs before it checkpoints.
public final class ReaderPool: Sendable {
    /// What a connection is used for.
    public enum Purpose: Sendable, Hashable {
        case lookUp
        /// A search on behalf of a requester; nil for the store itself.
        case search(Requester?)
    }
    private struct Waiter: Sendable {
        let number: UInt64
        let purpose: Purpose
        let receive: @Sendable (Result<Connection, any Error>) -> Void
    }
    /// The searches of one requester.
    private struct Lane {
        var running = 0
        var waiting: [Waiter] = []
    }
    private struct State {
        var idle: [Connection] = []
        var opened = 0
        var lookUps: [Waiter] = []
        var lanes: [Requester?: Lane] = [:]
        /// The callers with searches that wait, in the order in which their turns come.
        var turns: [Requester?] = []
        var searching = 0
        var waitingOfUsers = 0
        /// The connections that threads keep for several look-ups, by the thread.
        var kept: [UInt: Connection] = [:]
        var nextWaiter: UInt64 = 0
        var isClosed = false
        /// Whether the log is being copied into the file, when no reader may keep a snapshot after its use.
        var isCheckpointing = false
    }

    /// The most callers that wait. The next one is refused as `overloaded`.
    package static let maximumWaiters = 100_000
    /// The most searches of all users together that wait.
    package static let maximumWaitingOfUsers = 512
    /// How many searches of one limited requester run at the same time.
    package static let maximumSearchesOfRequester = 2
    /// How many further searches of one limited requester wait.
    package static let maximumWaitingOfRequester = 32
    /// How long a search of a limited requester waits for its turn.
    package static let maximumWait = Duration.seconds(5)

    private let state = Locked(State())
    private let maximum: Int
    private let maximumSearches: Int
    private let maximumWait: Duration
    private let open: @Sendable () throws -> Connection
    /// For what does not need a connection. Serial queues have threads beside the ones that Swift's tasks run on: on
    /// Linux a concurrent queue shares those, and a few long searches would hold up every task of the process.
    private let queue = DispatchQueue(label: "roster.readers")

    /// - Parameters:
    ///   - maximum: The most connections that are opened.
    ///   - maximumSearches: The most that searches use at a time, 1 or more.
    ///   - maximumWait: How long a search of a user waits at most before it is refused.
    package init(
        maximum: Int, maximumSearches: Int, maximumWait: Duration = ReaderPool.maximumWait,
        open: @escaping @Sendable () throws -> Connection
    ) {
        self.maximum = maximum
        self.maximumSearches = maximumSearches
        self.maximumWait = maximumWait
        self.open = open
    }

    // MARK: Taking

    /// A connection for a look-up if one is free now, without waiting and without opening one: first of all the one that
    /// the thread keeps.
    @inline(__always)
    package func takeIdle() -> Connection? {
        state.withLock { state in
            if !state.kept.isEmpty, let connection = state.kept.removeValue(forKey: Self.thread) { return connection }
            return state.idle.popLast()
        }
    }

    /// A connection, waiting for one on the requester's thread.
    package func take(for purpose: Purpose) throws -> Connection {
        if purpose == .lookUp || isKept() {
            if let connection = takeIdle() { return connection }
        } else if let connection = state.withLock({ takeAtOnce(for: purpose, &$0) }) {
            return connection
        }
        let arrived = DispatchSemaphore(value: 0)
        let received = Locked<Result<Connection, any Error>?>(nil)
        request(for: purpose, cancellation: nil) { result in
            received.withLock { $0 = result }
            arrived.signal()
        }
        arrived.wait()
        guard let result = received.withLock({ $0 }) else { throw Self.closed }
        return try result.get()
    }

    /// Whether the thread keeps a connection, so that it need not wait for another one.
    private func isKept() -> Bool { state.withLock { !$0.kept.isEmpty && $0.kept[Self.thread] != nil } }

    private func takeAtOnce(for purpose: Purpose, _ state: inout State) -> Connection? {
        guard case .search(let requester) = purpose, state.searching < maximumSearches,
            (state.lanes[requester]?.running ?? 0) < runningLimit(of: requester), let connection = state.idle.popLast()
        else { return nil }
        state.searching += 1
        state.lanes[requester, default: Lane()].running += 1
        return connection
    }

    /// Hands a connection to `receive` on a thread that may block, as soon as one is free. At most ``maximum`` such
    /// threads exist at a time, however many callers wait.
    package func request(
        for purpose: Purpose, cancellation: Cancellation?,
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
                enqueue(Waiter(number: number, purpose: purpose, receive: receive), &state)
                return number
            }
        } catch {
            return receive(.failure(error))
        }
        serve()
        if let requester = purpose.requester, requester.isLimited { limitWait(of: number) }
    }

    // MARK: Limits

    private func runningLimit(of requester: Requester?) -> Int {
        guard let requester else { return maximumSearches }
        let others = max(1, maximumSearches - 1)
        return !requester.isLimited ? others : min(others, Self.maximumSearchesOfRequester)
    }

    private func checkLoad(for purpose: Purpose, _ state: State) throws {
        guard let requester = purpose.requester, requester.isLimited else {
            let waiting = purpose == .lookUp ? state.lookUps.count : state.lanes[purpose.requester]?.waiting.count ?? 0
            guard waiting >= Self.maximumWaiters else { return }
            throw StoreError(
                .overloaded, "\(waiting) callers wait for the directory already.", advice: "Try again later.")
        }
        let waiting = state.lanes[requester]?.waiting.count ?? 0
        guard waiting < Self.maximumWaitingOfRequester else { throw Self.tooManySearches }
        guard state.waitingOfUsers < Self.maximumWaitingOfUsers else {
            throw StoreError(
                .overloaded, "\(state.waitingOfUsers) searches of users wait already.", advice: "Try again later.")
        }
    }

    /// Refuses a search whose turn has not come in time.
    private func limitWait(of number: UInt64) {
        guard state.withLock({ $0.waitingOfUsers > 0 }) else { return }
        queue.asyncAfter(deadline: .now() + (maximumWait / .seconds(1))) { [weak self] in
            self?.abandon(number, Self.tooManySearches)
        }
    }

    private static var tooManySearches: StoreError {
        StoreError(
            .overloaded, "The user, or all users together, have too many searches under way.",
            advice: "Wait for them to end, or make them more specific.")
    }

    // MARK: The line

    private func enqueue(_ waiter: Waiter, _ state: inout State) {
        guard case .search(let requester) = waiter.purpose else { return state.lookUps.append(waiter) }
        var lane = state.lanes[requester] ?? Lane()
        if lane.waiting.isEmpty { state.turns.append(requester) }
        lane.waiting.append(waiter)
        state.lanes[requester] = lane
        if requester.map({ $0.isLimited }) == true { state.waitingOfUsers += 1 }
    }

    /// Hands out connections for as long as somebody waits who may have one.
    private func serve() {
        while let (waiter, connection) = state.withLock({ next(&$0) }) {
            if let connection {
                connection.queue.async { waiter.receive(.success(connection)) }
                continue
            }
            DispatchQueue(label: "roster.reader.opening").async { [self] in
                let result = Result { try open() }
                if case .failure = result {
                    state.withLock { state in
                        state.opened -= 1
                        end(waiter.purpose, &state)
                    }
                    serve()
                }
                waiter.receive(result)
            }
        }
    }

    /// The next one who may have a connection, and the connection; nil in its place where one is to be opened.
    private func next(_ state: inout State) -> (Waiter, Connection?)? {
        guard !state.idle.isEmpty || state.opened < maximum else { return nil }
        let next = state.lookUps.isEmpty ? nextSearch(&state) : state.lookUps.removeFirst()
        guard let next else { return nil }
        if let connection = state.idle.popLast() { return (next, connection) }
        state.opened += 1
        return (next, nil)
    }

    private func nextSearch(_ state: inout State) -> Waiter? {
        guard state.searching < maximumSearches,
            let turn = state.turns.firstIndex(where: { (state.lanes[$0]?.running ?? 0) < runningLimit(of: $0) })
        else { return nil }
        let requester = state.turns.remove(at: turn)
        guard var lane = state.lanes[requester], !lane.waiting.isEmpty else { return nil }
        let waiter = lane.waiting.removeFirst()
        lane.running += 1
        if !lane.waiting.isEmpty { state.turns.append(requester) }
        state.lanes[requester] = lane
        state.searching += 1
        if requester.map({ $0.isLimited }) == true { state.waitingOfUsers -= 1 }
        return waiter
    }

    private func end(_ purpose: Purpose, _ state: inout State) {
        guard case .search(let requester) = purpose, var lane = state.lanes[requester] else { return }
        state.searching -= 1
        lane.running -= 1
        state.lanes[requester] = lane.running == 0 && lane.waiting.isEmpty ? nil : lane
    }

    /// Takes a waiter out of the line, if it still stands there.
    private func abandon(_ number: UInt64, _ error: any Error) {
        let waiter = state.withLock { state -> Waiter? in
            if let index = state.lookUps.firstIndex(where: { $0.number == number }) {
                return state.lookUps.remove(at: index)
            }
            for (turn, requester) in state.turns.enumerated() {
                guard var lane = state.lanes[requester],
                    let index = lane.waiting.firstIndex(where: { $0.number == number })
                else { continue }
                let waiter = lane.waiting.remove(at: index)
                if lane.waiting.isEmpty { state.turns.remove(at: turn) }
                state.lanes[requester] = lane.running == 0 && lane.waiting.isEmpty ? nil : lane
                if requester.map({ $0.isLimited }) == true { state.waitingOfUsers -= 1 }
                return waiter
            }
            return nil
        }
        guard let waiter else { return }
        queue.async { waiter.receive(.failure(error)) }
    }

    // MARK: Giving back

    /// Gives a connection back: to the thread that keeps it, to the next in line, or to the idle ones.
    @inline(__always)
    package func give(_ connection: Connection, after purpose: Purpose) {
        let isWaitedFor = state.withLock { state -> Bool in
            if let keeper = connection.keeper {
                state.kept[keeper] = connection
                return false
            }
            end(purpose, &state)
            let isWaitedFor = !state.lookUps.isEmpty || !state.turns.isEmpty
            if state.isCheckpointing, !isWaitedFor { connection.endSnapshot() }
            if state.isClosed { state.opened -= 1 } else { state.idle.append(connection) }
            return isWaitedFor
        }
        if isWaitedFor { serve() }
    }

    /// Runs `body` on the requester's thread, which has one connection meanwhile for all that it looks up; nil where none
    /// is free at once. So whoever must not wait finds out before anything has begun.
    package func keeping<Value>(_ body: () throws -> Value) rethrows -> Value? {
        guard let connection = takeIdle() else { return nil }
        return try keeping(connection, after: .lookUp, body)
    }

    /// Runs `body` with a connection that was taken for a purpose, and gives it back.
    package func keeping<Value>(
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
        }
        return try body()
    }

    private static var thread: UInt {
        #if canImport(Darwin)
            UInt(bitPattern: pthread_self())
        #else
            UInt(pthread_self())
        #endif
    }

    /// Runs a checkpoint, during which no idle reader keeps a snapshot: it would keep the log from starting over, for as
    /// long as nobody uses that reader.
    package func withoutIdleSnapshots(_ checkpoint: () throws -> Void) rethrows {
        state.withLock { state in
            state.isCheckpointing = true
            for connection in state.idle { connection.endSnapshot() }
        }
        defer { state.withLock { $0.isCheckpointing = false } }
        try checkpoint()
    }

    /// Refuses further callers, and closes each connection as it comes back.
    package func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            state.opened -= state.idle.count
            state.idle.removeAll()
            let waiters = state.lookUps + state.turns.flatMap { state.lanes[$0]?.waiting ?? [] }
            state.lookUps.removeAll()
            for requester in state.turns { state.lanes[requester]?.waiting.removeAll() }
            state.turns.removeAll()
            state.waitingOfUsers = 0
            return waiters
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

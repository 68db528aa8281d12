import Dispatch
import Foundation
import RosterText
import Synchronization

/// A copy of the server's database that answers searches, so that the server has less to do.
///
/// A search asks the server for its position first. The replica answers if its snapshot is at that position or later, and so has
/// every change that was committed before the search began, whichever process made the change: the caller's own changes, and the
/// rights that somebody has lost. Otherwise the server answers.
final class Replica: Sendable {
    private struct State {
        var idle: [Connection] = []
        var isOpening = false
        var isClosed = false
        /// The error of the last attempt to connect; nil if the attempt succeeded, or there was none.
        var problem: StoreError?
        /// Until when the replica is not used, because it was behind or could not be reached.
        var restsUntil = ContinuousClock.now
    }
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "roster.replica")
    private let connect: @Sendable () throws -> Connection
    private let answered = Atomic<Int>(0)
    /// How many reads the replica has answered.
    var answers: Int { answered.load(ordering: .relaxed) }
    /// The error of the last attempt to connect; nil if the attempt succeeded, or there was none.
    var problem: StoreError? { state.withLock { $0.problem } }

    /// The largest number of idle connections.
    private static let maximumIdle = 8
    /// How long the replica is not used after it was behind.
    private static let restAfterDelay = Duration.milliseconds(100)
    /// How long no connection is opened after the replica could not be reached.
    private static let restAfterLoss = Duration.seconds(1)
    /// How long a search waits for the replica to catch up, in milliseconds between questions.
    private static let waits: [UInt32] = [1, 2, 4, 8]

    init(_ connect: @escaping @Sendable () throws -> Connection) { self.connect = connect }

    /// A connection with the replica that is at the position or later, and has a snapshot open; nil if there is none at once, or
    /// the replica does not catch up soon.
    func connection(at position: Position) -> Connection? {
        guard let connection = take() else { return nil }
        do {
            if try hasReached(position, connection) { return connection }
            connection.endSnapshot()
            give(connection)
            rest(Self.restAfterDelay)
        } catch {
            rest(Self.restAfterLoss)
        }
        return nil
    }

    private func hasReached(_ position: Position, _ connection: Connection) throws -> Bool {
        for wait in Self.waits + [0] {
            try connection.engine.beginReading(once: false, on: connection)
            guard let own = try Position.ofSnapshot(connection), own.history == position.history else { return false }
            if own.commits >= position.commits { return true }
            connection.endSnapshot()
            usleep(wait * 1_000)
        }
        return false
    }

    /// Returns a connection after a read.
    func give(_ connection: Connection) {
        state.withLock { state in
            if !state.isClosed, state.idle.count < Self.maximumIdle { state.idle.append(connection) }
        }
    }

    func countAnswer() { answered.add(1, ordering: .relaxed) }

    /// Forgets a connection whose read has failed, because the replica was lost, or has ended the read to go on copying.
    func didFail() { rest(Self.restAfterDelay) }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.idle = []
        }
    }

    private func rest(_ time: Duration) {
        state.withLock { $0.restsUntil = .now + time }
    }

    /// An idle connection. If there is none, another thread opens one, because no search waits for that.
    private func take() -> Connection? {
        let (connection, mustOpen) = state.withLock { state -> (Connection?, Bool) in
            guard !state.isClosed, state.restsUntil <= .now else { return (nil, false) }
            if let connection = state.idle.popLast() { return (connection, false) }
            defer { state.isOpening = true }
            return (nil, !state.isOpening)
        }
        if mustOpen { queue.async { [self] in open() } }
        return connection
    }

    /// Connects, and keeps the error for ``problem``.
    func open() {
        let connection = Result { try connect() }
        state.withLock { state in
            state.isOpening = false
            if case .failure(let error) = connection {
                state.problem = error as? StoreError
            } else {
                state.problem = nil
            }
        }
        if let connection = try? connection.get() { give(connection) } else { rest(Self.restAfterLoss) }
    }
}

extension Position {
    /// The position of a connection's open snapshot.
    static func ofSnapshot(_ connection: Connection) throws -> Position? {
        try connection.first(StoreStatements.position) { Position(commits: $0.integer(0), history: $0.text(1)) }
    }
}

extension Store {
    package var hasReplica: Bool { replica != nil }
    /// How many reads the replica has answered; zero without a replica.
    package var answersOfReplica: Int { replica?.answers ?? 0 }
    /// The error of the last attempt to connect with the replica; nil if the attempt succeeded, or there was none.
    package var replicaProblem: StoreError? { replica?.problem }

    /// Connects with the replica, which sets ``replicaProblem``.
    package func tryReplica() { replica?.open() }

    /// The position of the server that can be written.
    private func position(_ connection: Connection) throws -> Position? {
        connection.endSnapshot()
        try connection.engine.beginReading(once: false, on: connection)
        defer { connection.endSnapshot() }
        return try connection.work(Position.ofSnapshot)
    }

    /// The position of the server; nil if the connection was lost, which a read at the server repeats.
    private func positionUnlessLost(_ connection: Connection) throws -> Position? {
        do {
            return try position(connection)
        } catch let error as StoreError where error.kind == .unreachable {
            connection.mustReadAgain = false
            return nil
        }
    }

    /// Reads at the replica.
    ///
    /// - Parameter connection: The connection with the server, which is asked for its position.
    /// - Returns: Nil if the server must answer. The body may have run without a result then.
    func readAtReplica<Value>(_ connection: Connection, _ body: (Connection) throws -> Value) throws -> Value? {
        guard let replica, let position = try positionUnlessLost(connection),
            let copy = replica.connection(at: position)
        else { return nil }
        let cancellation = connection.cancellation
        let result = Result {
            try cancellation?.run(on: copy)
            defer { cancellation?.pause(on: copy) }
            return try copy.work(body)
        }
        copy.endSnapshot()
        if case .failure(let error as StoreError) = result, error.kind != .limitExceeded, error.kind != .closed {
            replica.didFail()
            try cancellation?.run(on: connection)
            return nil
        }
        replica.give(copy)
        replica.countAnswer()
        return try result.get()
    }

    /// A connection for long work: with the replica if it has all changes, else with the server.
    func connectForLongWork(_ server: DatabaseServer, mayUseReplica: Bool) throws -> Connection {
        let connection = try server.connect(ending)
        guard mayUseReplica, let replica, let position = try position(connection),
            let copy = replica.connection(at: position)
        else { return connection }
        // The next snapshot of the replica is at this position or later, too.
        copy.endSnapshot()
        replica.countAnswer()
        return copy
    }
}

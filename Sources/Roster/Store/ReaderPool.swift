import Dispatch
import Foundation
import Synchronization

/// The connections that read. Each is one caller's at a time; the others wait in line.
///
/// A reader keeps its snapshot open until a commit has happened, so that a look-up does not pay for beginning and
/// ending a transaction. The writer asks idle readers to let go of theirs before it checkpoints.
final class ReaderPool: Sendable {
    private struct Waiter: Sendable {
        let number: UInt64
        let receive: @Sendable (Result<Connection, any Error>) -> Void
    }
    private struct State {
        var idle: [Connection] = []
        var opened = 0
        var waiters: [Waiter] = []
        var nextWaiter: UInt64 = 0
        var isClosed = false
        /// Whether the log is being copied into the file, when no reader may keep a snapshot after its use.
        var isCheckpointing = false
    }

    /// More callers than this do not wait: they are told that the directory is overloaded.
    static let maximumWaiters = 100_000

    private let state = Locked(State())
    private let maximum: Int
    private let open: @Sendable () throws -> Connection
    /// For what does not need a connection. Serial queues have threads beside the ones that Swift's tasks run on: on
    /// Linux a concurrent queue shares those, and a few long searches would hold up every task of the process.
    private let queue = DispatchQueue(label: "roster.readers")

    init(maximum: Int, open: @escaping @Sendable () throws -> Connection) {
        self.maximum = maximum
        self.open = open
    }

    /// A connection if one is free now, without waiting and without opening one.
    @inline(__always)
    func takeIdle() -> Connection? {
        state.withLock { $0.idle.popLast() }
    }

    /// A connection, waiting for one on the caller's thread.
    func take() throws -> Connection {
        if let connection = takeIdle() { return connection }
        let arrived = DispatchSemaphore(value: 0)
        let received = Locked<Result<Connection, any Error>?>(nil)
        request(cancellation: nil) { result in
            received.withLock { $0 = result }
            arrived.signal()
        }
        arrived.wait()
        guard let result = received.withLock({ $0 }) else { throw Self.closed }
        return try result.get()
    }

    /// Hands a connection to `receive` on a thread that may block, as soon as one is free. At most ``maximum`` such
    /// threads exist at a time, however many callers wait.
    func request(
        cancellation: Cancellation?, receive: @escaping @Sendable (Result<Connection, any Error>) -> Void
    ) {
        enum Step {
            case use(Connection)
            case open
            case wait
            case refuse(any Error)
        }
        let step = state.withLock { state -> Step in
            if state.isClosed { return .refuse(Self.closed) }
            if let connection = state.idle.popLast() { return .use(connection) }
            if state.opened < maximum {
                state.opened += 1
                return .open
            }
            guard state.waiters.count < Self.maximumWaiters else {
                return .refuse(
                    DirectoryError(
                        .overloaded, "\(state.waiters.count) callers wait for the directory already.",
                        advice: "Try again later."))
            }
            state.nextWaiter += 1
            let number = state.nextWaiter
            do {
                try cancellation?.wait { [weak self] in self?.abandon(number) }
            } catch {
                return .refuse(error)
            }
            state.waiters.append(Waiter(number: number, receive: receive))
            return .wait
        }
        switch step {
        case .wait: break
        case .refuse(let error): receive(.failure(error))
        case .use(let connection): connection.queue.async { receive(.success(connection)) }
        case .open:
            DispatchQueue(label: "roster.reader.opening").async { [self] in
                let result = Result { try open() }
                if case .failure = result { state.withLock { $0.opened -= 1 } }
                receive(result)
            }
        }
    }

    /// Takes a cancelled waiter out of the line.
    private func abandon(_ number: UInt64) {
        let waiter = state.withLock { state -> Waiter? in
            guard let index = state.waiters.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiters.remove(at: index)
        }
        guard let waiter else { return }
        queue.async { waiter.receive(.failure(CancellationError())) }
    }

    /// Gives a connection back: to the next in line, or to the idle ones.
    @inline(__always)
    func give(_ connection: Connection) {
        let next = state.withLock { state -> Waiter? in
            if state.waiters.isEmpty {
                if state.isCheckpointing { connection.endSnapshot() }
                if state.isClosed { state.opened -= 1 } else { state.idle.append(connection) }
                return nil
            }
            return state.waiters.removeFirst()
        }
        if let next { connection.queue.async { next.receive(.success(connection)) } }
    }

    /// Runs a checkpoint, during which no idle reader keeps a snapshot: it would keep the log from starting over, for as
    /// long as nobody uses that reader.
    func withoutIdleSnapshots(_ checkpoint: () throws -> Void) rethrows {
        state.withLock { state in
            state.isCheckpointing = true
            for connection in state.idle { connection.endSnapshot() }
        }
        defer { state.withLock { $0.isCheckpointing = false } }
        try checkpoint()
    }

    /// Refuses further callers, and closes each connection as it comes back.
    func close() {
        let waiters = state.withLock { state in
            state.isClosed = true
            state.opened -= state.idle.count
            state.idle.removeAll()
            defer { state.waiters.removeAll() }
            return state.waiters
        }
        for waiter in waiters { queue.async { waiter.receive(.failure(Self.closed)) } }
    }

    static var closed: DirectoryError { DirectoryError(.closed, "The directory has been closed.") }
}

import Foundation
import Synchronization
import RosterText

/// Cancels one operation in any state: waiting, running, or just before its commit.
public final class Cancellation: Sendable {
    private enum Stage {
        /// The operation has not begun.
        case idle
        /// The operation waits for a connection or the writer. The closure removes it from the queue.
        case waiting(@Sendable () -> Void)
        /// A statement of the operation runs, or can run, on this connection.
        case running(Connection)
        /// The commit has begun, or the operation has ended. Cancelling has no effect any more.
        case settled
    }
    private struct State {
        var isCancelled = false
        var stage = Stage.idle
    }
    private let state = Locked(State())

    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package func check() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Cancels the operation unless its commit has begun.
    package func cancel() {
        let leave = state.withLock { state -> (@Sendable () -> Void)? in
            switch state.stage {
            case .settled: return nil
            case .idle:
                state.isCancelled = true
                return nil
            case .waiting(let leave):
                state.isCancelled = true
                return leave
            case .running(let connection):
                state.isCancelled = true
                // The lock is held, so that the interrupt cannot hit the connection's next operation.
                connection.engine.interrupt()
                return nil
            }
        }
        leave?()
    }

    /// Begins to wait; throws if the operation was cancelled.
    package func wait(leaving: @escaping @Sendable () -> Void) throws {
        try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            state.stage = .waiting(leaving)
        }
    }

    /// Begins to run; throws if the operation was cancelled.
    package func run(on connection: Connection) throws {
        try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            state.stage = .running(connection)
        }
        connection.cancellation = self
    }

    /// Stops running. Later interrupts do not reach the connection.
    package func pause(on connection: Connection) {
        connection.cancellation = nil
        state.withLock { state in
            if case .running = state.stage { state.stage = .idle }
        }
        connection.engine.didPause(connection)
    }

    /// Ends the time in which the operation can be cancelled; returns false if it was cancelled before.
    package func endCancellability() -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            state.stage = .settled
            return true
        }
    }
}

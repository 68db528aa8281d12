internal import CSQLite
import Foundation
import Synchronization
import RosterText

/// Lets one operation be cancelled wherever it stands: waiting, running, or about to be committed.
package final class Cancellation: Sendable {
    private enum Stage {
        /// Not begun. Nobody has to be told.
        case idle
        /// Waiting for a connection or the writer: the closure takes it out of the line.
        case waiting(@Sendable () -> Void)
        /// A statement runs, or may run, on this connection.
        case running(Connection)
        /// Past the point of no return: the commit has begun, or it is over.
        case settled
    }
    private struct State {
        var isCancelled = false
        var stage = Stage.idle
    }
    private let state = Locked(State())

    /// Makes one for an operation that has not begun.
    package init() {}

    package var isCancelled: Bool { state.withLock { $0.isCancelled } }

    package func check() throws {
        if isCancelled { throw CancellationError() }
    }

    /// Asks for cancellation. Does nothing once the commit has begun.
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
                // Under the lock, so that it cannot hit whoever has the connection next.
                sqlite3_interrupt(connection.handle)
                return nil
            }
        }
        leave?()
    }

    /// Begins to wait; throws where it was cancelled already.
    package func wait(leaving: @escaping @Sendable () -> Void) throws {
        try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            state.stage = .waiting(leaving)
        }
    }

    /// Begins to run; throws where it was cancelled already.
    package func run(on connection: Connection) throws {
        try state.withLock { state in
            if state.isCancelled { throw CancellationError() }
            state.stage = .running(connection)
        }
        connection.cancellation = self
    }

    /// Ends running: from here on no interruption reaches the connection.
    package func pause(on connection: Connection) {
        connection.cancellation = nil
        state.withLock { state in
            if case .running = state.stage { state.stage = .idle }
        }
    }

    /// Passes the point of no return; false where it was cancelled before.
    package func settle() -> Bool {
        state.withLock { state in
            if state.isCancelled { return false }
            state.stage = .settled
            return true
        }
    }
}

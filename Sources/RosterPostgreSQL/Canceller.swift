import Dispatch
import Foundation
import RosterStore
import RosterText

/// Cancels statements of other connections, through a connection of its own. (The function of libpq 15 for this blocks, and sends
/// its request without encryption.)
final class Canceller: Sendable {
    private let address: ServerAddress
    private let connection = Locked<PostgreSQLConnection?>(nil)
    private let queue = DispatchQueue(label: "roster.postgresql.cancel")

    init(_ address: ServerAddress) { self.address = address }

    /// Cancels what a process of the server runs.
    ///
    /// - Parameter done: Called when the server has told the process, or cannot be reached.
    func cancel(_ process: Int32, done: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            defer { done() }
            guard let connection = try? opened() else { return }
            do {
                _ = try connection.first(PostgreSQLStatements.cancel, [.integer(Int64(process))]) { _ in true }
            } catch {
                self.connection.withLock { $0 = nil }
            }
        }
    }

    private func opened() throws -> PostgreSQLConnection {
        if let known = connection.withLock({ $0 }) { return known }
        let new = try PostgreSQLConnection(address, self, ending: Ending())
        connection.withLock { $0 = new }
        return new
    }
}

/// Counts the cancellations of a connection's statements that are under way.
final class CancelCount: Sendable {
    private let condition = NSCondition()
    private let counts = Locked((running: 0, begun: 0))

    func begin() {
        condition.lock()
        counts.withLock { $0 = ($0.running + 1, $0.begun + 1) }
        condition.unlock()
    }

    func end() {
        condition.lock()
        counts.withLock { $0.running -= 1 }
        condition.broadcast()
        condition.unlock()
    }

    /// Waits until no cancellation is under way.
    ///
    /// - Returns: Whether there was one since the last call.
    func waitForAll() -> Bool {
        condition.lock()
        defer { condition.unlock() }
        while counts.withLock({ $0.running > 0 }) { condition.wait() }
        return counts.withLock { counts in
            defer { counts.begun = 0 }
            return counts.begun > 0
        }
    }
}

/// Counts from 1.
final class Counter: Sendable {
    private let last = Locked<UInt64>(0)
    func next() -> UInt64 {
        last.withLock { last in
            last &+= 1
            return last
        }
    }
}

import Foundation
import RosterText

/// Counts the requests to cancel a statement of a connection that have not arrived yet.
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

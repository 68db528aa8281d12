import Synchronization
import RosterText

/// Counts commits.
package final class CommitCounter: Sendable {
    private let begun = Atomic<UInt64>(0)
    private let finished = Atomic<UInt64>(0)

    /// The number of finished commits.
    package var value: UInt64 { finished.load(ordering: .sequentiallyConsistent) }
    /// Whether no commit has begun since this number of commits were finished. A snapshot taken meanwhile has exactly
    /// these commits.
    package func isStill(_ value: UInt64) -> Bool { begun.load(ordering: .sequentiallyConsistent) == value }
    package func begin() { begun.add(1, ordering: .sequentiallyConsistent) }
    package func finish() { finished.add(1, ordering: .sequentiallyConsistent) }
}

/// The result of work on another thread.
package final class Outcome<Value: Sendable>: Sendable {
    private let result = Locked<Result<Value, any Error>?>(nil)
    package func set(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }
    package func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else { throw ReaderPool.closed }
        return try result.get()
    }
}

import Synchronization
import RosterText

/// How many commits there were.
package final class CommitCounter: Sendable {
    private let begun = Atomic<UInt64>(0)
    private let finished = Atomic<UInt64>(0)

    /// How many are over.
    package var value: UInt64 { finished.load(ordering: .sequentiallyConsistent) }
    /// Whether none has begun since so many were over: then a snapshot that was taken meanwhile has exactly those.
    package func isStill(_ value: UInt64) -> Bool { begun.load(ordering: .sequentiallyConsistent) == value }
    package func begin() { begun.add(1, ordering: .sequentiallyConsistent) }
    package func finish() { finished.add(1, ordering: .sequentiallyConsistent) }
}

/// What came of a job that another thread does.
package final class Outcome<Value: Sendable>: Sendable {
    private let result = Locked<Result<Value, any Error>?>(nil)
    package func set(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }
    package func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else { throw ReaderPool.closed }
        return try result.get()
    }
}

import RosterText

/// The result of work on another thread.
package final class Outcome<Value: Sendable>: Sendable {
    private let result = Locked<Result<Value, any Error>?>(nil)
    package func set(_ new: Result<Value, any Error>) { result.withLock { $0 = new } }
    package func get() throws -> Value {
        guard let result = result.withLock({ $0 }) else { throw ReaderPool.closed }
        return try result.get()
    }
}

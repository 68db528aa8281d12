public import Dispatch
import Foundation
import Synchronization
import RosterText

/// A running operation, returned at once by every `…Asynchronously` call. Mirrors Oracle Mobile and Social SDK's
/// `OMAsyncOpHandle`.
///
/// Any operation can run with a handle, even one without an `…Asynchronously` call:
///
/// ```swift
/// let handle = AsyncOperationHandle(deliveringOn: .main) {
///     try await users.chain(of: "ada")
/// } completion: { result in … }
/// handle.cancel()
/// ```
///
/// The completion is called exactly once, on the given queue, even after a cancellation.
public final class AsyncOperationHandle<Value: Sendable>: Sendable {
    private let state: Locked<OperationState<Value>>
    private let tagged = Locked<(any Sendable)?>(nil)

    /// Starts an operation.
    ///
    /// - Parameters:
    ///   - queue: The queue that calls the completion.
    ///   - operation: The work. Its calls to the directory end with `CancellationError` once the handle is cancelled.
    ///   - completion: Receives the value or the error (``DirectoryError`` or `CancellationError`), and the handle.
    @discardableResult
    public init(
        deliveringOn queue: DispatchQueue = .main, operation: @escaping @Sendable () async throws -> Value,
        completion: @escaping Completion<Value>
    ) {
        state = Locked(OperationState())
        let task = Task { [self] in
            let result: Result<Value, any Error>
            do {
                result = .success(try await operation())
            } catch {
                result = .failure(error)
            }
            let outcome = state.withLock { $0.finish(result) }
            queue.async { completion(outcome, self) }
        }
        let isCancelled = state.withLock { $0.begin { task.cancel() } }
        if isCancelled { task.cancel() }
    }

    /// - Parameter completion: Receives the result; nil if the caller does not need it.
    convenience init(
        _ queue: DispatchQueue, _ completion: Completion<Value>?,
        _ operation: @escaping @Sendable () async throws -> Value
    ) {
        self.init(deliveringOn: queue, operation: operation, completion: completion ?? { _, _ in })
    }

    /// Requests cancellation (`cancel`). Before completion, cancelling interrupts a running statement, removes a
    /// waiting operation from the queue and rolls back a transaction; the completion receives `CancellationError`. It
    /// has no effect after completion or once a commit has begun.
    public func cancel() {
        let stop = state.withLock { $0.cancel() }
        stop?()
    }

    /// Whether the operation ended by cancellation (`isCancelled`); false while it runs.
    public var isCancelled: Bool {
        guard case .failure(let error)? = result else { return false }
        return error is CancellationError
    }

    /// The result; nil while the operation runs (`result`).
    public var result: Result<Value, any Error>? { state.withLock { $0.result } }

    /// A value of the app's own, for use when the result arrives (`tag`).
    public var tag: (any Sendable)? {
        get { tagged.withLock { $0 } }
        set { tagged.withLock { $0 = newValue } }
    }
}

public import Dispatch
import Foundation
import Synchronization
import RosterText

/// An operation on its way, returned at once by every `…Asynchronously` call. Mirrors `OMAsyncOpHandle`.
///
/// Any operation can be had as a handle, also those that have no `…Asynchronously` call of their own:
///
/// ```swift
/// let handle = AsyncOperationHandle(deliveringOn: .main) {
///     try await users.chain(of: "ada")
/// } completion: { result in … }
/// handle.cancel()
/// ```
///
/// The completion is called exactly once, on the queue that was given, also when the operation is cancelled.
public final class AsyncOperationHandle<Value: Sendable>: Sendable {
    private let state: Locked<OperationState<Value>>
    private let tagged = Locked<(any Sendable)?>(nil)

    /// Starts an operation.
    ///
    /// - Parameters:
    ///   - queue: Where the completion is called.
    ///   - operation: What to do. Calls to the directory in it end with `CancellationError` once the handle is cancelled.
    ///   - completion: Receives the value, or the ``DirectoryError`` or `CancellationError`, and the handle itself.
    @discardableResult
    public init(
        deliveringOn queue: DispatchQueue = .main, operation: @escaping @Sendable () async throws -> Value,
        completion: @escaping @Sendable (Result<Value, any Error>, AsyncOperationHandle<Value>) -> Void
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

    /// Asks for cancellation (`cancel`). Before completion the operation stops: a running statement is interrupted,
    /// one in line never starts, a transaction is rolled back, and the completion receives `CancellationError`. After
    /// completion, and once a commit has begun, nothing changes.
    public func cancel() {
        let stop = state.withLock { $0.cancel() }
        stop?()
    }

    /// Whether the operation ended because it was cancelled (`isCancelled`); false while it is still on its way.
    public var isCancelled: Bool {
        guard case .failure(let error)? = result else { return false }
        return error is CancellationError
    }

    /// What came of it; nil while it is on its way (`result`).
    public var result: Result<Value, any Error>? { state.withLock { $0.result } }

    /// Anything that the app wants to find again when the result arrives (`tag`).
    public var tag: (any Sendable)? {
        get { tagged.withLock { $0 } }
        set { tagged.withLock { $0 = newValue } }
    }
}

/// The life of an operation: on its way, perhaps with a cancellation asked for, then over for good.
struct OperationState<Value: Sendable>: Sendable {
    private(set) var result: Result<Value, any Error>?
    private var stop: (@Sendable () -> Void)?
    private var isCancellationAsked = false

    /// Learns how to stop the work; true where that has been asked for already.
    mutating func begin(stop: @escaping @Sendable () -> Void) -> Bool {
        if result == nil { self.stop = stop }
        return isCancellationAsked
    }

    /// Asks for cancellation; returns what is to be called for it.
    mutating func cancel() -> (@Sendable () -> Void)? {
        guard result == nil else { return nil }
        isCancellationAsked = true
        return stop
    }

    /// Ends with what the work came to. A change that was committed is a success, however late a cancellation came.
    mutating func finish(_ result: Result<Value, any Error>) -> Result<Value, any Error> {
        if let earlier = self.result { return earlier }
        self.result = result
        stop = nil
        return result
    }
}

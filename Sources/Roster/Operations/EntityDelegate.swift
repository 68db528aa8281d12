/// Receives the results of operations. Mirrors Oracle Mobile and Social SDK's `OMEntityDelegate`.
///
/// Each operation calls exactly one of the two methods, exactly once, with the handle that it returned.
public protocol EntityDelegate: AnyObject, Sendable {
    /// Receives users or roles, or an error (`didReceiveEntities:error:from:withAsynchronousHandle:`).
    func didReceive<Value: Sendable>(
        _ entities: Result<Value, any Error>, withHandle handle: AsyncOperationHandle<Value>)

    /// Receives the end of a change (`didFinishEntityOperation:by:withAsynchronousHandle:`). `error` is nil after
    /// success.
    func didFinishOperation(error: (any Error)?, withHandle handle: AsyncOperationHandle<Void>)
}

extension EntityDelegate {
    /// A completion that passes entities to this delegate, and keeps only a weak reference to it.
    public func receiving<Value: Sendable>(_: Value.Type = Value.self) -> Completion<Value> {
        { [weak self] result, handle in self?.didReceive(result, withHandle: handle) }
    }

    /// A completion that reports the end of a change to this delegate.
    public func finishing() -> Completion<Void> {
        { [weak self] result, handle in
            if case .failure(let error) = result {
                self?.didFinishOperation(error: error, withHandle: handle)
            } else {
                self?.didFinishOperation(error: nil, withHandle: handle)
            }
        }
    }
}

/// The closure that receives an operation's result.
public typealias Completion<Value: Sendable> =
    @Sendable (Result<Value, any Error>, AsyncOperationHandle<Value>) -> Void

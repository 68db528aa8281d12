/// Receives the results of operations for callers that like delegates. Mirrors `OMEntityDelegate`.
///
/// For each operation exactly one of the two is called, exactly once, with the handle that was returned.
public protocol EntityDelegate: AnyObject, Sendable {
    /// Users or roles have arrived, or an error (`didReceiveEntities:error:from:withAsynchronousHandle:`).
    func didReceive<Value: Sendable>(
        _ entities: Result<Value, any Error>, withHandle handle: AsyncOperationHandle<Value>)

    /// A change is done, or has failed (`didFinishEntityOperation:by:withAsynchronousHandle:`). `error` is nil for success.
    func didFinishOperation(error: (any Error)?, withHandle handle: AsyncOperationHandle<Void>)
}

extension EntityDelegate {
    /// A completion that hands entities to this delegate, which is not kept alive by it.
    public func receiving<Value: Sendable>(_: Value.Type = Value.self)
        -> @Sendable (Result<Value, any Error>, AsyncOperationHandle<Value>) -> Void
    {
        { [weak self] result, handle in self?.didReceive(result, withHandle: handle) }
    }

    /// A completion that tells this delegate that a change is done or has failed.
    public func finishing() -> @Sendable (Result<Void, any Error>, AsyncOperationHandle<Void>) -> Void {
        { [weak self] result, handle in
            if case .failure(let error) = result {
                self?.didFinishOperation(error: error, withHandle: handle)
            } else {
                self?.didFinishOperation(error: nil, withHandle: handle)
            }
        }
    }
}

/// What a handle's caller gives to be told of the result.
public typealias Completion<Value: Sendable> =
    @Sendable (Result<Value, any Error>, AsyncOperationHandle<Value>) -> Void

public import Dispatch
public import RosterClient
import RosterText
public import RosterTransport

/// Requests that are begun without waiting for their answers.
extension RESTClient {
    /// The delegate that gets the results of requests that `start(_:scopes:tag:deliveringOn:completion:)` began without a completion.
    /// The client does not keep the delegate alive. A request reports to the delegate that was set when the request began.
    public var delegate: (any RESTClientDelegate)? {
        get { attached.withLock { $0 as? WeakRESTDelegate }?.delegate }
        set { attached.withLock { $0 = WeakRESTDelegate(delegate: newValue) } }
    }

    /// Begins a request, and returns at once. Mirrors `executeRESTRequestAsynchronously:convertDataToJSON:`.
    ///
    /// - Parameters:
    ///   - request: The request, without `Authorization`.
    ///   - scopes: The scopes that the token must have.
    ///   - tag: A value of the app's own, which the handle has.
    ///   - queue: The queue that delivers the result; nil for a thread of Swift's pool.
    ///   - completion: Is called once with the result, or with `CancellationError` after a cancellation; nil to tell the `delegate`.
    /// - Returns: The handle, which the app need not keep.
    @discardableResult
    public func start(
        _ request: TransportRequest, scopes: [String] = [], tag: (any Sendable)? = nil,
        deliveringOn queue: DispatchQueue? = nil,
        completion: (@Sendable (Result<TransportResponse, any Error>) -> Void)? = nil
    ) -> RESTHandle {
        let handle = RESTHandle(tag: tag) { [self] in try await send(request, scopes: scopes) }
        let receiver = attached.withLock { $0 as? WeakRESTDelegate }
        Task {
            let result = await handle.task.result
            let deliver: @Sendable () -> Void = { [self] in
                if let completion { return completion(result) }
                receiver?.delegate?.restClient(self, didFinish: handle, result)
            }
            if let queue { queue.async(execute: deliver) } else { deliver() }
        }
        return handle
    }
}

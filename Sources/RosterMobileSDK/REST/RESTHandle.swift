public import RosterClient
import RosterText
public import RosterTransport

/// A request that is under way. Mirrors `OMAsyncOpHandle`.
public final class RESTHandle: Sendable {
    let task: Task<TransportResponse, any Error>
    private let tagged: Locked<(any Sendable)?>

    init(tag: (any Sendable)?, _ work: @escaping @Sendable () async throws -> TransportResponse) {
        tagged = Locked(tag)
        task = Task(operation: work)
    }

    /// Ends the request. The result is `CancellationError`, unless the answer has come already (`cancel`).
    public func cancel() { task.cancel() }

    /// Whether the request was cancelled (`isCancelled`).
    public var isCancelled: Bool { task.isCancelled }

    /// A value of the app's own, for use when the result arrives (`tag`).
    public var tag: (any Sendable)? {
        get { tagged.withLock { $0 } }
        set { tagged.withLock { $0 = newValue } }
    }

    /// Waits for the answer (`result`).
    ///
    /// - Throws: The errors of `RESTClient.send(_:scopes:)`.
    public func response() async throws -> TransportResponse { try await task.value }
}

/// Gets the results of requests that a client began. Mirrors `OMRESTRequestDelegate`.
public protocol RESTClientDelegate: AnyObject, Sendable {
    /// A request has ended. Mirrors `didFinishExecutingRESTRequest:data:urlResponse:error:asyncHandle:`.
    ///
    /// - Parameters:
    ///   - client: The client that sent the request.
    ///   - handle: What `RESTClient.start(_:scopes:tag:deliveringOn:completion:)` returned.
    ///   - result: The answer, whatever its status is; or the error.
    func restClient(
        _ client: RESTClient, didFinish handle: RESTHandle, _ result: Result<TransportResponse, any Error>)
}

/// A weak reference to a delegate.
struct WeakRESTDelegate: Sendable {
    weak var delegate: (any RESTClientDelegate)?
}

import Dispatch
import RosterText

/// Sends requests to servers, over connections that are kept and shared.
///
/// On Linux the transport is libcurl on one thread. On Apple platforms it is `URLSession`; that part is not compiled on Linux.
/// The transport keeps no cookies, follows no redirects, answers no requests for passwords, and ignores proxies of the environment.
/// A request that can change something is sent at most once.
public final class Transport: Sendable {
    private let engine: Engine

    /// A transport. On Linux its thread runs until ``close()``, or until the transport is released.
    public init(_ settings: TransportSettings = TransportSettings()) { engine = Engine(settings) }

    deinit { engine.stop() }

    /// The transport with default settings that everything uses that was given none. It lives as long as the process, and need not be
    /// closed before a clean exit.
    public static let shared = Transport()

    /// Sends a request, and returns the whole answer. Cancelling the task closes the connection at once.
    ///
    /// - Throws: ``TransportError``, `CancellationError`.
    public func send(_ request: TransportRequest) async throws -> TransportResponse {
        let (address, body) = (try request.checked(), try BodyFile(of: request))
        let cancellation = Cancellation()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                engine.start(
                    PendingRequest(request, address, .whole { continuation.resume(with: $0) }, cancellation, body))
            }
        } onCancel: {
            cancellation.cancel()
        }
    }

    /// Sends a request, and returns the whole answer. The calling thread waits; the answer arrives on the transport's own thread, so
    /// that the call returns even if such calls occupy all threads of Swift's pool.
    ///
    /// - Throws: ``TransportError``, or `CancellationError` if the calling task was cancelled before the call.
    public func sendAndWait(_ request: TransportRequest) throws -> TransportResponse {
        try Task.checkCancellation()
        let (address, body) = (try request.checked(), try BodyFile(of: request))
        let answer = Locked<Result<TransportResponse, any Error>?>(nil)
        let isDone = DispatchSemaphore(value: 0)
        let receiver = Receiver.whole { result in
            answer.withLock { $0 = result }
            isDone.signal()
        }
        engine.start(PendingRequest(request, address, receiver, Cancellation(), body))
        isDone.wait()
        return try answer.withLock { $0 }?.get() ?? { throw TransportError.closed(mayHaveBeenSent: true) }()
    }

    /// Sends a request, and returns when the head of the answer has arrived. The body follows as it arrives; the server waits while
    /// nobody reads it. Cancelling the task, or releasing the stream, closes the connection.
    ///
    /// - Throws: ``TransportError``, `CancellationError`.
    public func stream(_ request: TransportRequest) async throws -> TransportStream {
        let (address, body) = (try request.checked(), try BodyFile(of: request))
        let cancellation = Cancellation()
        let buffer = StreamBuffer(host: address.host)
        let head = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                buffer.waitForHead(continuation)
                engine.start(PendingRequest(request, address, .stream(buffer), cancellation, body))
            }
        } onCancel: {
            cancellation.cancel()
        }
        return TransportStream(head, buffer, keeping: self, cancellation)
    }

    /// Closes all connections, and ends the transport's thread. Calls that wait for an answer throw ``TransportError/Code/closed``,
    /// and so do later calls. A transport is closed as well when it is released. Closing ``shared`` has no effect, because other
    /// parts of the app may use it.
    public func close() {
        guard self !== Self.shared else { return }
        engine.close()
    }
}

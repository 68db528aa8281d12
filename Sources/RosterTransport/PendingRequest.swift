import RosterText

#if os(Linux)
    typealias Engine = CurlEngine
#else
    typealias Engine = SessionEngine
#endif

/// A request and the receiver of its answer.
final class PendingRequest: Sendable {
    let request: TransportRequest
    let address: RequestAddress
    let receiver: Receiver
    let cancellation: Cancellation
    /// The open file of ``TransportRequest/bodyFile``; nil for a body in memory.
    let body: BodyFile?

    init(
        _ request: TransportRequest, _ address: RequestAddress, _ receiver: Receiver, _ cancellation: Cancellation,
        _ body: BodyFile?
    ) {
        self.request = request
        self.address = address
        self.body = body
        self.receiver = receiver
        self.cancellation = cancellation
    }
}

/// Where an answer goes. The engine ends each receiver exactly once.
enum Receiver: Sendable {
    /// The whole answer.
    case whole(@Sendable (Result<TransportResponse, any Error>) -> Void)
    /// The head, then the body as it arrives.
    case stream(StreamBuffer)

    func fail(_ error: any Error) {
        switch self {
        case .whole(let complete): complete(.failure(error))
        case .stream(let buffer): buffer.end(error)
        }
    }
}

/// The link from a caller who gives up to the engine. The caller can give up before the engine knows of the request.
final class Cancellation: Sendable {
    private struct State {
        var isCancelled = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Locked(State())

    var isCancelled: Bool { state.withLock { $0.isCancelled } }

    /// Runs the engine's action, if there is one.
    func cancel() {
        let action = state.withLock { state in
            state.isCancelled = true
            defer { state.action = nil }
            return state.action
        }
        action?()
    }

    /// Sets the action of a later cancellation; false if the request is already cancelled.
    func onCancel(_ action: @escaping @Sendable () -> Void) -> Bool {
        state.withLock { state in
            if !state.isCancelled { state.action = action }
            return !state.isCancelled
        }
    }

    /// Forgets the action, because the request has ended.
    func clear() { state.withLock { $0.action = nil } }
}

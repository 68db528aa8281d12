import RosterText

/// Holds the bytes of a stream that have arrived and are not read yet. The engine fills the buffer, and one task empties it.
final class StreamBuffer: Sendable {
    private struct State {
        var head: CheckedContinuation<TransportResponse, any Error>?
        var bytes: [UInt8] = []
        var isPaused = false
        var resume: (@Sendable () -> Void)?
        var hasEnded = false
        var problem: (any Error)?
        var reader: CheckedContinuation<[UInt8]?, any Error>?
    }

    /// The transfer is paused when so many bytes wait.
    private static let highWater = 64 << 10
    let host: String
    private let state = Locked(State())

    init(host: String) { self.host = host }

    func waitForHead(_ continuation: CheckedContinuation<TransportResponse, any Error>) {
        state.withLock { $0.head = continuation }
    }

    /// Sets the function that resumes a paused transfer.
    func onResume(_ action: @escaping @Sendable () -> Void) { state.withLock { $0.resume = action } }

    func begin(_ head: TransportResponse) {
        let waiting = state.withLock { state in
            defer { state.head = nil }
            return state.head
        }
        waiting?.resume(returning: head)
    }

    /// Takes bytes that have arrived; false if they must be offered again after the transfer was resumed.
    func offer(_ bytes: UnsafeRawBufferPointer) -> Bool {
        let (isTaken, reader) = state.withLock { state -> (Bool, CheckedContinuation<[UInt8]?, any Error>?) in
            guard state.bytes.count < Self.highWater else {
                state.isPaused = true
                return (false, nil)
            }
            // A waiting reader gets the bytes below.
            guard let reader = state.reader else {
                state.bytes.append(contentsOf: bytes)
                return (true, nil)
            }
            state.reader = nil
            return (true, reader)
        }
        reader?.resume(returning: Array(bytes))
        return isTaken
    }

    /// Ends the stream; nil if the body is complete. Unread bytes can be read, unless the reader cancelled.
    func end(_ problem: (any Error)?) {
        let (head, reader) = state.withLock { state in
            state.hasEnded = true
            state.problem = problem
            state.resume = nil
            if problem is CancellationError { state.bytes = [] }
            defer { (state.head, state.reader) = (nil, nil) }
            return (state.head, state.reader)
        }
        if let problem {
            head?.resume(throwing: problem)
            reader?.resume(throwing: problem)
        } else {
            head?.resume(throwing: TransportError.interrupted(host, mayHaveBeenSent: true))
            reader?.resume(returning: nil)
        }
    }

    /// The next bytes; nil at the end.
    func next() async throws -> [UInt8]? {
        try await withCheckedThrowingContinuation { continuation in
            var resume: (@Sendable () -> Void)?
            let result = state.withLock { state -> Result<[UInt8]?, any Error>? in
                if !state.bytes.isEmpty {
                    defer { state.bytes = [] }
                    if state.isPaused { resume = state.resume }
                    state.isPaused = false
                    return .success(state.bytes)
                }
                if state.hasEnded { return state.problem.map { .failure($0) } ?? .success(nil) }
                guard state.reader == nil else {
                    return .failure(TransportError.badRequest("Two tasks read one stream."))
                }
                state.reader = continuation
                return nil
            }
            resume?()
            if let result { continuation.resume(with: result) }
        }
    }
}

import RosterText

/// The answers that a connection has not sent yet. Operations add to it from any thread, and the connection's thread takes from it.
final class Outbox: Sendable {
    /// The connection has ended.
    struct Closed: Error {}

    private struct State {
        var bytes: [UInt8] = []
        var isClosed = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let limit: Int
    /// Tells the connection's thread that there is something to send.
    private let notify: @Sendable () -> Void

    init(limit: Int, notify: @escaping @Sendable () -> Void) {
        (self.limit, self.notify) = (limit, notify)
    }

    /// The number of bytes that wait.
    var count: Int { state.withLock { $0.bytes.count } }

    /// Adds an answer without waiting. Answers to a connection that has ended are dropped.
    ///
    /// - Parameter notifies: False on the connection's thread, which sends by itself.
    func add(_ bytes: [UInt8], notifies: Bool = true) {
        let isFirst = state.withLock { state in
            guard !state.isClosed else { return false }
            let isFirst = state.bytes.isEmpty
            if isFirst { state.bytes = bytes } else { state.bytes += bytes }
            return isFirst
        }
        if isFirst, notifies { notify() }
    }

    /// Waits until the client has received enough of the answers.
    ///
    /// - Throws: ``Closed``; `CancellationError`.
    func waitForRoom() async throws {
        while true {
            try Task.checkCancellation()
            let (isClosed, isFull) = state.withLock { ($0.isClosed, $0.bytes.count >= limit) }
            if isClosed { throw Closed() }
            if !isFull { return }
            await withCheckedContinuation { continuation in
                let goesOn = state.withLock { state in
                    if state.isClosed || state.bytes.count < limit { return true }
                    state.waiting.append(continuation)
                    return false
                }
                if goesOn { continuation.resume() }
            }
        }
    }

    /// Takes all bytes that wait.
    func take() -> [UInt8] {
        let (bytes, waiting) = state.withLock { state in
            defer { (state.bytes, state.waiting) = ([], []) }
            return (state.bytes, state.waiting)
        }
        for continuation in waiting { continuation.resume() }
        return bytes
    }

    /// Ends the outbox, and the operations that wait for room.
    func close() {
        let waiting = state.withLock { state in
            defer { state.waiting = [] }
            (state.isClosed, state.bytes) = (true, [])
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}

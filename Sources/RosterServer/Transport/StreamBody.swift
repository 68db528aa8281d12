import Roster
import CMicroHTTPD
import RosterREST
import RosterText

/// A body that comes in pieces, each sent as soon as it is there.
///
/// libmicrohttpd asks for bytes on its thread; the pieces come in a task. Where none is at hand the connection is
/// suspended, for seconds or hours, and the next piece resumes it. The task takes a piece only when the one before has
/// been sent, so a client that reads slowly holds one piece, not all of them.
final class StreamBody: Sendable {
    private struct State {
        var piece: [UInt8] = []
        var sent = 0
        var isFinished = false
        var isAbandoned = false
        var task: Task<Void, Never>?
        var room: CheckedContinuation<Void, Never>?

        var isEmpty: Bool { sent == piece.count }
    }

    /// Passes each piece to a closure, until the closure returns false.
    private let forEachPiece: @Sendable ((_ piece: [UInt8]) async -> Bool) async throws -> Void
    /// Whether a server that stops may end the stream as if there were no more.
    private let mayEndEarly: Bool
    private let client: ClientConnection
    private let sendDeadline: Nanoseconds
    private let state = Locked(State())

    /// A stream of events.
    init(_ stream: AsyncStream<[UInt8]>, client: ClientConnection, sendDeadline: Nanoseconds) {
        forEachPiece = { body in for await piece in stream { guard await body(piece) else { return } } }
        (mayEndEarly, self.client, self.sendDeadline) = (true, client, sendDeadline)
    }

    /// A document. The connection is closed without the end of the body if the document cannot be sent to its end.
    init(_ stream: AsyncThrowingStream<[UInt8], any Error>, client: ClientConnection, sendDeadline: Nanoseconds) {
        forEachPiece = { body in for try await piece in stream { guard await body(piece) else { return } } }
        (mayEndEarly, self.client, self.sendDeadline) = (false, client, sendDeadline)
    }

    func makeResponse() -> OpaquePointer? {
        MHD_create_response_from_callback(
            .max, 4096,
            { body, _, buffer, room in
                guard let body, let buffer else { return StreamBody.failed }
                let into = UnsafeMutableRawBufferPointer(start: buffer, count: room)
                return Unmanaged<StreamBody>.fromOpaque(body).takeUnretainedValue().read(into: into)
            },
            Unmanaged.passRetained(self).toOpaque(),
            { body in
                guard let body else { return }
                Unmanaged<StreamBody>.fromOpaque(body).takeRetainedValue().abandon()
            })
    }

    // The macros for these have casts, which Swift does not import.
    private static let ended = -1
    private static let failed = -2

    /// Ends the stream for a client that has gone: the producer is cancelled.
    func abandon() { end { $0.isAbandoned = true } }

    /// Ends the stream as if its producer had. Does nothing to a document, which the server sends to its end or cuts.
    func finish() {
        if mayEndEarly { end { $0.isFinished = true } }
    }

    private func end(_ mark: (inout State) -> Void) {
        let (task, room) = state.withLock {
            mark(&$0)
            return ($0.task.take(), $0.room.take())
        }
        task?.cancel()
        room?.resume()
        client.resume()
    }

    // MARK: The thread of libmicrohttpd

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        state.withLock {
            if $0.isAbandoned {
                // Without an event, libmicrohttpd 0.9.75 does not look again at a connection whose body failed, and keeps
                // its descriptor. A resumed connection is looked at.
                client.suspend()
                client.resume()
                return Self.failed
            }
            guard $0.isEmpty else {
                let count = min(buffer.count, $0.piece.count - $0.sent)
                buffer.copyBytes(from: $0.piece[$0.sent..<$0.sent + count])
                $0.sent += count
                client.expect(within: sendDeadline)
                return count
            }
            if $0.isFinished { return Self.ended }
            // All that there was has gone to the system: silence has no deadline.
            client.expect(within: nil)
            client.suspend()
            if $0.task == nil { $0.task = Task { await self.run() } }
            $0.room.take()?.resume()
            return 0
        }
    }

    // MARK: The task

    private func run() async {
        do {
            try await forEachPiece { piece in
                if !piece.isEmpty { await send(piece) }
                return !Task.isCancelled
            }
            // A cancelled task has been told already how the stream ends.
            state.withLock { if mayEndEarly || !Task.isCancelled { $0.isFinished = true } }
        } catch {
            state.withLock { $0.isAbandoned = true }
        }
        client.resume()
    }

    /// Hands a piece over, and waits until it was sent.
    private func send(_ piece: [UInt8]) async {
        state.withLock {
            $0.piece = piece
            $0.sent = 0
        }
        client.resume()
        await withCheckedContinuation { continuation in
            let isOver = state.withLock {
                let isOver = $0.isEmpty || $0.isAbandoned || $0.isFinished
                if !isOver { $0.room = continuation }
                return isOver
            }
            if isOver { continuation.resume() }
        }
    }
}

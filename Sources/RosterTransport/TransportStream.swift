import RosterText

/// The answer to a request, whose body is read while it arrives. One task reads a stream, in one of its forms.
public struct TransportStream: AsyncSequence, Sendable {
    /// Part of the body. Its size says nothing.
    public typealias Element = [UInt8]

    /// The status code: 200 to 599.
    public let status: Int
    /// The header fields of the answer.
    public let headers: TransportHeaders
    private let handle: Handle

    /// Ends the request when nothing refers to the stream any more.
    final class Handle: Sendable {
        let buffer: StreamBuffer
        let cancellation: Cancellation
        /// A transport that is released closes its connections.
        private let transport: Transport

        init(_ buffer: StreamBuffer, _ transport: Transport, _ cancellation: Cancellation) {
            self.buffer = buffer
            self.transport = transport
            self.cancellation = cancellation
        }

        deinit { cancellation.cancel() }
    }

    init(
        _ head: TransportResponse, _ buffer: StreamBuffer, keeping transport: Transport, _ cancellation: Cancellation
    ) {
        status = head.status
        headers = head.headers
        handle = Handle(buffer, transport, cancellation)
    }

    /// Closes the connection. A task that waits for more of the body throws `CancellationError`.
    public func cancel() { handle.cancellation.cancel() }

    /// The rest of the body, up to a limit. This is for answers that are short after all, such as errors.
    ///
    /// - Throws: ``TransportError``, `CancellationError`.
    public func rest(upTo limit: Int) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await part in self {
            guard bytes.count + part.count <= limit else {
                cancel()
                throw TransportError.tooLarge(handle.buffer.host, "body", limit: limit)
            }
            bytes += part
        }
        return bytes
    }

    /// The lines of the body as UTF-8 text, without their ends: LF, CR LF or CR.
    ///
    /// - Parameter limit: The largest number of bytes of a line.
    public func lines(upTo limit: Int = 1 << 20) -> TransportLines { TransportLines(stream: self, limit: limit) }

    /// The body as server-sent events.
    ///
    /// - Parameter limit: The largest number of bytes of an event.
    public func events(upTo limit: Int = 1 << 20) -> ServerSentEvents { ServerSentEvents(stream: self, limit: limit) }

    var host: String { handle.buffer.host }

    /// Reads the body.
    public func makeAsyncIterator() -> Iterator { Iterator(handle: handle) }

    /// Reads the body of a ``TransportStream``.
    public struct Iterator: AsyncIteratorProtocol {
        let handle: Handle

        /// The next part of the body; nil at its end.
        ///
        /// - Throws: ``TransportError``, `CancellationError`.
        public mutating func next() async throws -> [UInt8]? {
            let handle = handle
            return try await withTaskCancellationHandler {
                try await handle.buffer.next()
            } onCancel: {
                handle.cancellation.cancel()
            }
        }
    }
}

/// A server-sent event (HTML Standard, section 9.2).
public struct ServerSentEvent: Sendable, Hashable {
    /// The type of the event: `message` unless the server names another.
    public let type: String
    /// The data: one or more lines, joined with LF.
    public let data: String
    /// The last identifier that the server has given, with this event or before it, for the `Last-Event-ID` of a later request; nil
    /// if it has given none.
    public let lastID: String?
    /// The last reconnection time that the server has given; nil if it has given none.
    public let retry: Duration?

    package init(type: String, data: String, lastID: String?, retry: Duration?) {
        self.type = type
        self.data = data
        self.lastID = lastID
        self.retry = retry
    }
}

/// The server-sent events of a ``TransportStream``. The status and the content type of the answer are not checked.
public struct ServerSentEvents: AsyncSequence, Sendable {
    /// An event.
    public typealias Element = ServerSentEvent

    let stream: TransportStream
    let limit: Int

    /// Reads the events.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: stream, parser: ServerSentEventParser(limit: limit), parts: stream.makeAsyncIterator())
    }

    /// Reads the events of a ``TransportStream``.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: TransportStream
        var parser: ServerSentEventParser
        var parts: TransportStream.Iterator
        private var found: [ServerSentEvent] = []
        private var next = 0

        init(stream: TransportStream, parser: ServerSentEventParser, parts: TransportStream.Iterator) {
            self.stream = stream
            self.parser = parser
            self.parts = parts
        }

        /// The next event; nil at the end of the stream. An event that the stream ends in is dropped, as the standard says.
        ///
        /// - Throws: ``TransportError``, `CancellationError`.
        public mutating func next() async throws -> ServerSentEvent? {
            while next == found.count {
                (found, next) = ([], 0)
                guard let part = try await parts.next() else { return nil }
                guard let events = parser.append(part) else {
                    stream.cancel()
                    throw TransportError.tooLarge(stream.host, "server-sent event", limit: parser.limit)
                }
                found = events
            }
            defer { next += 1 }
            return found[next]
        }
    }
}

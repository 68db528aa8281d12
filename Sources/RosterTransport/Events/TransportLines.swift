/// The lines of a ``TransportStream``.
public struct TransportLines: AsyncSequence, Sendable {
    /// A line without its end.
    public typealias Element = String

    let stream: TransportStream
    let limit: Int

    /// Reads the lines.
    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: stream, splitter: LineSplitter(limit: limit), parts: stream.makeAsyncIterator())
    }

    /// Reads the lines of a ``TransportStream``.
    public struct Iterator: AsyncIteratorProtocol {
        let stream: TransportStream
        var splitter: LineSplitter
        var parts: TransportStream.Iterator
        private var found: [String] = []
        private var next = 0
        private var hasEnded = false

        init(stream: TransportStream, splitter: LineSplitter, parts: TransportStream.Iterator) {
            self.stream = stream
            self.splitter = splitter
            self.parts = parts
        }

        /// The next line; nil after the last.
        ///
        /// - Throws: ``TransportError``, `CancellationError`.
        public mutating func next() async throws -> String? {
            while next == found.count {
                guard !hasEnded else { return nil }
                (found, next) = ([], 0)
                var lines: [String] = []
                if let part = try await parts.next() {
                    let isShort = splitter.append(part) { line in
                        lines.append(String(decoding: line, as: UTF8.self))
                        return true
                    }
                    guard isShort else {
                        stream.cancel()
                        throw TransportError.tooLarge(stream.host, "line", limit: splitter.limit)
                    }
                } else {
                    hasEnded = true
                    if let line = splitter.rest() { lines = [String(decoding: line, as: UTF8.self)] }
                }
                found = lines
            }
            defer { next += 1 }
            return found[next]
        }
    }
}

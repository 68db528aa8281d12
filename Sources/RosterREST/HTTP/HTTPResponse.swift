/// A response as ``RESTService`` hands it to a server: a value, without a socket.
public struct HTTPResponse: Sendable {
    /// The body, which follows the header fields.
    public enum Body: Sendable {
        /// The whole body.
        case bytes([UInt8])
        /// A stream of pieces. Send each piece as soon as it arrives, until the stream ends (server-sent events). The server ends
        /// the stream's task when the client goes away.
        case stream(AsyncStream<[UInt8]>)
    }

    /// The status code, 200 to 599.
    public var status: Int
    /// The header fields, without those of the transfer (`Content-Length`, `Date`, `Connection`).
    public var headers: HTTPHeaders
    /// The body. Of an answer to `HEAD` the server sends the length only.
    public var body: Body

    /// Makes a response.
    public init(_ status: Int, headers: HTTPHeaders = [:], body: Body = .bytes([])) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// The answer to a request: at once, or later.
public enum HTTPAnswer: Sendable {
    /// A response that is ready at once, after some microseconds.
    case now(HTTPResponse)
    /// Work that produces the response, and may wait for a disk or search for seconds. Cancelling its task cancels the work.
    case later(@Sendable () async -> HTTPResponse)
}

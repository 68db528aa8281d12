/// A response as ``RESTService`` hands it to a server: a value, without a socket.
public struct HTTPResponse: Sendable {
    /// What follows the header fields.
    public enum Body: Sendable {
        /// All of it.
        case bytes([UInt8])
        /// Pieces, each to be sent as soon as it is there, until the stream ends (server-sent events). The server ends
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

/// How a request is answered.
public enum HTTPAnswer: Sendable {
    /// At once: what took some microseconds.
    case now(HTTPResponse)
    /// When the work is done, which may wait for a disk or search for seconds. It is cancelled with its task.
    case later(@Sendable () async -> HTTPResponse)
}

/// A response as ``RESTService`` hands it to a server: a value, without a socket.
public struct HTTPResponse: Sendable {
    /// The body, which follows the header fields.
    public enum Body: Sendable {
        /// The whole body.
        case bytes([UInt8])
        /// A stream of pieces. Send each piece as soon as it arrives, until the stream ends (server-sent events). The server ends
        /// the stream's task when the client goes away.
        case stream(AsyncStream<[UInt8]>)
        /// A document in pieces. Send each piece as soon as it arrives, until the stream ends. If the stream throws, close the connection
        /// without the end of the body, so that nobody takes a part of the document for all of it. A server that stops must not end the
        /// document early either.
        case document(AsyncThrowingStream<[UInt8], any Error>)
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

/// Whether a request may have a larger body than the server's limit.
package enum LargeBody: Sendable {
    /// The limit of the server holds.
    case refused
    /// The body may have that many bytes. The request is the one to answer: it knows its caller.
    case admitted(bytes: Int, HTTPRequest)
    /// The caller is not known yet. The work waits for a reader, a database server or the hash of a password.
    case later(@Sendable () async -> LargeBody)

    /// The decision, which is not `later`.
    package func decision() async -> LargeBody {
        guard case .later(let work) = self else { return self }
        return await work().decision()
    }
}

/// The answer to a request: at once, or later.
public enum HTTPAnswer: Sendable {
    /// A response that is ready at once, after some microseconds.
    case now(HTTPResponse)
    /// Work that produces the response, and may wait for a disk or search for seconds. Cancelling its task cancels the work.
    case later(@Sendable () async -> HTTPResponse)
}

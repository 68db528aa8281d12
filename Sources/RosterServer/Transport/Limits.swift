import Foundation

extension HTTPServer {
    /// The limits for the clients of the server.
    package struct Limits: Sendable {
        /// The most open connections. When all are in use, a new connection replaces the oldest idle one. Of the last
        /// eighth, one address takes up to 8.
        package var connections = 1024
        /// The most connections of one address, of which its oldest idle one gives way to a new one. In IPv6 a network of
        /// 64 bits counts as one address, because one client has all of it.
        package var connectionsPerAddress = 512
        /// How many bytes the body of a request may have.
        package var bodyBytes = 1 << 20
        /// How many bytes one connection may use for the head of a request, and again for that of the response.
        package var headerBytes = 32 << 10
        /// How long a client may take to send the head of its first request, which includes the handshake of TLS, and
        /// the fields of a later one.
        package var headerDeadline: Duration = .seconds(10)
        /// How long a client may take to send the body of a request.
        package var bodyDeadline: Duration = .seconds(30)
        /// How long a connection may wait for the next request. Proxies keep theirs for 60 s, and lose requests to a server
        /// that closes first.
        package var idle: Duration = .seconds(75)
        /// How long a client may take to receive a response, or a piece of a stream.
        package var sendDeadline: Duration = .seconds(60)
        /// The number of threads that serve requests.
        package var threads = ProcessInfo.processInfo.activeProcessorCount

        package init() {}
    }

    package struct Statistics: Sendable, Equatable {
        package var connections: Int
        /// The requests whose head has come and whose response has not left.
        package var requestsInFlight: Int
        /// The requests that the transport refused itself, since the start.
        package var refused: Int
        /// The responses that could not be sent for a line break in a header field, and became a 500, since the start.
        package var unsendable: Int
        /// The connections that were closed since they were late, since the start.
        package var late: Int
    }
}

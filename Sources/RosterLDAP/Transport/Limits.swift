extension LDAPServer {
    /// The limits for the clients of the server.
    package struct Limits: Sendable {
        /// The most open connections. When all are in use, a new connection replaces the oldest idle one that is not bound.
        package var connections = 1024
        /// The most connections of one address. In IPv6 a network of 64 bits counts as one address.
        package var connectionsPerAddress = 512
        /// The size in bytes of the largest message before a bind. No client needs more for its name and its password.
        package var messageBytesUnbound = 256 << 10
        /// The size in bytes of the largest message after a bind.
        package var messageBytes = 4 << 20
        /// The most operations of one connection that run at the same time. Further ones wait.
        package var operationsPerConnection = 8
        /// The number of waiting operations from which the server reads no further messages of a connection.
        package var waitingOperations = 32
        /// The number of bytes from which an operation waits until the client has received answers.
        package var unsentBytes = 256 << 10
        /// How long a client may take for the handshake of TLS, or to send a message that it has begun.
        package var messageDeadline: Duration = .seconds(30)
        /// How long the server keeps a connection that is not bound and on which nothing happens.
        package var idleUnbound: Duration = .seconds(60)
        /// How long the server keeps a bound connection on which nothing happens. Clients keep their connections for long.
        package var idle: Duration = .seconds(3600)
        /// How long a client may receive nothing of an answer.
        package var sendDeadline: Duration = .seconds(60)
        /// How long a search may take.
        package var searchTime: Duration = .seconds(600)
        /// The number of threads that serve connections.
        package var threads = 2

        package init() {}
    }

    /// The present figures of the server.
    package struct Statistics: Sendable, Equatable {
        package var connections = 0
        package var operationsInFlight = 0
        /// The connections that were closed for broken messages, since the start.
        package var broken = 0
        /// The connections that were refused or replaced because there were too many, since the start.
        package var refused = 0
        /// The connections that were closed because they were late, since the start.
        package var late = 0
    }
}

import RosterREST
import RosterTLS
import Synchronization

/// The state that the callbacks of libmicrohttpd share on all threads of a server.
final class TransportContext: Sendable {
    let handler: @Sendable (HTTPRequest) -> HTTPAnswer
    /// Decides whether a request whose head has come may have a body beyond ``bodyBytes``.
    let largeBody: @Sendable (HTTPRequest) -> LargeBody
    let failure: @Sendable (Int, String) -> HTTPResponse
    let bodyBytes: Int
    let bodyDeadline: Nanoseconds
    let sendDeadline: Nanoseconds
    let headerDeadline: Nanoseconds
    let idle: Nanoseconds
    /// The value of `Keep-Alive`, which tells clients how long a connection is kept.
    let keepAlive: String
    let identity: TLSIdentity?
    let trustedProxies: TrustedProxies
    let table: ConnectionTable
    let lingering = LingeringConnections()
    let isDraining = Atomic(false)
    let inFlight = Atomic(0)
    let refused = Atomic(0)
    /// The bytes of the large bodies that are being received or worked on.
    private let largeBodies = Atomic(0)
    let unsendable = Atomic(0)

    init(
        limits: HTTPServer.Limits, identity: TLSIdentity?, trustedProxies: TrustedProxies,
        handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer,
        largeBody: @escaping @Sendable (HTTPRequest) -> LargeBody,
        failure: @escaping @Sendable (Int, String) -> HTTPResponse
    ) {
        self.handler = handler
        self.largeBody = largeBody
        self.failure = failure
        self.identity = identity
        self.trustedProxies = trustedProxies
        bodyBytes = limits.bodyBytes
        bodyDeadline = limits.bodyDeadline.nanoseconds
        sendDeadline = limits.sendDeadline.nanoseconds
        headerDeadline = limits.headerDeadline.nanoseconds
        idle = limits.idle.nanoseconds
        keepAlive = "timeout=\(limits.idle.components.seconds)"
        table = ConnectionTable(limit: limits.connections, limitPerSite: limits.connectionsPerAddress)
    }

    var isTLS: Bool { identity != nil }

    /// The most bytes of all large bodies together, so that those who may send them cannot fill the memory either.
    private static let largeBodyBytes = 256 << 20

    /// Sets memory aside for a body beyond the usual limit; returns false if there is none left.
    func reserve(_ bytes: Int) -> Bool {
        let isFree = largeBodies.add(bytes, ordering: .relaxed).newValue <= Self.largeBodyBytes
        if !isFree { release(bytes) }
        return isFree
    }

    func release(_ bytes: Int) { largeBodies.subtract(bytes, ordering: .relaxed) }
}

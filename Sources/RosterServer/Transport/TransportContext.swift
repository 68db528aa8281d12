import RosterREST
import Synchronization

/// The state that the callbacks of libmicrohttpd share on all threads of a server.
final class TransportContext: Sendable {
    let handler: @Sendable (HTTPRequest) -> HTTPAnswer
    /// The largest body of a request whose head has come; nil for ``bodyBytes``.
    let largestBody: @Sendable (HTTPRequest) -> Int?
    let failure: @Sendable (Int, String) -> HTTPResponse
    let bodyBytes: Int
    let bodyDeadline: Nanoseconds
    let sendDeadline: Nanoseconds
    let idle: Nanoseconds
    let identity: TLSIdentity?
    let trustedProxies: TrustedProxies
    let table: ConnectionTable
    let isDraining = Atomic(false)
    let inFlight = Atomic(0)
    let refused = Atomic(0)
    let unsendable = Atomic(0)

    init(
        limits: HTTPServer.Limits, identity: TLSIdentity?, trustedProxies: TrustedProxies,
        handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer,
        largestBody: @escaping @Sendable (HTTPRequest) -> Int?,
        failure: @escaping @Sendable (Int, String) -> HTTPResponse
    ) {
        self.handler = handler
        self.largestBody = largestBody
        self.failure = failure
        self.identity = identity
        self.trustedProxies = trustedProxies
        bodyBytes = limits.bodyBytes
        bodyDeadline = limits.bodyDeadline.nanoseconds
        sendDeadline = limits.sendDeadline.nanoseconds
        idle = limits.idle.nanoseconds
        table = ConnectionTable(limit: limits.connections, limitPerSite: limits.connectionsPerAddress)
    }

    var isTLS: Bool { identity != nil }
}

import Foundation
import Roster
import CMicroHTTPD
import RosterREST
import Synchronization
import RosterText

/// One socket of a client, from its acceptance to its end. libmicrohttpd serves it on one thread; its deadline is
/// watched and its work is resumed on others.
final class ClientConnection: Sendable {
    /// The event for which a suspended connection waits.
    enum Wait {
        case none
        case answer(Task<Void, Never>)
        case piece(StreamBody)
    }

    /// The progress of the current request.
    enum Phase: UInt8 {
        /// No request has begun.
        case idle
        /// The line of a request has come, the rest of its head has not.
        case receivingHead
        /// The head of a request has come, its body has not.
        case receivingBody
        /// The head of a request has come, its body in chunks has not.
        case receivingChunks
        /// The handler works, or the response is sent.
        case answering
    }

    private struct State {
        var handle: OpaquePointer?
        var isSuspended = false
        var wait = Wait.none
    }

    let descriptor: Int32
    /// The address of the client without its port.
    let clientAddress: String
    let site: SocketAddress.Site
    /// Whether the client is a trusted proxy, which names the clients that it forwards for.
    let isTrustedProxy: Bool
    let isConfidential: Bool
    let daemon: MHDDaemon
    private let state = Locked(State())
    private let deadline: Atomic<Nanoseconds>
    private let phaseNow = Atomic(Phase.idle.rawValue)
    private let hadEnded = Atomic(false)
    private let idleStart: Atomic<Nanoseconds>
    private let isLeavingNow = Atomic(false)
    private let lingersNow = Atomic(false)

    init(descriptor: Int32, address: SocketAddress, daemon: MHDDaemon, deadline: Nanoseconds) {
        self.descriptor = descriptor
        self.daemon = daemon
        self.deadline = Atomic(deadline)
        idleStart = Atomic(now())
        clientAddress = address.numeric
        site = address.site
        isTrustedProxy = daemon.context.trustedProxies.contains(clientAddress)
        isConfidential = daemon.context.isTLS || address.isLoopback
    }

    // MARK: Deadlines

    /// Gives the client so long from now; nil for as long as it takes.
    func expect(within time: Nanoseconds?) {
        deadline.store(time.map { now() &+ $0 } ?? .max, ordering: .relaxed)
    }

    /// Gives the client so long from now for the rest of a head, if it had longer until now.
    func hurry(within time: Nanoseconds) {
        deadline.store(min(deadline.load(ordering: .relaxed), now() &+ time), ordering: .relaxed)
    }

    func isLate(at time: Nanoseconds) -> Bool { deadline.load(ordering: .relaxed) < time }

    var phase: Phase {
        get { Phase(rawValue: phaseNow.load(ordering: .relaxed)) ?? .idle }
        set {
            phaseNow.store(newValue.rawValue, ordering: .relaxed)
            if newValue == .idle { idleStart.store(now(), ordering: .relaxed) }
            hadEnded.store(false, ordering: .relaxed)
        }
    }

    /// When the connection was accepted or its last response had been sent, whichever came later.
    var idleSince: Nanoseconds { idleStart.load(ordering: .relaxed) }

    /// Whether the server waits for the head of a request: nothing of the connection is being worked on.
    var awaitsHead: Bool { phase == .idle || phase == .receivingHead }

    /// Whether the connection was closed to make room for another one.
    var isLeaving: Bool { isLeavingNow.load(ordering: .relaxed) }

    /// Closes the connection to make room for another one.
    func giveWay() {
        isLeavingNow.store(true, ordering: .relaxed)
        cut()
    }

    /// Whether something of the client has come that nobody has read.
    private var hasUnread: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) > 0
    }

    /// Whether the client sends no more, and all that the client has sent was read.
    var isAtEnd: Bool {
        var byte: UInt8 = 0
        return recv(descriptor, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) == 0
    }

    /// Whether the connection is at its end, and was at the last look already.
    ///
    /// libmicrohttpd does not see an end that comes with the last bytes: it is told of both at once, and reads once.
    func hasEnded() -> Bool {
        let isAtEnd = isAtEnd
        return hadEnded.exchange(isAtEnd, ordering: .relaxed) && isAtEnd
    }

    /// Whether the client may still be sending a request that has been refused, so that a close at once would make its
    /// system throw the answer away (RFC 9112, section 9.6).
    var lingers: Bool {
        get { lingersNow.load(ordering: .relaxed) || hasUnread }
        set { lingersNow.store(newValue, ordering: .relaxed) }
    }

    // MARK: Waiting

    /// libmicrohttpd serves the connection now, under this pointer.
    func start(as handle: OpaquePointer) { state.withLock { $0.handle = handle } }

    /// Answers a head that libmicrohttpd refuses by itself, with a status from 400 to 505, and lets nothing else be sent.
    /// Does nothing where no such head has just come whole. Only on the thread of libmicrohttpd.
    ///
    /// Where libmicrohttpd 0.9.75 finds a bad `Content-Length` or more cookies than it has memory for, it sends the head
    /// of its response twice, so that the client would take the second one for the body.
    ///
    /// - Returns: Whether there was such a head.
    func refuseHead(status: UInt32) -> Bool {
        guard phase == .receivingHead, let handle = state.withLock({ $0.handle }), roster_mhd_head_size(handle) > 0
        else { return false }
        sendLast(HTTPResponse(Int(status)), on: handle)
        return true
    }

    /// Refuses a body while it comes, when libmicrohttpd takes no response. Only on the thread of libmicrohttpd, which
    /// must close the connection then.
    func refuseBody(_ status: Int, _ reason: String) {
        guard let handle = state.withLock({ $0.handle }) else { return }
        sendLast(daemon.context.failure(status, reason), on: handle)
    }

    /// Sends a response past libmicrohttpd, and lets nothing else be sent.
    private func sendLast(_ response: HTTPResponse, on handle: OpaquePointer) {
        // Before the client can see the response, so that whoever has it finds it counted.
        daemon.context.refused.add(1, ordering: .relaxed)
        lingers = true
        let reason = String(cString: MHD_get_reason_phrase_for(UInt32(response.status)))
        var text = "HTTP/1.1 \(response.status) \(reason)\r\nConnection: close\r\n"
        for field in response.headers.fields { text += "\(field.name): \(field.value)\r\n" }
        var body: [UInt8] = []
        if case .bytes(let bytes) = response.body { body = bytes }
        let bytes = Array((text + "Content-Length: \(body.count)\r\n\r\n").utf8) + body
        roster_mhd_send_last(handle, bytes, bytes.count)
    }

    /// Takes the connection from libmicrohttpd until ``resume()``. Only within one of its callbacks.
    func suspend() {
        state.withLock {
            guard let handle = $0.handle else { return }
            MHD_suspend_connection(handle)
            $0.isSuspended = true
        }
    }

    /// Hands the connection back, once for each suspension, whoever comes first.
    func resume() {
        state.withLock {
            guard $0.isSuspended, let handle = $0.handle else { return }
            $0.isSuspended = false
            MHD_resume_connection(handle)
        }
    }

    /// Sets the task to cancel when the client goes away.
    func await(_ wait: Wait) { state.withLock { $0.wait = wait } }

    /// Whether libmicrohttpd does not look at the socket, so that it would not see the client go.
    var isSuspended: Bool { state.withLock { $0.isSuspended } }

    /// Cancels the work for a client that has gone.
    func abandon() {
        switch state.withLock({ $0.wait }) {
        case .none: break
        case .answer(let task): task.cancel()
        case .piece(let stream): stream.abandon()
        }
    }

    /// Ends a stream as if there were no more, so that the client finds another server.
    func finishStream() {
        if case .piece(let stream) = state.withLock({ $0.wait }) { stream.finish() }
    }

    /// Closes the connection at once. This is safe only while the table holds the connection, so that the descriptor
    /// still belongs to it.
    func cut() {
        shutdown(descriptor, Int32(SHUT_RDWR))
        abandon()
        resume()
    }
}

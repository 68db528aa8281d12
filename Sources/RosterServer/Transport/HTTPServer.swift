import Foundation
import Roster
package import RosterREST
package import RosterTLS
import RosterText
import Synchronization

/// An HTTP/1.1 server on libmicrohttpd, with or without TLS. It hands each ``HTTPRequest`` to a handler and sends the
/// ``HTTPAnswer``. It refuses ambiguous requests and closes connections that miss a deadline.
package final class HTTPServer: Sendable {
    package typealias TLSFiles = RosterTLS.TLSFiles

    private struct Running {
        let acceptor: Acceptor
        let daemons: [MHDDaemon]
    }

    private enum State {
        case new
        case starting
        case running(Running)
        case ended
    }

    private let listener: Listener
    private let limits: Limits
    private let context: TransportContext
    private let state = Locked(State.new)
    private let accept: Acceptor.Accept

    /// Makes a server that does not listen yet. Throws `badCertificate`, `badKey` or `keyDoesNotFit` if the files of
    /// TLS are unusable.
    ///
    /// The handler is called on the threads of the server and must return within microseconds; it returns longer work
    /// as `later`. `largeBody` may allow a request with this head a larger body than the limits do, and must return
    /// within microseconds as well: it returns a longer decision as `later`. `failure` makes the response to a request that the transport refuses, from a status of 400 to 505
    /// and a sentence for the client's log. A request of one of `trustedProxies` counts as the client's that
    /// `X-Forwarded-For` names, and the proxy's connections are not limited by address.
    package convenience init(
        listening listener: Listener, tls: TLSFiles? = nil, limits: Limits = Limits(),
        trustedProxies: TrustedProxies = TrustedProxies(), handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer,
        largeBody: @escaping @Sendable (_ head: HTTPRequest) -> LargeBody = { _ in .refused },
        failure: @escaping @Sendable (_ status: Int, _ reason: String) -> HTTPResponse
    ) throws(HTTPServerError) {
        try self.init(
            listening: listener, tls: tls, limits: limits, trustedProxies: trustedProxies,
            accept: Acceptor.systemAccept, handler: handler, largeBody: largeBody, failure: failure)
    }

    init(
        listening listener: Listener, tls: TLSFiles?, limits: Limits, trustedProxies: TrustedProxies = TrustedProxies(),
        accept: @escaping Acceptor.Accept, handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer,
        largeBody: @escaping @Sendable (HTTPRequest) -> LargeBody = { _ in .refused },
        failure: @escaping @Sendable (Int, String) -> HTTPResponse
    ) throws(HTTPServerError) {
        self.listener = listener
        self.limits = limits
        self.accept = accept
        var identity: TLSIdentity?
        do throws(TLSFileError) {
            if let tls { identity = try TLSIdentity(tls) }
        } catch {
            throw HTTPServerError(error)
        }
        context = TransportContext(
            limits: limits, identity: identity, trustedProxies: trustedProxies, handler: handler,
            largeBody: largeBody,
            failure: failure
        )
    }

    /// Listens and serves until ``drain(timeout:)``, which must end every server that was started. Returns the port,
    /// which the system chooses if the port of the listener is 0.
    package func start() throws(HTTPServerError) -> UInt16 { try start(on: try listener.open()) }

    /// Serves on a socket that listens already. Closes the socket if that fails.
    func start(on socket: Listener.Socket) throws(HTTPServerError) -> UInt16 {
        do throws(HTTPServerError) {
            try claim()
        } catch {
            close(socket.descriptor)
            throw error
        }
        do throws(HTTPServerError) {
            let daemons = try makeDaemons(elseClosing: socket.descriptor)
            let acceptor = Acceptor(
                listener: socket.descriptor, daemons: daemons, context: context, accept: accept)
            acceptor.start()
            state.withLock { $0 = .running(Running(acceptor: acceptor, daemons: daemons)) }
            return socket.port
        } catch {
            state.withLock { $0 = .new }
            throw error
        }
    }

    private func claim() throws(HTTPServerError) {
        let isFirst = state.withLock { state in
            guard case .new = state else { return false }
            state = .starting
            return true
        }
        if !isFirst { throw .alreadyStarted }
    }

    private func makeDaemons(elseClosing listener: Int32) throws(HTTPServerError) -> [MHDDaemon] {
        var daemons: [MHDDaemon] = []
        do throws(HTTPServerError) {
            for _ in 0..<max(limits.threads, 1) {
                daemons.append(try MHDDaemon(context: context, headerBytes: limits.headerBytes))
            }
            return daemons
        } catch {
            for daemon in daemons { daemon.stop() }
            close(listener)
            throw error
        }
    }

    /// Reads the certificate and its key again, for the next handshakes. If a file is unusable, this throws as the
    /// initializer does, and the old files stay in use. Without TLS it does nothing.
    package func reloadTLS() throws(HTTPServerError) {
        do throws(TLSFileError) {
            try context.identity?.reload()
        } catch {
            throw HTTPServerError(error)
        }
    }

    /// The times at which the certificates of the chain expire, beginning with the server's own; empty without TLS.
    var certificateEnds: [Date] { context.identity?.ends ?? [] }

    /// The present figures of the server.
    package var statistics: Statistics {
        Statistics(
            connections: context.table.count, requestsInFlight: context.inFlight.load(ordering: .relaxed),
            refused: context.refused.load(ordering: .relaxed),
            unsendable: context.unsendable.load(ordering: .relaxed), late: context.table.late)
    }

    /// How long a server that drains still accepts, for clients that do not know yet.
    private static let acceptGrace = Duration.milliseconds(250)
    /// How long a server that drains keeps connections on which nothing happens.
    private static let idleGrace = Duration.seconds(1)
    /// How long connections whose sockets have been shut down may take to close.
    private static let cutGrace = Duration.seconds(5)

    /// Ends the server so that no request fails: from now on each response says that its connection closes, after a
    /// short grace nothing more is accepted and idle connections are closed, and streams end. Work that is not done in time
    /// is cancelled and its connection closed. Returns when nothing is left; at once where the server does not run.
    package func drain(timeout: Duration) async {
        let running: Running? = state.withLock {
            guard case .running(let running) = $0 else { return nil }
            $0 = .ended
            return running
        }
        guard let running else { return }
        let begin = ContinuousClock.now
        context.isDraining.store(true, ordering: .relaxed)
        try? await Task.sleep(for: min(Self.acceptGrace, timeout))
        await running.acceptor.stopListening()
        let idleEnd = begin + min(Self.idleGrace, timeout / 2)
        while context.table.count > 0, .now < begin + timeout {
            context.table.finishStreams()
            if .now >= idleEnd { context.table.cutIdle() }
            try? await Task.sleep(for: .milliseconds(10))
        }
        // Again and again, for a handler that was being called may suspend its connection afterwards.
        let cutEnd = ContinuousClock.now + Self.cutGrace
        while context.table.count > 0, .now < cutEnd {
            context.table.cutAll()
            try? await Task.sleep(for: .milliseconds(5))
        }
        await running.acceptor.stop()
        // A handler that never returns holds its thread; to wait for it would be worse than to leave the thread alone.
        guard context.table.count == 0 else { return }
        for daemon in running.daemons { daemon.stop() }
    }
}

import Roster
package import RosterREST
import Synchronization
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An HTTP/1.1 server, with or without TLS, on libmicrohttpd: it makes an ``HTTPRequest`` of what comes, asks a handler,
/// and sends its ``HTTPAnswer``. What is not clearly one request is refused, and who is late is closed.
package final class HTTPServer: Sendable {
    /// The files of TLS, in PEM.
    package struct TLSFiles: Sendable, Equatable {
        /// The path of the certificate, followed by those that vouch for it.
        package var certificate: String
        /// The path of its private key, unencrypted.
        package var key: String

        /// Files at these paths.
        package init(certificate: String, key: String) {
            self.certificate = certificate
            self.key = key
        }
    }

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

    /// A server that does not listen yet. `badCertificate`, `badKey` or `keyDoesNotFit` where TLS cannot be.
    ///
    /// The handler is called on the threads of the server and must return within microseconds; what may take longer it
    /// returns as `later`. `failure` makes the response to what the transport refuses, from a status of 400 to 505 and
    /// a sentence in English for whoever reads the log of the client. Requests of `trustedProxies` are those of whom they
    /// name in `X-Forwarded-For`, and their connections are not limited by address.
    package convenience init(
        listening listener: Listener, tls: TLSFiles? = nil, limits: Limits = Limits(),
        trustedProxies: TrustedProxies = TrustedProxies(),
        handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer,
        failure: @escaping @Sendable (_ status: Int, _ reason: String) -> HTTPResponse
    ) throws(HTTPServerError) {
        try self.init(
            listening: listener, tls: tls, limits: limits, trustedProxies: trustedProxies,
            accept: Acceptor.systemAccept, handler: handler, failure: failure)
    }

    init(
        listening listener: Listener, tls: TLSFiles?, limits: Limits, trustedProxies: TrustedProxies = TrustedProxies(),
        accept: @escaping Acceptor.Accept,
        handler: @escaping @Sendable (HTTPRequest) -> HTTPAnswer,
        failure: @escaping @Sendable (Int, String) -> HTTPResponse
    ) throws(HTTPServerError) {
        self.listener = listener
        self.limits = limits
        self.accept = accept
        var identity: TLSIdentity?
        if let tls { identity = try TLSIdentity(tls) }
        context = TransportContext(
            limits: limits, identity: identity, trustedProxies: trustedProxies, handler: handler, failure: failure
        )
    }

    /// Listens and serves, until ``drain(timeout:)``, which every server that was started must be ended with. Returns
    /// the port, which is another one than that asked for where that was 0.
    package func start() throws(HTTPServerError) -> UInt16 {
        try start(on: try listener.open())
    }

    /// Serves on a socket that listens already. The socket is closed where that fails.
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
                listener: socket.descriptor, daemons: daemons, table: context.table,
                headerDeadline: limits.headerDeadline.nanoseconds, accept: accept)
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

    /// Reads the certificate and its key again; connections that are open go on, the next handshakes use the new ones.
    /// Where a file is bad it throws as ``init(listening:tls:limits:handler:failure:)`` does, and the old ones stay in
    /// use. Nothing happens without TLS.
    package func reloadTLS() throws(HTTPServerError) {
        try context.identity?.reload()
    }

    /// What the server is doing at the moment.
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
    /// short grace nothing more is accepted and idle connections are closed, and streams end. What is not done in time
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

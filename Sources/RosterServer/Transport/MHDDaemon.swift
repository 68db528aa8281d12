import Foundation
import Roster
import CMicroHTTPD
import RosterTLS
import RosterText
import Synchronization

/// One thread of libmicrohttpd, which serves the connections that it is given. A server has several of them in place of
/// libmicrohttpd's own pool, which would accept connections itself.
final class MHDDaemon: Sendable {
    let context: TransportContext
    let count = Atomic(0)
    private let daemon = Locked<OpaquePointer?>(nil)

    /// Starts a thread. Throws the system's error if there can be no more threads.
    init(context: TransportContext, headerBytes: Int) throws(HTTPServerError) {
        self.context = context
        // The callbacks find the context by this pointer until `stop` releases it.
        let retained = Unmanaged.passRetained(context)
        var callbacks = roster_mhd_callbacks()
        callbacks.context = retained.toOpaque()
        callbacks.line = lineCame
        callbacks.access = requestCame
        callbacks.completed = requestEnded
        let retainedSelf = Unmanaged.passRetained(self)
        callbacks.log = messageCame
        callbacks.log_context = retainedSelf.toOpaque()
        callbacks.connection = connectionChanged
        callbacks.certificate = context.isTLS ? certificateWanted : nil
        // The table holds the limits of connections; libmicrohttpd's own would close one that the table has counted.
        let started = TLSIdentity.priorities.withCString {
            callbacks.priorities = $0
            return roster_mhd_start(&callbacks, headerBytes, UInt32.max)
        }
        guard let started else {
            retained.release()
            retainedSelf.release()
            throw .system("Starting a thread of the server", errno)
        }
        daemon.withLock { $0 = started }
    }

    var connections: Int { count.load(ordering: .relaxed) }

    /// Serves a connection. Returns false, and closes the descriptor, if that is impossible.
    func add(_ descriptor: Int32, from address: SocketAddress) -> Bool {
        daemon.withLock { daemon in
            address.withPointer { MHD_add_connection(daemon, descriptor, $0, $1) } == .YES
        }
    }

    /// Ends the thread. All connections must be closed: libmicrohttpd aborts where one is suspended.
    func stop() {
        guard let stopped = daemon.withLock({ $0.take() }) else { return }
        MHD_stop_daemon(stopped)
        Unmanaged.passUnretained(context).release()
        Unmanaged.passUnretained(self).release()
    }

    /// Answers the request that libmicrohttpd is about to refuse by itself. It does not tell which one that is.
    fileprivate func refuse(status: UInt32) {
        if context.table.contains(where: { $0.daemon === self && $0.refuseHead(status: status) }) { return }
        // It calls an extension of a chunk that its memory cannot hold an error of the server.
        guard status == 500 else { return }
        let receiving = context.table.all { $0.daemon === self && $0.phase == .receivingChunks }
        if receiving.count == 1 { receiving[0].refuseBody(413, RequestHead.tooLong) }
    }
}

// MARK: What libmicrohttpd calls

private func context(_ pointer: UnsafeMutableRawPointer?) -> TransportContext? {
    pointer.map { Unmanaged<TransportContext>.fromOpaque($0).takeUnretainedValue() }
}

private func connection(_ connection: OpaquePointer?) -> ClientConnection? {
    connection.flatMap { roster_mhd_socket_context($0) }
        .map { Unmanaged<ClientConnection>.fromOpaque($0).takeUnretainedValue() }
}

/// A connection starts or ends: the table, which holds it from its acceptance to its end, says which one it is.
private let connectionChanged: MHD_NotifyConnectionCallback = { pointer, handle, socketContext, code in
    guard let context = context(pointer), let handle else { return }
    let descriptor = roster_mhd_descriptor(handle)
    switch code {
    case .CONNECTION_NOTIFY_STARTED:
        let client = context.table[descriptor]
        client?.start(as: handle)
        socketContext?.pointee = client.map { Unmanaged.passUnretained($0).toOpaque() }
    default:
        socketContext?.pointee = nil
        if let client = context.table[descriptor], client.lingers { context.lingering.add(copyOf: descriptor) }
        context.table.remove(descriptor)
    }
}

/// A request line has come: the only time at which its target is there as it was sent.
private let lineCame:
    @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<CChar>?, OpaquePointer?) -> UnsafeMutableRawPointer? = {
        pointer, target, handle in
        guard let context = context(pointer), let target, let handle, let client = connection(handle) else {
            return nil
        }
        client.phase = .receivingHead
        client.hurry(within: context.headerDeadline)
        let served = ServedRequest(target: target, handle: handle, client: client, context: context)
        return Unmanaged.passRetained(served).toOpaque()
    }

private let requestCame: MHD_AccessHandlerCallback = {
    _, _, _, method, version, upload, uploadSize, served in
    guard let pointer = served?.pointee, let method, let version, let uploadSize else { return .NO }
    let served = Unmanaged<ServedRequest>.fromOpaque(pointer).takeUnretainedValue()
    let goesOn: Bool
    if let upload, uploadSize.pointee > 0 {
        goesOn = served.take(UnsafeRawBufferPointer(start: upload, count: uploadSize.pointee))
        uploadSize.pointee = 0
    } else {
        goesOn = served.proceed(method: method, version: version)
    }
    return goesOn ? .YES : .NO
}

private let requestEnded: MHD_RequestCompletedCallback = { _, _, served, _ in
    guard let pointer = served?.pointee else { return }
    served?.pointee = nil
    Unmanaged<ServedRequest>.fromOpaque(pointer).takeRetainedValue().end()
}

/// libmicrohttpd logs an error before it answers the request by itself.
///
/// This is a function and not a constant, because the compiler cannot read the C type of such a constant back from the module,
/// and crashes when it extracts the documentation.
private func messageCame(
    pointer: UnsafeMutableRawPointer?, format: UnsafePointer<CChar>?, arguments: CVaListPointer?
) {
    guard let pointer, let format, let arguments else { return }
    let status = roster_mhd_error_status(format, arguments)
    guard (400...505).contains(status) else { return }
    Unmanaged<MHDDaemon>.fromOpaque(pointer).takeUnretainedValue().refuse(status: status)
}

private let certificateWanted:
    @convention(c) (
        gnutls_session_t?, UnsafePointer<gnutls_datum_t>?, Int32, UnsafePointer<gnutls_pk_algorithm_t>?, Int32,
        UnsafeMutablePointer<UnsafeMutablePointer<gnutls_pcert_st>?>?, UnsafeMutablePointer<UInt32>?,
        UnsafeMutablePointer<gnutls_privkey_t?>?
    ) -> Int32 = { session, _, _, _, _, chain, count, key in
        // libmicrohttpd leaves its connection in the session of TLS.
        guard let session, let handle = gnutls_session_get_ptr(session), let chain, let count, let key,
            let identity = connection(OpaquePointer(handle))?.daemon.context.identity
        else { return -1 }
        let (certificates, number, secret) = identity.raw
        chain.pointee = certificates?.assumingMemoryBound(to: gnutls_pcert_st.self)
        (count.pointee, key.pointee) = (number, secret)
        return 0
    }

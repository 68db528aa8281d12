import CMicroHTTPD
import Foundation
import Synchronization

/// The thread that takes connections from the listening socket and hands them to the threads that serve, that looks
/// at the deadlines several times a second, and that reads what refused clients still send.
///
/// libmicrohttpd could accept itself. But then a connection over a limit is not counted where the deadlines are, and
/// `MHD_quiesce_daemon`, by which it would stop accepting, can race with its own threads and abort the process.
final class Acceptor: Sendable {
    /// The result of the system's `accept`: a descriptor, or an error number.
    typealias Accept = @Sendable (Int32, inout SocketAddress) -> (descriptor: Int32, error: Int32)

    /// How often the deadlines are looked at.
    static let tick: Nanoseconds = 100_000_000

    private let listener: Int32
    private let wake: (read: Int32, write: Int32)
    private let daemons: [MHDDaemon]
    private let table: ConnectionTable
    private let lingering: LingeringConnections
    private let headerDeadline: Nanoseconds
    private let accept: Accept
    private let isListening = Atomic(true)
    private let isStopped = Atomic(false)
    private let hasClosed = Atomic(false)
    private let hasEnded = Atomic(false)

    init(
        listener: Int32, daemons: [MHDDaemon], context: TransportContext,
        accept: @escaping Accept = Acceptor.systemAccept
    ) {
        self.listener = listener
        self.daemons = daemons
        table = context.table
        lingering = context.lingering
        headerDeadline = context.headerDeadline
        self.accept = accept
        var ends: [Int32] = [-1, -1]
        pipe(&ends)
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
        wake = (ends[0], ends[1])
    }

    deinit {
        close(wake.read)
        close(wake.write)
    }

    func start() {
        let thread = Thread { self.run() }
        thread.name = "roster-accept"
        thread.start()
    }

    /// Accepts the waiting connections and closes the listening socket; returns when that is done.
    func stopListening() async {
        isListening.store(false, ordering: .releasing)
        await wait(for: hasClosed)
    }

    /// Ends the thread; returns when it has ended.
    func stop() async {
        isListening.store(false, ordering: .releasing)
        isStopped.store(true, ordering: .releasing)
        await wait(for: hasEnded)
    }

    private func wait(for flag: borrowing Atomic<Bool>) async {
        _ = write(wake.write, "!", 1)
        while !flag.load(ordering: .acquiring) { try? await Task.sleep(for: .milliseconds(2)) }
    }

    // MARK: The thread

    private func run() {
        var swept = now()
        var renewed: Nanoseconds = 0
        // Whether new connections wait for the next tick, because the process has no descriptor or others still make room.
        var isExhausted = false
        var reserve = DescriptorReserve()
        defer { reserve.release(at: swept) }
        while !isStopped.load(ordering: .acquiring) {
            if now() &- renewed >= Self.tick {
                renewed = now()
                reserve.renew(at: renewed)
            }
            let isOpen = !hasClosed.load(ordering: .relaxed)
            var polled = [pollfd(fd: wake.read, events: Int16(POLLIN), revents: 0)]
            if isOpen && !isExhausted && !reserve.isShort {
                polled.append(pollfd(fd: listener, events: Int16(POLLIN), revents: 0))
            }
            polled += lingering.descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
            poll(&polled, nfds_t(polled.count), Int32(Self.tick / 1_000_000))
            if polled[0].revents != 0 {
                var byte: UInt8 = 0
                _ = read(wake.read, &byte, 1)
            }
            let isLast = isOpen && !isListening.load(ordering: .acquiring)
            if isOpen, isLast || !reserve.isShort { isExhausted = !takeWaiting(all: isLast, &reserve) }
            if isLast { closeListener() }
            let time = now()
            lingering.discard(at: time)
            if time &- swept >= Self.tick {
                table.sweep(at: time)
                swept = time
            }
        }
        if !hasClosed.load(ordering: .relaxed) { closeListener() }
        lingering.discard(at: .max)
        hasEnded.store(true, ordering: .releasing)
    }

    private func closeListener() {
        close(listener)
        hasClosed.store(true, ordering: .releasing)
    }

    /// Takes connections until none waits, or at most 64 of them unless `all` is true. Returns false if no connection can be taken
    /// now: others still make room, or the system has no memory or too few descriptors.
    private func takeWaiting(all: Bool, _ reserve: inout DescriptorReserve) -> Bool {
        for _ in 0..<(all ? Int.max : 64) {
            if (table.awaitsRoom || reserve.isShort) && !all { return false }
            var address = SocketAddress()
            let (descriptor, error) = accept(listener, &address)
            guard descriptor >= 0 else {
                switch error {
                case EAGAIN: return true
                case EINTR, ECONNABORTED, EPROTO: continue  // A signal, or a client that has gone again.
                case EMFILE, ENFILE:
                    // Others have used the last ones up, or the limit was lowered.
                    reserve.release(at: now())
                    return false
                default: return false
                }
            }
            reserve.noteConnection(descriptor, at: now())
            take(descriptor, from: address)
        }
        return true
    }

    private func take(_ descriptor: Int32, from address: SocketAddress) {
        guard let daemon = daemons.min(by: { $0.connections < $1.connections }) else { return }
        let connection = ClientConnection(
            descriptor: descriptor, address: address, daemon: daemon, deadline: now() &+ headerDeadline)
        guard table.admit(connection) else {
            close(descriptor)
            return
        }
        daemon.count.add(1, ordering: .relaxed)
        if !daemon.add(descriptor, from: address) { table.remove(descriptor) }
    }

    static let systemAccept: Accept = { listener, address in
        let descriptor = address.fill { roster_accept(listener, $0, $1) }
        let error = errno
        // Clients of a Unix socket are on this machine.
        if address.isUnix, let local = SocketAddress(host: "127.0.0.1", port: 0) { address = local }
        return (descriptor, error)
    }
}

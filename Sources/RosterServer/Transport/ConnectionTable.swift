import Roster
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The connections that are open, by their descriptors. A descriptor in the table is that connection's: libmicrohttpd
/// says that it closes one before it does.
final class ConnectionTable: Sendable {
    private struct State {
        var connections: [Int32: ClientConnection] = [:]
        var perSite: [[UInt8]: Int] = [:]
        var late = 0
    }

    private let state = Locked(State())
    private let limit: Int
    private let limitPerSite: Int

    init(limit: Int, limitPerSite: Int) {
        self.limit = limit
        self.limitPerSite = limitPerSite
    }

    var count: Int { state.withLock { $0.connections.count } }
    var late: Int { state.withLock { $0.late } }

    subscript(descriptor: Int32) -> ClientConnection? { state.withLock { $0.connections[descriptor] } }

    /// Whether the connection is within the limits, and then in the table.
    func admit(_ connection: ClientConnection) -> Bool {
        state.withLock {
            let held = $0.perSite[connection.site] ?? 0
            guard $0.connections.count < limit, held < limitPerSite || connection.isTrustedProxy else { return false }
            $0.connections[connection.descriptor] = connection
            $0.perSite[connection.site] = held + 1
            return true
        }
    }

    func remove(_ descriptor: Int32) {
        state.withLock {
            guard let connection = $0.connections.removeValue(forKey: descriptor) else { return }
            connection.daemon.count.subtract(1, ordering: .relaxed)
            let held = ($0.perSite[connection.site] ?? 1) - 1
            $0.perSite[connection.site] = held > 0 ? held : nil
        }
    }

    /// Closes connections that are late, and ends work whose client has gone, which libmicrohttpd does not see while a
    /// connection is suspended.
    func sweep(at time: Nanoseconds) {
        state.withLock { state in
            var waiting: [ClientConnection] = []
            var reading: [ClientConnection] = []
            for connection in state.connections.values {
                if connection.isLate(at: time) {
                    connection.cut()
                    connection.expect(within: nil)
                    state.late += 1
                } else if connection.isSuspended {
                    waiting.append(connection)
                } else if connection.phase != .answering {
                    reading.append(connection)
                }
            }
            // Whoever has closed its side of the connection awaits no answer: as nginx and others take it.
            for (connection, events) in zip(waiting, Self.poll(waiting, for: Self.hasGone)) where events != 0 {
                connection.abandon()
            }
            for (connection, events) in zip(reading, Self.poll(reading, for: Self.hasGone))
            where events != 0 && connection.hasEnded() {
                connection.cut()
            }
        }
    }

    /// Closes the connections on which nothing has begun and nothing has come.
    func cutIdle() {
        state.withLock { state in
            let idle = state.connections.values.filter { $0.phase == .idle }
            for (connection, events) in zip(idle, Self.poll(idle, for: Int16(POLLIN))) where events == 0 {
                connection.cut()
            }
        }
    }

    func finishStreams() { state.withLock { for connection in $0.connections.values { connection.finishStream() } } }

    func cutAll() { state.withLock { for connection in $0.connections.values { connection.cut() } } }

    // POLLRDHUP: the other side sends no more. Glibc's header hides it from Swift.
    private static let hasGone: Int16 = 0x2000

    private static func poll(_ connections: [ClientConnection], for events: Int16) -> [Int16] {
        var polled = connections.map { pollfd(fd: $0.descriptor, events: events, revents: 0) }
        _ = Glibc.poll(&polled, nfds_t(polled.count), 0)
        return polled.map(\.revents)
    }
}

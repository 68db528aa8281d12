import Foundation
import Roster
import Synchronization
import RosterText

/// The open connections by their descriptors. A descriptor in the table still belongs to its connection, because
/// libmicrohttpd announces a close before it happens.
final class ConnectionTable: Sendable {
    private struct State {
        var connections: [Int32: ClientConnection] = [:]
        var perSite: [SocketAddress.Site: Int] = [:]
        /// How many of the connections were closed to make room, and are still to end.
        var leaving = 0
        var leavingPerSite: [SocketAddress.Site: Int] = [:]
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

    /// Whether as many connections as the limit allows were closed to make room and still hold their descriptors.
    ///
    /// A burst of connections would otherwise be refused places that are free a moment later.
    var awaitsRoom: Bool { state.withLock { $0.leaving >= limit } }

    /// The connections that satisfy a condition.
    func all(where condition: (ClientConnection) -> Bool) -> [ClientConnection] {
        state.withLock { $0.connections.values.filter(condition) }
    }

    /// Whether some connection satisfies a condition.
    func contains(where condition: (ClientConnection) -> Bool) -> Bool {
        state.withLock { $0.connections.values.contains(where: condition) }
    }

    /// An address with fewer connections than this may use the last eighth of the places.
    private static let fewPerSite = 8

    /// Adds a connection to the table if it is within the limits; returns whether it is.
    ///
    /// The last eighth of the places is for addresses that hold few connections. When the other places are taken, an
    /// idle connection gives way to the new one, so that a few addresses cannot shut everybody else out. Where an address
    /// holds as many as it may, as an office behind one address can, its own oldest idle connection gives way. A
    /// connection with a request in work never does.
    func admit(_ connection: ClientConnection) -> Bool {
        state.withLock { state in
            let site = connection.site
            let held = state.perSite[site] ?? 0
            let isFull = held - (state.leavingPerSite[site] ?? 0) >= limitPerSite && !connection.isTrustedProxy
            let used = state.connections.count - state.leaving
            let isFew = held < Self.fewPerSite || connection.isTrustedProxy
            if isFull || used >= limit - (isFew ? 0 : limit / 8) {
                let candidates = state.connections.values.lazy.filter { !isFull || $0.site == site }
                guard let idle = Self.dispensable(candidates) else { return false }
                state.leaving += 1
                state.leavingPerSite[idle.site, default: 0] += 1
                idle.giveWay()
            }
            state.connections[connection.descriptor] = connection
            state.perSite[site] = held + 1
            return true
        }
    }

    /// An idle connection whose client has gone; else the oldest idle connection of the address that has most of them.
    private static func dispensable(_ connections: some Sequence<ClientConnection>) -> ClientConnection? {
        let idle = connections.filter { $0.awaitsHead && !$0.isLeaving }
        // libmicrohttpd may not have noticed yet that a request has arrived, or that the client has gone.
        let polled = Array(zip(idle, events(of: idle, for: Int16(POLLIN) | hasGone)))
        if let (gone, _) = polled.first(where: { $1 & hasGone != 0 && $0.isAtEnd }) { return gone }
        var counts: [SocketAddress.Site: Int] = [:]
        for connection in idle where !connection.isTrustedProxy { counts[connection.site, default: 0] += 1 }
        return polled.filter { $1 == 0 }
            .map { (connection: $0.0, count: counts[$0.0.site] ?? 0, since: $0.0.idleSince) }
            .min { ($1.count, $0.since) < ($0.count, $1.since) }?.connection
    }

    func remove(_ descriptor: Int32) {
        state.withLock {
            guard let connection = $0.connections.removeValue(forKey: descriptor) else { return }
            connection.daemon.count.subtract(1, ordering: .relaxed)
            if connection.isLeaving {
                $0.leaving -= 1
                Self.lower(&$0.leavingPerSite, connection.site)
            }
            Self.lower(&$0.perSite, connection.site)
        }
    }

    private static func lower(_ counts: inout [SocketAddress.Site: Int], _ site: SocketAddress.Site) {
        let count = (counts[site] ?? 1) - 1
        counts[site] = count > 0 ? count : nil
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
            // A client that has closed its side awaits no answer. nginx and others treat it the same.
            for (connection, events) in zip(waiting, Self.events(of: waiting, for: Self.hasGone)) where events != 0 {
                connection.abandon()
            }
            for (connection, events) in zip(reading, Self.events(of: reading, for: Self.hasGone))
            where events != 0 && connection.hasEnded() {
                connection.cut()
            }
        }
    }

    /// Closes the connections on which nothing has begun and nothing has come.
    func cutIdle() {
        state.withLock { state in
            let idle = state.connections.values.filter { $0.phase == .idle }
            for (connection, events) in zip(idle, Self.events(of: idle, for: Int16(POLLIN))) where events == 0 {
                connection.cut()
            }
        }
    }

    func finishStreams() { state.withLock { for connection in $0.connections.values { connection.finishStream() } } }

    func cutAll() { state.withLock { for connection in $0.connections.values { connection.cut() } } }

    // POLLRDHUP: the other side sends no more. Glibc's header hides it from Swift.
    private static let hasGone: Int16 = 0x2000

    private static func events(of connections: [ClientConnection], for events: Int16) -> [Int16] {
        var polled = connections.map { pollfd(fd: $0.descriptor, events: events, revents: 0) }
        _ = poll(&polled, nfds_t(polled.count), 0)
        return polled.map(\.revents)
    }
}

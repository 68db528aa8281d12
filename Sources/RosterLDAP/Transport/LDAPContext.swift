import RosterText
import Synchronization

/// What all connections of a server share.
final class LDAPContext: Sendable {
    let service: LDAPService
    let limits: LDAPServer.Limits
    let counts = Counts()
    let places: Places
    /// Begins TLS on a socket; nil without a certificate.
    let makeTLS: (@Sendable (Int32) -> (any ByteStream)?)?

    init(
        _ service: LDAPService, _ limits: LDAPServer.Limits, makeTLS: (@Sendable (Int32) -> (any ByteStream)?)?
    ) {
        (self.service, self.limits, self.makeTLS) = (service, limits, makeTLS)
        places = Places(limits)
    }

    final class Counts: Sendable {
        let running = Atomic<Int>(0)
        let broken = Atomic<Int>(0)
        let refused = Atomic<Int>(0)
        let late = Atomic<Int>(0)
    }
}

/// The places for connections, of which the server and each address have a limited number.
final class Places: Sendable {
    private struct State {
        var last = 0
        var sites: [Int: [UInt8]] = [:]
        var perSite: [[UInt8]: Int] = [:]
    }

    private let state = Locked(State())
    private let limits: LDAPServer.Limits

    init(_ limits: LDAPServer.Limits) { self.limits = limits }

    var count: Int { state.withLock { $0.sites.count } }

    /// Takes a place; returns the connection's number, or nil if no place is left.
    func enter(_ peer: PeerAddress) -> Int? {
        state.withLock { state in
            let held = state.perSite[peer.site] ?? 0
            guard state.sites.count < limits.connections, held < limits.connectionsPerAddress else { return nil }
            state.last += 1
            state.sites[state.last] = peer.site
            state.perSite[peer.site] = held + 1
            return state.last
        }
    }

    func leave(_ number: Int) {
        state.withLock { state in
            guard let site = state.sites.removeValue(forKey: number) else { return }
            let count = (state.perSite[site] ?? 1) - 1
            state.perSite[site] = count > 0 ? count : nil
        }
    }
}

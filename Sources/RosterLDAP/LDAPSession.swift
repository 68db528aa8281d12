import Roster
import RosterSignIn
import RosterTLS
import RosterText

/// The state of a connection that operations know: the client's address, and the identity that it is bound to.
struct LDAPSession: Sendable {
    let number: Int
    let peer: String
    /// Whether the connection does not leave this machine.
    let isLocal: Bool
    var isEncrypted: Bool
    /// Whether the connection came through a local socket.
    let isSocket: Bool
    /// The user and the group of the process at the other end of a local socket.
    let owner: (user: UInt32, group: UInt32)?
    /// The certificate of the client, for which an authority of the server vouches.
    var certificate: ClientCertificate?
    /// The identity that the client has proved; nil for an anonymous client.
    private(set) var identity: BoundIdentity?
    /// The searches of this connection and identity that go on at the client's next request.
    private(set) var pages = PagedSearches()

    init(
        number: Int, peer: String, isLocal: Bool, isEncrypted: Bool, isSocket: Bool,
        owner: (user: UInt32, group: UInt32)? = nil
    ) {
        (self.number, self.peer, self.isLocal) = (number, peer, isLocal)
        (self.isEncrypted, self.isSocket, self.owner) = (isEncrypted, isSocket, owner)
    }

    /// The mechanisms of SASL by which the client can bind now.
    var mechanisms: [String] {
        (owner != nil || certificate != nil ? ["EXTERNAL"] : []) + (isEncrypted || isSocket ? ["PLAIN"] : [])
    }

    mutating func rebind(_ identity: BoundIdentity?) {
        (self.identity, pages) = (identity, PagedSearches())
    }

    /// Returns a session with another identity, for one request that the client makes by proxied authorization.
    func acting(as identity: BoundIdentity?) -> LDAPSession {
        var session = self
        session.identity = identity
        return session
    }
}

/// Tells who a client is after a successful bind, and under which distinguished name.
struct BoundIdentity: Sendable {
    let identity: Identity
    let dn: String
    /// The digest of the API token that the client has proved to know; nil for another proof.
    var token: String?
    /// The name of the program that acts for the user; nil for a client that acts for itself.
    var program: String?
}

/// What an operation changes in its connection.
enum LDAPEffect: Sendable {
    case none
    /// The client has another identity; nil for none.
    case bound(BoundIdentity?)
    /// The operation was ended without an answer.
    case abandoned
}

/// The end of an operation.
struct LDAPReply: Sendable {
    let effect: LDAPEffect
    /// The last answer; nil for an operation without one, or if the system has no memory.
    let bytes: [UInt8]?
}

/// The positions of searches whose next pages the client has not asked for yet (RFC 2696). A cookie is worth something on its
/// connection only, and until the client binds again.
final class PagedSearches: Sendable {
    struct Position: Sendable, Hashable {
        let source: Int
        let cursor: Cursor?
    }

    private struct State {
        var last: UInt32 = 0
        var positions: [UInt32: (search: LDAPSearch, caller: String?, position: Position)] = [:]
    }

    /// The most searches that wait at once. The oldest one is forgotten for another one.
    private static let capacity = 16
    private let state = Locked(State())

    /// Remembers a position of a caller, given by the distinguished name; returns the cookie.
    func remember(_ search: LDAPSearch, of caller: String?, _ position: Position) -> [UInt8] {
        state.withLock { state in
            state.last &+= 1
            state.positions[state.last] = (search, caller, position)
            if state.positions.count > Self.capacity, let oldest = state.positions.keys.min() {
                state.positions[oldest] = nil
            }
            return withUnsafeBytes(of: state.last.bigEndian) { Array($0) }
        }
    }

    /// Takes a position back.
    ///
    /// - Throws: ``LDAPResult`` for a cookie of another search or caller, or of none.
    func take(_ cookie: [UInt8], for search: LDAPSearch, of caller: String?) throws -> Position {
        let number = cookie.count == 4 ? cookie.reduce(0) { $0 << 8 | UInt32($1) } : 0
        let found = state.withLock { $0.positions.removeValue(forKey: number) }
        guard let found, found.caller == caller, found.search.isContinued(by: search) else {
            throw LDAPResult(.unwillingToPerform, "The cookie is not of this search, or is used already. Search anew.")
        }
        return found.position
    }
}

extension LDAPSearch {
    /// Whether a search asks for a further page of this one (RFC 2696: all parts except the message number are the same).
    func isContinued(by other: LDAPSearch) -> Bool {
        base == other.base && scope == other.scope && filter == other.filter && attributes == other.attributes
            && typesOnly == other.typesOnly
    }
}

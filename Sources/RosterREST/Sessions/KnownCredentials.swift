import Roster
import RosterSignIn
import RosterText

/// The credentials that have let somebody in lately, with the callers.
///
/// Only for their requests does the directory read something together with the caller's sign-in. A stranger would otherwise learn
/// from the time of the refusal who is in the directory, and could have large records read.
final class KnownCredentials: Sendable {
    private static let most = 4_096
    private let holders = Locked<[Int: Holder]>([:])

    /// A caller whom credentials have let in. They need not let the caller in again.
    struct Holder: Sendable {
        let caller: Caller
        let name: String
    }

    func remember(_ request: HTTPRequest, of identity: Identity) {
        guard let hash = Self.hash(request) else { return }
        holders.withLock { holders in
            guard holders[hash]?.caller != identity.caller else { return }
            if holders.count >= Self.most { holders.removeAll(keepingCapacity: true) }
            holders[hash] = Holder(caller: identity.caller, name: identity.name)
        }
    }

    /// The holder of the request's credentials; nil if they have let nobody in lately.
    func holder(of request: HTTPRequest) -> Holder? {
        Self.hash(request).flatMap { hash in holders.withLock { $0[hash] } }
    }

    /// A hash of the credentials, which differs between processes; nil without credentials.
    private static func hash(_ request: HTTPRequest) -> Int? {
        let (authorization, cookie) = (request.headers["Authorization"], request.headers["Cookie"])
        guard authorization != nil || cookie != nil else { return nil }
        var hasher = Hasher()
        hasher.combine(authorization)
        hasher.combine(cookie)
        return hasher.finalize()
    }
}

import Roster
import RosterText

/// The credentials that have let somebody in lately, with the callers.
///
/// Only for their requests does the directory read something together with the caller's sign-in. A stranger would otherwise learn
/// from the time of the refusal who is in the directory, and could have large records read.
final class KnownCredentials: Sendable {
    private static let most = 4_096
    private let callers = Locked<[Int: Caller]>([:])

    func remember(_ request: HTTPRequest, of caller: Caller) {
        guard let hash = Self.hash(request) else { return }
        callers.withLock { callers in
            if callers.count >= Self.most { callers.removeAll(keepingCapacity: true) }
            callers[hash] = caller
        }
    }

    /// The caller whom the credentials have let in; nil if they have let nobody in lately. They need not let the caller in again.
    func caller(of request: HTTPRequest) -> Caller? {
        Self.hash(request).flatMap { hash in callers.withLock { $0[hash] } }
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

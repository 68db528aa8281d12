import RosterText

/// The credentials that have let somebody in lately.
///
/// Only for their requests is a user looked up together with the caller's sign-in. A stranger would otherwise learn from the time of
/// the refusal who is in the directory, and could have large records read.
final class KnownCredentials: Sendable {
    private static let most = 4_096
    private let hashes = Locked<Set<Int>>([])

    func remember(_ request: HTTPRequest) {
        guard let hash = Self.hash(request) else { return }
        hashes.withLock { hashes in
            if hashes.count >= Self.most { hashes.removeAll(keepingCapacity: true) }
            hashes.insert(hash)
        }
    }

    func contains(_ request: HTTPRequest) -> Bool {
        Self.hash(request).map { hash in hashes.withLock { $0.contains(hash) } } ?? false
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

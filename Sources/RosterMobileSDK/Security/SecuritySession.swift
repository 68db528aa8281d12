import RosterClient
import RosterSecrets
import RosterText

/// The session of a security service in the store. All processes of an app see the same session.
final class SecuritySession: Sendable {
    enum Standing: Sendable {
        case none
        case alive(SessionRecord, left: [SessionTimer: Double])
        case ended(SessionRecord, SessionTimer, isForGood: Bool)
    }

    private let store: SecureStore
    private let prefix: String
    let now: @Sendable () -> Moment
    /// The last use, which is written to the store now and then only.
    private let lastUse = Locked<(id: String, at: Moment)?>(nil)

    init(_ store: SecureStore, prefix: String, now: @escaping @Sendable () -> Moment) {
        (self.store, self.prefix, self.now) = (store, prefix + "session/", now)
    }

    /// Stores a new session in place of any other.
    func begin(_ record: SessionRecord) throws {
        try store.removeAll(withPrefix: prefix)
        try store.set(record.seen.json.bytes, named: seenKey(record))
        try store.set(record.bytes, named: prefix + record.id)
    }

    private func seenKey(_ record: SessionRecord) -> String { prefix + record.id + Self.seen }
    private static let seen = "/seen"

    /// Removes a session.
    ///
    /// - Returns: Whether the session was there.
    func end(_ record: SessionRecord) throws -> Bool {
        let wasThere = try store.set(nil, named: prefix + record.id, if: true)
        if wasThere { try store.remove(named: seenKey(record)) }
        return wasThere
    }

    /// Removes all sessions.
    func endAll() throws { try store.removeAll(withPrefix: prefix) }

    /// Whether somebody is signed in now.
    ///
    /// - Parameter isUse: Whether the session is used now.
    func standing(_ policy: SecurityPolicy, isUse: Bool) throws -> Standing {
        guard var record = try latest() else { return .none }
        let stored = record.used
        let use = lastUse.withLock { $0 }
        // A use by somebody else after this moment would look like a clock that was set back.
        let now = now()
        if let use, use.id == record.id, (use.at.elapsed(since: record.used) ?? 0) > 0 {
            record.used = use.at
        }
        guard record.remaining(policy, at: now) != nil else {
            let isForGood = record.hasEndedForGood(policy, at: now)
            return .ended(record, record.ended(policy, at: now), isForGood: isForGood)
        }
        let shortest = min(policy.sessionTimeout, policy.idleTimeout ?? policy.sessionTimeout)
        let step = min(shortest / 20, 60)
        // Several processes write at once, so a look must not write a use. Somebody may also have signed out meanwhile, and must
        // stay signed out.
        if isUse {
            let isDue = (now.elapsed(since: stored) ?? 0) >= step
            record.used = now
            let id = record.id
            lastUse.withLock { $0 = (id, now) }
            if isDue, try !store.set(record.bytes, named: prefix + record.id, if: true) { return .none }
        } else if min(now.elapsed(since: record.seen) ?? 0, now.elapsed(since: stored) ?? 0) >= step {
            guard try store.set(now.json.bytes, named: seenKey(record), if: true) else { return .none }
        }
        return .alive(record, left: record.remaining(policy, at: now) ?? [:])
    }

    private func latest() throws -> SessionRecord? {
        let records = try store.names(withPrefix: prefix).filter { !$0.hasSuffix(Self.seen) }.compactMap { key in
            let seen = try store.bytes(named: key + Self.seen)
            return try store.bytes(named: key).flatMap { SessionRecord($0, seen: seen) }
        }
        return records.max { $0.began.wall < $1.began.wall }
    }
}

import RosterText

/// The session of a security service in the store. All processes of an app see the same session.
final class SessionKeeper: Sendable {
    enum Standing: Sendable {
        case none
        case alive(SessionRecord, left: [SessionTimer: Double])
        case ended(SessionRecord, SessionTimer)
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
        try store.set(record.bytes, for: prefix + record.id)
    }

    /// Removes a session.
    ///
    /// - Returns: Whether the session was there.
    func end(_ record: SessionRecord) throws -> Bool { try store.set(nil, for: prefix + record.id, if: true) }

    /// Removes all sessions.
    func endAll() throws { try store.removeAll(withPrefix: prefix) }

    /// Whether somebody is signed in now.
    ///
    /// - Parameter isUse: Whether the session is used now.
    func standing(_ policy: SecurityPolicy, isUse: Bool) throws -> Standing {
        let now = now()
        guard var record = try latest() else { return .none }
        if let use = lastUse.withLock({ $0 }), use.id == record.id, (use.at.elapsed(since: record.used) ?? 0) > 0 {
            record.used = use.at
        }
        guard record.remaining(policy, at: now) != nil else { return .ended(record, record.ended(policy, at: now)) }
        if isUse {
            record.used = now
            let id = record.id
            lastUse.withLock { $0 = (id, now) }
        }
        let shortest = min(policy.sessionTimeout, policy.idleTimeout ?? policy.sessionTimeout)
        if (now.elapsed(since: record.seen) ?? 0) >= min(shortest / 20, 60) {
            record.seen = now
            // Somebody may have signed out meanwhile, and must stay signed out.
            guard try store.set(record.bytes, for: prefix + record.id, if: true) else { return .none }
        }
        return .alive(record, left: record.remaining(policy, at: now) ?? [:])
    }

    private func latest() throws -> SessionRecord? {
        try store.keys(withPrefix: prefix).compactMap { try store.data(for: $0).flatMap(SessionRecord.init) }
            .max { $0.began.wall < $1.began.wall }
    }
}

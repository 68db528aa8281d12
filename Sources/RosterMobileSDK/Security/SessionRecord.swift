import RosterClient
import RosterCrypto
import RosterOpenID
import RosterText

/// A timeout of a session. Mirrors `OMSessionTimer` and `OMIdleTimer`.
public enum SessionTimer: Sendable, Hashable, CaseIterable {
    /// The time since the sign-in.
    case session
    /// The time since the last use.
    case idle
}

/// A session of a security service, as the store keeps it, so that its times go on while the app does not run.
struct SessionRecord: Sendable, Equatable {
    let id: String
    let userName: String?
    let identityDomain: String?
    let isOnline: Bool
    /// The session of the account whose tokens the user may use; nil for none.
    let accountSession: String?
    let began: Moment
    var used: Moment
    /// The latest moment that the app has seen, which is stored beside the record. A clock that is behind it was set back.
    var seen: Moment

    init(
        userName: String?, identityDomain: String?, isOnline: Bool, accountSession: String?, at now: Moment
    ) throws {
        id = try ClientError.wrapping { try SecureRandom.token(bytes: 16) }
        (self.userName, self.identityDomain, self.isOnline) = (userName, identityDomain, isOnline)
        self.accountSession = accountSession
        (began, used, seen) = (now, now, now)
    }

    /// The seconds that are left on each timer; nil if a timer has run out, or a clock was set back.
    func remaining(_ policy: SecurityPolicy, at now: Moment) -> [SessionTimer: Double]? {
        guard let age = now.elapsed(since: began), let idle = now.elapsed(since: used), now.elapsed(since: seen) != nil,
            age < policy.sessionTimeout, idle < policy.idleTimeout ?? .infinity
        else { return nil }
        var left: [SessionTimer: Double] = [.session: policy.sessionTimeout - age]
        if let timeout = policy.idleTimeout { left[.idle] = timeout - idle }
        return left
    }

    /// The timer that has run out first.
    func ended(_ policy: SecurityPolicy, at now: Moment) -> SessionTimer {
        let age = now.elapsed(since: began) ?? .infinity
        return age >= policy.sessionTimeout || policy.idleTimeout == nil ? .session : .idle
    }

    /// Whether a session that has ended stays ended. One that has ended only because the wall clock runs ahead of the other clock goes on
    /// when the wall clock is right again. After another start of the device nobody knows which clock is right.
    func hasEndedForGood(_ policy: SecurityPolicy, at now: Moment) -> Bool {
        remaining(policy, at: now.unlessSetAhead(since: used).unlessSetAhead(since: seen)) == nil
    }

    // MARK: Storing

    private static let version: Int64 = 1

    /// Reads a stored session.
    ///
    /// - Parameter seen: The latest moment that was stored beside the record; nil for none.
    init?(_ bytes: [UInt8], seen: [UInt8]?) {
        guard let json = try? JSONValue(parsing: bytes), json["version"] == .integer(Self.version),
            let id = json["session"]?.text, case .boolean(let isOnline)? = json["online"],
            let began = json["began"].flatMap(Moment.init(json:)), let used = json["used"].flatMap(Moment.init(json:))
        else { return nil }
        (self.id, self.isOnline, self.began, self.used) = (id, isOnline, began, used)
        self.seen = seen.flatMap { try? JSONValue(parsing: $0) }.flatMap(Moment.init(json:)) ?? used
        (userName, identityDomain) = (json["user_name"]?.text, json["identity_domain"]?.text)
        accountSession = json["account_session"]?.text
    }

    var bytes: [UInt8] {
        var json: JSONValue = [
            "version": .integer(Self.version), "session": .string(id), "online": .boolean(isOnline),
            "began": began.json, "used": used.json,
        ]
        json["user_name"] = userName.map { .string($0) }
        json["identity_domain"] = identityDomain.map { .string($0) }
        json["account_session"] = accountSession.map { .string($0) }
        return json.bytes
    }
}

extension Moment {
    fileprivate init?(json: JSONValue) {
        guard let wall = json["wall"].flatMap(TokenTimes.seconds), let boot = json["boot"]?.text,
            let monotonic = json["monotonic"].flatMap(TokenTimes.seconds)
        else { return nil }
        self.init(wall: wall, monotonic: monotonic, boot: boot)
    }

    var json: JSONValue {
        ["wall": .decimal(wall), "monotonic": .decimal(monotonic), "boot": .string(boot)]
    }
}

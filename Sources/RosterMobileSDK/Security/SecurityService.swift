import Foundation
public import RosterClient
import RosterCrypto
public import RosterSecrets
public import RosterText
public import RosterTransport

/// Signs the users of an app in by the rules that the server sets for the app: online, or without the server where the server permits
/// that, and for as long as the timeouts allow. Mirrors Oracle's `OMMobileSecurityService`.
///
/// ```swift
/// let properties = SecurityProperties(server: url, applicationName: "shop")
/// let service = try SecurityService(properties, store: store)
/// try await service.setup()
/// let context = try await service.startAuthentication(AuthenticationRequest(userName: name, password: password))
/// ```
///
/// The secure store protects everything that the service keeps; its key, or the keychain, is the protection level of Oracle's SDK.
/// One user is signed in at a time.
public final class SecurityService: Sendable {
    private struct State {
        weak var delegate: (any SecurityServiceDelegate)?
        var profile: ApplicationProfile?
        var authenticator: Authenticator?
        var timer: (session: String, task: Task<Void, Never>)?
        /// The number of sign-outs when the sign-in began that is under way.
        var signIn: Int?
        var signOuts = 0
    }

    /// The properties of the app.
    public let properties: SecurityProperties
    let store: SecureStore
    let transport: Transport
    let sessions: SecuritySession
    let offline: OfflineCredentials
    let prefix: String
    let connection: ProviderConnection
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state: Locked<State>

    /// Makes a service. Nothing is sent or read.
    ///
    /// - Parameters:
    ///   - properties: The properties.
    ///   - store: Where tokens, the profile and credentials are kept.
    ///   - transport: The connections to use. A transport that the app gives can be shared, and is closed by the app.
    ///   - delegate: Is told what the service does. The service does not keep the delegate alive.
    /// - Throws: `ClientError` `badConfiguration` for properties that cannot be used.
    public convenience init(
        _ properties: SecurityProperties, store: SecureStore, transport: Transport = .shared,
        delegate: (any SecurityServiceDelegate)? = nil
    ) throws {
        try self.init(
            properties, store: store, transport: transport, delegate: delegate, now: { Moment.now() },
            sleep: { try await Task.sleep(for: $0) })
    }

    package init(
        _ properties: SecurityProperties, store: SecureStore, transport: Transport,
        delegate: (any SecurityServiceDelegate)? = nil, now: @escaping @Sendable () -> Moment,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) throws {
        try properties.check()
        (self.properties, self.store, self.transport, self.sleep) = (properties, store, transport, sleep)
        let owner = "\(properties.base)\n\(properties.serviceDomain ?? "")\n\(properties.applicationName)"
        prefix = "security/\(try ClientError.wrapping { try SHA256.hex(owner) }.prefix(32))/"
        sessions = SecuritySession(store, prefix: prefix, now: now)
        offline = OfflineCredentials(store, prefix: prefix)
        connection = ProviderConnection(
            transport: transport, clock: { Date(timeIntervalSince1970: now().wall) })
        state = Locked(State(delegate: delegate))
    }

    deinit { state.withLock { $0.timer?.task.cancel() } }

    var delegate: (any SecurityServiceDelegate)? { state.withLock { $0.delegate } }

    // MARK: Profile

    /// The last profile of the app that the server gave, also before an earlier start of the app; nil before the first setup.
    ///
    /// - Throws: The errors of the store.
    public var applicationProfile: ApplicationProfile? {
        get throws {
            try state.withLock { state in
                if state.profile == nil { state.profile = try storedProfile() }
                return state.profile
            }
        }
    }

    private func storedProfile() throws -> ApplicationProfile? {
        let document = try store.bytes(named: prefix + "profile").flatMap { try? JSONValue(parsing: $0) }
        // The profile that an older version of the library stored can lack something.
        return document.flatMap { try? ApplicationProfile($0, for: properties, isLocal: isLocal) }
    }

    /// Whether the server is on this machine, where no TLS is needed.
    var isLocal: Bool { AppRegistration(issuer: properties.base, clientID: "app").isLocal }

    var policy: SecurityPolicy {
        get throws { SecurityPolicy(try applicationProfile, properties) }
    }

    /// Takes the server's new profile into use.
    func adopt(_ profile: ApplicationProfile) async throws {
        try state.withLock { state in
            let old = try state.profile ?? storedProfile()
            if old != profile { try store.set(profile.document.bytes, named: prefix + "profile") }
            state.profile = profile
            if old?.endpoints.openIDIssuer != profile.endpoints.openIDIssuer
                || old?.applicationID != profile.applicationID
            {
                state.authenticator = nil
            }
        }
        if !SecurityPolicy(profile, properties).allowsOffline { try await offline.removeAll() }
    }

    /// Forgets the profile and the credentials of an app that the server does not know any more.
    func dropProfile() async throws {
        try state.withLock { state in
            (state.profile, state.authenticator) = (nil, nil)
            try store.remove(named: prefix + "profile")
        }
        try await offline.removeAll()
    }

    // MARK: Accounts

    /// The account of the service in the authenticator's store.
    static let accountID = "security service"

    /// The authenticator of the profile's app.
    ///
    /// - Parameter scopes: The scopes of new sign-ins; nil for any.
    func authenticator(scopes: [String]? = nil) throws -> Authenticator? {
        guard let profile = try applicationProfile else { return nil }
        if let kept = state.withLock({ $0.authenticator }), scopes == nil || scopes == kept.registration.scopes {
            return kept
        }
        let registration = AppRegistration(
            issuer: profile.endpoints.openIDIssuer, clientID: profile.applicationID,
            clientSecret: properties.clientSecret, redirect: properties.redirect,
            scopes: scopes ?? properties.scopes)
        let now = sessions.now
        let made = try Authenticator(
            registration, store: store, transport: transport, clock: { Date(timeIntervalSince1970: now().wall) })
        state.withLock { $0.authenticator = made }
        return made
    }

    /// The account whose tokens a session may use; nil for none.
    func account(of record: SessionRecord) throws -> Account? {
        guard let account = try authenticator()?.account(Self.accountID), account.sessionID == record.accountSession
        else { return nil }
        return account
    }

    // MARK: Session

    /// The user who is signed in, also before an earlier end of the app; nil if nobody is, or a timer has run out.
    ///
    /// - Throws: The errors of the store.
    public var authenticationContext: AuthenticationContext? {
        get throws {
            guard case .alive(let record, _) = try standing(isUse: false) else { return nil }
            startTimer(for: record)
            return AuthenticationContext(record: record, service: self)
        }
    }

    static let cancelled = ClientError(
        .signInCancelled, "The sign-in was cancelled.", advice: "Let the user begin again.")
    static let ended = ClientError.notSignedIn("Nobody is signed in, or the session has ended.")
    static let noTokens = ClientError.notSignedIn("The user has no tokens on this device.")

    /// The standing of the session. A session that is found to have ended is removed, so that no clock revives it, unless only a wall
    /// clock that was set ahead has ended it.
    private func standing(isUse: Bool) throws -> SecuritySession.Standing {
        let standing = try sessions.standing(try policy, isUse: isUse)
        switch standing {
        case .ended(_, _, isForGood: false):
            // A session that goes on gets a new timer.
            stopTimer()
            return .none
        case .ended(let record, let timer, isForGood: true):
            if try sessions.end(record) { delegate?.securityService(self, timer: timer, endsIn: .zero) }
            return .none
        case .alive(let record, _) where record.isOnline:
            // The server or another process may have ended the sign-in.
            return try account(of: record)?.isSignedIn == true ? standing : .none
        default: return standing
        }
    }

    /// The seconds that are left of a session; nil after its end.
    func left(of record: SessionRecord, isUse: Bool) throws -> [SessionTimer: Double]? {
        guard case .alive(let alive, let left) = try standing(isUse: isUse), alive.id == record.id else { return nil }
        return left
    }

    /// The account of the user who is signed in. The idle timer begins anew.
    ///
    /// - Throws: `ClientError` `notSignedIn`; the errors of the store.
    package func accountInUse() throws -> Account {
        guard case .alive(let record, _) = try standing(isUse: true) else { throw Self.ended }
        guard let account = try account(of: record) else { throw Self.noTokens }
        return account
    }

    /// Begins the session of a user.
    ///
    /// - Throws: `ClientError` `signInCancelled` if somebody has signed out since the sign-in began.
    func begin(_ record: SessionRecord) throws -> AuthenticationContext {
        try unlessSignedOut { try sessions.begin(record) }
        startTimer(for: record)
        return AuthenticationContext(record: record, service: self)
    }

    // MARK: Sign-in at a time

    /// Stores the result of a sign-in or a registration.
    ///
    /// - Throws: `ClientError` `signInCancelled` if somebody has signed out since the sign-in or the registration began.
    func unlessSignedOut(_ store: () throws -> Void) throws {
        try state.withLock { state in
            guard state.signIn == state.signOuts else { throw Self.cancelled }
            try store()
        }
    }

    /// Runs a sign-in or a registration while no other one runs.
    func exclusively<Value>(_ body: () async throws -> Value) async throws -> Value {
        let isFree = state.withLock { state in
            guard state.signIn == nil else { return false }
            state.signIn = state.signOuts
            return true
        }
        guard isFree else {
            throw ClientError(
                .signInInProgress, "The service is signing a user in already.", advice: "Wait for the end of that.")
        }
        defer { state.withLock { $0.signIn = nil } }
        return try await body()
    }

    // MARK: Sign-out

    /// Signs the user out. The session and the tokens are removed from this device first, also without a network.
    ///
    /// The credentials for signing in offline stay, so that the user can sign in without the server the next time, unless the
    /// registration is cleared. Mirrors `logout:`.
    ///
    /// - Parameter clearRegistration: Whether the profile, the registration of this device, and all credentials that are kept for signing
    ///   in offline are removed too.
    /// - Returns: What is left to do at the server; nil if there were no tokens.
    /// - Throws: The errors of the store; `CancellationError`.
    @discardableResult
    public func logout(clearRegistration: Bool = false) async throws -> SignOutReport? {
        let result: Result<SignOutReport?, any Error>
        do {
            stopTimer()
            try state.withLock { state in
                state.signOuts += 1
                try sessions.endAll()
            }
            let authenticator = try authenticator()
            let account = try authenticator?.account(Self.accountID)
            if clearRegistration {
                let handle = try removeDevice()
                if let handle, let authenticator { try await authenticator.keepToRevoke(handle) }
                try await dropProfile()
            }
            let report = try await account?.signOut()
            if clearRegistration { try await authenticator?.revokePendingTokens() }
            result = .success(report)
        } catch {
            result = .failure(error)
        }
        delegate?.securityService(self, didFinishLogout: result)
        return try result.get()
    }

    // MARK: Timer

    private func stopTimer() {
        state.withLock { state in
            state.timer?.task.cancel()
            state.timer = nil
        }
    }

    private func startTimer(for record: SessionRecord) {
        state.withLock { state in
            guard state.timer?.session != record.id else { return }
            state.timer?.task.cancel()
            let sleep = sleep
            let task = Task { [weak self] in
                var warned: Set<SessionTimer> = []
                while let pause = self?.tick(record, &warned) {
                    do { try await sleep(.seconds(pause)) } catch { return }
                }
            }
            state.timer = (record.id, task)
        }
    }

    /// Warns the delegate of an end that is near.
    ///
    /// - Returns: The seconds until the next look; nil after the end.
    private func tick(_ record: SessionRecord, _ warned: inout Set<SessionTimer>) -> Double? {
        // A store that cannot be read now can be read later.
        guard let policy = try? policy else { return 60 }
        let left: [SessionTimer: Double]?
        do { left = try self.left(of: record, isUse: false) } catch { return 60 }
        guard let left else { return nil }
        var next = 60.0
        for (timer, seconds) in left {
            let tenth = (timer == .session ? policy.sessionTimeout : policy.idleTimeout ?? 0) / 10
            if seconds > tenth {
                warned.remove(timer)
                next = min(next, seconds - tenth)
            } else {
                next = min(next, seconds)
                if warned.insert(timer).inserted {
                    delegate?.securityService(self, timer: timer, endsIn: .seconds(seconds))
                }
            }
        }
        return max(next, 0.01)
    }
}

extension SecurityService: CustomStringConvertible, Redacted {
    /// The app and the server.
    public var description: String { properties.description }
}

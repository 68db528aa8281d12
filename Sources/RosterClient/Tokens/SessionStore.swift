import Foundation
import RosterCrypto
import RosterSecrets
import RosterText

/// A sign-in to an account that has begun. A later sign-in to the account, and a sign-out, end it: a late answer for one user must not
/// take the place of the next user.
struct SignInUnderWay: Sendable {
    let account: String
    /// A random text that no other sign-in has.
    let id: String
}

/// The entries of the secure store for one app at one server: the sessions of its accounts, sign-ins under way, and tokens that are still
/// to be revoked.
struct SessionStore: Sendable {
    let store: SecureStore
    private let prefix: String
    /// Where renewals and changes run, also while blocked callers occupy all threads of Swift's pool.
    let executor = QueueExecutor()

    init(_ store: SecureStore, _ registration: AppRegistration) throws {
        self.store = store
        // Tokens belong to the server and the client that they were made for.
        let digest = try SHA256.hex("\(registration.issuer)\n\(registration.clientID)")
        prefix = "sign-in/\(digest.prefix(32))/"
    }

    /// Checks the identifier of an account.
    static func check(_ account: String) throws(ClientError) {
        guard (1...128).contains(account.utf8.count) else {
            throw .invalidInput("The label of an account is empty or too long.", "Give 1 to 128 bytes.")
        }
    }

    private func key(_ account: String) -> String { prefix + "account/" + PercentEncoding.text(account) }

    /// Runs a short change of several values. A task that is cancelled still finishes the change.
    private func changing<Value: Sendable>(
        _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        let (store, prefix) = (store, prefix)
        return try await Task.detached(executorPreference: executor) {
            try await store.withLock(prefix + "change") { try body() }
        }.value
    }

    // MARK: Sessions

    /// The accounts that somebody is signed in to.
    func accountIDs() throws -> [String] {
        let start = prefix + "account/"
        return try store.names(withPrefix: start).compactMap { key in
            PercentEncoding.bytes(key.dropFirst(start.count).utf8).flatMap { String(validating: $0, as: UTF8.self) }
        }
    }

    /// The session of an account; nil if nobody is signed in.
    func session(of account: String) throws -> StoredSession? {
        guard let bytes = try store.bytes(named: key(account)) else { return nil }
        guard let session = StoredSession(bytes) else {
            throw SecureStoreError(
                .newerStore, "The stored session of the account is of another version of this library.",
                advice: "Update the app, or sign in again.")
        }
        return session
    }

    /// Stores the session of a new sign-in.
    ///
    /// - Returns: The session that it replaces.
    /// - Throws: ``ClientError`` `signInExpired` if the sign-in is not the latest one to its account; the errors of the store.
    func begin(_ session: StoredSession, of signIn: SignInUnderWay) async throws -> StoredSession? {
        try await changing {
            guard try isLatest(signIn) else {
                throw ClientError(
                    .signInExpired,
                    "Somebody else has signed in to the account, or out of it, since this sign-in began.",
                    advice: "Let the user begin again.")
            }
            let key = key(signIn.account)
            let old = try store.bytes(named: key).flatMap(StoredSession.init)
            try store.set(session.bytes, named: key)
            try? store.remove(named: nameKey(signIn.account))
            // The user is signed in, also if this value stays. Nothing can be done with it.
            try? store.remove(named: latestKey(signIn.account))
            return old
        }
    }

    /// Stores the tokens of a renewal, if the account still has the session and the tokens that were renewed.
    ///
    /// - Parameter old: The session with the tokens that were renewed.
    /// - Returns: The account's session afterwards, which another process may have renewed further; nil if the session has ended.
    func update(_ session: StoredSession, replacing old: StoredSession, of account: String) async throws
        -> StoredSession?
    {
        try await changing {
            guard let stored = try self.session(of: account), stored.id == session.id else { return nil }
            guard stored.hasTokens(of: old) else { return stored }
            try store.set(session.bytes, named: key(account))
            return session
        }
    }

    /// Stores the wait before the next renewal, if the account still has the session.
    func keep(_ pause: RenewalPause, in session: StoredSession, of account: String) async throws {
        try await changing {
            guard var stored = try self.session(of: account), stored.id == session.id else { return }
            stored.pause = pause
            try store.set(stored.bytes, named: key(account))
        }
    }

    /// Removes a session that the server has ended, if the account still has the session and its refresh token. The user's name stays
    /// known.
    func end(_ session: StoredSession, of account: String) async throws {
        try await changing {
            guard let stored = try self.session(of: account), stored.id == session.id,
                stored.refreshToken == session.refreshToken
            else { return }
            if let name = stored.userName { try store.set(Array(name.utf8), named: nameKey(account)) }
            try store.remove(named: key(account))
        }
    }

    /// Removes a session, if the account still has it, and ends a sign-in to the account that is under way.
    ///
    /// - Parameter keepsName: Whether the user's name stays known.
    /// - Returns: The removed session.
    func signOut(_ id: String, of account: String, keepsName: Bool) async throws -> StoredSession? {
        try await changing {
            let session = try self.session(of: account)
            guard session == nil || session?.id == id else { return nil }
            try store.remove(named: latestKey(account))
            if keepsName {
                if let name = session?.userName { try store.set(Array(name.utf8), named: nameKey(account)) }
            } else {
                try store.remove(named: nameKey(account))
            }
            if session != nil { try store.remove(named: key(account)) }
            return session
        }
    }

    // MARK: Names

    private func nameKey(_ account: String) -> String { prefix + "name/" + PercentEncoding.text(account) }

    /// The name of the user whose session has ended, or whose access token has ended and cannot be renewed; nil if it is not known, or
    /// somebody is signed in.
    func lastUserName(of account: String, now: Date) throws -> String? {
        if let session = try session(of: account) { return session.canGoOn(now) ? nil : session.userName }
        return try store.bytes(named: nameKey(account)).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// Forgets the name of the user whose session has ended.
    func forgetUserName(of account: String) async throws {
        try await changing { try store.remove(named: nameKey(account)) }
    }

    /// Runs a renewal of an account's tokens, while no other process renews them.
    func renewing<Value: Sendable>(_ account: String, _ body: () async throws -> Value) async throws -> Value {
        try await store.withLock(key(account) + " renewal", body)
    }

    // MARK: Sign-ins under way

    private func latestKey(_ account: String) -> String { prefix + "signing-in/" + PercentEncoding.text(account) }

    private func isLatest(_ signIn: SignInUnderWay) throws -> Bool {
        try store.bytes(named: latestKey(signIn.account)) == Array(signIn.id.utf8)
    }

    /// Begins a sign-in without a browser.
    ///
    /// - Throws: ``ClientError`` `invalidInput` for an empty or long label; the errors of the store.
    func beginSignIn(to account: String) async throws -> SignInUnderWay {
        try Self.check(account)
        let signIn = SignInUnderWay(
            account: account, id: try ClientError.wrapping { try SecureRandom.token(bytes: 16) })
        try await changing { try store.set(Array(signIn.id.utf8), named: latestKey(account)) }
        return signIn
    }

    // MARK: Pending sign-ins

    private func pendingKey(_ state: String) throws -> String { prefix + "pending/" + (try SHA256.hex(state)) }

    /// Stores a sign-in before the browser opens, and removes those that took too long.
    func add(_ pending: PendingSignIn, now: Date) async throws {
        try await changing {
            var alive: [(key: String, begun: Date)] = []
            for key in try store.names(withPrefix: prefix + "pending/") {
                let kept = try store.bytes(named: key).flatMap(PendingSignIn.init)
                if let kept, kept.isAlive(now), kept.account != pending.account {
                    alive.append((key, kept.begun))
                } else {
                    try store.remove(named: key)
                }
            }
            let excess = alive.count + 1 - PendingSignIn.maximumCount
            for entry in alive.sorted(by: { $0.begun < $1.begun }).prefix(max(excess, 0)) {
                try store.remove(named: entry.key)
            }
            try store.set(pending.bytes, named: try pendingKey(pending.state))
            try store.set(Array(pending.signIn.id.utf8), named: latestKey(pending.account))
        }
    }

    /// Takes a pending sign-in out of the store, so that its answer is used once. nil if there is none, if it took too long, or if it
    /// is not the latest one to its account.
    func takePending(_ state: String, now: Date) async throws -> PendingSignIn? {
        try await changing {
            let key = try pendingKey(state)
            guard let bytes = try store.bytes(named: key) else { return nil }
            try store.remove(named: key)
            guard let pending = PendingSignIn(bytes), pending.isAlive(now), try isLatest(pending.signIn) else {
                return nil
            }
            return pending
        }
    }

    /// Removes a pending sign-in that was given up.
    func remove(_ pending: PendingSignIn) async throws {
        try await changing {
            try store.remove(named: try pendingKey(pending.state))
            if try isLatest(pending.signIn) { try store.remove(named: latestKey(pending.account)) }
        }
    }

    /// The redirect URL of a pending sign-in.
    func redirectURI(ofPending state: String) throws -> String? {
        try store.bytes(named: pendingKey(state)).flatMap(PendingSignIn.init)?.redirectURI
    }

    // MARK: Tokens to revoke

    /// The number of tokens that are kept to be revoked. Of more, the oldest are dropped.
    private static let maximumPending = 100

    /// Keeps a token until the server can be told to end it.
    ///
    /// - Returns: The key of the entry. The keys are in the order of time.
    func keepToRevoke(_ token: String, now: Date) async throws -> String {
        let start = prefix + "revoke/"
        let hash = try SHA256.hex(token)
        let digits = String(Int64(min(max(now.timeIntervalSince1970, 0), 1e11) * 1_000))
        let key = start + String(repeating: "0", count: 15 - digits.count) + digits + "-" + hash
        return try await changing {
            var keys = try store.names(withPrefix: start)
            if let known = keys.first(where: { $0.hasSuffix(hash) }) { return known }
            while keys.count >= Self.maximumPending { try store.remove(named: keys.removeFirst()) }
            try store.set(Array(token.utf8), named: key)
            return key
        }
    }

    /// The tokens that are still to be revoked, oldest first.
    func pendingRevocations() throws -> [(key: String, token: String)] {
        try store.names(withPrefix: prefix + "revoke/").compactMap { key in
            try store.bytes(named: key).map { (key, String(decoding: $0, as: UTF8.self)) }
        }
    }
}

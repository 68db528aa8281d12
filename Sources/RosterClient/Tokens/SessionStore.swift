import Foundation
import RosterCrypto
import RosterText

/// What the secure store keeps for one app at one server: the sessions of its accounts, pending sign-ins, and tokens that are still
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

    /// Checks the name of an account.
    static func check(_ name: String) throws(ClientError) {
        guard (1...128).contains(name.utf8.count) else {
            throw .invalidInput("The name of an account is empty or too long.", "Give a name of 1 to 128 bytes.")
        }
    }

    private func key(_ name: String) -> String { prefix + "account/" + PercentEncoding.text(name) }

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

    /// The names of the accounts that somebody is signed in to.
    func names() throws -> [String] {
        let start = prefix + "account/"
        return try store.names(withPrefix: start).compactMap { key in
            PercentEncoding.bytes(key.dropFirst(start.count).utf8).flatMap { String(validating: $0, as: UTF8.self) }
        }
    }

    /// The session of an account; nil if nobody is signed in.
    func session(of name: String) throws -> StoredSession? {
        guard let bytes = try store.bytes(named: key(name)) else { return nil }
        guard let session = StoredSession(bytes) else {
            throw ClientError(
                .newerStore, "The stored session of the account is of another version of this library.",
                advice: "Update the app, or sign in again.")
        }
        return session
    }

    /// Stores the session of a new sign-in.
    ///
    /// - Returns: The session that it replaces.
    func begin(_ session: StoredSession, of name: String) async throws -> StoredSession? {
        try await changing {
            let old = try store.bytes(named: key(name)).flatMap(StoredSession.init)
            try store.set(session.bytes, named: key(name))
            return old
        }
    }

    /// Stores the tokens of a renewal, if the account still has the same session.
    func update(_ session: StoredSession, of name: String) async throws -> Bool {
        try await changing {
            guard try self.session(of: name)?.id == session.id else { return false }
            try store.set(session.bytes, named: key(name))
            return true
        }
    }

    /// Removes a session, if the account still has it.
    ///
    /// - Parameter refreshToken: The refresh token that the session must still have; nil for any.
    /// - Returns: The removed session.
    func end(_ id: String, of name: String, refreshToken: String? = nil) async throws -> StoredSession? {
        try await changing {
            guard let session = try self.session(of: name), session.id == id,
                refreshToken == nil || session.refreshToken == refreshToken
            else { return nil }
            try store.remove(named: key(name))
            return session
        }
    }

    /// Runs a renewal of an account's tokens, while no other process renews them.
    func renewing<Value: Sendable>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
        try await store.withLock(key(name) + " renewal", body)
    }

    // MARK: Pending sign-ins

    private func pendingKey(_ state: String) throws -> String { prefix + "pending/" + (try SHA256.hex(state)) }

    /// Stores a sign-in before the browser opens, and removes those that took too long.
    func add(_ pending: PendingSignIn, now: Date) async throws {
        try await changing {
            var alive: [(key: String, begun: Date)] = []
            for key in try store.names(withPrefix: prefix + "pending/") {
                if let kept = try store.bytes(named: key).flatMap(PendingSignIn.init), kept.isAlive(now) {
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
        }
    }

    /// Takes a pending sign-in out of the store, so that its answer is used once. nil if there is none, or it took too long.
    func takePending(_ state: String, now: Date) async throws -> PendingSignIn? {
        try await changing {
            let key = try pendingKey(state)
            guard let bytes = try store.bytes(named: key) else { return nil }
            try store.remove(named: key)
            guard let pending = PendingSignIn(bytes), pending.isAlive(now) else { return nil }
            return pending
        }
    }

    /// The redirect URL of a pending sign-in.
    func redirectURI(ofPending state: String) throws -> String? {
        try store.bytes(named: pendingKey(state)).flatMap(PendingSignIn.init)?.redirectURI
    }

    // MARK: Tokens to revoke

    /// The number of tokens that are kept to be revoked. More are dropped, oldest names first.
    private static let maximumLeft = 100

    /// Keeps a token until the server can be told to end it.
    ///
    /// - Returns: The key of the entry.
    func leave(_ token: String) async throws -> String {
        let key = prefix + "revoke/" + (try SHA256.hex(token))
        try await changing {
            let keys = try store.names(withPrefix: prefix + "revoke/")
            for old in keys.prefix(max(keys.count + 1 - Self.maximumLeft, 0)) { try store.remove(named: old) }
            try store.set(Array(token.utf8), named: key)
        }
        return key
    }

    /// The tokens that are still to be revoked.
    func left() throws -> [(key: String, token: String)] {
        try store.names(withPrefix: prefix + "revoke/").compactMap { key in
            try store.bytes(named: key).map { (key, String(decoding: $0, as: UTF8.self)) }
        }
    }
}

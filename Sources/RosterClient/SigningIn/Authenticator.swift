package import Foundation
import RosterOpenID
public import RosterSecrets
public import RosterText
public import RosterTransport

/// Signs users of an app in at one server, and keeps their tokens in a secure store.
///
/// The server is Roster or any OpenID provider. Several users can be signed in at once. `account` is the app's own label for one of them,
/// such as "work"; most apps need only the default.
///
/// ```swift
/// let app = AppRegistration(issuer: url, clientID: clientID)
/// let authenticator = try Authenticator(app, store: store)
/// let account = try await authenticator.signIn { loginURL in open(loginURL) }
/// let token = try await account.validAccessToken()
/// ```
///
/// Mirrors Cloud Access Manager's `CodeFlow` and `SimpleTokenStore`, and Couchbase Lite's `OpenIDConnectAuthenticator`.
public final class Authenticator: Sendable {
    let provider: Provider
    let sessions: SessionStore
    /// Waits between two requests of a device.
    let sleep: @Sendable (Duration) async throws -> Void
    private let accounts = Locked<[String: Account]>([:])

    /// The app as the server knows it.
    package var registration: AppRegistration { provider.registration }

    /// Makes an authenticator. Nothing is sent.
    ///
    /// - Parameters:
    ///   - registration: The app as the server knows it.
    ///   - store: Where tokens and pending sign-ins are kept. Several apps and servers can share a store.
    ///   - transport: The connections to use. A transport that the app gives can be shared, and is closed by the app.
    /// - Throws: ``ClientError`` `badConfiguration` for a registration that no server accepts.
    public convenience init(
        _ registration: AppRegistration, store: SecureStore, transport: Transport = .shared
    ) throws {
        try self.init(
            registration, store: store, transport: transport, clock: { Date() },
            sleep: { try await Task.sleep(for: $0) })
    }

    package init(
        _ registration: AppRegistration, store: SecureStore, transport: Transport,
        clock: @escaping @Sendable () -> Date,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws {
        try registration.check()
        provider = Provider(registration, transport, clock: clock)
        sessions = try SessionStore(store, registration)
        self.sleep = sleep
    }

    // MARK: Accounts

    /// The accounts that somebody is signed in to, by ``Account/id`` in ascending order.
    ///
    /// - Throws: The errors of the store.
    public func accountIDs() throws -> [String] { try sessions.accountIDs().sorted() }

    /// An account with stored tokens. The server is not asked, so that an app can start offline.
    ///
    /// - Parameter id: The ``Account/id`` of the account.
    /// - Returns: The account; nil if nobody is signed in to the account. As long as the session is the same, it is the same object.
    /// - Throws: The errors of the store, such as `SecureStoreError` `deviceLocked`: the user may be signed in all the same.
    public func account(_ id: String = "default") throws -> Account? {
        guard let session = try sessions.session(of: id) else {
            accounts.withLock { $0.removeValue(forKey: id) }?.forget()
            return nil
        }
        return accounts.withLock { accounts in
            if let known = accounts[id], known.sessionID == session.id, known.isSignedIn { return known }
            let account = Account(id, session, provider, sessions)
            accounts[id] = account
            return account
        }
    }

    /// The name of the user whose session has ended by the server's will or by time. The next sign-in with a browser gives the name to the
    /// sign-in page (`login_hint`).
    ///
    /// - Parameter id: The ``Account/id`` of the account.
    /// - Returns: The name; nil if it is not known, if somebody is signed in, or after a sign-out that did not keep the name.
    /// - Throws: The errors of the store.
    public func lastUserName(of id: String = "default") throws -> String? {
        try sessions.lastUserName(of: id, now: provider.clock())
    }

    /// Forgets the name that ``lastUserName(of:)`` knows.
    ///
    /// - Parameter id: The ``Account/id`` of the account.
    /// - Throws: The errors of the store.
    public func forgetUserName(of id: String = "default") async throws { try await sessions.forgetUserName(of: id) }

    /// Ends a sign-in with the answer of the token endpoint: checks the id token, and stores the tokens.
    ///
    /// If the sign-in fails now, nobody gets the tokens, and the server is told to end them. The tokens of another user who was signed
    /// in to the account are revoked too.
    ///
    /// - Parameters:
    ///   - signIn: The sign-in, which must still be the latest one to its account.
    ///   - reply: The answer of the token endpoint.
    ///   - nonce: The nonce that the id token must have; nil if the grant has none.
    ///   - userName: The name that the user typed; nil if the server must say.
    ///   - check: Checks the claims of the id token further.
    func finish(
        _ signIn: SignInUnderWay, _ reply: ProviderConnection.Reply, nonce: String? = nil, userName: String? = nil,
        check: (JSONValue?) throws -> Void = { _ in }
    ) async throws -> Account {
        let answer = try reply.tokens()
        var subject: String?
        do {
            let metadata = try await provider.metadata()
            let claims = try await provider.claims(of: answer, nonce: nonce, serverTime: reply.date, metadata)
            subject = claims?["sub"]?.text
            try check(claims)
            let session = try StoredSession(
                answer, claims, userName: userName, scopes: provider.registration.scopes,
                endSessionEndpoint: metadata.endSessionEndpoint, at: provider.clock())
            // A cancelled sign-in signs nobody in.
            try Task.checkCancellation()
            let old = try await sessions.begin(session, of: signIn)
            let account = Account(signIn.account, session, provider, sessions)
            accounts.withLock { $0.updateValue(account, forKey: signIn.account) }?.forget()
            provider.events.tell(.signedIn(account: signIn.account, userName: session.userName))
            if let old { await provider.discard(old.lastToken, of: old.subject, in: sessions, account: signIn.account) }
            return account
        } catch {
            await provider.discard(
                answer.refreshToken ?? answer.accessToken, of: subject, in: sessions, account: signIn.account)
            throw error
        }
    }

    /// Tells the server to end the tokens that it could not be told to end when their users signed out.
    ///
    /// - Returns: The number of tokens that are still to be revoked. Above 100 tokens, the oldest are dropped.
    /// - Throws: The errors of the store. `CancellationError`.
    @discardableResult
    public func revokePendingTokens() async throws -> Int {
        for (key, token) in try sessions.pendingRevocations() {
            // A server that cannot be reached for one token cannot be reached for the next one.
            guard try await provider.revoke(token, keptAt: key, in: sessions) != .pending else { break }
        }
        return try sessions.pendingRevocations().count
    }

    /// Keeps a token that the next ``revokePendingTokens()`` tells the server to end.
    package func keepToRevoke(_ token: String) async throws {
        _ = try await sessions.keepToRevoke(token, now: provider.clock())
    }
}

extension Authenticator: Redacted {
}

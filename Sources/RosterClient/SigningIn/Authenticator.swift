package import Foundation
import RosterOpenID
import RosterText
public import RosterTransport

/// Signs users of an app in at one server, and keeps their tokens in a secure store.
///
/// The server is Roster or any OpenID provider. Several accounts can be signed in at once, each under a name of the app's choice.
///
/// ```swift
/// let app = AppRegistration(issuer: url, clientID: clientID)
/// let authenticator = try Authenticator(app, store: store)
/// let account = try await authenticator.signIn { loginURL, _, _ in open(loginURL) }
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

    /// Makes an authenticator. Nothing is sent.
    ///
    /// - Parameters:
    ///   - registration: The app as the server knows it.
    ///   - store: Where tokens and pending sign-ins are kept. Several apps and servers can share a store.
    ///   - transport: How the server is reached.
    /// - Throws: ``ClientError`` `badConfiguration` for a registration that no server accepts.
    public convenience init(
        _ registration: AppRegistration, store: SecureStore, transport: Transport = Transport()
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

    /// The names of the accounts that somebody is signed in to, in ascending order.
    ///
    /// - Throws: The errors of the store.
    public func accountNames() throws -> [String] { try sessions.names().sorted() }

    /// An account with stored tokens. The server is not asked, so that an app can start offline.
    ///
    /// - Parameter name: The name of the account.
    /// - Returns: The account; nil if nobody is signed in under the name. As long as the session is the same, it is the same object.
    /// - Throws: The errors of the store, such as ``ClientError`` `deviceLocked`: the user may be signed in all the same.
    public func account(_ name: String = "default") throws -> Account? {
        guard let session = try sessions.session(of: name) else {
            accounts.withLock { $0.removeValue(forKey: name) }?.forget()
            return nil
        }
        return accounts.withLock { accounts in
            if let known = accounts[name], known.sessionID == session.id, known.isSignedIn { return known }
            let account = Account(name, session, provider, sessions)
            accounts[name] = account
            return account
        }
    }

    /// Stores the tokens of a new sign-in. The tokens of another user whom it replaces are revoked. Those of the same user are
    /// not, because some servers end all tokens of a user and an app together.
    func begin(
        _ name: String, _ answer: TokenAnswer, _ claims: JSONValue?, userName: String? = nil, scopes: [String]? = nil
    ) async throws -> Account {
        let session = try StoredSession(
            answer, claims, userName: userName, scopes: scopes ?? provider.registration.scopes,
            endSessionEndpoint: try await provider.metadata().endSessionEndpoint, at: provider.clock())
        let old = try await sessions.begin(session, of: name)
        let account = Account(name, session, provider, sessions)
        accounts.withLock { $0.updateValue(account, forKey: name) }?.forget()
        if let old, old.subject != session.subject || old.subject == nil {
            _ = try? await provider.revoke(old.refreshToken ?? old.accessToken, in: sessions)
        }
        return account
    }

    /// Tells the server to end the tokens of earlier sign-outs that it could not be told to end then.
    ///
    /// - Returns: The number of tokens that are still to be revoked.
    /// - Throws: The errors of the store. `CancellationError`.
    @discardableResult
    public func revokeLeftTokens() async throws -> Int {
        for (key, token) in try sessions.left() {
            // A server that cannot be reached for one token cannot be reached for the next one.
            guard try await provider.revokeLeft(token, key, in: sessions) != nil else { break }
        }
        return try sessions.left().count
    }
}

extension Authenticator: Redacted {
}

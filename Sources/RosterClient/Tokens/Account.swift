import Foundation
public import RosterText

/// A user who is signed in: the tokens of one sign-in, kept in the secure store.
///
/// A new sign-in with the same ``id`` ends this account. The description shows no token.
public final class Account: Sendable {
    struct State {
        /// The tokens; nil after the session has ended.
        var session: StoredSession?
        /// The renewal that is under way.
        var renewal: SharedResult<StoredSession>?
        /// Tokens that could not be stored. They are stored before anybody gets them.
        var unsaved: UnsavedSession?
    }

    /// New tokens, and the session whose tokens they replace. Another process may have renewed that session since.
    struct UnsavedSession {
        let session: StoredSession
        let old: StoredSession
    }

    /// The app's own label for the user, such as "work".
    public let id: String
    /// The user's identifier at the server (`sub`); nil if the server gave no id token.
    public let subject: String?
    /// The user's name; nil if it is not known.
    public let userName: String?
    package let sessionID: String
    let provider: Provider
    let sessions: SessionStore
    let state: Locked<State>

    init(_ id: String, _ session: StoredSession, _ provider: Provider, _ sessions: SessionStore) {
        (self.id, self.provider, self.sessions) = (id, provider, sessions)
        (subject, userName, sessionID) = (session.subject, session.userName, session.id)
        state = Locked(State(session: session))
    }

    /// Whether the account has tokens, as far as is known without reading the store. They may have ended at the server. An access token
    /// that has ended counts if the server has given a refresh token.
    public var isSignedIn: Bool {
        let now = provider.clock()
        return state.withLock { $0.session?.canGoOn(now) == true }
    }

    /// The scopes that the server has granted, as of the last renewal in this process. They can be fewer than the app has asked for, and
    /// become fewer at a renewal. Empty after the end of the session.
    public var scopes: [String] { state.withLock { $0.session?.scopes ?? [] } }

    /// The reason why the id token of the last renewal was not accepted, such as a wrong signature; nil if there was none. The account
    /// goes on with the id token and the user from before.
    public var idTokenProblem: ClientError? { state.withLock { $0.session?.idTokenProblem } }

    /// The last id token (OpenID Connect Core, section 2); nil if the server gave none, or after the end of the session.
    public var idToken: String? { state.withLock { $0.session?.idToken } }

    /// An access token that can be used now. If it is about to expire, it is renewed, once for all tasks and processes that ask.
    ///
    /// While the server cannot be reached, a token that is about to expire is returned until its end. After a renewal that failed, the
    /// server is asked again after a second, then after twice as long up to a minute, and after the time that the server asks for
    /// (`Retry-After`), an hour at most; calls meanwhile get the token, or the error of the failure. A cancelled caller stops waiting; the
    /// renewal goes on. With a valid token the call takes less than 1 µs (`tokens.valid` of `roster-bench --only remote`).
    ///
    /// - Parameter scopes: The scopes that the token must have.
    /// - Throws: ``ClientError``: `notSignedIn` if the session has ended; `scopeNotGranted`; `unreachable`, `serverBusy`,
    ///   `serverFailed`, `refused`, `badConfiguration`, `badAnswer` or `badToken` if the token cannot be renewed now, and the session goes
    ///   on; the errors of the store. `CancellationError`.
    public nonisolated(nonsending) func validAccessToken(scopes: [String] = []) async throws -> String {
        if let token = try freshAccessToken(scopes: scopes) { return token }
        return try await renewed(rejecting: nil).token(scopes)
    }

    /// The access token in memory; nil if it is to be renewed first, for which the caller has to wait.
    ///
    /// - Throws: ``ClientError`` `notSignedIn`, `scopeNotGranted`.
    package func freshAccessToken(scopes: [String] = []) throws -> String? {
        let now = provider.clock()
        return try state.withLock { state throws -> String? in
            guard let session = state.session else { throw Self.ended }
            return session.isFresh(now) ? try session.token(scopes) : nil
        }
    }

    /// An access token in place of one that a server has refused with 401. The token is renewed, unless it was renewed already.
    ///
    /// - Parameters:
    ///   - rejected: The refused token.
    ///   - scopes: The scopes that the token must have.
    /// - Throws: The errors of ``validAccessToken(scopes:)``.
    public nonisolated(nonsending) func accessToken(replacing rejected: String, scopes: [String] = []) async throws
        -> String
    {
        if let token = try freshAccessToken(scopes: scopes), token != rejected { return token }
        return try await renewed(rejecting: rejected).token(scopes)
    }

    package static let ended = ClientError.notSignedIn("The account is not signed in any more.")

    /// Forgets the tokens in memory.
    func forget() {
        state.withLock { state in
            state.session = nil
            state.unsaved = nil
        }
    }
}

extension Account: CustomStringConvertible, Redacted {
    /// The app's label for the user.
    public var description: String { "account \(id)" }
}

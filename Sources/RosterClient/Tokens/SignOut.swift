public import Foundation
import RosterOpenID
import RosterSecrets
public import RosterText
import RosterTransport

/// The outcome of a sign-out, and the rest that is left to do.
///
/// The description does not show the URL, which has the user's id token.
public struct SignOutReport: Sendable {
    /// The state of the tokens at the server after the sign-out (RFC 7009).
    public enum Revocation: Sendable, Hashable {
        /// The server has ended the tokens.
        case revoked
        /// The server did not answer, so the tokens are still valid. ``Authenticator/revokePendingTokens()`` ends them later.
        case pending
        /// The server cannot revoke tokens, or refuses to. The tokens are valid until they expire.
        case unsupported
        /// Nobody was signed in to the account any more.
        case alreadySignedOut
    }

    /// The state of the tokens at the server.
    public let revocation: Revocation
    /// The page that ends the user's session in the browser (OpenID Connect RP-Initiated Logout); nil if the server has none. As long
    /// as the browser's session goes on, the next sign-in may ask for no password.
    public let endSessionURL: URL?
}

extension SignOutReport: CustomStringConvertible, Redacted {
    /// The state of the tokens.
    public var description: String { "tokens: \(revocation)" }
}

extension Account {
    /// Signs out. The tokens are removed from this device first, also without a network, and then the server is told to end them.
    ///
    /// A renewal or another sign-in to the account that is under way cannot bring tokens back. If the calling task is cancelled, the
    /// tokens are removed all the same.
    ///
    /// - Parameter keepingUserName: Whether ``Authenticator/lastUserName(of:)`` goes on to know the user's name.
    /// - Returns: What is left to do.
    /// - Throws: The errors of the store. The tokens are then still in the store, but not in this object. `CancellationError`.
    public func signOut(keepingUserName: Bool = false) async throws -> SignOutReport {
        let unsaved = state.withLock { $0.unsaved }
        forget()
        guard let session = try await sessions.signOut(sessionID, of: id, keepsName: keepingUserName) else {
            return SignOutReport(revocation: .alreadySignedOut, endSessionURL: nil)
        }
        provider.events.tell(.signedOut(account: id, userName: userName, reason: .signedOut))
        // Another process may have renewed the tokens since this one could not store its own.
        let newest = unsaved.flatMap { $0.old.hasTokens(of: session) ? $0.session : nil } ?? session
        let revocation = try await provider.revoke(newest.lastToken, in: sessions)
        return SignOutReport(revocation: revocation, endSessionURL: provider.endSessionURL(session))
    }
}

/// Ending tokens at the server (RFC 7009).
extension Provider {
    /// Tells the server to end a token. If the server cannot be told, the token is kept to be revoked later.
    ///
    /// - Throws: The errors of the store; `CancellationError`, after which the token is kept.
    func revoke(_ token: String, in sessions: SessionStore) async throws -> SignOutReport.Revocation {
        let key = try await sessions.keepToRevoke(token, now: clock())
        return try await revoke(token, keptAt: key, in: sessions)
    }

    /// Tells the server to end a token that was kept.
    ///
    /// - Parameter key: The key of the entry, which is removed when nothing is left to do.
    func revoke(
        _ token: String, keptAt key: String, in sessions: SessionStore
    ) async throws -> SignOutReport.Revocation {
        let revocation = try await answer(toRevoking: token)
        if revocation != .pending { try sessions.store.remove(named: key) }
        return revocation
    }

    /// Tells the server to end a token that nobody gets, because its sign-in failed or another user has signed in.
    ///
    /// The tokens of the user who is signed in to the account are left alone, because some servers end all tokens of a user and an app
    /// together.
    ///
    /// - Parameter subject: The user's identifier at the server; nil if it is not known.
    func discard(_ token: String, of subject: String?, in sessions: SessionStore, account: String) async {
        let current = try? sessions.session(of: account)
        if let subject, current?.subject == subject { return }
        guard let key = try? await sessions.keepToRevoke(token, now: clock()) else {
            // The store cannot be written, which may be the reason why the sign-in failed.
            _ = try? await answer(toRevoking: token)
            return
        }
        _ = try? await revoke(token, keptAt: key, in: sessions)
    }

    private func answer(toRevoking token: String) async throws -> SignOutReport.Revocation {
        let reply: ProviderConnection.Reply
        do {
            let metadata = try await metadata()
            guard let url = metadata.revocationEndpoint else { return .unsupported }
            reply = try await post(url, [("token", token)], metadata, deadline: .seconds(10))
        } catch is TransportError {
            return .pending
        } catch is ClientError {
            return .pending
        }
        if reply.status == 200 { return .revoked }
        // Any other refusal stays the same however often the server is asked.
        return reply.refusal.map { $0 != "temporarily_unavailable" } == true ? .unsupported : .pending
    }

    fileprivate func endSessionURL(_ session: StoredSession) -> URL? {
        guard let endpoint = session.endSessionEndpoint else { return nil }
        var parameters: [(name: String, value: String)] = [("client_id", registration.clientID)]
        if let token = session.idToken { parameters.insert(("id_token_hint", token), at: 0) }
        return URL(string: CodeFlow.url(endpoint, parameters))
    }
}

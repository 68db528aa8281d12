public import Foundation
import RosterOpenID
import RosterText
import RosterTransport

/// What a sign-out has left to do.
///
/// The description does not show the URL, which has the user's id token.
public struct SignOutReport: Sendable {
    /// Whether the server has ended the tokens. If not, they are in ``tokensToRevoke``, or the server ends no tokens (RFC 7009).
    public let isRevoked: Bool
    /// The number of tokens that the server could not be told to end yet. ``Authenticator/revokeLeftTokens()`` tells it later.
    public let tokensToRevoke: Int
    /// The page that ends the user's session in the browser (OpenID Connect RP-Initiated Logout); nil if the server has none. As long
    /// as the browser's session goes on, the next sign-in may ask for no password.
    public let endSessionURL: URL?
}

extension SignOutReport: CustomStringConvertible, Redacted {
    /// What is left.
    public var description: String { "revoked: \(isRevoked), tokens to revoke: \(tokensToRevoke)" }
}

extension Account {
    /// Signs out. The tokens are removed from this device first, also without a network, and then the server is told to end them.
    ///
    /// A renewal that is under way cannot bring the tokens back. If the calling task is cancelled, the tokens are removed all the same.
    ///
    /// - Returns: What is left to do.
    /// - Throws: The errors of the store. The tokens are then still in the store, but not in this object. `CancellationError`.
    public func signOut() async throws -> SignOutReport {
        let newest = state.withLock { $0.unsaved }
        forget()
        guard let session = try await sessions.end(sessionID, of: name) else {
            return SignOutReport(isRevoked: false, tokensToRevoke: try sessions.left().count, endSessionURL: nil)
        }
        let token = (newest ?? session).refreshToken ?? (newest ?? session).accessToken
        let isRevoked = try await provider.revoke(token, in: sessions)
        return SignOutReport(
            isRevoked: isRevoked, tokensToRevoke: try sessions.left().count,
            endSessionURL: provider.endSessionURL(session))
    }
}

extension Provider {
    /// Tells the server to end a token (RFC 7009). If the server cannot be told, the token is kept to be revoked later.
    ///
    /// - Returns: Whether the server has ended the token.
    func revoke(_ token: String, in sessions: SessionStore) async throws -> Bool {
        let key = try await sessions.leave(token)
        return try await revokeLeft(token, key, in: sessions) ?? false
    }

    /// Tells the server to end a token that was kept. Returns nil if the server cannot be told now.
    func revokeLeft(_ token: String, _ key: String, in sessions: SessionStore) async throws -> Bool? {
        let reply: ProviderConnection.Reply
        do {
            let metadata = try await metadata()
            guard let url = metadata.revocationEndpoint else {
                try sessions.store.remove(named: key)
                return false
            }
            reply = try await post(url, [("token", token)], metadata, deadline: .seconds(10))
        } catch is TransportError {
            return nil
        } catch is ClientError {
            return nil
        }
        // Any other refusal stays the same however often the server is asked.
        guard reply.status == 200 || reply.refusal.map({ $0 != "temporarily_unavailable" }) == true else { return nil }
        try sessions.store.remove(named: key)
        return reply.status == 200
    }

    fileprivate func endSessionURL(_ session: StoredSession) -> URL? {
        guard let endpoint = session.endSessionEndpoint else { return nil }
        var parameters: [(name: String, value: String)] = [("client_id", registration.clientID)]
        if let token = session.idToken { parameters.insert(("id_token_hint", token), at: 0) }
        return URL(string: CodeFlow.url(endpoint, parameters))
    }
}

public import Foundation
import RosterOpenID
import RosterText
import RosterTransport

/// What is known of the user and of the access token.
extension Account {
    /// When the access token ends, as the server said with the last renewal in this process; nil after the end of the session.
    ///
    /// The account renews the token before, so that few apps need the time.
    public var expiry: Date? {
        state.withLock { $0.session.map { Date(timeIntervalSince1970: $0.obtained + $0.lifetime) } }
    }

    /// The claims of the last id token, which the library has verified; nil if the server gave none, or after the end of the session.
    public var claims: TokenClaims? {
        idToken.flatMap { try? JSONWebToken($0) }.map { TokenClaims($0.claims) }
    }

    /// Asks the server about the user (OpenID Connect Core, section 5.3). The answer is as new as the call, unlike ``claims``.
    ///
    /// - Throws: ``ClientError`` `badAnswer` if the server has no userinfo endpoint; `badToken` if the answer is about another user; the
    ///   errors of ``validAccessToken(scopes:)``. `CancellationError`.
    public func userInfo() async throws -> TokenClaims {
        guard let url = try await provider.metadata().userInfoEndpoint else {
            throw Provider.missing("userinfo_endpoint")
        }
        let token = try await validAccessToken()
        var reply = try await provider.connection.get(url, token: token)
        if reply.status == 401 {
            reply = try await provider.connection.get(url, token: try await accessToken(replacing: token))
        }
        guard reply.status == 200, let json = reply.json else { throw reply.failure(at: "userinfo endpoint") }
        guard subject == nil || json.claim("sub")?.text == subject else {
            throw ClientError.badToken("The server's answer is about another user ('sub').")
        }
        return TokenClaims(json)
    }

    /// Renews the tokens if the access token ends soon, such as in a task that the system runs in the background, so that the app need not
    /// wait for the renewal when it comes to the front.
    ///
    /// - Parameter margin: How soon the token ends, at most.
    /// - Returns: Whether the account has new tokens. False if the token lives longer, or the server gave no refresh token.
    /// - Throws: The errors of ``validAccessToken(scopes:)``.
    @discardableResult
    public func renew(ifEndingWithin margin: Duration = .seconds(300)) async throws -> Bool {
        guard let session = state.withLock({ $0.session }) else { throw Self.ended }
        let left = session.obtained + session.lifetime - provider.clock().timeIntervalSince1970
        guard session.refreshToken != nil, left <= Double(margin.components.seconds) else { return false }
        return try await renewed(rejecting: session.accessToken).accessToken != session.accessToken
    }
}

extension ProviderConnection {
    /// Asks with an access token.
    ///
    /// - Throws: ``ClientError``, `CancellationError`.
    fileprivate func get(_ url: String, token: String) async throws -> Reply {
        let request = TransportRequest(
            "GET", url, headers: ["Accept": "application/json", "Authorization": "Bearer " + token])
        do { return try await send(request) } catch let error as TransportError { throw ClientError(error) }
    }
}

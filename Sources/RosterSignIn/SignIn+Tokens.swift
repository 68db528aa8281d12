import Foundation
import Roster
import RosterText

/// The tokens of backends.
extension SignIn {
    /// Gives tokens to a backend, as the token endpoint does (RFC 6749, section 3.2).
    ///
    /// - Parameters:
    ///   - request: The grant and the requested scopes.
    ///   - clientID: The backend.
    ///   - secret: The backend's secret; nil for a public client.
    ///   - origin: The origin of the request, for the delays and the change feed.
    /// - Throws: ``OAuthError``; ``AuthenticationFailure`` `tooManyAttempts`, `overloaded`; `DirectoryError`.
    public func tokens(
        _ request: TokenRequest, clientID: String, secret: String? = nil, from origin: String = "app"
    ) async throws -> Tokens {
        try await oauth.tokenEndpoint.tokens(
            request, by: ClientProof(clientID: clientID, secret: secret), from: ClientOrigin(origin))
    }

    /// Gives tokens to a backend for a person whom the app itself has signed in.
    ///
    /// There is an ID token if ``Scope/openID`` is among the scopes. There is a refresh token if the backend has the grant
    /// `refreshToken` and asks for ``Scope/offlineAccess``, or for no ``Scope/openID``; the token setting
    /// ``TokenSettings/usesRefreshTokens`` overrides the scopes. Without a refresh token, the access token has the lifetime
    /// ``TokenSettings/consumerTokenLifetime``.
    ///
    /// - Parameters:
    ///   - person: The person.
    ///   - clientID: The backend.
    ///   - scopes: The scopes of the tokens. With nil, the tokens get all scopes that the backend may have, except
    ///     ``Scope/directoryManage``, which must be asked for by name. With ``Scope/openID``, the standard scopes for claims and
    ///     ``Scope/offlineAccess`` are left out if the backend may not have them.
    ///   - origin: The origin of the request, for the change feed.
    /// - Throws: ``OAuthError`` `invalidClient` for a backend that does not exist or is turned off, `invalidScope` for another scope that
    ///   the backend may not have, `invalidGrant` for a person whose account is deleted or disabled, or whose password was changed
    ///   since; `DirectoryError`.
    public func tokens(
        for person: Person, clientID: String, scopes: [Scope]? = nil, from origin: String = "app"
    ) async throws -> Tokens {
        try await oauth.tokenEndpoint.tokens(
            for: person, clientID: clientID, scopes: scopes, from: ClientOrigin(origin))
    }

    /// Checks an access token, and returns it with its person; nil for a token that is not ours, is for another audience, lacks the
    /// scope, has expired or was ended. (This is introspection, RFC 7662, within the process.)
    ///
    /// A person's ``Person/caller`` has all rights of the person in the directory. Pass it to `Directory.acting(as:)` only for tokens
    /// with the scope ``Scope/directory``, as the REST interfaces do.
    ///
    /// Cost: a signature to verify the first time, about 60 µs; afterwards some ten microseconds.
    ///
    /// - Parameters:
    ///   - accessToken: The token.
    ///   - scope: The scope that the token must have.
    ///   - audience: The audience that the token must have; nil for the issuer, which represents the directory's own interfaces.
    /// - Returns: The token and its person, which is nil for a token of the backend itself.
    public func check(
        accessToken: String, allowing scope: Scope, for audience: String? = nil
    ) throws -> (token: AccessToken, person: Person?)? {
        guard let (token, _) = try oauth.accessTokens.check(accessToken), token.key == nil,
            token.audiences.contains(audience ?? oauth.issuer), token.scopes.contains(scope)
        else { return nil }
        guard case .holder = token.subject else { return (token, nil) }
        guard var person = try oauth.accessTokens.person(of: token) else { return nil }
        person.amr = token.claims["amr"]?.texts ?? []
        person.signedIn = token.claims["auth_time"]?.seconds.map { Date(timeIntervalSince1970: $0) }
        return (token, person)
    }

    /// Ends a token of a backend (RFC 7009): a refresh token with its grant, or a single access token.
    ///
    /// - Throws: ``OAuthError`` `invalidClient` for a backend that fails to authenticate; `DirectoryError`.
    public func revoke(
        _ token: String, clientID: String, secret: String? = nil, from origin: String = "app"
    ) async throws {
        try await oauth.introspection.revoke(
            token, by: ClientProof(clientID: clientID, secret: secret), from: ClientOrigin(origin))
    }

    /// The public keys that verify our tokens, as a JSON Web Key Set (RFC 7517).
    public var publicKeys: PublicKeySet { PublicKeySet(oauth.keys.published) }

    /// Makes a new signing key, which is used from five minutes later on. By then, everybody who keeps ``publicKeys`` for five minutes
    /// at most has seen it. Tokens that the old key signed are valid until they end.
    ///
    /// - Parameter algorithm: The algorithm of the key. It replaces the key of the same algorithm.
    /// - Throws: `DirectoryError`.
    public func rotateKey(_ algorithm: SigningAlgorithm = .es256) throws {
        try oauth.keys.rotate(algorithm, in: oauth.directory.acting(as: .administrator("the app")))
    }
}

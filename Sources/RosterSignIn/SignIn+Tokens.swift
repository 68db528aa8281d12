public import Foundation
import Roster
import RosterText

/// The tokens of backends.
extension SignIn {
    /// Gives tokens to a backend, as the token endpoint does (RFC 6749, section 3.2).
    ///
    /// - Parameters:
    ///   - request: The grant, and what the tokens are to allow.
    ///   - clientID: The backend.
    ///   - secret: The backend's secret; nil for a public client.
    ///   - origin: The origin of the request, for the delays and the change feed.
    /// - Throws: ``OAuthError``; ``AuthenticationFailure`` `tooManyAttempts`, `overloaded`; `DirectoryError`.
    public func tokens(
        _ request: TokenRequest, clientID: String, secret: String? = nil, from origin: String = "app"
    ) async throws -> Tokens {
        try await oauth.tokens(request, by: ClientProof(clientID: clientID, secret: secret), from: origin)
    }

    /// Gives tokens to a backend for a person whom the app itself has signed in.
    ///
    /// - Parameters:
    ///   - person: The person.
    ///   - clientID: The backend.
    ///   - scope: The scopes of the tokens, with spaces between; nil for all that the backend may have.
    ///   - origin: The origin of the request, for the change feed.
    /// - Throws: ``OAuthError`` `invalidClient` for a backend that does not exist or is turned off, `invalidScope`, `invalidGrant` for
    ///   a person whose account is deleted or disabled; `DirectoryError`.
    public func tokens(
        for person: Person, clientID: String, scope: String? = nil, from origin: String = "app"
    ) async throws -> Tokens {
        try await oauth.tokens(for: person, clientID: clientID, scope: scope, from: origin)
    }

    /// Checks an access token, and returns it with its person; nil for a token that is not ours, is for another audience, lacks the
    /// scope, has expired or was ended. (This is introspection, RFC 7662, within the process.)
    ///
    /// A person's ``Person/caller`` has all rights of the person in the directory. Pass it to `Directory.acting(as:)` only for tokens
    /// with the scope `directory`, as the REST interfaces do.
    ///
    /// Cost: a signature to verify the first time, about 60 µs; afterwards some ten microseconds.
    ///
    /// - Parameters:
    ///   - accessToken: The token.
    ///   - scope: The scope that the token must have.
    ///   - audience: The audience that the token must have; nil for the issuer, which stands for the directory's own interfaces.
    /// - Returns: The token and its person, which is nil for a token of the backend itself.
    public func check(
        accessToken: String, allowing scope: String, for audience: String? = nil
    ) throws -> (token: AccessToken, person: Person?)? {
        guard let (token, _) = try oauth.check(accessToken),
            token.audiences.contains(audience ?? oauth.issuer), token.scopes.contains(scope)
        else { return nil }
        guard case .holder = token.subject else { return (token, nil) }
        guard var person = try oauth.person(of: token) else { return nil }
        person.amr = token.claims["amr"]?.texts ?? []
        person.signedIn = token.claims["auth_time"]?.seconds.map { Date(timeIntervalSince1970: $0) }
        return (token, person)
    }

    /// Ends a token of a backend (RFC 7009): a refresh token with its grant, or a single access token.
    public func revoke(
        _ token: String, clientID: String, secret: String? = nil, from origin: String = "app"
    ) async throws {
        try await oauth.revoke(token, by: ClientProof(clientID: clientID, secret: secret), from: origin)
    }

    /// The public keys that verify our tokens, as a JSON Web Key Set (RFC 7517).
    public var publicKeys: Data { Data(oauth.keys.published.bytes) }

    /// Makes a new signing key, which is used from five minutes later on. By then, everybody who keeps ``publicKeys`` for five minutes
    /// at most has seen it. Tokens that the old key signed are valid until they end.
    ///
    /// - Parameter algorithm: `ES256`, `RS256` or `EdDSA`.
    /// - Throws: `DirectoryError` `invalidInput` for another algorithm.
    public func rotateKey(_ algorithm: String = "ES256") throws {
        guard let signing = SignatureAlgorithm(rawValue: algorithm), [.es256, .rs256, .edDSA].contains(signing) else {
            throw DirectoryError(
                .invalidInput, "'\(algorithm.prefix(16))' signs no tokens here.", advice: "Take ES256, RS256 or EdDSA.")
        }
        try oauth.keys.rotate(signing, by: "the app")
    }
}

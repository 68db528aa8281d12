public import Foundation
import Roster
import RosterText

/// The tokens that backends are given, and what they are worth.
extension SignIn {
    /// Gives tokens to a backend, as the token endpoint does (RFC 6749, section 3.2).
    ///
    /// - Parameters:
    ///   - clientID: The backend.
    ///   - secret: Its secret; nil for a public client.
    ///   - origin: Where the request comes from: for the delays, and for the change feed.
    /// - Throws: ``OAuthError``; ``AuthenticationFailure`` `tooManyAttempts`, `overloaded`; `DirectoryError`.
    public func tokens(
        _ request: TokenRequest, clientID: String, secret: String? = nil, from origin: String = "app"
    ) async throws -> Tokens {
        try await oauth.tokens(request, by: ClientProof(clientID: clientID, secret: secret), from: origin)
    }

    /// Gives tokens to a backend for somebody whom the app itself has signed in.
    ///
    /// - Parameters:
    ///   - scope: What they are to allow, with spaces between; nil for all that the backend may have.
    /// - Throws: ``OAuthError`` `invalidClient` for a backend that is not there or turned off, `invalidScope`, `invalidGrant`
    ///   for somebody whose account is gone or disabled; `DirectoryError`.
    public func tokens(
        for person: Person, clientID: String, scope: String? = nil, from origin: String = "app"
    ) async throws -> Tokens {
        try await oauth.tokens(for: person, clientID: clientID, scope: scope, from: origin)
    }

    /// An access token that is good at this moment and allows what is asked for, and whom it stands for; nil where it is
    /// none of ours, is for others, allows less, has expired or was ended. (RFC 7662's answer, in the process.)
    ///
    /// A person's ``Person/caller`` may do in the directory whatever the person may: hand it to `Directory.acting(as:)` for
    /// tokens with the scope `directory` only, as the REST interfaces do.
    ///
    /// Cost: a signature to verify the first time, about 60 µs; afterwards some ten microseconds.
    ///
    /// - Parameters:
    ///   - scope: What it must allow.
    ///   - audience: For whom it must be; nil for the directory's own interfaces, which is the issuer.
    /// - Returns: The person is nil where the token stands for the backend itself.
    public func check(
        accessToken: String, allowing scope: String, for audience: String? = nil
    ) throws -> (token: AccessToken, person: Person?)? {
        guard let (token, _) = try oauth.checker.check(accessToken),
            token.audiences.contains(audience ?? oauth.issuer), token.scopes.contains(scope)
        else { return nil }
        guard case .holder = token.subject else { return (token, nil) }
        guard var person = try oauth.person(of: token) else { return nil }
        person.means = token.claims["amr"]?.elements.compactMap(\.text) ?? []
        person.signedIn = token.claims["auth_time"]?.seconds.map { Date(timeIntervalSince1970: $0) }
        return (token, person)
    }

    /// Ends a token of a backend (RFC 7009): a refresh token with all that was made of it, an access token alone.
    public func revoke(
        _ token: String, clientID: String, secret: String? = nil, from origin: String = "app"
    ) async throws {
        try await oauth.revoke(token, by: ClientProof(clientID: clientID, secret: secret), from: origin)
    }

    /// The public keys by which others verify our tokens: a JSON Web Key Set (RFC 7517).
    public var publicKeys: Data { Data(oauth.keys.published.bytes) }

    /// Makes a new signing key, which signs five minutes later: by then everybody who keeps ``publicKeys`` for as long at most
    /// has seen it. Tokens that the old one signed are good until they end.
    ///
    /// - Parameter algorithm: `ES256`, `RS256` or `EdDSA`.
    /// - Throws: `DirectoryError` `invalidInput` for another one.
    public func rotateKey(_ algorithm: String = "ES256") throws {
        guard let signing = SignatureAlgorithm(rawValue: algorithm), [.es256, .rs256, .edDSA].contains(signing) else {
            throw DirectoryError(
                .invalidInput, "'\(algorithm.prefix(16))' signs no tokens here.", advice: "Take ES256, RS256 or EdDSA.")
        }
        try oauth.keys.rotate(signing, by: "the app")
    }
}

public import Foundation
public import Roster
import RosterWire

/// Backends, and the tokens that they are given.
extension SignIn {
    /// What a new backend is told, once.
    public struct NewBackend: Sendable, Hashable {
        /// `client_id`.
        public let clientID: String
        /// `client_secret`; nil for a public client. It is stored as a digest.
        public let secret: String?
        /// For `Oracle-Mobile-Backend-ID`.
        public let backendID: String
        /// Stands for the backend where no user has signed in. It is stored as a digest.
        public let anonymousKey: String

        init(_ backend: Backend, _ secrets: Backend.Secrets) {
            clientID = backend.record.clientID
            secret = secrets.secret
            backendID = backend.record.backendID
            anonymousKey = secrets.anonymousKey
        }
    }

    /// Makes a backend: an app or a program that gets tokens, the client of OAuth.
    ///
    /// - Parameters:
    ///   - settings: JSON, as `roster backend create --settings` and `POST /admin/backends` take it.
    ///   - view: An administrator's.
    /// - Throws: `DirectoryError` `invalidInput`, which names the setting; `alreadyExists`, `notPermitted`.
    public func createBackend(
        named name: String, version: String = "1.0", settings: String = "{}", in view: DirectoryView
    ) async throws -> NewBackend {
        let (backend, secrets) = try await Backend.create(
            Backend.Description(Array(settings.utf8), name: name, version: version), seal: oauth.keys.seal, in: view)
        return NewBackend(backend, secrets)
    }

    /// Makes the backends of a seed, and gives those that are there already the settings that it has.
    ///
    /// - Returns: Those for which the seed has no secret, with the one that was made up.
    /// - Throws: `DirectoryError` `invalidInput`, which names the line.
    @discardableResult
    public func loadBackends(of seed: Seed, in view: DirectoryView) async throws -> [NewBackend] {
        try await Backend.load(seed, seal: oauth.keys.seal, in: view).map(NewBackend.init)
    }

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
        try await oauth.tokens(request.form(clientID: clientID, secret: secret), authorization: nil, from: origin)
    }

    /// Gives tokens to a backend for somebody whom the app itself has signed in.
    ///
    /// - Parameters:
    ///   - scope: What they are to allow, with spaces between; nil for all that the backend may have.
    ///   - means: How the person proved who they are (RFC 8176).
    /// - Throws: ``OAuthError`` `invalidClient` for a backend that is not there or disabled, `invalidScope`;
    ///   `DirectoryError`.
    public func tokens(
        for person: Person, clientID: String, scope: String? = nil, means: [String] = ["pwd"],
        from origin: String = "app"
    ) async throws -> Tokens {
        try await oauth.tokens(for: person, clientID: clientID, scope: scope, means: means, from: origin)
    }

    /// An access token that is good at this moment, and whom it stands for; nil where it is none of ours, is for others, has
    /// expired or was ended. (RFC 7662's answer, in the process.)
    ///
    /// Cost: a signature to verify the first time, about 60 µs; afterwards some ten microseconds.
    ///
    /// - Parameter audience: For whom it must be; nil for the directory's own interfaces, which is the issuer.
    /// - Returns: The person is nil where the token stands for the backend itself.
    public func check(
        accessToken: String, for audience: String? = nil
    ) throws -> (token: AccessToken, person: Person?)? {
        guard let (token, _) = try oauth.checker.check(accessToken),
            token.audiences.contains(audience ?? oauth.issuer)
        else { return nil }
        guard case .holder = token.subject else { return (token, nil) }
        guard let person = try oauth.person(of: token) else { return nil }
        return (token, person)
    }

    /// Ends a token of a backend (RFC 7009): a refresh token with all that was made of it, an access token alone.
    public func revoke(
        _ token: String, clientID: String, secret: String? = nil, from origin: String = "app"
    ) async throws {
        let form = try TokenRequest.form([("token", token)], clientID: clientID, secret: secret)
        try await oauth.revoke(form, authorization: nil, from: origin)
    }

    /// The public keys by which others verify our tokens: a JSON Web Key Set (RFC 7517).
    public var publicKeys: Data { Data(oauth.keys.published.bytes) }
}

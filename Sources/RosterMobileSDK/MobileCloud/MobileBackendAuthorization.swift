public import Foundation
import RosterClient
import RosterCrypto
import RosterOpenID
public import RosterSecrets
public import RosterText
public import RosterTransport

/// A backend of the mobile platform, as its administrator shows it.
///
/// The description has the id and the version only.
public struct MobileBackend: Sendable, Hashable, CustomStringConvertible, Redacted {
    /// The server's URL, without a path.
    public var baseURL: URL
    /// The backend's id, for the field `Oracle-Mobile-Backend-ID`.
    public var backendID: String
    /// The backend's version.
    public var version: String
    /// The key for calls without a signed-in user; nil for none.
    public var anonymousKey: String?
    /// The client id, with which users sign in with OAuth; nil to send the user's name and password with each call (HTTP Basic).
    public var clientID: String?
    /// The client secret; nil for an app that cannot keep one, such as all apps that users install.
    public var clientSecret: String?

    /// Names a backend.
    public init(
        baseURL: URL, backendID: String, version: String = "1.0", anonymousKey: String? = nil, clientID: String? = nil,
        clientSecret: String? = nil
    ) {
        (self.baseURL, self.backendID, self.version) = (baseURL, backendID, version)
        (self.anonymousKey, self.clientID, self.clientSecret) = (anonymousKey, clientID, clientSecret)
    }

    /// The id and the version.
    public var description: String { "backend \(backendID) \(version)" }
}

/// The authorization of calls to a mobile backend, after Oracle Mobile Hub's `OMCAuthorization`.
///
/// A user comes in one of three ways, and the last one counts: with a token of another issuer that the server trusts, which is exchanged
/// for a token of the server; with name and password; or with the access token of a social provider. An exchanged token has no refresh
/// token: when the token has ended, the app exchanges another one.
///
/// A `RESTClient` and a `DirectoryView` take an authorization as they take an `Account`.
public final class MobileBackendAuthorization: Sendable, Redacted {
    struct Token {
        let text: String
        let obtained: Double
        let lifetime: Double

        func isAlive(_ now: Date) -> Bool {
            let age = now.timeIntervalSince1970 - obtained
            return age >= -60 && age < lifetime
        }
    }

    let backend: MobileBackend
    private let store: SecureStore
    let connection: ProviderConnection
    let clock: @Sendable () -> Date
    /// The server's URL without a slash at its end.
    let base: String
    private let key: String
    /// Signs users in with OAuth; nil if the backend has no client id.
    let authenticator: Authenticator?
    let state = Locked(State())

    struct State {
        var token: Token?
        /// How the user came, unless by an exchange.
        var login: Login?
        /// The latest exchange. A later one, and `clearSSOTokenExchange`, end it: a late answer for one user must not take the place
        /// of the next user.
        var exchange: String?
    }

    private static let prefix = "mobile-backend/"

    /// Makes an authorization. Nothing is sent or read.
    ///
    /// - Parameters:
    ///   - backend: The backend.
    ///   - store: Where the token is kept.
    ///   - transport: The connections to use. A transport that the app gives can be shared, and is closed by the app.
    /// - Throws: `ClientError` `badConfiguration` for a URL that is not https, and not of this machine; for an id that no header field
    ///   can carry.
    public convenience init(_ backend: MobileBackend, store: SecureStore, transport: Transport = .shared) throws {
        try self.init(backend, store: store, transport: transport, clock: { Date() })
    }

    package init(
        _ backend: MobileBackend, store: SecureStore, transport: Transport, clock: @escaping @Sendable () -> Date
    ) throws {
        base = try Self.checkedBase(backend)
        (self.backend, self.store, self.clock) = (backend, store, clock)
        connection = ProviderConnection(transport: transport, clock: clock)
        // A stored token belongs to its backend and version.
        key =
            Self.prefix + (try SHA256.hex("\(base)\n\(backend.backendID)\n\(backend.version)")).prefix(32)
        let issuer = base
        authenticator = try backend.clientID.map { id in
            try Authenticator(
                AppRegistration(
                    issuer: issuer, clientID: id, clientSecret: backend.clientSecret,
                    scopes: ["openid", "profile", "offline_access", "directory"]),
                store: store, transport: transport, clock: clock)
        }
    }

    /// Checks a backend.
    ///
    /// - Returns: The server's URL without a slash at its end.
    private static func checkedBase(_ backend: MobileBackend) throws(ClientError) -> String {
        guard let base = ServerURL.base(backend.baseURL) else {
            throw ClientError(
                .badConfiguration, "'baseURL' is not an https URL.",
                advice: "Give the server's URL without path and query. Only a server on this machine needs no TLS.")
        }
        for (name, text) in [("backendID", backend.backendID), ("version", backend.version)] {
            guard (1...512).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw ClientError(
                    .badConfiguration, "'\(name)' is empty, too long, or has other characters than visible ASCII.",
                    advice: "Give the backend's id and version as its administrator shows them.")
            }
        }
        return base
    }

    /// Exchanges a token of another issuer for a token of the server. Mirrors
    /// `authenticateSSOTokenExchange:storeAccessToken:completionBlock:`.
    ///
    /// The new token takes the place of the last one, in memory and in the store. Of two exchanges at once, the one that began later
    /// counts.
    ///
    /// - Parameters:
    ///   - token: A JWT, or a SAML assertion in base64.
    ///   - storeAccessToken: Whether the server's token is kept in the store, so that the user stays signed in until it expires.
    /// - Throws: `ClientError`: `wrongCredentials` if the server does not accept the token; `signInExpired` if another exchange or
    ///   ``clearSSOTokenExchange()`` came meanwhile; `badConfiguration`, `unreachable`, `serverBusy`, `serverFailed`, `badAnswer`; the
    ///   errors of the store; `CancellationError`.
    public func authenticateSSOTokenExchange(_ token: String, storeAccessToken: Bool) async throws {
        guard token.utf8.count <= 65_536, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !token.isEmpty else {
            throw ClientError.invalidInput(
                "The token to exchange has characters that no token has.", "Give a JWT, or an assertion in base64.")
        }
        let exchange = try ClientError.wrapping { try SecureRandom.token(bytes: 16) }
        state.withLock { $0.exchange = exchange }
        let exchangeKey = key + "/exchange"
        try await changing { store, _ in try store.set(Array(exchange.utf8), named: exchangeKey) }
        do {
            let answer = try await answer(to: token)
            let now = clock().timeIntervalSince1970
            let json: JSONValue = [
                "access_token": .string(answer.accessToken), "obtained": .decimal(now),
                "expires_in": .decimal(answer.lifetime),
            ]
            try Task.checkCancellation()
            try await changing { [state] store, key in
                guard try store.bytes(named: exchangeKey) == Array(exchange.utf8) else { throw Self.tooLate }
                if storeAccessToken {
                    try store.set(json.bytes, named: key)
                } else {
                    try store.remove(named: key)
                }
                let isLatest = state.withLock { state in
                    guard state.exchange == exchange else { return false }
                    state.token = Token(text: answer.accessToken, obtained: now, lifetime: answer.lifetime)
                    state.login = nil
                    return true
                }
                guard isLatest else {
                    try store.remove(named: key)
                    throw Self.tooLate
                }
                // The token is in use, also if this value stays. Nothing can be done with it.
                try? store.remove(named: exchangeKey)
            }
        } catch {
            _ = try? await changing { store, _ in
                if try store.bytes(named: exchangeKey) == Array(exchange.utf8) { try store.remove(named: exchangeKey) }
            }
            throw error
        }
    }

    private static let tooLate = ClientError(
        .signInExpired, "Another exchange, or a call to 'clearSSOTokenExchange', came after this exchange had begun.",
        advice: "Exchange the token of the user who is to be signed in.")

    /// Changes the stored tokens, while no other process changes them. A task that is cancelled still finishes the change.
    func changing(_ body: @escaping @Sendable (_ store: SecureStore, _ key: String) throws -> Void) async throws {
        let (store, key) = (store, key)
        try await Task.detached { try await store.withLock(Self.prefix) { try body(store, key) } }.value
    }

    private func answer(to token: String) async throws -> TokenAnswer {
        let request = TransportRequest(
            "GET", base + "/mobile/platform/sso/exchange-token",
            headers: [
                "Accept": "application/json", "Authorization": "Bearer " + token,
                Self.backendField: backend.backendID,
            ])
        let reply: ProviderConnection.Reply
        do { reply = try await connection.send(request, deadline: .seconds(15)) } catch let error as TransportError {
            throw ClientError(error)
        }
        if ["invalid_grant", "invalid_token"].contains(reply.refusal) {
            throw ClientError(
                .wrongCredentials, "The server does not accept the token of the other issuer.",
                advice: "Get a new token from the issuer, and check that the server trusts the issuer.")
        }
        guard reply.status == 200, let json = reply.json else { throw reply.failure(at: "token exchange") }
        return try TokenAnswer(json)
    }

    /// Takes the stored token into use, such as when the app starts. Mirrors `loadSSOTokenExchange`.
    ///
    /// - Returns: Whether there is a stored token of this backend and version that has not expired.
    /// - Throws: The errors of the store.
    public func loadSSOTokenExchange() throws -> Bool {
        guard let json = try store.bytes(named: key).flatMap({ try? JSONValue(parsing: $0) }),
            let text = json["access_token"]?.text, let obtained = json["obtained"].flatMap(TokenTimes.seconds),
            let lifetime = json["expires_in"].flatMap(TokenTimes.seconds)
        else { return false }
        let found = Token(text: text, obtained: obtained, lifetime: lifetime)
        guard found.isAlive(clock()) else { return false }
        state.withLock { ($0.token, $0.login) = (found, nil) }
        return true
    }

    /// Removes the token from memory, and stored tokens of all backends and versions from the store. An exchange that is under way
    /// fails. Mirrors `clearSSOTokenExchange`.
    ///
    /// - Throws: The errors of the store.
    public func clearSSOTokenExchange() async throws {
        state.withLock { ($0.token, $0.exchange) = (nil, nil) }
        try await changing { store, _ in try store.removeAll(withPrefix: Self.prefix) }
    }

    /// The header fields that authorize a call to the backend's APIs as the user. Mirrors `setHTTPHeadersOnURLRequest:`.
    ///
    /// The calling thread waits while the token of a user who signed in with OAuth is renewed. In asynchronous code take a
    /// `RESTClient`, which also renews a token that an API has refused.
    ///
    /// - Throws: `ClientError` `notSignedIn` if there is no token, or it has expired; the errors of
    ///   `Account.validAccessTokenAndWait(scopes:)`.
    public func fields() throws -> TransportHeaders {
        let token = try tokenAndWait(replacing: nil, [])
        var fields = token.fields
        fields["Authorization"] = "\(token.scheme) \(token.text)"
        return fields
    }

    /// The header fields that authorize a call to the backend's APIs without a user.
    ///
    /// - Throws: `ClientError` `badConfiguration` if the backend was named without an anonymous key.
    public func anonymousFields() throws -> TransportHeaders {
        guard let key = backend.anonymousKey else {
            throw ClientError(
                .badConfiguration, "The backend has no anonymous key.", advice: "Give the key, or sign in first.")
        }
        return ["Authorization": "Basic " + key, Self.backendField: backend.backendID]
    }

    static let backendField = "Oracle-Mobile-Backend-ID"
}

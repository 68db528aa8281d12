package import Foundation
import RosterCrypto
import RosterOpenID
import RosterText
public import RosterTransport

/// A backend of the mobile platform, as its administrator shows it.
///
/// The description has the id and the version only.
public struct MobileBackend: Sendable, Hashable, CustomStringConvertible, Redacted {
    /// The server's URL, without a path.
    public var baseURL: String
    /// The backend's id, for the field `Oracle-Mobile-Backend-ID`.
    public var backendID: String
    /// The backend's version.
    public var version: String
    /// The key for calls without a signed-in user; nil for none.
    public var anonymousKey: String?

    /// Names a backend.
    public init(baseURL: String, backendID: String, version: String = "1.0", anonymousKey: String? = nil) {
        (self.baseURL, self.backendID, self.version) = (baseURL, backendID, version)
        self.anonymousKey = anonymousKey
    }

    /// The id and the version.
    public var description: String { "backend \(backendID) \(version)" }
}

/// The authorization of calls to a mobile backend, after Oracle Mobile Hub's `OMCAuthorization`.
///
/// The user's app has a token of another issuer that the server trusts, and exchanges it for a token of the server. There is no refresh
/// token: when the token has ended, the app exchanges another one.
public final class MobileBackendAuthorization: Sendable, Redacted {
    private struct Token {
        let text: String
        let obtained: Double
        let lifetime: Double

        func isAlive(_ now: Date) -> Bool {
            let age = now.timeIntervalSince1970 - obtained
            return age >= -60 && age < lifetime
        }
    }

    private let backend: MobileBackend
    private let store: SecureStore
    private let connection: ProviderConnection
    private let clock: @Sendable () -> Date
    private let key: String
    private let token = Locked<Token?>(nil)

    private static let prefix = "mobile-backend/"

    /// Makes an authorization. Nothing is sent or read.
    ///
    /// - Parameters:
    ///   - backend: The backend.
    ///   - store: Where the token is kept.
    ///   - transport: How the server is reached.
    /// - Throws: ``ClientError`` `badConfiguration` for a URL that is not https, and not of this machine.
    public convenience init(_ backend: MobileBackend, store: SecureStore, transport: Transport = Transport()) throws {
        try self.init(backend, store: store, transport: transport, clock: { Date() })
    }

    package init(
        _ backend: MobileBackend, store: SecureStore, transport: Transport, clock: @escaping @Sendable () -> Date
    ) throws {
        // The URL has the form of an issuer.
        try AppRegistration(issuer: backend.baseURL, clientID: backend.backendID).check()
        (self.backend, self.store, self.clock) = (backend, store, clock)
        connection = ProviderConnection(transport: transport)
        // A stored token belongs to its backend and version.
        key =
            Self.prefix + (try SHA256.hex("\(backend.baseURL)\n\(backend.backendID)\n\(backend.version)")).prefix(32)
    }

    /// Exchanges a token of another issuer for a token of the server. Mirrors
    /// `authenticateSSOTokenExchange:storeAccessToken:completionBlock:`.
    ///
    /// - Parameters:
    ///   - token: A JWT, or a SAML assertion in base64.
    ///   - storeAccessToken: Whether the server's token is kept in the store, so that the user stays signed in until it expires.
    /// - Throws: ``ClientError``: `wrongCredentials` if the server does not accept the token; `badConfiguration`, `unreachable`,
    ///   `serverBusy`, `serverFailed`, `badAnswer`; the errors of the store; `CancellationError`.
    public func authenticateSSOTokenExchange(_ token: String, storeAccessToken: Bool) async throws {
        guard token.utf8.count <= 65_536, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }), !token.isEmpty else {
            throw ClientError.invalidInput(
                "The token to exchange has characters that no token has.", "Give a JWT, or an assertion in base64.")
        }
        var base = backend.baseURL
        while base.hasSuffix("/") { base.removeLast() }
        let request = TransportRequest(
            "GET", base + "/mobile/platform/sso/exchange-token",
            headers: [
                "Accept": "application/json", "Authorization": "Bearer " + token,
                "Oracle-Mobile-Backend-ID": backend.backendID,
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
        let answer = try TokenAnswer(json)
        let now = clock().timeIntervalSince1970
        if storeAccessToken {
            let json: JSONValue = [
                "access_token": .string(answer.accessToken), "obtained": .decimal(now),
                "expires_in": .decimal(answer.lifetime),
            ]
            try store.set(json.bytes, named: key)
        }
        self.token.withLock { $0 = Token(text: answer.accessToken, obtained: now, lifetime: answer.lifetime) }
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
        token.withLock { $0 = found }
        return true
    }

    /// Removes the token from memory, and stored tokens of all backends and versions from the store. Mirrors
    /// `clearSSOTokenExchange`.
    ///
    /// - Throws: The errors of the store.
    public func clearSSOTokenExchange() throws {
        token.withLock { $0 = nil }
        try store.removeAll(withPrefix: Self.prefix)
    }

    /// The header fields that authorize a call to the backend's APIs as the user.
    ///
    /// - Throws: ``ClientError`` `notSignedIn` if there is no token, or it has expired.
    public func fields() throws -> TransportHeaders {
        let now = clock()
        guard let token = token.withLock({ $0 }), token.isAlive(now) else {
            throw ClientError.notSignedIn("There is no token of the backend, or it has expired.")
        }
        return fields("Bearer " + token.text)
    }

    /// The header fields that authorize a call to the backend's APIs without a user.
    ///
    /// - Throws: ``ClientError`` `badConfiguration` if the backend was named without an anonymous key.
    public func anonymousFields() throws -> TransportHeaders {
        guard let key = backend.anonymousKey else {
            throw ClientError(
                .badConfiguration, "The backend has no anonymous key.", advice: "Give the key, or sign in first.")
        }
        return fields("Basic " + key)
    }

    private func fields(_ authorization: String) -> TransportHeaders {
        ["Authorization": authorization, "Oracle-Mobile-Backend-ID": backend.backendID]
    }
}

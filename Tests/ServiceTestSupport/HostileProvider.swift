import Foundation
import RosterClient
import RosterOpenID
import RosterSignIn
import RosterText
import RosterTransport
import TestSupport
import Testing

/// An OpenID provider of plain sockets with a key of its own, each of whose answers a test can replace.
final class FakeProvider: Sendable {
    static let clientID = "the app"
    static let accessToken = "the-access-token"
    static let refreshToken = "the-refresh-token"
    static let secret = "a secret of more than thirty-two bytes"

    /// What a test changes.
    struct Script: Sendable {
        /// Sends an answer itself for a path; false for the usual answer.
        var serve: @Sendable (_ path: String, Peer) -> Bool = { _, _ in false }
        /// Changes the discovery document.
        var discovery: @Sendable (inout JSONValue) -> Void = { _ in }
        /// Changes the claims of the id token.
        var claims: @Sendable (inout JSONValue) -> Void = { _ in }
        /// Makes the id token of its claims; nil for one that is signed with the published key.
        var token: (@Sendable (JSONValue) throws -> String)?
        /// Changes the answer of the token endpoint.
        var answer: @Sendable (inout JSONValue) -> Void = { _ in }
        /// The `Date` field of the answers.
        var date: Date?
    }

    private final class Shared: Sendable {
        let script: Script
        let keys: Locked<[SigningKey]>
        let nonce = Locked("")
        let url = Locked("")
        let seen = Locked<[(path: String, body: String)]>([])

        init(_ script: Script, _ key: SigningKey) {
            self.script = script
            keys = Locked([key])
        }
    }

    let key: SigningKey
    let otherKey: SigningKey
    private let shared: Shared
    private let server: SocketServer
    var url: String { server.url }

    /// The paths that were asked for.
    var paths: [String] { shared.seen.withLock { $0.map(\.path) } }

    /// The bodies of the requests for a path.
    func bodies(of path: String) -> [String] {
        shared.seen.withLock { $0.filter { $0.path == path }.map(\.body) }
    }

    init(_ script: Script = Script()) throws {
        (key, otherKey) = (try SigningKey(generating: .es256), try SigningKey(generating: .es256))
        let shared = Shared(script, key)
        self.shared = shared
        server = try SocketServer { peer in
            while let request = peer.request() {
                let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                shared.seen.withLock { $0.append((path, request.body)) }
                if shared.script.serve(path, peer) { return }
                peer.send((try? Self.answer(path, shared)) ?? SocketServer.answer("", "500 Broken"))
            }
        }
        shared.url.withLock { $0 = server.url }
    }

    /// Publishes other keys from now on, and signs with the first of them.
    func publish(_ keys: [SigningKey]) { shared.keys.withLock { $0 = keys } }

    private static func answer(_ path: String, _ shared: Shared) throws -> String {
        let url = shared.url.withLock { $0 }
        let script = shared.script
        var json: JSONValue
        switch path {
        case "/.well-known/openid-configuration":
            json = [
                "issuer": .string(url), "authorization_endpoint": .string(url + "/authorize"),
                "token_endpoint": .string(url + "/token"), "jwks_uri": .string(url + "/keys"),
                "device_authorization_endpoint": .string(url + "/device"),
                "authorization_response_iss_parameter_supported": true,
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            ]
            script.discovery(&json)
        case "/keys": json = ["keys": .array(shared.keys.withLock { $0 }.map(\.publicKey))]
        case "/token":
            let now = Int64(Date().timeIntervalSince1970)
            var claims: JSONValue = [
                "iss": .string(url), "aud": .string(clientID), "sub": "mira", "iat": .integer(now),
                "exp": .integer(now + 300), "nonce": .string(shared.nonce.withLock { $0 }),
            ]
            script.claims(&claims)
            let key = shared.keys.withLock { $0[0] }
            let token = try script.token?(claims) ?? key.sign(claims.members, type: "JWT")
            json = [
                "access_token": .string(accessToken), "token_type": "Bearer", "expires_in": 300,
                "refresh_token": .string(refreshToken), "id_token": .string(token),
            ]
            script.answer(&json)
        default: return SocketServer.answer("", "404 Not Found")
        }
        let date = script.date.map { "Date: \(field($0))\r\n" } ?? ""
        return SocketServer.answer(json.written, headers: "Content-Type: application/json\r\n" + date)
    }

    private static func field(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        return formatter.string(from: date)
    }

    func authenticator(
        in folder: URL, secret: String? = nil, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws -> Authenticator {
        try Authenticator(
            AppRegistration(
                issuer: url, clientID: Self.clientID, clientSecret: secret, redirect: .url(ServedApp.customURL)),
            store: try ServedApp.store(in: folder), transport: Transport(), clock: clock, sleep: { _ in })
    }

    /// Signs in as if the browser had been there.
    func signIn(
        _ authenticator: Authenticator, maximumAge: Int? = nil,
        changing: @escaping @Sendable (String) -> String = { $0 }
    ) async throws -> Account {
        let (shared, url) = (shared, url)
        return try await authenticator.signIn(maximumAge: maximumAge) { loginURL, redirectURL, continuation in
            let items = URLComponents(url: loginURL, resolvingAgainstBaseURL: false)?.queryItems ?? []
            func value(_ name: String) -> String { items.first { $0.name == name }?.value ?? "" }
            shared.nonce.withLock { $0 = value("nonce") }
            let issuer = PercentEncoding.text(url)
            continuation(
                URL(
                    string: changing(
                        "\(redirectURL.absoluteString)?code=the-code&state=\(value("state"))&iss=\(issuer)")))
        }
    }
}

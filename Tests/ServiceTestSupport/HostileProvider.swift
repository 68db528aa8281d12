package import Foundation
package import RosterClient
import RosterOpenID
package import RosterSecrets
package import RosterSignIn
package import RosterText
package import RosterTransport
package import TestSupport

/// An OpenID provider of plain sockets with keys of its own, each of whose answers a test can replace.
package final class HostileProvider: Sendable {
    package static let clientID = "the app"
    package static let accessToken = "the-access-token"
    package static let refreshToken = "the-refresh-token"
    package static let secret = "a secret of more than thirty-two bytes"
    package static let redirectURL = "com.example.shop:/callback"

    /// What a test changes.
    package struct Script: Sendable {
        /// Sends an answer itself for a path; false for the usual answer.
        package var serve: @Sendable (_ path: String, Peer) -> Bool
        /// Changes the discovery document.
        package var discovery: @Sendable (inout JSONValue) -> Void = { _ in }
        /// Changes the claims of the id token.
        package var claims: @Sendable (inout JSONValue) -> Void = { _ in }
        /// Makes the id token of its claims; nil for one that is signed with the first published key.
        package var token: (@Sendable (JSONValue) throws -> String)?
        /// Changes the answer of the token endpoint.
        package var answer: @Sendable (inout JSONValue) -> Void = { _ in }
        /// Whether each refresh token is good once, and its reuse ends the sign-in. Each answer has other tokens then.
        package var rotates = false
        /// The provider's time, for its id tokens.
        package var now: @Sendable () -> Date = { Date() }
        /// The `Date` field of the answers.
        package var date: Date?

        package init(serve: @escaping @Sendable (_ path: String, Peer) -> Bool = { _, _ in false }) {
            self.serve = serve
        }
    }

    private struct State {
        var script: Script
        var keys: [SigningKey]
        var nonce = ""
        var url = ""
        var seen: [(path: String, body: String)] = []
        /// The number of the last tokens.
        var number = 0
        var hasEnded = false
    }

    package let key: SigningKey
    package let otherKey: SigningKey
    private let state: Shared
    private let server: SocketServer
    package var url: String { server.url }

    private final class Shared: Sendable {
        let locked: Locked<State>
        init(_ state: State) { locked = Locked(state) }
    }

    /// The paths that were asked for.
    package var paths: [String] { state.locked.withLock { $0.seen.map(\.path) } }

    /// The bodies of the requests for a path.
    package func bodies(of path: String) -> [String] {
        state.locked.withLock { $0.seen.filter { $0.path == path }.map(\.body) }
    }

    /// The number of requests to renew tokens.
    package var renewals: Int { bodies(of: "/token").count { $0.contains("grant_type=refresh_token") } }

    package init(_ script: Script = Script()) throws {
        (key, otherKey) = (try SigningKey(generating: .es256), try SigningKey(generating: .es256))
        let state = Shared(State(script: script, keys: [key]))
        self.state = state
        server = try SocketServer { peer in
            while let request = peer.request() {
                let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                let script = state.locked.withLock { state in
                    state.seen.append((path, request.body))
                    return state.script
                }
                if script.serve(path, peer) { return }
                let answer = try? Self.answer(path, request.body, script, state)
                peer.send(answer ?? SocketServer.answer("", "500 Broken"))
            }
        }
        state.locked.withLock { $0.url = server.url }
    }

    /// Publishes other keys from now on, and signs with the first of them.
    package func publish(_ keys: [SigningKey]) { state.locked.withLock { $0.keys = keys } }

    /// Changes what the provider does from now on.
    package func change(_ body: (inout Script) -> Void) { state.locked.withLock { body(&$0.script) } }

    /// Answers each request for a path with a text from now on, and closes the connection.
    package func answer(_ asked: String, with text: String) {
        change { script in
            script.serve = { path, peer in
                guard path == asked else { return false }
                peer.send(text)
                return true
            }
        }
    }

    /// Does what the provider should from now on.
    package func behave() { change { $0 = $0.sound } }

    private static func answer(_ path: String, _ body: String, _ script: Script, _ shared: Shared) throws -> String {
        let url = shared.locked.withLock { $0.url }
        var json: JSONValue
        switch path {
        case "/.well-known/openid-configuration":
            json = [
                "issuer": .string(url), "authorization_endpoint": .string(url + "/authorize"),
                "token_endpoint": .string(url + "/token"), "jwks_uri": .string(url + "/keys"),
                "device_authorization_endpoint": .string(url + "/device"),
                "revocation_endpoint": .string(url + "/revoke"),
                "authorization_response_iss_parameter_supported": true,
                "token_endpoint_auth_methods_supported": ["client_secret_post"],
            ]
            script.discovery(&json)
        case "/keys": json = ["keys": .array(shared.locked.withLock { $0.keys }.map(\.publicKey))]
        case "/revoke": json = [:]
        case "/token":
            guard let number = shared.locked.withLock({ number(of: body, script, &$0) }) else {
                return SocketServer.answer(#"{"error":"invalid_grant"}"#, "400 Bad Request")
            }
            let suffix = number.map { "-\($0)" } ?? ""
            json = [
                "access_token": .string(accessToken + suffix), "token_type": "Bearer", "expires_in": 300,
                "refresh_token": .string(refreshToken + suffix), "id_token": .string(try idToken(script, shared)),
            ]
            script.answer(&json)
        default: return SocketServer.answer("", "404 Not Found")
        }
        let date = script.date.map { "Date: \(field($0))\r\n" } ?? ""
        return SocketServer.answer(json.written, headers: "Content-Type: application/json\r\n" + date)
    }

    /// The number of the next tokens, which is nil for tokens that stay the same.
    ///
    /// - Returns: nil if a refresh token is used again, or after that.
    private static func number(of body: String, _ script: Script, _ state: inout State) -> Int?? {
        guard script.rotates else { return .some(nil) }
        if body.contains("grant_type=refresh_token") {
            if state.hasEnded || !"\(body)&".contains("refresh_token=\(refreshToken)-\(state.number)&") {
                state.hasEnded = true
                return nil
            }
        }
        state.number += 1
        return .some(state.number)
    }

    private static func idToken(_ script: Script, _ shared: Shared) throws -> String {
        let now = Int64(script.now().timeIntervalSince1970)
        let (url, nonce, key) = shared.locked.withLock { ($0.url, $0.nonce, $0.keys[0]) }
        var claims: JSONValue = [
            "iss": .string(url), "aud": .string(clientID), "sub": "mira", "iat": .integer(now),
            "exp": .integer(now + 300), "nonce": .string(nonce), "preferred_username": "mira.schmidt",
        ]
        script.claims(&claims)
        return try script.token?(claims) ?? key.sign(claims.members, type: "JWT")
    }

    /// A date as header fields have it.
    package static func field(_ date: Date, _ format: String = "EEE, dd MMM yyyy HH:mm:ss 'GMT'") -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(identifier: "GMT")
        formatter.dateFormat = format
        return formatter.string(from: date)
    }

    /// The store of an app in a folder.
    package static func store(in folder: URL) throws -> SecureStore {
        try SecureStore(
            file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
    }

    /// An app after its start.
    package func authenticator(
        in folder: URL, secret: String? = nil, redirect: AppRegistration.Redirect = .url(redirectURL),
        transport: Transport = Transport(), clock: @escaping @Sendable () -> Date = { Date() },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in }
    ) throws -> Authenticator {
        try Authenticator(
            AppRegistration(issuer: url, clientID: Self.clientID, clientSecret: secret, redirect: redirect),
            store: try Self.store(in: folder), transport: transport, clock: clock, sleep: sleep)
    }

    /// Takes the nonce of a sign-in page's URL into the next id token.
    ///
    /// - Returns: The state.
    package func visit(_ loginURL: URL) -> String {
        state.locked.withLock { $0.nonce = Self.parameter("nonce", of: loginURL) ?? "" }
        return Self.parameter("state", of: loginURL) ?? ""
    }

    /// A parameter of a URL.
    package static func parameter(_ name: String, of url: URL) -> String? {
        URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems?.first { $0.name == name }?.value
    }

    /// Signs in as if the browser had been there.
    package func signIn(
        _ authenticator: Authenticator, maximumAge: Int? = nil,
        changing: @escaping @Sendable (String) -> String = { $0 }
    ) async throws -> Account {
        try await authenticator.signIn(maximumAge: maximumAge) { [self] loginURL, redirectURL, continuation in
            let (state, issuer) = (visit(loginURL), PercentEncoding.text(url))
            continuation(
                URL(string: changing("\(redirectURL.absoluteString)?code=the-code&state=\(state)&iss=\(issuer)")))
        }
    }
}

extension HostileProvider.Script {
    /// What a provider with the same clock should do.
    fileprivate var sound: Self {
        var script = Self()
        (script.rotates, script.now) = (rotates, now)
        return script
    }
}

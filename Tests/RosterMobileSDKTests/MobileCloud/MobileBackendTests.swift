import Foundation
import RosterClient
import RosterMobileSDK
import RosterSecrets
import RosterSignIn
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Authorizing calls to a mobile backend", .timeLimit(.minutes(1)))
struct MobileBackendTests {
    private func server(_ body: String, _ status: String = "200 OK", seen: Gathered<Peer.Request>) throws
        -> SocketServer
    {
        try SocketServer { peer in
            while let request = peer.request() {
                seen.append(request)
                peer.send(SocketServer.answer(body, status))
            }
        }
    }

    private let answer = "{\"access_token\":\"ours\",\"token_type\":\"Bearer\",\"id_token\":null,\"expires_in\":21600}"

    @Test("A token is exchanged, stored, found after a start until it expires, and cleared")
    func exchange() async throws {
        try await withFolder { folder in
            let store = try ServedApp.store(in: folder)
            let seen = Gathered<Peer.Request>()
            let server = try server(answer, seen: seen)
            let clock = SettableClock(Date())
            let backend = MobileBackend(baseURL: try url(server.url + "/"), backendID: "the-backend")
            func start(_ backend: MobileBackend) throws -> MobileBackendAuthorization {
                try MobileBackendAuthorization(backend, store: store, transport: Transport(), clock: { clock.now })
            }
            let first = try start(backend)
            #expect(try !first.loadSSOTokenExchange())
            try await first.authenticateSSOTokenExchange("theirs", storeAccessToken: true)
            let request = seen.all[0]
            #expect(request.line == "GET /mobile/platform/sso/exchange-token HTTP/1.1")
            #expect(request.field("Authorization") == "Bearer theirs")
            #expect(request.field("Oracle-Mobile-Backend-ID") == "the-backend")
            #expect(try first.fields()["Authorization"] == "Bearer ours")
            let second = try start(backend)
            #expect(throws: ClientError.self) { try second.fields() }
            #expect(try second.loadSSOTokenExchange())
            #expect(try second.fields()["Authorization"] == "Bearer ours")
            var newer = backend
            newer.version = "2.0"
            #expect(try !start(newer).loadSSOTokenExchange(), "the token is of another version of the backend")
            clock.advance(by: 21_601)
            #expect(throws: ClientError.self) { try second.fields() }
            #expect(try !start(backend).loadSSOTokenExchange())
            try await second.clearSSOTokenExchange()
            #expect(try store.names(withPrefix: "").isEmpty)
        }
    }

    @Test("Without storeAccessToken nothing is stored, and a refused token is a typed error")
    func refusals() async throws {
        try await withFolder { folder in
            let store = try ServedApp.store(in: folder)
            let seen = Gathered<Peer.Request>()
            let good = try server(answer, seen: seen)
            let bad = try server(
                "{\"error\":\"invalid_grant\",\"error_description\":\"theirs\"}", "400 Bad", seen: seen)
            let kept = try MobileBackendAuthorization(
                MobileBackend(baseURL: try url(good.url), backendID: "b"), store: store)
            try await kept.authenticateSSOTokenExchange("theirs", storeAccessToken: false)
            #expect(try kept.fields()["Authorization"] == "Bearer ours")
            let refused = try MobileBackendAuthorization(
                MobileBackend(baseURL: try url(bad.url), backendID: "b"), store: store)
            let error = try await clientError {
                try await refused.authenticateSSOTokenExchange("theirs", storeAccessToken: true)
            }
            #expect(error.code == .wrongCredentials && !"\(error)".contains("theirs"))
            #expect(
                try await clientError {
                    try await refused.authenticateSSOTokenExchange("a\r\nb", storeAccessToken: true)
                }
                .code == .invalidInput)
            #expect(try store.names(withPrefix: "").isEmpty)
        }
    }

    @Test("A late exchange does not take the place of the next user, and none survives clearSSOTokenExchange")
    func late() async throws {
        try await withFolder { folder in
            let gate = Gate()
            let server = try SocketServer { peer in
                while let request = peer.request() {
                    let isSlow = request.field("Authorization") == "Bearer slow"
                    if isSlow { gate.pass() }
                    let token = isSlow ? "first" : "second"
                    peer.send(
                        SocketServer.answer(
                            "{\"access_token\":\"\(token)\",\"token_type\":\"Bearer\",\"expires_in\":600}"))
                }
            }
            let backend = MobileBackend(baseURL: try url(server.url), backendID: "b")
            func start() throws -> MobileBackendAuthorization {
                try MobileBackendAuthorization(backend, store: ServedApp.store(in: folder))
            }
            let calls = try start()
            let slow = Task { try await calls.authenticateSSOTokenExchange("slow", storeAccessToken: true) }
            _ = try await onThread { gate.waitForArrivals() }
            try await calls.authenticateSSOTokenExchange("quick", storeAccessToken: true)
            let other = Task { try await calls.authenticateSSOTokenExchange("slow", storeAccessToken: true) }
            _ = try await onThread { gate.waitForArrivals(2) }
            #expect(try start().loadSSOTokenExchange())
            // Another process clears, so that only the store can tell.
            try await start().clearSSOTokenExchange()
            gate.open()
            #expect(try await clientError { try await slow.value }.code == .signInExpired)
            #expect(try await clientError { try await other.value }.code == .signInExpired)
            #expect(try calls.fields()["Authorization"] == "Bearer second")
            #expect(try !start().loadSSOTokenExchange() && ServedApp.store(in: folder).names().isEmpty)
        }
    }

    @Test("An exchange that is not stored removes the stored token of the last user")
    func notStored() async throws {
        try await withFolder { folder in
            let store = try ServedApp.store(in: folder)
            let server = try server(answer, seen: Gathered())
            let calls = try MobileBackendAuthorization(
                MobileBackend(baseURL: url(server.url), backendID: "b"), store: store)
            try await calls.authenticateSSOTokenExchange("theirs", storeAccessToken: true)
            try await calls.authenticateSSOTokenExchange("others", storeAccessToken: false)
            #expect(try !calls.loadSSOTokenExchange() && store.names().isEmpty)
        }
    }

    @Test(
        "A wrong URL, id or version is named in the error",
        arguments: [
            ("http://id.example.com", "b", "1.0", "'baseURL'"),
            ("https://id.example.com/path", "b", "1.0", "'baseURL'"),
            ("https://ada:pw@id.example.com", "b", "1.0", "'baseURL'"), ("mailto:ada", "b", "1.0", "'baseURL'"),
            ("https://id.example.com", "", "1.0", "'backendID'"),
            ("https://id.example.com", "b\r\nc", "1.0", "'backendID'"),
            ("https://id.example.com", "b", "", "'version'"),
        ])
    func wrongSettings(base: String, id: String, version: String, name: String) async throws {
        try await withFolder { folder in
            let store = try ServedApp.store(in: folder)
            let error = try await clientError {
                _ = try MobileBackendAuthorization(
                    MobileBackend(baseURL: url(base), backendID: id, version: version), store: store)
            }
            #expect(error.code == .badConfiguration && error.message.hasPrefix(name), "\(error)")
        }
    }

    @Test("Our own server exchanges a token of an issuer that it trusts, and no other token")
    func ownServer() async throws {
        try await withFolder { folder in
            let other = try HostileProvider()
            let app = try await ServedApp(
                in: folder,
                issuers: [
                    [
                        "issuerName": .string(other.url), "audience": ["shop"], "virtualUserEnabled": true,
                        "jwks": ["jwksUri": .string(other.url + "/keys"), "allowHttp": true],
                    ]
                ])
            let backend = MobileBackend(baseURL: try url(app.proxy.url), backendID: app.backend.backendID)
            let calls = try MobileBackendAuthorization(backend, store: app.store)
            let now = Int64(Date().timeIntervalSince1970)
            func token(_ audience: String) throws -> String {
                let claims: JSONValue = [
                    "iss": .string(other.url), "sub": "mira", "aud": .string(audience), "iat": .integer(now),
                    "exp": .integer(now + 300),
                ]
                return try other.key.sign(claims.members, type: "JWT")
            }
            try await calls.authenticateSSOTokenExchange(try token("shop"), storeAccessToken: true)
            let request = TransportRequest(
                "GET", app.proxy.url + "/mobile/platform/users/~", headers: try calls.fields())
            let answer = try await app.transport.send(request)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("mira"), "\(answer.status)")
            let wrong = try token("another service")
            let error = try await clientError {
                try await calls.authenticateSSOTokenExchange(wrong, storeAccessToken: true)
            }
            #expect(error.code == .wrongCredentials)
        }
    }

    @Test("Our own server lets a call with the anonymous key in as nobody")
    func anonymous() async throws {
        try await withApp { app in
            var backend = MobileBackend(
                baseURL: try url(app.proxy.url), backendID: app.backend.backendID,
                anonymousKey: app.backend.anonymousKey)
            let calls = try MobileBackendAuthorization(backend, store: app.store)
            let request = TransportRequest(
                "GET", app.proxy.url + "/mobile/platform/users/~", headers: try calls.anonymousFields())
            let answer = try await app.transport.send(request)
            #expect(String(decoding: answer.body, as: UTF8.self).contains("anonymous"), "\(answer.status)")
            backend.anonymousKey = nil
            let without = try MobileBackendAuthorization(backend, store: app.store)
            #expect(throws: ClientError.self) { try without.anonymousFields() }
        }
    }
}

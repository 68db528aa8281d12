import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Tokens that are bound to a key (DPoP, RFC 9449)", .timeLimit(.minutes(2)), .inBothForms)
struct PossessionTests {
    private static let path = "/oauth2/token"

    private func tokens(
        _ app: App, _ key: PossessionKey, scope: String = "openid offline_access directory"
    ) async throws -> (access: String, refresh: String) {
        let answer = try await app.boundTokens(key, ["scope": scope])
        #expect(answer["token_type"]?.text == "DPoP", "\(answer.text)")
        return (
            try #require(answer["access_token"]?.text), try #require(answer["refresh_token"]?.text)
        )
    }

    private func proof(_ app: App, _ key: PossessionKey, _ path: String, _ token: String) throws -> String {
        try key.proof("GET", App.url(path), token: token, at: app.service.clock.now)
    }

    @Test("A bound token works with a proof of its key, at user info, at the directory and where it is introspected")
    func works() async throws {
        let app = try await App(try await ServiceUnderTest())
        let key = try PossessionKey()
        let (access, _) = try await tokens(app, key)
        #expect(try JSONWebToken(access).claims["cnf"]?["jkt"]?.text == key.thumbprint)
        for path in ["/oauth2/userinfo", "/scim/v2/Me", "/mobile/platform/users/~"] {
            let answer = await app.ask(path, access, proof: try proof(app, key, path, access))
            #expect(answer.status == 200, "\(path): \(answer.text)")
        }
        let query = await app.ask(
            "/scim/v2/Users?count=1", access, proof: try proof(app, key, "/scim/v2/Users", access))
        #expect(query.status == 200, "the query is no part of the address")
        let introspected = await app.post("/oauth2/introspect", [("token", access)])
        #expect(introspected["token_type"]?.text == "DPoP" && introspected["active"] == true)
        #expect(introspected["cnf"]?["jkt"]?.text == key.thumbprint)
    }

    @Test("A bound token without its proof is worth nothing: as a bearer token, with another key's proof, with none")
    func stolen() async throws {
        let app = try await App(try await ServiceUnderTest())
        let (key, other) = (try PossessionKey(), try PossessionKey())
        let (access, _) = try await tokens(app, key)
        let bearer = try await app.tokens(["scope": "openid directory"]).access
        for path in ["/oauth2/userinfo", "/scim/v2/Me"] {
            #expect(await app.ask(path, access, proof: nil, scheme: "Bearer").status == 401)
            let both = await app.ask(path, access, proof: try proof(app, key, path, access), scheme: "Bearer")
            #expect(both.status == 401, "the scheme says that the proof counts")
            #expect(await app.ask(path, access, proof: nil).status >= 400)
            #expect(await app.ask(path, access, proof: try proof(app, other, path, access)).status == 401)
            #expect(await app.ask(path, bearer, proof: try proof(app, key, path, bearer)).status == 401)
        }
        let refused = await app.ask("/scim/v2/Me", access, proof: "x.y.z")
        #expect(refused.header("WWW-Authenticate")?.hasPrefix("DPoP ") == true)
        #expect(refused.header("WWW-Authenticate")?.contains("algs=\"ES256") == true)
    }

    @Test("A proof counts once, also where many bring it at once, and also at another interface")
    func once() async throws {
        let app = try await App(try await ServiceUnderTest())
        let key = try PossessionKey()
        let (access, _) = try await tokens(app, key)
        let text = try proof(app, key, "/scim/v2/Me", access)
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { await app.ask("/scim/v2/Me", access, proof: text).status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
        let again = try key.proof("POST", App.url(Self.path), at: app.service.clock.now)
        let first = await app.post(Self.path, [("grant_type", "client_credentials")], proof: again)
        #expect(first.status == 200 && first["token_type"]?.text == "DPoP", "\(first.text)")
        let second = await app.post(Self.path, [("grant_type", "client_credentials")], proof: again)
        #expect(second.status == 400 && second["error"]?.text == "invalid_dpop_proof")
    }

    @Test("A proof for another request, of another time, without a part, or with a private key proves nothing")
    func wrongProofs() async throws {
        let app = try await App(try await ServiceUnderTest())
        let key = try PossessionKey()
        let now = Int64(app.service.clock.now.timeIntervalSince1970)
        func refused(_ changes: JSONValue, header: JSONValue = [:]) async throws {
            let text = try key.proof(
                "POST", App.url(Self.path), at: app.service.clock.now, changes, header: header)
            let answer = await app.post(Self.path, [("grant_type", "client_credentials")], proof: text)
            #expect(answer["error"]?.text == "invalid_dpop_proof", "\(changes.written) \(header.written)")
        }
        for changes in [
            ["htm": "GET"], ["htm": "post"], ["htm": .null], ["htu": "https://evil.example/oauth2/token"],
            ["htu": "https://id.example.com/oauth2/token/"], ["htu": "http://id.example.com/oauth2/token"],
            ["htu": "https://id.example.com:444/oauth2/token"], ["htu": "/oauth2/token"], ["htu": .null],
            ["htu": "https://id.example.com@evil.example/oauth2/token"], ["jti": .null], ["jti": ""], ["jti": 5],
            ["iat": .integer(now - 121)], ["iat": .integer(now + 31)], ["iat": "x"], ["iat": .null],
            ["iat": .decimal(1e300)],
        ] as [JSONValue] { try await refused(changes) }
        var secret = try #require(try? PossessionKey()).thumbprint
        secret = String(secret.prefix(43))
        for header in [
            ["typ": "JWT"], ["typ": .null], ["alg": "none"], ["alg": "HS256"], ["alg": "ES384"], ["jwk": .null],
            ["jwk": ["kty": "EC", "crv": "P-256", "x": "AA", "y": "AA"]],
            ["jwk": ["kty": "oct", "k": .string(secret)]],
        ] as [JSONValue] { try await refused([:], header: header) }
        for good in [
            ["htu": "HTTPS://ID.example.com:443/oauth2/token?x=1#y"], ["iat": .integer(now - 100)],
            ["iat": .integer(now + 20)],
        ] as [JSONValue] {
            let text = try key.proof("POST", App.url(Self.path), at: app.service.clock.now, good)
            let answer = await app.post(Self.path, [("grant_type", "client_credentials")], proof: text)
            #expect(answer.status == 200, "\(good.written): \(answer.text)")
        }
    }

    @Test("A public client's refresh token works with the same key only; a confidential client may change its key")
    func refresh() async throws {
        let service = try await ServiceUnderTest()
        let native = try await App(
            service, named: "native", ["public": true, "grant_types": ["authorization_code", "refresh_token"]])
        let web = try await App(service, named: "web")
        let (key, other) = (try PossessionKey(), try PossessionKey())
        func refresh(_ app: App, _ token: String, _ key: PossessionKey?) async throws -> Answer {
            await app.post(
                Self.path, [("grant_type", "refresh_token"), ("refresh_token", token)],
                proof: try key?.proof("POST", App.url(Self.path), at: service.clock.now))
        }
        let first = try await tokens(native, key).refresh
        #expect(try await refresh(native, first, other)["error"]?.text == "invalid_dpop_proof")
        #expect(try await refresh(native, first, nil)["error"]?.text == "invalid_dpop_proof")
        #expect(try await refresh(native, first, key)["token_type"]?.text == "DPoP")
        let token = try await tokens(web, key).refresh
        #expect(try await refresh(web, token, nil)["error"]?.text == "invalid_dpop_proof")
        let changed = try await refresh(web, token, other)
        let access = try #require(changed["access_token"]?.text, "\(changed.text)")
        #expect(try JSONWebToken(access).claims["cnf"]?["jkt"]?.text == other.thumbprint)
    }

    @Test("A code that was asked for with dpop_jkt is for that key only")
    func boundCode() async throws {
        let app = try await App(try await ServiceUnderTest())
        let (key, other) = (try PossessionKey(), try PossessionKey())
        let changes = ["dpop_jkt": key.thumbprint] as [String: String?]
        #expect(try await app.boundTokens(other, changes)["error"]?.text == "invalid_grant")
        #expect(await app.redeem(try await app.code(changes))["error"]?.text == "invalid_grant", "without a proof")
        #expect(try await app.boundTokens(key, changes).status == 200)
        let bad = await app.browse("GET", try app.authorizePath(["dpop_jkt": "short"]))
        #expect(App.sent(bad)["error"] == "invalid_request")
    }

    @Test("A backend whose setting wants bound tokens gets no others, and a bound token is exchanged with its key only")
    func required() async throws {
        let service = try await ServiceUnderTest()
        let strict = try await App(service, named: "strict", ["dpop_bound_access_tokens": true])
        #expect(await strict.redeem(try await strict.code())["error"]?.text == "invalid_dpop_proof")
        #expect(await strict.token(("grant_type", "client_credentials"))["error"]?.text == "invalid_dpop_proof")
        let key = try PossessionKey()
        let (access, _) = try await tokens(strict, key)
        func exchange(_ key: PossessionKey) async throws -> Answer {
            await strict.post(
                Self.path,
                [
                    ("grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), ("subject_token", access),
                    ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"), ("scope", "directory"),
                ], proof: try key.proof("POST", App.url(Self.path), at: service.clock.now))
        }
        #expect(try await exchange(try PossessionKey())["error"]?.text == "invalid_dpop_proof")
        let narrowed = try await exchange(key)
        #expect(narrowed["token_type"]?.text == "DPoP", "\(narrowed.text)")
    }

    @Test("Several DPoP fields are refused")
    func several() async throws {
        let app = try await App(try await ServiceUnderTest())
        let key = try PossessionKey()
        let fields = try (0..<2).map { _ in
            ("DPoP", try key.proof("POST", App.url(Self.path), at: app.service.clock.now))
        }
        let answer = await app.service.send(
            "POST", Self.path, ServiceUnderTest.basic(app.clientID, app.secret ?? ""),
            Array("grant_type=client_credentials".utf8),
            headers: [("Content-Type", "application/x-www-form-urlencoded")] + fields)
        #expect(answer["error"]?.text == "invalid_dpop_proof")
    }
}

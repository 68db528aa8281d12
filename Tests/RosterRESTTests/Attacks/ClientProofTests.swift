import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks on how a client proves itself, and on tokens of ours")
struct ClientProofTests {
    private static let issuer = "https://id.example.com"
    private static let kind = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

    /// A client with a key, whose public half the service knows.
    private func make(_ service: ServiceUnderTest, _ name: String = "shop") async throws -> (app: App, key: SigningKey)
    {
        let key = try SigningKey(generating: .es256)
        let published: JSONValue = ["keys": [key.publicKey]]
        return (try await App(service, named: name, ["jwks": published]), key)
    }

    private func claims(_ app: App, _ changes: [String: JSONValue?] = [:]) -> [JSONValue.Member] {
        let now = Int64(app.service.clock.now.timeIntervalSince1970)
        var claims: JSONValue = [
            "iss": .string(app.clientID), "sub": .string(app.clientID), "aud": .string(Self.issuer + "/oauth2/token"),
            "iat": .integer(now), "exp": .integer(now + 60), "jti": .string(UUID().uuidString),
        ]
        for (name, change) in changes { claims[name] = change }
        return claims.members
    }

    private func ask(_ app: App, _ assertion: String, _ more: (String, String)...) async -> Answer {
        await app.post(
            "/oauth2/token",
            [
                ("grant_type", "client_credentials"), ("client_assertion_type", Self.kind),
                ("client_assertion", assertion),
            ]
                + more, authorization: .some(nil))
    }

    @Test("A client's assertion is taken once, also where many bring it at once")
    func once() async throws {
        let (app, key) = try await make(try await ServiceUnderTest())
        let text = try key.sign(claims(app), type: "JWT")
        #expect(await ask(app, text).status == 200)
        #expect(await ask(app, text)["error"]?.text == "invalid_client")
        let introspected = await app.post(
            "/oauth2/introspect", [("token", "x"), ("client_assertion_type", Self.kind), ("client_assertion", text)],
            authorization: .some(nil))
        #expect(introspected.status == 401, "nor at another door")
        let raced = try key.sign(claims(app), type: "JWT")
        let statuses = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<20 { group.addTask { await ask(app, raced).status } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(statuses.filter { $0 == 200 }.count == 1)
    }

    @Test("An assertion is the client's own, for us, and ends soon")
    func claimsOfAssertions() async throws {
        let service = try await ServiceUnderTest()
        let (app, key) = try await make(service)
        let (other, otherKey) = try await make(service, "other")
        let plain = try await App(service, named: "plain")
        let now = Int64(service.clock.now.timeIntervalSince1970)
        for changes in [
            ["iss": nil], ["sub": nil], ["aud": nil], ["exp": nil], ["jti": nil], ["jti": ""], ["jti": 5],
            ["sub": .string(other.clientID)], ["iss": .string(other.clientID)],
            ["iss": .string(plain.clientID), "sub": .string(plain.clientID)],
            ["aud": "https://other.example.com"], ["aud": .string(Self.issuer + "/oauth2/token/")], ["aud": [:]],
            ["aud": []], ["exp": .integer(now - 61)], ["exp": .integer(now + 3_601)], ["exp": "99999999999"],
            ["exp": .decimal(1e300)], ["nbf": .integer(now + 120)], ["iat": .integer(now + 120)], ["iat": "x"],
        ] as [[String: JSONValue?]] {
            let answer = await ask(app, try key.sign(claims(app, changes), type: "JWT"))
            #expect(answer["error"]?.text == "invalid_client" && answer.givesNothing, "\(changes)")
        }
        #expect(await ask(app, try otherKey.sign(claims(app), type: "JWT")).givesNothing, "another client's key")
        let signed = try SigningKey.sign(
            claims(app), type: "JWT", sharedSecret: Array((app.secret ?? "").utf8))
        #expect(await ask(app, signed).givesNothing, "its secret is not a key")
        let published = key.publicKey.bytes
        #expect(await ask(app, try SigningKey.sign(claims(app), type: "JWT", sharedSecret: published)).givesNothing)
        let good = try key.sign(claims(app), type: "JWT")
        #expect(await ask(app, good, ("client_id", other.clientID)).givesNothing)
        #expect(await ask(app, good, ("client_secret", app.secret ?? "")).givesNothing)
        let kindless = [("grant_type", "client_credentials"), ("client_assertion", good)]
        #expect(await app.post("/oauth2/token", kindless, authorization: .some(nil)).givesNothing)
        #expect(await ask(app, good).status == 200, "none of it has used the good one up")
    }

    @Test("An assertion may be for any place where a client proves who it is, and is no other kind of token")
    func placesAndKinds() async throws {
        let (app, key) = try await make(try await ServiceUnderTest())
        for place in [
            "", "/oauth2/introspect", "/oauth2/revoke", "/oauth2/device_authorization", "/mobile/platform/auth/token",
        ] {
            let text = try key.sign(claims(app, ["aud": .string(Self.issuer + place)]), type: "JWT")
            #expect(await ask(app, text).status == 200, "\(place)")
        }
        for (type, isTaken) in [("client-authentication+jwt", true), ("logout+jwt", false), ("dpop+jwt", false)] {
            #expect(await ask(app, try key.sign(claims(app), type: type)).givesNothing != isTaken, "\(type)")
        }
    }

    @Test("What we sign ourselves proves no client, and what a client signs is no token of ours")
    func crossed() async throws {
        let service = try await ServiceUnderTest()
        let (app, key) = try await make(service)
        let access = try await app.tokens(["scope": "openid directory"]).access
        let id = try #require(await app.redeem(try await app.code())["id_token"]?.text)
        for token in [access, id] { #expect(await ask(app, token).givesNothing) }
        // All that an access token of ours says, signed by somebody else.
        let copied = try JSONWebToken(access).claims.members
        for forged in [
            try key.sign(copied, type: "at+jwt"), try SigningKey(generating: .es256).sign(copied, type: "at+jwt"),
            try SigningKey.sign(copied, type: "at+jwt", sharedSecret: Array((app.secret ?? "").utf8)),
        ] {
            #expect(await app.status("/scim/v2/Me", forged) == 401)
            #expect(await !app.isActive(forged))
        }
        // And by us, but for another use: the type is part of what is checked.
        let keys = service.signIn.oauth.keys
        #expect(
            await app.status("/scim/v2/Me", try keys.sign(copied, type: "at+jwt", with: .es256)) == 200)
        for type in ["JWT", "at+jwt ", "logout+jwt", ""] {
            let text = try keys.sign(copied, type: type, with: .es256)
            #expect(await app.status("/scim/v2/Me", text) == 401, "\(type)")
        }
        for (name, value) in [
            ("iss", "https://evil.example"), ("iss", .null), ("aud", "https://api.example.com"), ("aud", []),
            ("exp", 1), ("exp", "99999999999"), ("exp", .null), ("client_id", .null), ("jti", .null), ("jti", "x"),
            ("jti", "u.1.x.y"), ("sub", .null),
        ] as [(String, JSONValue)] {
            var claims: JSONValue = .object(copied)
            claims[name] = value.isNull ? nil : value
            let text = try keys.sign(claims.members, type: "at+jwt", with: .es256)
            #expect(await app.status("/scim/v2/Me", text) == 401, "\(name): \(value)")
        }
    }

    @Test("Another directory's token is none of ours, though its issuer has our name and its user the same number")
    func otherDirectory() async throws {
        let (here, there) = (try await ServiceUnderTest(), try await ServiceUnderTest())
        let (app, other) = (try await App(here), try await App(there))
        let (access, refresh) = try await other.tokens(["scope": "openid directory offline_access"])
        #expect(await other.status("/scim/v2/Me", access) == 200)
        #expect(await app.status("/scim/v2/Me", access) == 401)
        #expect(await app.refresh(refresh ?? "").givesNothing)
        #expect(await !app.isActive(access))
        let hint = try #require(await other.redeem(try await other.code())["id_token"]?.text)
        #expect(await app.browse("GET", "/oauth2/logout?id_token_hint=" + hint).status == 400)
    }

    @Test(
        "The key's name in a token is compared and nothing else",
        arguments: [
            "../../etc/passwd", "/dev/zero", "'; DROP TABLE signing_key; --", "' OR '1'='1", "%", "*", "",
            "https://evil.example/jwks", "file:///etc/passwd", "\u{0}", "a\u{301}\u{323}",
        ])
    func keyNames(name: String) async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let access = try await app.tokens(["scope": "openid directory"]).access
        let parts = access.split(separator: ".").map(String.init)
        for kid in [name, name + String(repeating: "a", count: 600), String(repeating: name, count: 1_000)] {
            let header: JSONValue = ["alg": "ES256", "typ": "at+jwt", "kid": .string(kid)]
            let text = Base64URL.text(header.bytes) + "." + parts[1] + "." + parts[2]
            #expect(await app.status("/scim/v2/Me", text) == 401)
        }
        #expect(await app.status("/scim/v2/Me", access) == 200)
        #expect(await service.send("GET", "/oauth2/jwks", nil)["keys"]?.elements.count == 1, "the keys are still there")
    }

    @Test("A token is sent in one place, as a bearer, and not in an address")
    func places() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let access = try await app.tokens(["scope": "openid directory"]).access
        for path in ["/scim/v2/Me", "/oauth2/userinfo", "/mobile/platform/users/~"] {
            for name in ["access_token", "token", "bearer_token"] {
                #expect(await service.send("GET", path + "?\(name)=" + access, nil).status == 401, "\(path)")
            }
            let twice = await service.send(
                "GET", path, "Bearer " + access, headers: [("Authorization", "Bearer " + access)])
            #expect(twice.status == 400, "\(path)")
            for field in ["Bearer", "Bearer ", "bearer\t" + access, access, "Basic " + access, "DPoP " + access] {
                let status = await service.send("GET", path, field).status
                #expect(status == 401 || status == 400, "\(field.prefix(12)) \(path)")
            }
            #expect(await service.send("GET", path, "Bearer " + access, isConfidential: false).status == 403, "\(path)")
        }
    }
}

import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// A provider of identities that says whatever a test wants, and a service that lets people sign in with it.
private struct Provided {
    let service: ServiceUnderTest
    let app: App
    private let server: CannedServer
    private let key: SigningKey
    let issuer: String

    init() async throws {
        server = try CannedServer()
        key = try SigningKey(generating: .es256)
        issuer = "http://127.0.0.1:\(server.port)"
        let document: JSONValue = [
            "oidc": ["providers": ["one": ["issuer": .string(issuer), "client_id": "us", "register": true]]]
        ]
        service = try await ServiceUnderTest(providers: try IdentityProviders(document: document.bytes))
        app = try await App(service)
        answer(
            "/.well-known/openid-configuration",
            [
                "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
                "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
            ])
        answer("/keys", ["keys": [key.publicKey]])
    }

    var now: Int64 { Int64(service.clock.now.timeIntervalSince1970) }

    func answer(_ path: String, _ json: JSONValue) {
        server.answer(path, body: String(decoding: json.bytes, as: UTF8.self))
    }

    /// An id token for a visit, with what is changed of its claims; nil leaves a claim out.
    func idToken(
        _ visit: [String: String], _ changes: [String: JSONValue?] = [:], signedBy other: SigningKey? = nil
    ) throws -> JSONValue {
        var claims: [String: JSONValue] = [
            "iss": .string(issuer), "sub": "mira", "aud": "us", "iat": .integer(now), "exp": .integer(now + 300),
            "nonce": .string(visit["nonce"] ?? ""), "auth_time": .integer(now),
        ]
        for (name, change) in changes { claims[name] = change }
        let members = claims.sorted { $0.key < $1.key }.map { JSONValue.Member($0.key, $0.value) }
        return .string(try (other ?? key).sign(members, type: "JWT"))
    }

    /// Leaves a sign-in page for the provider, and returns what the browser takes along.
    func leave(_ changes: [String: String?] = [:]) async throws -> [String: String] {
        app.forgetCookies()
        let page = await app.browse("GET", try app.authorizePath(changes))
        let leaving = try await app.bring(page, to: "/oauth2/provider", [("provider", "one")])
        try #require(leaving.status == 303, "\(leaving.text)")
        return App.sent(leaving)
    }

    /// Comes back to where the visit was to lead, the provider giving this id token.
    func comeBack(_ visit: [String: String], _ idToken: JSONValue?) async -> Answer {
        var answered: JSONValue = ["access_token": "x", "token_type": "Bearer"]
        if let idToken { answered["id_token"] = idToken }
        answer("/token", answered)
        let path = visit["redirect_uri"].flatMap { URLComponents(string: $0)?.path } ?? ""
        return await app.browse("GET", path + "?" + App.encoded([("code", "x"), ("state", visit["state"] ?? "")]))
    }
}

@Suite("What a provider is asked, and what it says", .timeLimit(.minutes(2)))
struct ProviderAttackTests {
    @Test("What an app asks of a sign-in is passed on to the provider")
    func passedOn() async throws {
        let provided = try await Provided()
        let plain = try await provided.leave()
        #expect(plain["prompt"] == nil && plain["max_age"] == nil && plain["acr_values"] == nil)
        let login = try await provided.leave(["prompt": "login"])
        #expect(login["prompt"] == "login" && login["max_age"] == "0", "so that the provider must say when it was")
        let aged = try await provided.leave(["max_age": "300", "acr_values": "urn:two urn:three"])
        #expect(aged["max_age"] == "300" && aged["prompt"] == nil && aged["acr_values"] == "urn:two urn:three")
        let both = try await provided.leave(["max_age": "300", "prompt": "select_account login consent"])
        #expect(both["max_age"] == "300" && both["prompt"] == "login select_account")
    }

    @Test("A test of an entry fetches what it names, says what is wrong, and stores nothing")
    func trial() async throws {
        let provided = try await Provided()
        func found(_ type: String, _ entry: JSONValue) async -> [String?] {
            let answer = await provided.service.request("POST", "/admin/test/" + type, entry)
            #expect(
                answer.status == 200 && answer["ok"] == .boolean(!answer.text.contains("problem")), "\(answer.text)")
            let findings = answer["findings"]?.elements
            return findings?.map { ($0["subject"]?.text ?? "") + ($0["problem"] == nil ? "" : "!") }
                ?? []
        }
        let entry: JSONValue = ["issuer": .string(provided.issuer), "client_id": "other"]
        #expect(await found("providers/oidc", entry) == ["discovery", "endpoints", "keys"])
        let issuer: JSONValue = [
            "issuerName": .string(provided.issuer),
            "jwks": [
                "discoveryUri": .string(provided.issuer + "/.well-known/openid-configuration"), "allowHttp": true,
            ],
        ]
        #expect(await found("issuers/jwt", issuer) == ["keys"])
        provided.answer("/keys", ["keys": []])
        #expect(await found("providers/oidc", entry) == ["discovery", "endpoints", "keys!"])
        #expect(
            await found("providers/oidc", ["issuer": .string(provided.issuer + "/none"), "client_id": "x"])
                == ["discovery!"])
        provided.answer("/none/.well-known/openid-configuration", ["issuer": "https://other.example.com"])
        let other = await provided.service.request(
            "POST", "/admin/test/providers/oidc", ["issuer": .string(provided.issuer + "/none"), "client_id": "x"])
        #expect(other.text.contains("https://other.example.com"), "\(other.text)")
        #expect(await found("providers/oidc", ["issuer": "https://169.254.1.1", "client_id": "x"]) == ["discovery!"])
        let wrong = await provided.service.request("POST", "/admin/test/providers/oidc", ["client_id": "x"])
        #expect(wrong.status == 400 && wrong.text.contains("issuer"))
        let stored = await provided.service.request("GET", "/admin/providers")["providers"]?.elements
        #expect(stored?.count == 1, "the one of the document")
    }

    @Test("A sign-in that is as new as the app asks is taken, and its time is the time in our tokens")
    func newEnough() async throws {
        let provided = try await Provided()
        for (changes, age) in [
            (["max_age": "300"], 299), (["max_age": "0"], 0), (["prompt": "login"], 0), ([:], 9_000),
        ] as [([String: String], Int64)] {
            let visit = try await provided.leave(changes)
            let time = provided.now - age
            let back = await provided.comeBack(visit, try provided.idToken(visit, ["auth_time": .integer(time)]))
            let code = try #require(App.sent(back)["code"], "\(changes): \(back.text)")
            let token = try JSONWebToken(try #require(await provided.app.redeem(code)["id_token"]?.text))
            #expect(token.claims["auth_time"] == .integer(time), "\(changes)")
        }
    }

    @Test("A sign-in that is older than the app asks, or of which the provider does not say when, lets nobody in")
    func tooOld() async throws {
        let provided = try await Provided()
        let now = provided.now
        for (changes, claim) in [
            (["prompt": "login"], .integer(now - 60)), (["prompt": "login"], nil),
            (["max_age": "0"], .integer(now - 60)),
            (["max_age": "300"], .integer(now - 400)), (["max_age": "300"], nil),
            (["max_age": "86400", "prompt": "login"], .integer(now - 3_600)), (["max_age": "300"], "now"),
            (["max_age": "300"], .integer(now + 90_000)), (["acr_values": "urn:two"], .integer(now)),
        ] as [([String: String], JSONValue?)] {
            let visit = try await provided.leave(changes)
            let back = await provided.comeBack(visit, try provided.idToken(visit, ["auth_time": claim]))
            #expect(back.status == 400 && back.header("Location") == nil, "\(changes) \(String(describing: claim))")
            #expect(provided.app.cookie("__Host-roster_session") == nil)
        }
        let visit = try await provided.leave(["acr_values": "urn:two urn:three"])
        let back = await provided.comeBack(visit, try provided.idToken(visit, ["acr": "urn:three"]))
        #expect(App.sent(back)["code"] != nil)
    }

    @Test("An id token that is not good is refused as such: no fault of ours, and nobody is signed in")
    func badTokens() async throws {
        let provided = try await Provided()
        let stranger = try SigningKey(generating: .es256)
        func tokens(_ visit: [String: String]) throws -> [JSONValue?] {
            let changes: [[String: JSONValue?]] = [
                ["iss": "https://evil.example.com"], ["aud": "somebody else"], ["nonce": "another"], ["nonce": nil],
                ["exp": .integer(provided.now - 3_600)], ["exp": nil], ["sub": nil], ["sub": 5], ["iat": "x"],
                ["aud": ["us", "others"]],
            ]
            return try changes.map { try provided.idToken(visit, $0) } + [
                try provided.idToken(visit, signedBy: stranger), "garbage", "a.b.c", "e30.e30.", "", 5, nil, .null,
            ]
        }
        let count = try tokens([:]).count
        for index in 0..<count {
            let visit = try await provided.leave()
            let page = await provided.comeBack(visit, try tokens(visit)[index])
            #expect((400..<500).contains(page.status) && page.header("Location") == nil, "\(index): \(page.status)")
            let begun = await provided.app.browse("GET", "/db/_oidc")
            let other = App.sent(begun)
            let answer = await provided.comeBack(other, try tokens(other)[index])
            #expect(answer.status == 401 && answer["session_id"] == nil, "\(index): \(answer.status) \(answer.text)")
        }
        let visit = App.sent(await provided.app.browse("GET", "/db/_oidc"))
        #expect(await provided.comeBack(visit, try provided.idToken(visit)).status == 200, "a good one is taken")
    }

    @Test("Over TLS the cookies of a sign-in have the prefix __Host-, and no other name is taken for them")
    func cookieNames() async throws {
        let provided = try await Provided()
        let visit = App.sent(await provided.app.browse("GET", "/db/_oidc"))
        let state = try #require(provided.app.cookie("__Host-sg-oidc-state"))
        provided.answer("/token", ["id_token": try provided.idToken(visit)])
        let path = "/db/_oidc_callback?" + App.encoded([("code", "x"), ("state", visit["state"] ?? "")])
        let old = await provided.service.send("GET", path, nil, headers: [("Cookie", "sg-oidc-state=" + state)])
        #expect(old.status == 400)
        let new = await provided.service.send("GET", path, nil, headers: [("Cookie", "__Host-sg-oidc-state=" + state)])
        #expect(new.status == 200)
        for field in new.response.headers.values(of: "Set-Cookie") {
            #expect(field.contains("; Secure") && field.contains("; Path=/;") && !field.contains("Domain"))
            #expect(field.hasPrefix("__Host-") || field.hasPrefix("SyncGatewaySession="))
        }
        _ = try await provided.leave()
        #expect(provided.app.cookie("__Host-roster_provider") != nil && provided.app.cookie("roster_provider") == nil)
    }
}

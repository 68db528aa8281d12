import Foundation
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks on refresh tokens and devices", .timeLimit(.minutes(2)))
struct RefreshAttackTests {
    @Test("Another client gets nothing for a refresh token, whichever names it gives, and does not end it either")
    func otherClients() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let other = try await App(service, named: "other")
        let native = try await App(
            service, named: "native", ["public": true, "grant_types": ["authorization_code", "refresh_token"]])
        let token = try #require(try await app.tokens().refresh)
        #expect(await other.refresh(token).givesNothing)
        #expect(await native.refresh(token).givesNothing)
        #expect(await other.refresh(token, ("client_id", app.clientID)).givesNothing)
        let body = [("grant_type", "refresh_token"), ("refresh_token", token)]
        for more in [
            [], [("client_id", app.clientID)], [("client_id", app.clientID), ("client_secret", "")],
            [("client_id", app.clientID), ("client_secret", other.secret ?? "")],
        ] {
            #expect(await app.post("/oauth2/token", body + more, authorization: .some(nil)).givesNothing, "\(more)")
        }
        service.clock.advance(by: 60)
        #expect(await app.refresh(token).status == 200, "nobody has ended it by trying")
    }

    @Test("No change of a refresh token is taken, nor does it end what the real one stands for")
    func forged() async throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let app = try await App(try await ServiceUnderTest())
        let (access, refresh) = try await app.tokens()
        let token = try #require(refresh)
        for _ in 0..<500 {
            let changed = numbers.alteration(of: token, by: 0x21...0x7E)
            guard changed != token else { continue }
            #expect(await app.refresh(changed).givesNothing, "seed \(seed)")
            _ = await app.post("/oauth2/revoke", [("token", changed)])
        }
        #expect(await app.isActive(access), "seed \(seed)")
        #expect(await app.refresh(token).status == 200, "seed \(seed)")
    }

    @Test("Whatever order tokens of a family come back in, one at most is alive, and a stolen one ends all")
    func orders() async throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        for _ in 0..<20 {
            var family = [try #require(try await app.tokens().refresh)]
            var isAlive = true
            for _ in 0..<12 where isAlive {
                service.clock.advance(by: TimeInterval(Int.random(in: 0...20, using: &numbers)))
                let index =
                    Bool.random(using: &numbers) ? family.count - 1 : Int.random(in: family.indices, using: &numbers)
                let answer = await app.refresh(family[index])
                if let next = answer["refresh_token"]?.text {
                    #expect(index >= family.count - 2, "seed \(seed): only the last, or the one before for a moment")
                    if index == family.count - 1 { family.append(next) }
                    #expect(next == family.last, "seed \(seed): there is one child")
                } else {
                    isAlive = false
                    for token in family { #expect(await app.refresh(token).givesNothing, "seed \(seed)") }
                }
                var alive = 0
                for token in family where await app.isActive(token) { alive += 1 }
                #expect(alive == (isAlive ? 1 : 0), "seed \(seed)")
            }
        }
    }

    @Test("What an administrator takes from a backend is gone with the next refresh")
    func narrowedBackend() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let first = try #require(try await app.tokens(["scope": "openid directory offline_access"]).refresh)
        try await app.change { $0.scopes.removeAll { $0 == "directory" } }
        let answer = await app.refresh(first)
        #expect(answer["scope"]?.text == "openid offline_access", "\(answer.text)")
        #expect(await app.status("/scim/v2/Me", answer["access_token"]?.text ?? "") != 200)
        let second = try #require(answer["refresh_token"]?.text)
        #expect(await app.refresh(second, ("scope", "directory")).givesNothing)
        try await app.change { $0.tokens.usesRefreshTokens = false }
        service.clock.advance(by: 60)
        #expect(await app.refresh(second).givesNothing)
    }

    @Test("A scope that the backend may not have is not had under another name either")
    func scopeByAnotherName() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["scope": "openid profile offline_access", "directory_role": "monitoring"])
        let consumer = "urn:opc:resource:consumer::all"
        for scope in [consumer, "https://id.example.com" + consumer, "openid x" + consumer] {
            app.forgetCookies()
            let access = try await app.tokens(["scope": scope]).access
            #expect(await app.status("/scim/v2/Me", access) == 403, "\(scope)")
            let own = await app.token(
                ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password), ("scope", scope))
            #expect(await app.status("/scim/v2/Me", own["access_token"]?.text ?? "") != 200, "\(scope)")
        }
        let program = await app.token(("grant_type", "client_credentials"), ("scope", consumer))
        #expect(program.status == 200, "the mobile cloud's programs send it always: \(program.text)")
        for scope in ["directory", "Directory", "openid\ndirectory", "*", "\"directory\""] {
            let answer = await app.browse("POST", "/oauth2/authorize", form: try app.authorizeForm(["scope": scope]))
            #expect(App.sent(answer)["error"] == "invalid_scope", "\(scope)")
        }
        let beside = try await app.tokens(["scope": "openid directory"]).access
        #expect(await app.status("/scim/v2/Me", beside) == 403, "a scope that is left out is not granted")
    }

    @Test("A refresh token, a code, a device code and a cookie are no access tokens")
    func otherSecrets() async throws {
        let app = try await App(try await ServiceUnderTest())
        let code = try await app.code(["scope": "openid directory offline_access"])
        let refresh = try #require(await app.redeem(code)["refresh_token"]?.text)
        let device = await app.post("/oauth2/device_authorization", [])["device_code"]?.text
        let cookie = try #require(app.cookie("__Host-roster_session"))
        for secret in [code, refresh, device ?? "", cookie, app.secret ?? "", app.clientID] {
            #expect(await app.status("/scim/v2/Me", secret) == 401)
            #expect(await app.status("/mobile/platform/users/~", secret) == 401)
            #expect(await app.status("/oauth2/userinfo", secret) == 401)
        }
        let crossed = await app.service.send(
            "GET", "/scim/v2/Me", nil, headers: [("Cookie", "SyncGatewaySession=" + cookie + "x")])
        #expect(crossed.status == 401)
    }

    // MARK: Devices

    private func begin(_ app: App) async throws -> (device: String, user: String) {
        let begun = await app.post("/oauth2/device_authorization", [("scope", "openid profile")])
        return (try #require(begun["device_code"]?.text), try #require(begun["user_code"]?.text))
    }

    private func poll(_ app: App, _ code: String) async -> Answer {
        await app.token(("grant_type", BackendSettings.Grant.deviceCode.rawValue), ("device_code", code))
    }

    private func allow(_ app: App, _ userCode: String) async throws -> Answer {
        var page = await app.browse("GET", "/oauth2/device?user_code=" + userCode)
        if page.text.contains("name=\"password\"") {
            page = try await app.bring(
                page, to: "/oauth2/device",
                [("username", ServiceUnderTest.engineer), ("password", ServiceUnderTest.password)])
        }
        return try await app.bring(page, to: "/oauth2/device", [("decision", "allow")])
    }

    @Test("A device gets nothing once the sign-in that allowed it has ended", arguments: Ending.allCases)
    func deviceAfterEnding(how: Ending) async throws {
        let app = try await App(try await ServiceUnderTest())
        let (device, user) = try await begin(app)
        #expect(try await allow(app, user).status == 200)
        try await app.end(how)
        #expect(await poll(app, device).givesNothing)
    }

    @Test("A device code is its client's, is allowed once, and by somebody who was asked")
    func devices() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let other = try await App(service, named: "other")
        let (device, user) = try await begin(app)
        #expect(await poll(other, device)["error"]?.text == "invalid_grant")
        _ = try await app.code()
        let asked = await app.browse("GET", "/oauth2/device?user_code=\(user)&decision=allow")
        #expect(asked.status == 200 && asked.text.contains("Allow shop?"), "a link alone allows nothing")
        service.clock.advance(by: 30)
        #expect(await poll(app, device)["error"]?.text == "authorization_pending")
        let denied = try await app.bring(asked, to: "/oauth2/device", [("decision", "deny")])
        #expect(denied.status == 200)
        let changed = try await app.bring(asked, to: "/oauth2/device", [("decision", "allow")])
        #expect(changed.status < 500)
        service.clock.advance(by: 30)
        #expect(await poll(app, device)["error"]?.text == "access_denied", "who has said no is not overruled")
        #expect(await app.browse("GET", "/oauth2/device?user_code=\(user)&user_code=\(user)").status == 400)
    }
}

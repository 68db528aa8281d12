import Foundation
import Roster
import RosterCrypto
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Tokens: how they are got, what they allow, and what ends them", .timeLimit(.minutes(2)), .inBothForms)
struct TokenTests {
    @Test("A program gets a token for itself, with what its backend may do in the directory and nothing else")
    func clientCredentials() async throws {
        let service = try await ServiceUnderTest()
        let plain = try await App(service)
        let answer = await plain.token(("grant_type", "client_credentials"))
        #expect(answer.status == 200 && answer["expires_in"] == 604_800 && answer["refresh_token"] == nil)
        #expect(await plain.status("/scim/v2/Users", try #require(answer["access_token"]?.text)) == 403)
        let hr = try await App(service, named: "hr", ["directory_role": "provisioning"])
        let token = try #require(await hr.token(("grant_type", "client_credentials"))["access_token"]?.text)
        #expect(await hr.status("/scim/v2/Users", token) == 200)
        #expect(await hr.status("/oic_rest/rest/userprofile/changes", token) == 403)
        #expect(
            await hr.token(("grant_type", "client_credentials"), ("scope", "openid"))["error"]?.text == "invalid_scope")
    }

    @Test("A client proves itself in the header or the body, in one way at a time")
    func clientAuthentication() async throws {
        let app = try await App(try await ServiceUnderTest())
        let secret = try #require(app.secret)
        let grant = ("grant_type", "client_credentials")
        let inBody = [grant, ("client_id", app.clientID), ("client_secret", secret)]
        #expect(await app.post("/oauth2/token", inBody, authorization: .some(nil)).status == 200)
        let oracle = ServiceUnderTest.basic(app.clientID, secret).replacing("Basic ", with: "Bearer ")
        #expect(await app.post("/oauth2/token", [grant], authorization: oracle).status == 200)
        #expect(await app.post("/oauth2/token", inBody)["error"]?.text == "invalid_request", "both")
        for wrong in [
            ServiceUnderTest.basic(app.clientID, "wrong"), ServiceUnderTest.basic("nobody", secret),
            ServiceUnderTest.basic(app.clientID, ""), "Basic !!!", "Basic", "Digest x",
        ] {
            let answer = await app.post("/oauth2/token", [grant], authorization: wrong)
            #expect(answer.status == 401 && answer["error"]?.text == "invalid_client", "\(wrong)")
            #expect(answer.header("WWW-Authenticate") != nil)
        }
        let named = await app.post("/oauth2/token", [grant, ("client_id", app.clientID)], authorization: .some(nil))
        #expect(named["error"]?.text == "invalid_client", "a confidential client's name alone")
    }

    @Test("A grant that the backend does not have is refused: the password grant unless it is turned on")
    func grantsThatAreOff() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["grant_types": ["authorization_code"]])
        for grant in ["password", "client_credentials", "refresh_token"] {
            let answer = await app.token(
                ("grant_type", grant), ("username", "x"), ("password", "y"), ("refresh_token", "z"))
            #expect(answer["error"]?.text == "unauthorized_client", "\(grant)")
        }
        #expect(await app.token(("grant_type", "implicit"))["error"]?.text == "unsupported_grant_type")
        #expect(await app.token(("scope", "openid"))["error"]?.text == "invalid_request")
        #expect(!BackendSettings().grants.contains(.password))
    }

    @Test(
        "A name and a password get tokens where the backend allows it; a wrong one and a disabled user get the same no")
    func password() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        func ask(_ name: String, _ password: String) async -> Answer {
            await app.token(("grant_type", "password"), ("username", name), ("password", password))
        }
        #expect(await ask(ServiceUnderTest.engineer, ServiceUnderTest.password).status == 200)
        let answers = [
            await ask(ServiceUnderTest.engineer, "wrong"), await ask("nobody.at.all", ServiceUnderTest.password),
            await ask(ServiceUnderTest.disabled, ServiceUnderTest.password),
        ]
        #expect(Set(answers.map(\.text)).count == 1 && answers[0]["error"]?.text == "invalid_grant")
    }

    @Test("Too many wrong passwords are answered with 429 and when to come back")
    func throttled() async throws {
        let app = try await App(try await ServiceUnderTest())
        var last: Answer?
        for _ in 0..<40 where last?.status != 429 {
            last = await app.token(
                ("grant_type", "password"), ("username", ServiceUnderTest.engineer), ("password", "wrong"))
        }
        #expect(last?.status == 429 && last?.header("Retry-After") != nil)
        #expect(last?["error"]?.text == "temporarily_unavailable")
    }

    @Test(
        "The directory's interfaces need the scope 'directory': an app that only knows who somebody is can do nothing")
    func scopes() async throws {
        let app = try await App(try await ServiceUnderTest())
        let narrow = try await app.tokens().access
        #expect(await app.status("/scim/v2/Users", narrow) == 403)
        #expect(await app.status("/oic_rest/rest/userprofile/people/ren.watanabe", narrow) == 403)
        #expect(await app.status("/mobile/platform/users/~", narrow) == 200)
        app.forgetCookies()
        let wide = try await app.tokens(["scope": "openid directory"]).access
        #expect(await app.status("/scim/v2/Me", wide) == 200)
        app.forgetCookies()
        let oracle = "https://id.example.com/urn:opc:resource:consumer::all"
        #expect(await app.status("/scim/v2/Me", try await app.tokens(["scope": oracle]).access) == 200)
        let token = await app.service.send(
            "GET", "/oauth2/userinfo", "Bearer " + (try await app.tokens(["scope": "roles"]).access))
        #expect(token.status == 403 && token["error"]?.text == "insufficient_scope")
    }

    @Test("An id token, a token for another audience and an altered one are no access tokens")
    func wrongTokens() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let answer = await app.redeem(try await app.code(["scope": "openid directory"]))
        let access = try #require(answer["access_token"]?.text)
        #expect(await app.status("/scim/v2/Me", try #require(answer["id_token"]?.text)) == 401)
        let elsewhere = try await App(service, named: "elsewhere", ["audience": ["https://api.example.com"]])
        #expect(
            await app.status("/scim/v2/Me", try await elsewhere.tokens(["scope": "openid directory"]).access) == 401)
        let parts = access.split(separator: ".").map(String.init)
        let none = Base64URL.text(Array(#"{"alg":"none","typ":"at+jwt"}"#.utf8))
        for bad in [
            "\(none).\(parts[1]).", "\(none).\(parts[1]).\(parts[2])", "\(parts[0]).\(parts[1]).AAAA",
            String(access.dropLast(4)) + "AAAA", access + ".x", "..", "a.b.c", parts[0] + "." + parts[1],
        ] { #expect(await app.status("/scim/v2/Me", bad) == 401, "\(bad.prefix(40))") }
        let query = await service.send("GET", "/oauth2/userinfo?access_token=\(access)", nil)
        #expect(query.status == 401, "an address is no place for a token")
    }

    @Test("A refresh token is used once; its child lives, and is the same one for an answer that was lost")
    func rotation() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let (_, refresh) = try await app.tokens()
        let first = try #require(refresh)
        let second = try #require(await app.refresh(first)["refresh_token"]?.text)
        #expect(second != first)
        #expect(await app.refresh(first)["refresh_token"]?.text == second, "within ten seconds")
        service.clock.advance(by: 11)
        let third = await app.refresh(second)
        #expect(third.status == 200)
        #expect(await app.refresh(first)["error"]?.text == "invalid_grant", "somebody has a copy of it")
        #expect(await app.refresh(try #require(third["refresh_token"]?.text))["error"]?.text == "invalid_grant")
        #expect(await !app.isActive(try #require(third["access_token"]?.text)))
    }

    @Test("Of 50 parallel refreshes with one token all get the one living child")
    func parallelRefreshes() async throws {
        let app = try await App(try await ServiceUnderTest())
        let first = try #require(try await app.tokens().refresh)
        let children = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<50 { group.addTask { await app.refresh(first)["refresh_token"]?.text } }
            return await group.reduce(into: Set<String?>()) { $0.insert($1) }
        }
        #expect(children.count == 1)
        let child = try #require(children.first ?? nil)
        #expect(await app.refresh(child).status == 200)
    }

    @Test("A refresh gives fewer scopes where fewer are asked for, never more, and never another client anything")
    func narrowing() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let other = try await App(service, named: "other")
        let first = try #require(try await app.tokens().refresh)
        #expect(await app.refresh(first, ("scope", "openid directory"))["error"]?.text == "invalid_scope")
        #expect(await other.refresh(first)["error"]?.text == "invalid_grant")
        let answer = await app.refresh(first, ("scope", "openid"))
        #expect(answer["scope"]?.text == "openid")
        let next = await app.refresh(try #require(answer["refresh_token"]?.text))
        #expect(next["scope"]?.text == "openid profile offline_access", "what was granted stays granted")
        for bad in [
            "rrt_", "rrt_AAAA", "rrt_" + String(repeating: "A", count: 64), "x", String(repeating: "y", count: 9_000),
        ] {
            #expect(await app.refresh(bad)["error"]?.text == "invalid_grant")
        }
    }

    @Test("Refreshing does not go on for ever: a week after the sign-in it ends")
    func absoluteExpiry() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        var token = try #require(try await app.tokens().refresh)
        for _ in 0..<6 {
            service.clock.advance(by: 86_400)
            token = try #require(await app.refresh(token)["refresh_token"]?.text)
        }
        service.clock.advance(by: 86_400)
        #expect(await app.refresh(token)["error"]?.text == "invalid_grant")
    }

    @Test(
        "What ends an account, its password or its backend ends every token at once",
        arguments: ["disabled", "password", "deleted", "backend", "backend disabled", "sign-out everywhere"])
    func endings(what: String) async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let watcher = try await App(service, named: "watcher")
        let (access, refresh) = try await app.tokens(["scope": "openid directory offline_access"])
        #expect(await watcher.isActive(access), "it is for this service, so its backends may ask")
        #expect(await app.status("/scim/v2/Me", access) == 200)
        let view = service.directory.unrestricted
        let engineer = try await view.users.user(.named(ServiceUnderTest.engineer))
        switch what {
        case "disabled": try await view.users.modify(.id(engineer.id), [.set("active", .boolean(false))])
        case "password":
            try await view.users.modify(
                .id(engineer.id), [.set("password", .string("{SSHA}" + String(repeating: "A", count: 32)))])
        case "deleted": try await view.users.delete(.id(engineer.id))
        case "backend":
            try await view.awaitWrite { try $0.asPresentAdministrator(to: "test").backends.delete(app.record.id) }
        case "backend disabled":
            var settings = app.record.settings
            settings.isEnabled = false
            try await app.change { $0 = settings }
        default: try await service.signIn.oauth.introspection.signOutEverywhere(engineer.id, from: "here")
        }
        #expect(await !watcher.isActive(access))
        #expect(await app.status("/scim/v2/Me", access) == 401)
        #expect(await app.refresh(try #require(refresh)).status != 200)
        if !what.hasPrefix("backend") {
            #expect(await app.browse("GET", try app.authorizePath()).status == 200, "nor does the session live on")
        }
    }

    @Test("Introspection tells a backend of tokens that concern it, and of others nothing")
    func introspection() async throws {
        let service = try await ServiceUnderTest()
        let api = try await App(service, named: "api", ["audience": ["https://api.example.com"]])
        let stranger = try await App(service, named: "stranger")
        let (access, refresh) = try await api.tokens(["scope": "openid offline_access"])
        let answer = await api.post("/oauth2/introspect", [("token", access)])
        #expect(answer["active"] == true && answer["username"]?.text == ServiceUnderTest.engineer)
        #expect(await !stranger.isActive(access))
        #expect(await api.isActive(try #require(refresh)))
        #expect(await !stranger.isActive(try #require(refresh)))
        for bad in ["x", "a.b.c", "rrt_x"] {
            #expect(await api.post("/oauth2/introspect", [("token", bad)]).body == ["active": false])
        }
        #expect(await api.post("/oauth2/introspect", [("token", access)], authorization: .some(nil)).status == 401)
        service.clock.advance(by: 1_801)
        #expect(await !api.isActive(access), "it has expired")
    }

    @Test(
        "Revoking a refresh token ends all that came of it; an access token ends alone; others' tokens are passed over")
    func revocation() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let other = try await App(service, named: "other")
        let (access, refresh) = try await app.tokens()
        let token = try #require(refresh)
        #expect(await other.post("/oauth2/revoke", [("token", token)]).status == 200)
        #expect(await app.isActive(access))
        let second = try #require(await app.refresh(token)["access_token"]?.text)
        #expect(await app.post("/oauth2/revoke", [("token", access)]).status == 200)
        #expect(await !app.isActive(access))
        #expect(await app.isActive(second))
        #expect(await app.post("/oauth2/revoke", [("token", token)]).status == 200)
        #expect(await !app.isActive(second))
        #expect(await app.post("/oauth2/revoke", [("token", "nonsense")]).status == 200)
    }

    @Test("A device shows a code, somebody allows it, and the device gets its tokens once")
    func device() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let begun = await app.post("/oauth2/device_authorization", [("scope", "openid profile")])
        let code = try #require(begun["device_code"]?.text)
        let userCode = try #require(begun["user_code"]?.text)
        func poll() async -> Answer {
            await app.token(("grant_type", BackendSettings.Grant.deviceCode.rawValue), ("device_code", code))
        }
        #expect(await poll()["error"]?.text == "authorization_pending")
        #expect(await poll()["error"]?.text == "slow_down")
        let page = await app.browse("GET", "/oauth2/device?user_code=\(userCode.lowercased())")
        let question = await app.browse(
            "POST", "/oauth2/device",
            form: [
                ("request", try App.sealed(page)), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password),
            ])
        #expect(question.text.contains("Allow shop?"))
        let done = await app.browse(
            "POST", "/oauth2/device", form: [("request", try App.sealed(question)), ("decision", "allow")])
        #expect(done.status == 200)
        service.clock.advance(by: 11)
        let answer = await poll()
        #expect(answer.status == 200 && answer["id_token"] != nil, "\(answer.text)")
        #expect(await poll()["error"]?.text == "expired_token")
        #expect(await app.browse("GET", "/oauth2/device?user_code=BBBB-BBBB").status == 400)
    }

    @Test("A refresh token comes where offline_access is asked for, or always, or never, as the backend has it")
    func refreshable() async throws {
        let service = try await ServiceUnderTest()
        let settings: [(String, JSONValue, [String: Bool])] = [
            ("usual", [:], ["openid": false, "openid offline_access": true, "directory": true]),
            ("always", ["use_refresh_tokens": true], ["openid": true, "openid offline_access": true]),
            ("never", ["use_refresh_tokens": false], ["openid": false, "openid offline_access": false]),
        ]
        for (name, more, expected) in settings {
            let app = try await App(service, named: name, more)
            for (scope, isExpected) in expected {
                app.forgetCookies()
                #expect(try await (app.tokens(["scope": scope]).refresh != nil) == isExpected, "\(name): \(scope)")
            }
        }
    }

    @Test("A password and the mobile cloud's scope give a token that lives for a week, and no refresh token")
    func consumer() async throws {
        let app = try await App(try await ServiceUnderTest())
        for scope in ["https://id.example.comurn:opc:resource:consumer::all", "openid"] {
            let answer = await app.token(
                ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password), ("scope", scope))
            #expect(answer["expires_in"] == 604_800 && answer["refresh_token"] == nil, "\(answer.text)")
        }
    }

    @Test("Every sign-in, refusal, grant and revocation is in the change feed, and no secret is")
    func audit() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let (access, refresh) = try await app.tokens()
        _ = await app.token(("grant_type", "password"), ("username", "eve"), ("password", "a wrong password"))
        _ = await app.post("/oauth2/revoke", [("token", try #require(refresh))])
        await service.signIn.oauth.audit.flush()
        let changes = try await service.directory.unrestricted.changes.since(0, limit: 10_000)
        let kinds = Set(changes.map(\.kind))
        #expect(kinds.isSuperset(of: [.signedIn, .granted, .refused, .revoked]))
        let granted = try #require(changes.first { $0.kind == .granted })
        #expect(granted.name == ServiceUnderTest.engineer && granted.after["from"]?.text == "192.0.2.1")
        #expect(granted.after["backend"]?.text == "shop 1.0" && granted.actor == "backend shop 1.0")
        let image = try service.storedBytes()
        for secret in [access, refresh, app.secret, "a wrong password", app.cookie("__Host-roster_session")].compactMap(
            { $0 })
        {
            #expect(image.range(of: Data(secret.utf8)) == nil, "a secret is in the file")
        }
    }
}

import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Signing in for an app: authorization code and PKCE", .timeLimit(.minutes(2)), .inBothForms)
struct CodeFlowTests {
    @Test("A browser signs in and the app gets tokens that say who it was, when, and for which request")
    func works() async throws {
        let app = try await App(try await ServiceUnderTest())
        let page = await app.browse("GET", try app.authorizePath())
        #expect(page.status == 200 && page.text.contains("shop"))
        let back = try await app.signIn(on: page)
        #expect(back.status == 303)
        #expect(back.header("Location")?.hasPrefix(App.redirect + "?code=") == true)
        #expect(App.sent(back)["state"] == "the state" && App.sent(back)["iss"] == "https://id.example.com")
        let answer = await app.redeem(try #require(App.sent(back)["code"]))
        #expect(answer.status == 200 && answer["token_type"]?.text == "Bearer")
        #expect(answer.header("Cache-Control") == "no-store")
        let token = try JSONWebToken(try #require(answer["id_token"]?.text))
        #expect(token.claims["nonce"]?.text == "the nonce" && token.claims["aud"]?.text == app.clientID)
        #expect(token.claims["iss"]?.text == "https://id.example.com")
        let access = try JSONWebToken(try #require(answer["access_token"]?.text))
        #expect(access.type == "at+jwt" && access.claims["sub"] == token.claims["sub"])
        #expect(access.claims["client_id"]?.text == app.clientID)
        let info = await app.service.send(
            "GET", "/oauth2/userinfo", "Bearer " + (answer["access_token"]?.text ?? ""))
        #expect(info["preferred_username"]?.text == ServiceUnderTest.engineer)
        #expect(info["sub"] == token.claims["sub"] && info["scope"]?.text == "offline_access openid profile")
    }

    @Test("Whoever is signed in is not asked again, unless the app wants it")
    func sessions() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        _ = try await app.code()
        #expect(await app.browse("GET", try app.authorizePath()).status == 303)
        #expect(await app.browse("GET", try app.authorizePath(["prompt": "login"])).status == 200)
        #expect(await app.browse("GET", try app.authorizePath(["max_age": "60"])).status == 303)
        service.clock.advance(by: 120)
        #expect(await app.browse("GET", try app.authorizePath(["max_age": "60"])).status == 200)
        app.forgetCookies()
        let silent = await app.browse("GET", try app.authorizePath(["prompt": "none"]))
        #expect(App.sent(silent)["error"] == "login_required" && App.sent(silent)["state"] == "the state")
    }

    @Test("A session ends when it is not used for a day, and lives on when it is")
    func sliding() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        _ = try await app.code()
        for _ in 0..<4 {
            service.clock.advance(by: 80_000)
            #expect(await app.browse("GET", try app.authorizePath()).status == 303)
        }
        service.clock.advance(by: 86_401)
        #expect(await app.browse("GET", try app.authorizePath()).status == 200)
    }

    @Test("A wrong name or password is answered alike, and the page keeps the name safely")
    func wrongPassword() async throws {
        let app = try await App(try await ServiceUnderTest())
        let page = await app.browse("GET", try app.authorizePath())
        let wrong = try await app.signIn(on: page, password: "not the right one")
        let unknown = try await app.signIn(on: page, as: "\"><script>alert(1)</script>")
        #expect(wrong.status == 401 && unknown.status == 401)
        #expect(wrong.text.contains("The name or the password is wrong"))
        #expect(unknown.text.contains("The name or the password is wrong"))
        #expect(!unknown.text.contains("<script>"))
        #expect(app.cookie("__Host-roster_session") == nil)
    }

    @Test("A page's form works in the browser only that it was shown to, and for a quarter of an hour")
    func sealedPages() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let page = await app.browse("GET", try app.authorizePath())
        app.forgetCookies()
        #expect(try await app.signIn(on: page).status == 400)
        let mine = await app.browse("GET", try app.authorizePath())
        service.clock.advance(by: 901)
        #expect(try await app.signIn(on: mine).status == 400)
        let altered = await app.browse(
            "POST", "/oauth2/authorize", form: [("request", try App.sealed(mine) + "x"), ("username", "a")])
        #expect(altered.status == 400)
    }

    @Test("Signing in begins a new session: a cookie that somebody planted is worth nothing")
    func sessionFixation() async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await app.code()
        let first = app.cookie("__Host-roster_session")
        let page = await app.browse("GET", try app.authorizePath(["prompt": "login"]))
        _ = try await app.signIn(on: page)
        #expect(app.cookie("__Host-roster_session") != nil && app.cookie("__Host-roster_session") != first)
    }

    @Test(
        "A browser is never sent to an address that is not registered, whatever it looks like",
        arguments: [
            "http://127.0.0.1:5000/callback/", "http://127.0.0.1:5000/callbac", "http://127.0.0.1:5000/callback?x=1",
            "http://127.0.0.1:5000/callback#x", "http://127.0.0.1@evil.example.com/callback",
            "http://localhost:5000/callback", "http://127.0.0.1.evil.example.com:5000/callback",
            "https://127.0.0.1:5000/callback", "http://127.0.0.1:5000/CALLBACK", "http://127.0.0.1:5000/%63allback",
            "javascript:alert(1)", "//evil.example.com/callback", "http://[::1]:5000/callback",
        ])
    func badRedirects(uri: String) async throws {
        let app = try await App(try await ServiceUnderTest())
        let answer = await app.browse("GET", try app.authorizePath(["redirect_uri": uri]))
        #expect(answer.status == 400 && answer.header("Location") == nil)
        let wrong = await app.browse("GET", try app.authorizePath(["redirect_uri": uri, "response_type": "token"]))
        #expect(wrong.status == 400 && wrong.header("Location") == nil, "not for an error either")
    }

    @Test("A loopback address may have any port (RFC 8252), and an app a scheme of its own")
    func nativeApps() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(
            service,
            [
                "redirect_uris": ["http://127.0.0.1/callback", "com.example.shop:/callback"], "public": true,
                "grant_types": ["authorization_code", "refresh_token"],
            ])
        for uri in ["http://127.0.0.1:61023/callback", "com.example.shop:/callback"] {
            app.forgetCookies()
            let page = await app.browse("GET", try app.authorizePath(["redirect_uri": uri]))
            let signedIn = try await app.signIn(on: page)
            // Allowed once, for both addresses.
            let back = signedIn.status == 200 ? try await app.allow(signedIn) : signedIn
            #expect(back.header("Location")?.hasPrefix(uri + "?code=") == true, "\(back.text)")
            let code = try #require(App.sent(back)["code"])
            let answer = await app.post(
                "/oauth2/token",
                [
                    ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", uri),
                    ("code_verifier", App.verifier),
                ])
            #expect(answer.status == 200, "\(answer.text)")
        }
    }

    @Test(
        "What is wrong with a request is told to the app, with its state",
        arguments: [
            (["response_type": "token"], "unsupported_response_type"),
            (["response_type": "id_token"], "unsupported_response_type"),
            (["response_type": nil], "invalid_request"),
            (["code_challenge_method": "plain"], "invalid_request"),
            (["code_challenge_method": nil], "invalid_request"),
            (["code_challenge": "short"], "invalid_request"), (["scope": "nuclear fusion"], "invalid_scope"),
            (["request": "x.y.z"], "request_not_supported"), (["prompt": "none login"], "invalid_request"),
            (["max_age": "-1"], "invalid_request"), (["response_mode": "query.jwt"], "invalid_request"),
        ] as [([String: String?], String)])
    func refused(changes: [String: String?], error: String) async throws {
        let app = try await App(try await ServiceUnderTest())
        let answer = await app.browse("GET", try app.authorizePath(changes))
        #expect(answer.status == 303 && App.sent(answer)["error"] == error, "\(answer.text)")
        #expect(App.sent(answer)["state"] == "the state" && App.sent(answer)["iss"] == "https://id.example.com")
    }

    @Test("A parameter that is given twice is refused")
    func duplicates() async throws {
        let app = try await App(try await ServiceUnderTest())
        #expect(await app.browse("GET", try app.authorizePath() + "&state=other").status == 400)
        let answer = await app.token(("grant_type", "client_credentials"), ("grant_type", "password"))
        #expect(answer.status == 400 && answer["error"]?.text == "invalid_request")
    }

    @Test("PKCE: another verifier, none, or one that is no verifier gets nothing, and the code is used up")
    func verifiers() async throws {
        let app = try await App(try await ServiceUnderTest())
        for verifier in [App.verifier + "x", nil, "short", String(repeating: "ä", count: 50)] {
            let code = try await app.code()
            #expect(await app.redeem(code, verifier: verifier)["error"]?.text == "invalid_grant")
            #expect(await app.redeem(code)["error"]?.text == "invalid_grant", "it was tried once")
        }
    }

    @Test("A code is good for a minute")
    func expiry() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let early = try await app.code()
        service.clock.advance(by: 59)
        #expect(await app.redeem(early).status == 200)
        let late = try await app.code()
        service.clock.advance(by: 61)
        #expect(await app.redeem(late)["error"]?.text == "invalid_grant")
    }

    @Test("A code that is used again ends what was given for it, also where both come at once")
    func reuse() async throws {
        let app = try await App(try await ServiceUnderTest())
        let code = try await app.code()
        let first = await app.redeem(code)
        let token = try #require(first["access_token"]?.text)
        #expect(await app.isActive(token))
        #expect(await app.redeem(code)["error"]?.text == "invalid_grant")
        #expect(await !app.isActive(token))
        #expect(await app.status("/mobile/platform/users/~", token) == 401)
        let raced = try await app.code()
        let answers = await withTaskGroup(of: Answer.self) { group in
            for _ in 0..<20 { group.addTask { await app.redeem(raced) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        for token in answers.compactMap({ $0["access_token"]?.text }) { #expect(await !app.isActive(token)) }
    }

    @Test("A code is its own client's only")
    func otherClient() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let other = try await App(service, named: "other")
        let code = try await app.code()
        #expect(await other.redeem(code)["error"]?.text == "invalid_grant")
        #expect(await app.redeem(code).status == 200, "and nobody else uses it up")
    }

    @Test("Where the backend wants it the user is asked what the app may do, and not again for the same")
    func consent() async throws {
        let app = try await App(try await ServiceUnderTest(), ["consent": true])
        let page = await app.browse("GET", try app.authorizePath())
        let question = try await app.signIn(on: page)
        #expect(
            question.status == 200 && question.text.contains("Allow shop?") && question.text.contains("know your name"))
        let denied = await app.browse(
            "POST", "/oauth2/authorize", form: [("request", try App.sealed(question)), ("decision", "deny")])
        #expect(App.sent(denied)["error"] == "access_denied")
        let again = await app.browse("GET", try app.authorizePath())
        let allowed = await app.browse(
            "POST", "/oauth2/authorize", form: [("request", try App.sealed(again)), ("decision", "allow")])
        #expect(App.sent(allowed)["code"] != nil)
        #expect(await app.browse("GET", try app.authorizePath()).status == 303)
        let more = await app.browse("GET", try app.authorizePath(["scope": "openid profile email"]))
        #expect(more.status == 200 && more.text.contains("know your mail address"))
        let silent = await app.browse("GET", try app.authorizePath(["scope": "openid email", "prompt": "none"]))
        #expect(App.sent(silent)["error"] == "consent_required")
    }

    @Test("An app signs its user out by the id token, to an address that is registered for it")
    func signOut() async throws {
        let app = try await App(
            try await ServiceUnderTest(), ["post_logout_redirect_uris": ["https://shop.example.com/bye"]])
        let answer = await app.redeem(try await app.code())
        let hint = try #require(answer["id_token"]?.text)
        let access = try #require(answer["access_token"]?.text)
        let to = "post_logout_redirect_uri=https%3A%2F%2Fshop.example.com%2Fbye&state=s"
        let bad = await app.browse(
            "GET", "/oauth2/logout?id_token_hint=\(hint)&post_logout_redirect_uri=https%3A%2F%2Fevil.example.com")
        #expect(bad.status == 400 && bad.header("Location") == nil)
        let asked = await app.browse("GET", "/oauth2/logout?client_id=\(app.clientID)&\(to)")
        #expect(asked.status == 200 && asked.text.contains("Sign out?"), "without a proof the user is asked")
        let done = await app.browse("GET", "/oauth2/logout?id_token_hint=\(hint)&\(to)")
        #expect(done.status == 303 && done.header("Location") == "https://shop.example.com/bye?state=s")
        #expect(await app.browse("GET", try app.authorizePath()).status == 200, "the session has ended")
        #expect(await !app.isActive(access), "and with it the tokens that were given in it")
    }
}

import Foundation
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks on when somebody must sign in, and as whom", .timeLimit(.minutes(2)))
struct PromptAttackTests {
    private func isAsked(_ app: App, _ changes: [String: String?]) async throws -> Bool {
        let answer = await app.browse("GET", try app.authorizePath(changes))
        return answer.status == 200 && answer.text.contains("name=\"password\"")
    }

    @Test("An age of 0 has everybody sign in anew, also whoever did so a moment ago (OpenID Connect Core, 3.1.2.1)")
    func ageOfZero() async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await app.code()
        #expect(try await isAsked(app, ["max_age": "0"]))
        let silent = await app.browse("GET", try app.authorizePath(["max_age": "0", "prompt": "none"]))
        #expect(App.sent(silent)["error"] == "login_required")
        let page = await app.browse("GET", try app.authorizePath(["max_age": "0"]))
        #expect(App.sent(try await app.signIn(on: page))["code"] != nil, "once is enough")
    }

    @Test("An age is counted from the password, however often the session was used since, and stands in the id token")
    func age() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let began = Int64(service.clock.now.timeIntervalSince1970)
        _ = try await app.code()
        for _ in 0..<5 {
            service.clock.advance(by: 20_000)
            let code = try await app.code(["max_age": "1000000"])
            let token = try JSONWebToken(try #require(await app.redeem(code)["id_token"]?.text))
            #expect(token.claims["auth_time"] == .integer(began))
        }
        #expect(try await isAsked(app, ["max_age": "99999"]))
        let now = Int64(service.clock.now.timeIntervalSince1970)
        let code = try await app.code(["max_age": "99999"])
        let token = try JSONWebToken(try #require(await app.redeem(code)["id_token"]?.text))
        #expect(token.claims["auth_time"] == .integer(now))
    }

    @Test(
        "An age that is no number is refused, and not passed over",
        arguments: [
            "-1", "-0.5", "1e9", "0x10", "1_000", "60 ", " 60", "٦٠", "99999999999999999999", "NaN", "60,60", "null",
        ])
    func badAges(age: String) async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await app.code()
        let answer = await app.browse("GET", try app.authorizePath(["max_age": age]))
        #expect(App.sent(answer)["error"] == "invalid_request" && App.sent(answer)["code"] == nil, "\(answer.status)")
    }

    @Test("An app that wants a new sign-in gets one, whatever else stands beside it or is said in the form")
    func login() async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await app.code()
        for prompt in ["login", "login consent", "consent login", "select_account", "login  login", "login unknown"] {
            #expect(try await isAsked(app, ["prompt": prompt]), "\(prompt)")
        }
        for prompt in ["none login", "login none", "none consent", "none none login"] {
            let answer = await app.browse("GET", try app.authorizePath(["prompt": prompt]))
            #expect(App.sent(answer)["error"] == "invalid_request", "\(prompt)")
        }
        let page = await app.browse("GET", try app.authorizePath(["prompt": "login"]))
        for more in [[("decision", "allow")], [("prompt", "none")], [("username", ServiceUnderTest.engineer)]] {
            let answer = try await app.bring(page, to: "/oauth2/authorize", more)
            #expect(answer.status == 401 && App.sent(answer)["code"] == nil, "there is no password")
        }
        let asked = await app.browse("GET", try app.authorizePath(["prompt": "consent"]))
        #expect(asked.text.contains("Allow shop?"))
        let bare = try await app.bring(asked, to: "/oauth2/authorize")
        #expect(App.sent(bare)["error"] == "access_denied", "who says nothing has allowed nothing")
    }

    @Test("Without a page nobody is asked anything: an app that wants none gets an error, and no hint who is there")
    func none() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let consenting = try await App(service, named: "consenting", ["consent": true])
        for cookie in ["", "__Host-roster_session=x", "__Host-roster_session=" + String(repeating: "A", count: 43)] {
            let answer = await service.send(
                "GET", try app.authorizePath(["prompt": "none"]), nil, headers: [("Cookie", cookie)])
            #expect(App.sent(answer)["error"] == "login_required" && answer.bytes.isEmpty)
        }
        _ = try await app.code()
        let session = "__Host-roster_session=" + (try #require(app.cookie("__Host-roster_session")))
        let answer = await service.send(
            "GET", try consenting.authorizePath(["prompt": "none"]), nil, headers: [("Cookie", session)])
        #expect(App.sent(answer)["error"] == "consent_required")
        #expect(answer.header("Location")?.contains(ServiceUnderTest.engineer) == false)
        let twice = await service.send(
            "GET", try app.authorizePath(["prompt": "none"]), nil,
            headers: [("Cookie", "__Host-roster_session=x; " + session)]
        )
        #expect(App.sent(twice)["error"] == "login_required", "of two cookies of one name somebody else set one")
    }

    @Test(
        "A hint that was signed with a client's secret is taken from that client, and from nobody who knows no secret")
    func hintOfSharedSecret() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["id_token_signed_response_alg": "HS256"])
        let hint = try #require(await app.redeem(try await app.code())["id_token"]?.text)
        let silent = await app.browse("GET", try app.authorizePath(["id_token_hint": hint, "prompt": "none"]))
        #expect(App.sent(silent)["code"] != nil, "\(silent.text)")
        let other = try await App(service, named: "other")
        let parts = hint.split(separator: ".")
        let forged = try SigningKey.sign(
            try JSONWebToken(hint).claims.members, type: "JWT", sharedSecret: Array((other.secret ?? "").utf8))
        for bad in [forged, parts[0] + "." + parts[1] + ".AAAA"] {
            let answer = await app.browse("GET", try app.authorizePath(["id_token_hint": bad, "prompt": "none"]))
            #expect(App.sent(answer)["error"] == "invalid_request")
        }
    }

    @Test("An app that names a user by an id token gets tokens of nobody else (OpenID Connect Core, 3.1.2.2)")
    func hintOfAnotherUser() async throws {
        let app = try await App(try await ServiceUnderTest())
        let hint = try #require(await app.redeem(try await app.code())["id_token"]?.text)
        #expect(await app.browse("GET", try app.authorizePath(["id_token_hint": hint])).status == 303)
        let again = await app.browse("GET", try app.authorizePath(["prompt": "login"]))
        _ = try await app.signIn(on: again, as: ServiceUnderTest.lead)
        let silent = await app.browse("GET", try app.authorizePath(["id_token_hint": hint, "prompt": "none"]))
        #expect(App.sent(silent)["error"] == "login_required" && App.sent(silent)["code"] == nil)
        let page = await app.browse("GET", try app.authorizePath(["id_token_hint": hint]))
        #expect(page.status == 200, "the other user is asked for")
        let wrong = try await app.signIn(on: page, as: ServiceUnderTest.lead)
        #expect(App.sent(wrong)["code"] == nil, "and it is not the one who comes")
        let asked = await app.browse("GET", try app.authorizePath(["id_token_hint": hint]))
        let right = try await app.signIn(on: asked)
        #expect(App.sent(right)["code"] != nil)
        for bad in ["x", "a.b.c", try await app.tokens().access] {
            let answer = await app.browse("GET", try app.authorizePath(["id_token_hint": bad, "prompt": "none"]))
            #expect(App.sent(answer)["code"] == nil, "\(bad.prefix(20))")
        }
    }

    @Test("A form that another site sends signs nobody in and allows nothing, also with what an attacker's page kept")
    func forgedForms() async throws {
        let service = try await ServiceUnderTest()
        let victim = try await App(service, ["consent": true])
        let attacker = try await App(service, named: "attacker", ["consent": true])
        let page = await attacker.browse("GET", try attacker.authorizePath())
        let consent = try await attacker.signIn(on: page, as: ServiceUnderTest.lead)
        _ = try await victim.signIn(on: await victim.browse("GET", try victim.authorizePath()))
        for kept in [page, consent] {
            let answer = try await victim.bring(
                kept, to: "/oauth2/authorize",
                [("decision", "allow"), ("username", ServiceUnderTest.lead), ("password", ServiceUnderTest.password)])
            #expect(answer.status == 400 && answer.header("Location") == nil)
        }
        for form in [
            [("decision", "allow")], [("request", ""), ("decision", "allow")],
            [("request", "x.y"), ("decision", "allow")],
        ] {
            let answer = await victim.browse("POST", "/oauth2/authorize", form: form)
            #expect(answer.status == 400 && answer.header("Location") == nil)
        }
        // The consent page of one session, allowed by the next one in the same browser.
        let mine = await victim.browse("GET", try victim.authorizePath())
        #expect(mine.text.contains("Allow shop?"))
        let other = await victim.browse("GET", try victim.authorizePath(["prompt": "login"]))
        _ = try await victim.signIn(on: other, as: ServiceUnderTest.lead)
        let swapped = try await victim.bring(mine, to: "/oauth2/authorize", [("decision", "allow")])
        #expect(swapped.status == 400 && App.sent(swapped)["code"] == nil)
    }

    @Test("Cookies are for no script, for no other site's forms, and over TLS only; each sign-in has one of its own")
    func cookies() async throws {
        let app = try await App(try await ServiceUnderTest())
        let page = await app.browse("GET", try app.authorizePath())
        let back = try await app.signIn(on: page)
        for answer in [page, back] {
            let fields = answer.response.headers.values(of: "Set-Cookie")
            #expect(!fields.isEmpty)
            for field in fields {
                #expect(field.contains("; HttpOnly") && field.contains("; SameSite=Lax") && field.contains("; Secure"))
                #expect(field.hasPrefix("__Host-") && field.contains("; Path=/;") && !field.contains("Domain"))
            }
        }
        var seen: Set<String> = []
        for _ in 0..<20 {
            let page = await app.browse("GET", try app.authorizePath(["prompt": "login"]))
            _ = try await app.signIn(on: page)
            let cookie = try #require(app.cookie("__Host-roster_session"))
            #expect(seen.insert(cookie).inserted && cookie.utf8.count >= 43)
        }
        // A value that was planted becomes nobody's session.
        app.forgetCookies()
        let planted = String(repeating: "A", count: 43)
        let headers = [("Cookie", "__Host-roster_session=" + planted)]
        #expect(await app.service.send("GET", try app.authorizePath(), nil, headers: headers).status == 200)
        let signedIn = await app.browse("GET", try app.authorizePath())
        _ = try await app.signIn(on: signedIn)
        #expect(await app.service.send("GET", try app.authorizePath(), nil, headers: headers).status == 200)
    }
}

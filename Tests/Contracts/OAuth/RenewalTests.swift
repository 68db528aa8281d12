import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Signing in again in a browser that is signed in", .timeLimit(.minutes(2)), .inBothForms)
struct RenewalTests {
    private func time(_ answer: Answer) throws -> JSONValue? {
        try JSONWebToken(try #require(answer["id_token"]?.text, "\(answer.text)")).claims["auth_time"]
    }

    /// The session of the browser in another one.
    private func isSignedIn(_ app: App, _ cookie: String?) async throws -> Bool {
        await app.service.request(
            "GET", try app.authorizePath(), as: .nobody, headers: [("Cookie", "__Host-roster_session=\(cookie ?? "")")]
        ).status == 303
    }

    @Test("What all apps of the browser hold goes on under a new cookie, until the user signs out")
    func goesOn() async throws {
        let service = try await ServiceUnderTest()
        let (app, other) = (try await App(service), try await App(service, named: "mail"))
        let first = await app.redeem(try await app.code())
        let unredeemed = try await app.code()
        let before = app.cookie("__Host-roster_session")
        service.clock.advance(by: 50)
        let page = await app.browse("GET", try other.authorizePath(["prompt": "login"]))
        let back = try await app.signIn(on: page)
        let second = await other.redeem(try #require(App.sent(back)["code"], "\(back.text)"))
        let late = await app.redeem(unredeemed)
        let access = try #require(first["access_token"]?.text)
        let refreshed = await app.refresh(try #require(first["refresh_token"]?.text))
        #expect(await app.isActive(access) && refreshed.status == 200)
        #expect(try time(late) == time(first) && time(refreshed) == time(first), "each keeps its own time")
        #expect(try time(second) != time(first))
        #expect(try await time(app.redeem(app.code())) == time(second), "the newer sign-in counts from now on")
        let now = app.cookie("__Host-roster_session")
        #expect(try await isSignedIn(app, now))
        for cookie in [before, before.map { $0 + "." }, before.map { $0 + ".x" }] {
            #expect(try await !isSignedIn(app, cookie), "nobody goes on with the old cookie")
            _ = await service.request(
                "DELETE", "/db/_session/" + (cookie ?? ""), as: .administrator)
        }
        #expect(try await isSignedIn(app, now), "nor ends it with that")
        let question = await app.browse("GET", "/oauth2/logout")
        #expect(await app.browse("POST", "/oauth2/logout", form: [("request", try App.sealed(question))]).status == 200)
        for answer in [first, refreshed, second, late] {
            let token = answer["access_token"]?.text ?? ""
            for client in [app, other] { #expect(await !client.isActive(token)) }
            #expect(await app.refresh(answer["refresh_token"]?.text ?? "").status == 400)
        }
        #expect(try await !isSignedIn(app, now))
    }

    @Test("A form that was sent twice, and one of another tab, end nothing of each other")
    func sentTwice() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        _ = try await app.code()
        let tabs = [
            await app.browse("GET", try app.authorizePath(["prompt": "login"])),
            await app.browse("GET", try app.authorizePath(["max_age": "0"])),
        ]
        let jar = ["__Host-roster_session", "__Host-roster_visit"].map { "\($0)=\(app.cookie($0) ?? "")" }.joined(
            separator: "; ")
        var cookies: [String] = []
        var codes: [String] = []
        for page in tabs + [tabs[0]] {
            let form = [
                ("request", try App.sealed(page)), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password),
            ]
            let answer = await service.send(
                "POST", "/oauth2/authorize", nil, Array(App.encoded(form).utf8),
                headers: [("Cookie", jar), ("Content-Type", "application/x-www-form-urlencoded")])
            codes.append(try #require(App.sent(answer)["code"], "\(answer.text)"))
            let field = try #require(
                answer.response.headers.values(of: "Set-Cookie").first { $0.hasPrefix("__Host-roster_session=") })
            cookies.append(String(field.dropFirst("__Host-roster_session=".count).prefix { $0 != ";" }))
        }
        for code in codes { #expect(await app.redeem(code).status == 200) }
        #expect(Set(cookies).count == 3)
        #expect(try await isSignedIn(app, cookies[2]))
        #expect(try await !isSignedIn(app, cookies[0]))
    }

    @Test("Of many forms that come at once each is answered, and no code of them is lost")
    func atOnce() async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await app.code()
        let page = await app.browse("GET", try app.authorizePath(["prompt": "login"]))
        let codes = try await withThrowingTaskGroup(of: String?.self) { group in
            for _ in 0..<10 { group.addTask { App.sent(try await app.signIn(on: page))["code"] } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        for code in codes { #expect(await app.redeem(try #require(code)).status == 200) }
    }

    @Test("A question that another tab has asked the same user can still be answered")
    func otherQuestion() async throws {
        let app = try await App(try await ServiceUnderTest(), ["consent": true])
        let question = try await app.signIn(on: await app.browse("GET", try app.authorizePath()))
        let login = await app.browse("GET", try app.authorizePath(["prompt": "login"]))
        let second = try await app.signIn(on: login)
        for page in [question, second] {
            let allowed = await app.browse(
                "POST", "/oauth2/authorize", form: [("request", try App.sealed(page)), ("decision", "allow")])
            #expect(App.sent(allowed)["code"] != nil, "\(allowed.text)")
        }
    }

    @Test("Another user who signs in ends the session, and what was given in it")
    func anotherUser() async throws {
        let app = try await App(try await ServiceUnderTest())
        let (access, refresh) = try await app.tokens()
        let before = app.cookie("__Host-roster_session")
        let page = await app.browse("GET", try app.authorizePath(["prompt": "login"]))
        #expect(try await App.sent(app.signIn(on: page, as: ServiceUnderTest.lead))["code"] != nil)
        #expect(await !app.isActive(access))
        #expect(await app.refresh(refresh ?? "").status == 400)
        #expect(try await !isSignedIn(app, before))
    }
}

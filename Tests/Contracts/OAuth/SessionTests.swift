import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Sessions as Sync Gateway has them", .inBothForms)
struct SessionTests {
    private func begin(_ service: ServiceUnderTest, _ password: String = ServiceUnderTest.password) async -> Answer {
        await service.request(
            "POST", "/db/_session", as: .nobody,
            ["name": .string(ServiceUnderTest.engineer), "password": .string(password)])
    }

    private func cookie(_ answer: Answer) throws -> String {
        let field = try #require(answer.header("Set-Cookie"))
        #expect(field.contains("HttpOnly") && field.contains("SameSite=Lax") && field.contains("Secure"))
        return String(field.prefix { $0 != ";" })
    }

    private func status(_ service: ServiceUnderTest, _ cookie: String, origin: String? = nil) async -> Int {
        let headers = [("Cookie", cookie)] + (origin.map { [("Origin", $0)] } ?? [])
        return await service.request("GET", "/scim/v2/Me", as: .nobody, headers: headers).status
    }

    @Test("A name and a password get a cookie, which is taken for a day after its last use, until it is ended")
    func works() async throws {
        let service = try await ServiceUnderTest()
        let answer = await begin(service)
        #expect(answer["ok"] == true && answer["userCtx"]?["name"]?.text == ServiceUnderTest.engineer)
        let cookie = try cookie(answer)
        #expect(await status(service, cookie) == 200)
        #expect(
            await service.request("GET", "/db/_session", as: .nobody, headers: [("Cookie", cookie)])["userCtx"]?[
                "name"]?.text
                == ServiceUnderTest.engineer)
        service.clock.advance(by: 80_000)
        #expect(await status(service, cookie) == 200)
        service.clock.advance(by: 80_000)
        #expect(await status(service, cookie) == 200)
        service.clock.advance(by: 86_401)
        #expect(await status(service, cookie) == 401)
        let second = try self.cookie(await begin(service))
        let ended = await service.request("DELETE", "/db/_session", as: .nobody, headers: [("Cookie", second)])
        #expect(ended.status == 200)
        #expect(await status(service, second) == 401)
        #expect(await service.request("DELETE", "/db/_session", as: .nobody).status == 404)
    }

    @Test("A session for once is no cookie, is good for five minutes, and ends with its first use")
    func oneTime() async throws {
        let service = try await ServiceUnderTest()
        func begin() async throws -> String {
            let answer = await service.request("POST", "/db/_session?one_time=true", as: .person)
            #expect(answer.header("Set-Cookie") == nil)
            return try #require(answer["one_time_session_id"]?.text, "\(answer.text)")
        }
        let id = try await begin()
        #expect(await status(service, "SyncGatewaySession=" + id) == 200)
        #expect(await status(service, "SyncGatewaySession=" + id) == 401)
        let second = try await begin()
        let field = [("Sec-WebSocket-Protocol", "BLIP_3+CBMobile_3, SyncGatewaySession_" + second)]
        #expect(await service.request("GET", "/scim/v2/Me", as: .nobody, headers: field).status == 200)
        #expect(await service.request("GET", "/scim/v2/Me", as: .nobody, headers: field).status == 401)
        let third = try await begin()
        service.clock.advance(by: 301)
        #expect(await status(service, "SyncGatewaySession=" + third) == 401)
        let spent = [("Cookie", "SyncGatewaySession=" + (try await begin()))]
        #expect(
            await service.request("POST", "/db/_session", as: .nobody, headers: spent).status == 403,
            "nor does it become one that lives on")
        let others = await service.request(
            "POST", "/db/_session?one_time=true", ["name": .string(ServiceUnderTest.engineer)])
        let theirs = "SyncGatewaySession=" + (try #require(others["session_id"]?.text))
        #expect(await status(service, theirs) == 200)
        #expect(await status(service, theirs) == 401)
        let fourth = try await begin()
        let app = try await App(service)
        let page = await service.request(
            "GET", try app.authorizePath(), as: .nobody, headers: [("Cookie", "__Host-roster_session=" + fourth)])
        #expect(page.status == 200 && page.header("Location") == nil, "nor does it sign in on the pages")
    }

    @Test("A body that says nothing usable begins a session as whom the request comes from, and for nobody else")
    func unusableBody() async throws {
        let service = try await ServiceUnderTest()
        for (type, body) in [
            ("application/x-www-form-urlencoded", "a=b"), ("application/json", "{"), ("application/json", "{}"),
        ] {
            for (client, expected) in [(Client.person, 200), (.nobody, type == "application/json" ? 0 : 415)] {
                let answer = await service.send(
                    "POST", "/db/_session", service.authorization(client), Array(body.utf8),
                    headers: [("Content-Type", type)])
                #expect(expected == 0 ? [400, 401].contains(answer.status) : answer.status == expected, "\(body)")
            }
        }
        let wrong: JSONValue = ["name": "ren.watanabe", "password": "wrong"]
        #expect(await service.request("POST", "/db/_session", as: .person, wrong).status == 401)
    }

    @Test("The cookie lives as long as the session, and on with it")
    func renewal() async throws {
        let service = try await ServiceUnderTest()
        let answer = await begin(service)
        #expect(answer.header("Set-Cookie")?.contains("Max-Age=86400") == true)
        let headers = [("Cookie", try cookie(answer))]
        func renewed() async -> String? {
            await service.request("GET", "/scim/v2/Me", as: .nobody, headers: headers).header("Set-Cookie")
        }
        #expect(await renewed() == nil)
        service.clock.advance(by: 9_000)
        let field = try #require(await renewed())
        #expect(field.hasPrefix(headers[0].1 + ";") && field.contains("Max-Age=86400") && field.contains("HttpOnly"))
        #expect(await renewed() == nil, "once a tenth of its life has gone")
    }

    @Test("A page of another origin ends no session")
    func foreignEnd() async throws {
        let service = try await ServiceUnderTest()
        let cookie = try cookie(await begin(service))
        let headers = [("Cookie", cookie), ("Origin", "https://evil.example.com")]
        #expect(await service.request("DELETE", "/db/_session", as: .nobody, headers: headers).status == 400)
        #expect(await status(service, cookie) == 200)
    }

    @Test("Whoever is let in already gets one without a body; a wrong password and a narrow token do not")
    func fromCredentials() async throws {
        let service = try await ServiceUnderTest()
        #expect(await begin(service, "wrong").status == 401)
        #expect(await service.request("POST", "/db/_session", as: .nobody).status == 401)
        #expect(await service.request("POST", "/db/_session", as: .person).status == 200)
        #expect(await service.request("POST", "/db/_session", as: .provisioning).status == 403)
        let app = try await App(service)
        let narrow = try await app.tokens().access
        #expect(await service.send("POST", "/db/_session", "Bearer " + narrow).status == 403)
    }

    @Test("A changed password and a disabled account void every session at once")
    func voided() async throws {
        let service = try await ServiceUnderTest()
        let users = service.directory.unrestricted.users
        let first = try cookie(await begin(service))
        let hash = try PasswordHash.make("another good password", .forTests)
            .text
        try await users.modify(.named(ServiceUnderTest.engineer), [.set("password", .string(hash))])
        #expect(await status(service, first) == 401)
        let second = try cookie(await begin(service, "another good password"))
        try await users.modify(.named(ServiceUnderTest.engineer), [.set("active", .boolean(false))])
        #expect(await status(service, second) == 401)
    }

    @Test("A page of another origin can neither begin a session nor use one")
    func origins() async throws {
        let service = try await ServiceUnderTest()
        let cookie = try cookie(await begin(service))
        #expect(await status(service, cookie, origin: "https://id.example.com") == 200)
        for origin in [
            "https://evil.example.com", "null", "https://id.example.com.evil.example", "http://id.example.com",
        ] {
            #expect(await status(service, cookie, origin: origin) == 400, "\(origin)")
            let answer = await service.request(
                "POST", "/db/_session", as: .nobody,
                ["name": .string(ServiceUnderTest.engineer), "password": .string(ServiceUnderTest.password)],
                headers: [("Origin", origin)])
            #expect(answer.status == 400 && answer.header("Set-Cookie") == nil)
        }
    }

    @Test("An administrator begins a session for somebody, sees whose one is, and ends it; nobody else does")
    func administration() async throws {
        let service = try await ServiceUnderTest()
        let name: JSONValue = ["name": .string(ServiceUnderTest.engineer), "ttl": 100]
        #expect(await service.request("POST", "/db/_session", as: .manager, name).status == 403)
        #expect(await service.request("POST", "/db/_session", as: .nobody, name).status == 401)
        #expect(
            await service.request("POST", "/db/_session", as: .administrator, ["name": "nobody.here"]).status == 404)
        let wrong: JSONValue = ["name": .string(ServiceUnderTest.engineer), "ttl": 0]
        #expect(await service.request("POST", "/db/_session", as: .administrator, wrong).status == 400)
        let made = await service.request("POST", "/db/_session", as: .administrator, name)
        let session = try #require(made["session_id"]?.text, "\(made.text)")
        #expect(made["cookie_name"]?.text == "SyncGatewaySession" && made["expires"]?.text?.hasSuffix("Z") == true)
        let cookie = "SyncGatewaySession=" + session
        #expect(await status(service, cookie) == 200)
        let path = "/db/_session/" + session
        #expect(await service.request("GET", path)["userCtx"]?["name"]?.text == ServiceUnderTest.engineer)
        #expect(await service.request("GET", path, as: .manager).status == 403)
        #expect(await service.request("DELETE", path, as: .manager).status == 403)
        let others = "/db/_user/\(ServiceUnderTest.lead)/_session/" + session
        #expect(await service.request("DELETE", others).status == 404, "it is another user's")
        #expect(await service.request("DELETE", path).status == 200)
        #expect(await status(service, cookie) == 401)
        let gone = await service.request("GET", path)
        #expect(gone.status == 404 && gone["error"]?.text == "not_found" && gone["reason"]?.text == "no session")
        let short = try #require(
            await service.request("POST", "/db/_session", as: .administrator, name)["session_id"]?.text)
        service.clock.advance(by: 101)
        #expect(await status(service, "SyncGatewaySession=" + short) == 401)
    }

    @Test("Signing out everywhere ends every session and token, one's own or as an administrator anybody's")
    func everywhere() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let path = "/db/_user/\(ServiceUnderTest.engineer)/_session"
        for client in [Client.person, .administrator] {
            let cookie = try cookie(await begin(service))
            let token = try await app.tokens(["prompt": "login"])
            #expect(await service.request("DELETE", path, as: .manager).status == 403)
            #expect(await service.send("DELETE", path, "Bearer " + token.access).status == 403, "it has not the scope")
            #expect(await status(service, cookie) == 200)
            #expect(await service.request("DELETE", path, as: client).status == 200)
            #expect(await status(service, cookie) == 401)
            #expect(await app.isActive(token.access) == false)
        }
    }
}

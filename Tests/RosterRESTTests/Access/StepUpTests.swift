import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// Somebody with a cookie.
struct Visitor: Sendable {
    let service: ServiceUnderTest
    let cookie: String

    /// Signs in with a name and a password.
    init(_ service: ServiceUnderTest, _ name: String = "root", otp: String? = nil) async throws {
        var body: JSONValue = ["name": .string(name), "password": .string(ServiceUnderTest.password)]
        if let otp { body["otp"] = .string(otp) }
        let answer = await service.send("POST", "/db/_session", nil, body.bytes)
        let field = try #require(answer.header("Set-Cookie"), "\(answer.text)")
        self.service = service
        cookie = String(field.prefix { $0 != ";" })
    }

    func request(_ method: String, _ path: String, _ body: JSONValue? = nil) async -> Answer {
        await service.send(method, path, nil, body?.bytes, headers: [("Cookie", cookie)])
    }
}

@Suite("Changes by which an account could be taken over ask for a recent sign-in")
struct StepUpTests {
    private static let manager: JSONValue = [
        "trusted": true, "scope": "openid offline_access directory directory:manage",
    ]

    struct Change: Sendable, CustomTestStringConvertible {
        let method: String
        let path: String
        let body: JSONValue?
        var testDescription: String { "\(method) \(path)" }

        init(_ method: String, _ path: String, _ body: JSONValue? = nil) {
            self.method = method
            self.path = path
            self.body = body
        }
    }

    /// `BACKEND` in a path stands for the identifier of a backend.
    static let changes: [Change] = [
        Change("PUT", "people/\(ServiceUnderTest.lead)", ["password": "a staple of horses"]),
        Change("POST", "people", ["uid": "new", "password": "a staple of horses"]),
        Change("PUT", "people/other.root", ["active": false]),
        Change("PUT", "people/other.root", ["mail": "me@elsewhere.example"]),
        Change("DELETE", "people/other.root"),
        Change("POST", "groups/administrators/members", ["uri": "people/ren.watanabe"]),
        Change("POST", "groups/administrators/personOwner", ["uri": "people/ren.watanabe"]),
        Change("DELETE", "groups/administrators/members/other.root"),
        Change(
            "POST", "/scim/v2/Users",
            [
                "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "x",
                "password": "a staple of horses",
            ]),
        Change("POST", "/admin/backends", ["name": "mine", "directory_role": "administrator"]),
        Change("PUT", "/admin/backends/BACKEND", ["name": "theirs", "directory_role": "administrator"]),
        Change("POST", "/admin/backends/BACKEND/secret"),
        Change("DELETE", "/admin/backends/BACKEND"),
        Change("POST", "/admin/keys", ["algorithm": "ES256"]),
        Change("POST", "/admin/tokens", ["name": "mine", "role": "administrator"]),
        Change("DELETE", "/admin/tokens/hr"),
        Change("DELETE", "/admin/users/\(ServiceUnderTest.engineer)/made"),
        Change("DELETE", "/admin/users/\(ServiceUnderTest.engineer)/second-factor"),
        Change("DELETE", "/db/_user/\(ServiceUnderTest.engineer)/_session"),
        Change("PUT", "/admin/attributes/mobile", ["readers": "signedIn"]),
        Change("DELETE", "/admin/attributes/mobile"),
        Change("PUT", "/admin/retention", ["sign_in_days": 1]),
    ]

    /// A service with a second administrator and a backend.
    private func service() async throws -> (ServiceUnderTest, backend: String) {
        let service = try await ServiceUnderTest()
        let app = try await App(service, named: "theirs")
        try await service.directory.unrestricted.awaitWrite { session in
            let other = try session.asEditor(to: "test").users.create(NewUser("other.root"))
            try session.asRoleOwner(
                of: .id(session.asPresentAdministrator(to: "test").powers.administratorsRole().id), changing: .member
            ).add([.user(.id(other.id))])
        }
        return (service, app.record.id.description)
    }

    private func isChallenge(_ answer: Answer) -> Bool {
        let field = answer.header("WWW-Authenticate") ?? ""
        return answer.status == 401 && field.hasPrefix("Bearer ")
            && field.contains(#"error="insufficient_user_authentication""#) && field.contains(#"max_age="300""#)
    }

    /// Expects success. The engineer has no second factor to remove, which is a 404.
    private func expectDone(_ answer: Answer, _ path: String) {
        let isAbsent = answer.status == 404 && path.hasSuffix("second-factor")
        #expect((200..<300).contains(answer.status) || isAbsent, "\(answer.text)")
    }

    @Test(
        "A session that is older than five minutes is told to sign in again, and a new one does it", arguments: changes)
    func sessions(change: Change) async throws {
        let (service, backend) = try await service()
        let path = change.path.replacing("BACKEND", with: backend)
        let old = try await Visitor(service)
        service.clock.advance(by: 301)
        let before = try await service.lastChange()
        let refused = await old.request(change.method, path, change.body)
        #expect(isChallenge(refused), "\(refused.status) \(refused.text)")
        #expect(try await service.lastChange() == before)
        let again = try await Visitor(service)
        let answer = await again.request(change.method, path, change.body)
        expectDone(answer, path)
    }

    @Test("History is erased after a recent sign-in only")
    func erasing() async throws {
        let (service, _) = try await service()
        let users = service.directory.unrestricted.users
        let id = try await users.create("leaver").id
        try await users.delete(.id(id))
        let old = try await Visitor(service)
        service.clock.advance(by: 301)
        #expect(isChallenge(await old.request("DELETE", "/admin/users/\(id)/history")))
        let again = try await Visitor(service)
        #expect(await again.request("DELETE", "/admin/users/\(id)/history").status == 200)
    }

    @Test("A session is used, and made into another one, without becoming a new sign-in")
    func renewing() async throws {
        let (service, _) = try await service()
        let session = try await Visitor(service)
        service.clock.advance(by: 9_000)
        let longer = await session.request("GET", "/db/_session")
        #expect(longer.status == 200 && longer.header("Set-Cookie") != nil, "it lives on")
        let made = await session.request("POST", "/db/_session")
        let cookie = try #require(made.header("Set-Cookie")?.prefix { $0 != ";" })
        let answer = await service.send(
            "POST", "/admin/tokens", nil, (["name": "x", "role": "monitoring"] as JSONValue).bytes,
            headers: [("Cookie", String(cookie))])
        #expect(isChallenge(answer))
    }

    @Test("An app's token does none of it, whoever it stands for and however new it is", arguments: changes)
    func apps(change: Change) async throws {
        let (service, backend) = try await service()
        let app = try await App(service)
        let token = try await tokens(app, "directory")
        let path = change.path.replacing("BACKEND", with: backend)
        let before = try await service.lastChange()
        let answer = await service.send(change.method, path, "Bearer " + token, change.body?.bytes)
        #expect(answer.status == 403, "\(answer.text)")
        let field = answer.header("WWW-Authenticate") ?? ""
        #expect(field.contains(#"error="insufficient_scope""#) && field.contains(#"scope="directory:manage""#))
        #expect(try await service.lastChange() == before)
    }

    private func tokens(_ app: App, _ scope: String, otp: String? = nil) async throws -> String {
        let answer = await app.post(
            "/oauth2/token",
            [
                ("grant_type", "password"), ("username", "root"), ("password", ServiceUnderTest.password),
                ("scope", scope),
            ] + (otp.map { [("otp", $0)] } ?? []))
        return try #require(answer["access_token"]?.text, "\(answer.text)")
    }

    @Test("A program with a right of its own goes on without signing in", arguments: changes)
    func programs(change: Change) async throws {
        let (service, backend) = try await service()
        let path = change.path.replacing("BACKEND", with: backend)
        let answer = await service.request(change.method, path, as: .tokenAdministrator, change.body)
        expectDone(answer, path)
    }

    @Test("A provisioning client sets passwords of users, and none of an administrator")
    func provisioning() async throws {
        let (service, _) = try await service()
        func set(_ name: String) async -> Int {
            await service.request("PUT", "people/\(name)", as: .provisioning, ["password": "a staple of horses"]).status
        }
        #expect(await set(ServiceUnderTest.engineer) == 200)
        #expect(await set("other.root") == 403)
        let owner = await service.request(
            "POST", "groups/administrators/personOwner", as: .provisioning, ["uri": "people/ren.watanabe"])
        #expect(owner.status == 403)
    }

    @Test("A trusted backend signs the person in again with max_age or prompt, and then makes the change")
    func roundTrip() async throws {
        let (service, _) = try await service()
        let app = try await App(service, named: "console", Self.manager)
        let scope = "openid offline_access directory directory:manage"
        var answer = await app.browse("GET", try app.authorizePath(["scope": scope]))
        answer = try await app.signIn(on: answer, as: "root")
        let first = await app.redeem(try #require(App.sent(answer)["code"]))
        let refresh = try #require(first["refresh_token"]?.text)
        func change(_ token: String?) async -> Answer {
            await service.send(
                "POST", "/admin/backends", token.map { "Bearer " + $0 },
                (["name": .string(UUID().uuidString)] as JSONValue).bytes)
        }
        #expect(await change(first["access_token"]?.text).status == 201)
        service.clock.advance(by: 301)
        #expect(isChallenge(await change(first["access_token"]?.text)))
        let renewed = await app.refresh(refresh)
        #expect(isChallenge(await change(renewed["access_token"]?.text)), "a refresh is no sign-in")
        let silent = await app.redeem(try await app.code(["scope": scope]))
        #expect(isChallenge(await change(silent["access_token"]?.text)), "nor is a code in an old session")
        for ask in ["max_age": "300", "prompt": "login"] {
            service.clock.advance(by: 301)
            var answer = await app.browse("GET", try app.authorizePath(["scope": scope, ask.key: ask.value]))
            #expect(answer.status == 200, "the page asks for the password")
            answer = try await app.signIn(on: answer, as: "root")
            let again = await app.redeem(try #require(App.sent(answer)["code"]))
            #expect(await change(again["access_token"]?.text).status == 201)
        }
    }

    @Test("Only a trusted, confidential backend may have the scope, and gets it where it is asked for by name")
    func trusted() async throws {
        let (service, _) = try await service()
        func make(_ settings: JSONValue, as client: Client = .administrator) async -> Answer {
            var body: JSONValue = ["name": .string(UUID().uuidString)]
            for member in settings.members { body[member.name] = member.value }
            return await service.request("POST", "/admin/backends", as: client, body)
        }
        #expect(await make(["scope": "directory directory:manage"]).status == 400)
        #expect(await make(["trusted": true, "public": true]).status == 400)
        #expect(await make(Self.manager, as: .tokenAdministrator).status == 403, "a program trusts no backend")
        let made = await make(Self.manager)
        #expect(made.status == 201 && made["trusted"] == true)
        let app = try await App(service, named: "console", Self.manager)
        let answer = await app.post(
            "/oauth2/token",
            [("grant_type", "password"), ("username", "root"), ("password", ServiceUnderTest.password)])
        #expect(answer["scope"]?.text == "openid directory")
        // Whoever trusts it no more takes the scope from tokens that are out.
        let token = try await tokens(app, "directory directory:manage")
        let plain: JSONValue = ["name": "console", "scope": "directory", "grant_types": ["password"]]
        #expect(await service.request("PUT", "/admin/backends/\(app.record.id)", plain).status == 200)
        #expect(await service.send("DELETE", "/admin/tokens/hr", "Bearer " + token).status == 403)
    }

    @Test("Whoever has a second factor must have given it, too")
    func secondFactor() async throws {
        let (service, _) = try await service()
        let app = try await App(service, named: "console", Self.manager)
        let session = try await Visitor(service)
        let path = "/mobile/platform/users/~/totp"
        service.clock.advance(by: 301)
        #expect(isChallenge(await session.request("POST", path)), "it is not set up by a stolen session")
        let recent = try await Visitor(service)
        let secret = try #require(await recent.request("POST", path)["secret"]?.text)
        let code = try OneTimePassword.code(
            base32Decoded(secret), step: Int64(service.clock.now.timeIntervalSince1970) / 30)
        let codes = await recent.request("POST", path + "/confirm", ["code": .string(code)])["recovery_codes"]?
            .elements.compactMap(\.text)
        let recovery = try #require(codes)
        #expect(isChallenge(await recent.request("DELETE", "/admin/tokens/hr")), "the password alone is not enough now")
        let token = try await tokens(app, "directory directory:manage", otp: recovery[0])
        let both = try await Visitor(service, otp: recovery[1])
        #expect(await both.request("DELETE", "/admin/tokens/hr").status == 204)
        #expect(await service.send("DELETE", "/admin/tokens/watch", "Bearer " + token).status == 204)
        service.clock.advance(by: 301)
        #expect(isChallenge(await both.request("POST", path + "/remove", ["code": .string(recovery[2])])))
        let questions = "/mobile/platform/users/~/challenge-questions"
        #expect(isChallenge(await both.request("PUT", questions, ["questions": []])))
        #expect(isChallenge(await both.request("POST", questions + "/remove", ["kbaAnswers": [:]])))
    }

    @Test("A session that an administrator began for somebody, and a sign-in with a provider, prove no presence")
    func others() async throws {
        let (service, _) = try await service()
        let begun = await service.request("POST", "/db/_session", ["name": "root"])
        let value = try #require(begun["session_id"]?.text)
        let answer = await service.send(
            "DELETE", "/admin/tokens/hr", nil, headers: [("Cookie", "SyncGatewaySession=" + value)])
        #expect(isChallenge(answer))
        let theirs = await service.request("POST", "/db/_session", ["name": .string(ServiceUnderTest.engineer)])
        let session = "/db/_session/" + (theirs["session_id"]?.text ?? "")
        let old = try await Visitor(service)
        service.clock.advance(by: 301)
        #expect(await old.request("GET", session).status == 200)
        #expect(isChallenge(await old.request("DELETE", session)), "nor does an old session end another one's")
        #expect(PersonalSignIn(time: service.clock.now, amr: ["fed"]) == nil)
    }

    @Test("What cannot take an account over goes on in an old session, and by an app's token")
    func ordinary() async throws {
        let (service, _) = try await service()
        let old = try await Visitor(service)
        service.clock.advance(by: 301)
        #expect(await old.request("PUT", "people/\(ServiceUnderTest.engineer)", ["title": "Lead"]).status == 200)
        #expect(await old.request("PUT", "people/\(ServiceUnderTest.engineer)", ["active": false]).status == 200)
        #expect(await old.request("POST", "people", ["uid": "new.one"]).status == 201)
        #expect(await old.request("POST", "groups/platform/members", ["uri": "people/new.one"]).status == 201)
        #expect(await old.request("GET", "/admin/tokens").status == 200)
        let token = try await tokens(try await App(service), "directory")
        let answer = await service.send(
            "PUT", "people/root", "Bearer " + token, (["title": "Chief"] as JSONValue).bytes)
        #expect(answer.status == 200)
        #expect(await old.request("DELETE", "/db/_session").status == 200, "one's own session ends at any time")
    }
}

import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Links with which users set a password once", .inBothForms)
struct PasswordLinkTests {
    private static let user = ServiceUnderTest.engineer
    private static let new = "a new password that is long"

    /// Makes a link, and returns its path and query.
    private func link(
        _ service: ServiceUnderTest, as client: Client = .administrator, of user: String = Self.user,
        _ body: JSONValue? = nil
    ) async throws -> String {
        let answer = await service.request("POST", "/admin/users/\(user)/password-link", as: client, body)
        try #require(answer.status == 201, "\(answer.text)")
        let url = try #require(answer["url"]?.text)
        #expect(url.hasPrefix(SocketDoor.publicURL + "/oauth2/password?token="))
        return String(url.dropFirst(SocketDoor.publicURL.count))
    }

    private func set(_ password: String, on page: Answer, _ app: App, repeated: String? = nil) async throws -> Answer {
        await app.browse(
            "POST", "/oauth2/password",
            form: [
                ("request", try App.sealed(page)), ("password", password), ("repeated", repeated ?? password),
            ])
    }

    private func signsIn(_ service: ServiceUnderTest, _ password: String) async -> Bool {
        await service.send("GET", "/scim/v2/Me", ServiceUnderTest.basic(Self.user, password)).status == 200
    }

    @Test("A link sets a password once; the page holds no token, and no other site learns the address")
    func once() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let path = try await link(service)
        let page = await app.browse("GET", path)
        #expect(page.status == 200 && page.text.contains(Self.user))
        let token = try #require(path.split(separator: "=").last.map(String.init))
        #expect(!page.text.contains(token))
        #expect(page.header("Referrer-Policy") == "no-referrer" && page.header("Cache-Control") == "no-store")
        #expect(page.header("Content-Security-Policy")?.contains("default-src 'none'") == true)
        let done = try await set(Self.new, on: await app.browse("GET", path), app)
        #expect(done.status == 303 && done.header("Location") == "sign-in", "opening the link did not use it up")
        #expect(await signsIn(service, Self.new))
        #expect(await !signsIn(service, ServiceUnderTest.password))
        #expect(await app.browse("GET", path).status == 404)
        #expect(try await set("yet another long password", on: page, app).status == 404)
        #expect(await signsIn(service, Self.new))
    }

    @Test("A newer link, a new password, a disabled account, signing out everywhere and time each end a link")
    func ends() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let first = try await link(service)
        let second = try await link(service)
        #expect(await app.browse("GET", first).status == 404, "the newer link ends the older one")
        #expect(await app.browse("GET", second).status == 200)

        let view = service.directory.unrestricted
        try await service.signIn.setPassword(Self.new, of: .named(Self.user), in: view)
        #expect(await app.browse("GET", second).status == 404, "a new password ends it")

        let third = try await link(service)
        try await view.users.modify(.named(Self.user), attributes: ["active": .boolean(false)])
        let refused = await service.request("POST", "/admin/users/\(Self.user)/password-link")
        #expect(refused.status == 403 && refused.text.contains("disabled"))
        try await view.users.modify(.named(Self.user), attributes: ["active": .boolean(true)])
        #expect(await app.browse("GET", third).status == 404, "disabling the account ends it")

        let fourth = try await link(service)
        try await service.signIn.signOutEverywhere(try await view.users.user(Self.user).id)
        #expect(await app.browse("GET", fourth).status == 404, "signing out everywhere ends it")

        let reset = try await link(service)
        service.clock.advance(by: 1_799)
        let page = await app.browse("GET", reset)
        #expect(page.status == 200)
        service.clock.advance(by: 2)
        #expect(await app.browse("GET", reset).status == 404, "half an hour ends it")
        #expect(try await set(Self.new, on: page, app).status == 404)

        let invitation = try await link(service, ["kind": "invitation"])
        service.clock.advance(by: 86_399)
        #expect(await app.browse("GET", invitation).status == 200)
        service.clock.advance(by: 2)
        #expect(await app.browse("GET", invitation).status == 404, "a day ends an invitation")
    }

    @Test("A password that the policy refuses, or that was mistyped, leaves the link as it is")
    func refusedPassword() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let page = await app.browse("GET", try await link(service))
        let short = try await set("short", on: page, app)
        #expect(short.status == 400 && short.text.contains("role=\"alert\""))
        let differing = try await set(Self.new, on: short, app, repeated: Self.new + "x")
        #expect(differing.status == 400 && differing.text.contains("differ"))
        #expect(try await set(Self.new, on: differing, app).status == 303)
    }

    @Test("The form works only in the browser that opened the link, and only with the signed digest")
    func otherBrowser() async throws {
        let service = try await ServiceUnderTest()
        let (app, other) = (try await App(service), try await App(service, named: "other"))
        let page = await app.browse("GET", try await link(service))
        #expect(try await set(Self.new, on: page, other).status == 400)
        let signIn = await app.browse("GET", try app.authorizePath())
        #expect(try await set(Self.new, on: signIn, app).status == 400, "another page's form is none of a link")
        #expect(await signsIn(service, ServiceUnderTest.password))
    }

    @Test("Only who may set the password makes a link; users with a password do not get around their old one")
    func rights() async throws {
        let service = try await ServiceUnderTest()
        let path = "/admin/users/\(Self.user)/password-link"
        #expect(await service.request("POST", path, as: .monitoring).status == 403)
        #expect(await service.request("POST", path, as: .manager).status == 403)
        #expect(await service.request("POST", path, as: .nobody).status == 401)
        _ = try await link(service, as: .provisioning)
        #expect(await service.request("POST", "/admin/users/root/password-link", as: .provisioning).status == 403)
        #expect(await service.request("POST", "/admin/users/no.such.user/password-link").status == 404)
        #expect(await service.request("POST", path, ["kind": "other"]).status == 400)
        #expect(await service.request("POST", path, ["mail": "x@example.com"]).status == 400)
    }

    @Test("A user who gets a power is taken over by no link that was made by somebody else than an administrator")
    func laterPower() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let roles = service.directory.unrestricted.roles
        try await roles.create("desk")
        try await roles.setPower(.helpDesk, of: "desk")
        let path = try await link(service, as: .provisioning)
        let page = await app.browse("GET", path)
        #expect(page.status == 200)
        try await roles.add([.user(.named(Self.user))], to: "desk")
        #expect(await app.browse("GET", path).status == 404)
        #expect(try await set(Self.new, on: page, app).status == 404)
        #expect(await signsIn(service, ServiceUnderTest.password))
        #expect(await app.browse("GET", try await link(service)).status == 200, "an administrator's link is good")
    }

    @Test("A second factor stays, and is asked for after the new password")
    func secondFactor() async throws {
        let service = try await ServiceUnderTest()
        let questions: JSONValue = [
            "questions": [
                ["question": "What was your first street?", "answer": "Rue de la Paix"],
                ["question": "Who taught you to swim?", "answer": "Aunt Zoe"],
            ]
        ]
        let own = "/mobile/platform/users/~/challenge-questions"
        #expect(await service.request("PUT", own, as: .person, questions).status == 204)
        let app = try await App(service)
        let page = await app.browse("GET", try await link(service))
        #expect(try await set(Self.new, on: page, app).status == 303)
        let asked = try await app.signIn(on: await app.browse("GET", try app.authorizePath()), password: Self.new)
        #expect(asked.status == 401 && asked.text.contains("Who taught you to swim?"))
    }

    @Test("The log holds no token", .inProcess("the log is the one of the service"))
    func log() async throws {
        let service = try await ServiceUnderTest()
        let path = try await link(service)
        _ = await (try await App(service)).browse("GET", path)
        let token = try #require(path.split(separator: "=").last.map(String.init))
        #expect(!service.log.all.contains { String(decoding: $0.line, as: UTF8.self).contains(token) })
        #expect(service.log.all.contains { $0.path == "/oauth2/password" })
    }
}

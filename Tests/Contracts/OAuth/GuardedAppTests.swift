import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Apps behind nginx (auth_request)", .timeLimit(.minutes(2)), .inBothForms)
struct GuardedAppTests {
    private static let origin = "https://app.example.com"

    private func make(_ more: JSONValue = [:]) async throws -> App {
        let own: JSONValue = ["auth_request_origins": [.string(Self.origin)], "scope": "openid profile email groups"]
        return try await App(try await ServiceUnderTest(), .object(own.members + more.members))
    }

    /// Asks as nginx does for an address of the app.
    private func check(_ app: App, _ cookie: String?, _ address: String = Self.origin + "/page?a=1") async -> Answer {
        await app.service.send(
            "GET", "/oauth2/auth", nil, nil,
            headers: [("X-Original-URL", address)] + (cookie.map { [("Cookie", $0)] } ?? []))
    }

    private func start(_ app: App, _ address: String) async -> Answer {
        await app.service.send("GET", "/oauth2/start?rd=" + address, nil)
    }

    private func cookies(_ answer: Answer) -> [String: String] {
        var found: [String: String] = [:]
        for field in answer.response.headers.values(of: "Set-Cookie") {
            let pair = field.prefix { $0 != ";" }.split(separator: "=", maxSplits: 1).map(String.init)
            found[pair[0]] = pair.count == 2 ? pair[1] : ""
        }
        return found
    }

    /// Signs in, and returns the answer that the app's host gets to the code.
    private func signIn(_ app: App, _ address: String = Self.origin + "/page?a=1&b=2") async throws -> (
        begun: Answer, back: Answer, path: String
    ) {
        let begun = await start(app, address)
        let location = try #require(begun.header("Location"), "\(begun.text)")
        #expect(location.hasPrefix("https://id.example.com/oauth2/authorize?"))
        let page = await app.browse("GET", location.replacing("https://id.example.com", with: ""))
        let back = page.status == 200 ? try await app.signIn(on: page) : page
        let callback = try #require(back.header("Location"), "\(back.text)")
        #expect(callback.hasPrefix(Self.origin + "/oauth2/callback?code="))
        return (begun, back, callback.replacing(Self.origin, with: ""))
    }

    private func finish(_ app: App, _ begun: Answer, _ path: String) async -> Answer {
        let start = "__Host-roster_start=" + (cookies(begun)["__Host-roster_start"] ?? "")
        return await app.service.send("GET", path, nil, nil, headers: [("Cookie", start)])
    }

    private func visit(_ app: App) async throws -> String {
        let (begun, _, path) = try await signIn(app)
        let done = await finish(app, begun, path)
        return "__Host-roster_app=" + (try #require(cookies(done)["__Host-roster_app"], "\(done.text)"))
    }

    @Test("A person signs in, comes back to the address that was asked for, and nginx learns who it is")
    func works() async throws {
        let app = try await make()
        #expect(await check(app, nil).status == 401)
        let (begun, _, path) = try await signIn(app)
        let done = await finish(app, begun, path)
        #expect(done.status == 303 && done.header("Location") == Self.origin + "/page?a=1&b=2", "\(done.text)")
        let cookie = "__Host-roster_app=" + (cookies(done)["__Host-roster_app"] ?? "")
        let answer = await check(app, cookie)
        #expect(answer.status == 200 && answer.header("X-Roster-User") == ServiceUnderTest.engineer)
        #expect(answer.header("X-Roster-Groups")?.split(separator: ",").contains("platform") == true)
        #expect(answer.header("X-Roster-Subject") != nil && answer.header("Cache-Control") == "no-store")
    }

    @Test(
        "A sign-in leads to no host that is not registered",
        arguments: [
            "https://evil.example/", "https://app.example.com.evil.example/", "https://app.example.com@evil.example/",
            "https://app.example.com:444/", "http://app.example.com/", "//app.example.com/", "/page", "",
            "https://app.example.com%2F@evil.example", "javascript:alert(1)", "https://app.example.com\\@evil.example/",
            "https%3A%2F%2Fevil.example%2F",
        ])
    func openRedirects(address: String) async throws {
        let answer = await start(try await make(), address)
        #expect(answer.status == 400 && answer.header("Location") == nil)
    }

    @Test("A code counts for the browser that began, once, and at its own host")
    func codes() async throws {
        let app = try await make()
        let (begun, _, path) = try await signIn(app)
        let stranger = await app.service.send("GET", path, nil)
        #expect(stranger.status == 400, "another browser")
        #expect(await finish(app, begun, path).status == 303)
        #expect(await finish(app, begun, path).status == 400, "the code was used")
        let other = await start(app, Self.origin + "/x")
        #expect(await finish(app, other, path).status == 400, "another sign-in")
    }

    @Test("A host's cookie counts for this host, and as long as the session, the person and the registration")
    func ends() async throws {
        let app = try await make()
        let cookie = try await visit(app)
        #expect(await check(app, cookie).status == 200)
        for address in ["https://other.example.com/", "https://app.example.com:444/", "http://app.example.com/", "x"] {
            #expect(await check(app, cookie, address).status == 401, "\(address)")
        }
        #expect(await check(app, cookie + "x").status == 401)
        try await app.change { $0.guardedOrigins = [] }
        #expect(await check(app, cookie).status == 401)
        try await app.change { $0.guardedOrigins = [Self.origin] }
        #expect(await check(app, cookie).status == 200)
        try await app.end(.signOutEverywhere)
        #expect(await check(app, cookie).status == 401)
        app.forgetCookies()
        let again = try await visit(app)
        #expect(await check(app, again).status == 200)
        try await app.end(.disabling)
        #expect(await check(app, again).status == 401)
    }

    @Test("An app gets only what its scopes tell, and no field of its own making")
    func scopes() async throws {
        let app = try await make(["scope": "openid profile"])
        let answer = await check(app, try await visit(app))
        #expect(answer.header("X-Roster-User") != nil && answer.header("X-Roster-Groups") == nil)
        #expect(answer.header("X-Roster-Email") == nil)
    }

    @Test(
        "Only origins can be registered",
        arguments: [
            "https://app.example.com/", "https://App.example.com", "http://app.example.com", "app.example.com",
            "https://app.example.com:443", "https://*.example.com", "https://a@app.example.com",
        ])
    func registration(origin: String) throws {
        #expect(throws: DirectoryError.self) { _ = try BackendSettings(["auth_request_origins": [.string(origin)]]) }
        #expect(try BackendSettings(["auth_request_origins": ["http://127.0.0.1:8080"]]).guardedOrigins.count == 1)
    }
}

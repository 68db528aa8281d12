import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks on what should have ended", .timeLimit(.minutes(2)))
struct EndingAttackTests {
    private func begin(_ service: ServiceUnderTest, _ token: String, _ body: JSONValue? = nil) async -> Answer {
        await service.send("POST", "/db/_session", "Bearer " + token, body?.bytes)
    }

    @Test("An access token becomes no session, which would outlive it and pass by what its backend may call")
    func sessionOfToken() async throws {
        let service = try await ServiceUnderTest()
        for apis in [nil, [:], ["mobile": [:]]] as [JSONValue?] {
            let app = try await App(service, named: "app \(apis?.bytes.count ?? 0)", apis.map { ["apis": $0] } ?? [:])
            let access = try await app.tokens(["scope": "openid directory"]).access
            let answer = await begin(service, access)
            #expect(answer.status == 403 && answer.header("Set-Cookie") == nil, "\(answer.text)")
            #expect(answer["session_id"] == nil)
        }
        let program = try await App(service, named: "program", ["directory_role": "administrator"])
        let token = try #require(await program.token(("grant_type", "client_credentials"))["access_token"]?.text)
        let own = await begin(service, token)
        #expect(own.status == 403 && own.header("Set-Cookie") == nil)
    }

    @Test("An administrator's token by way of a backend that may not call the directory has nobody's session")
    func administratorsToken() async throws {
        let service = try await ServiceUnderTest()
        let body: JSONValue = ["name": .string(ServiceUnderTest.engineer)]
        for (apis, status) in [([:], 403), (["directory": [:]], 200)] as [(JSONValue, Int)] {
            let app = try await App(
                service, named: "program \(status)",
                [
                    "directory_role": "administrator", "apis": apis, "trusted": true,
                    "scope": "openid directory directory:manage",
                ])
            let token = try #require(await app.token(("grant_type", "client_credentials"))["access_token"]?.text)
            let answer = await begin(service, token, body)
            if status == 403 { #expect(answer.status == 403 && answer["session_id"] == nil, "\(answer.text)") }
            let people = await App.signedIn(app, as: "root", scope: "openid directory directory:manage")
            let begun = await begin(service, people, body)
            #expect(begun.status == status && (begun["session_id"] != nil) == (status == 200), "\(begun.text)")
            let path = "/db/_user/\(ServiceUnderTest.engineer)/_session"
            #expect(await service.send("DELETE", path, "Bearer " + people).status == status)
        }
    }

    @Test("Everything that somebody holds ends at once, however it was got", arguments: Ending.allCases)
    func everything(how: Ending) async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let scope = "openid directory offline_access"
        var tokens: [String] = []
        var refreshes: [String] = []
        for _ in 0..<2 {
            app.forgetCookies()
            let (access, refresh) = try await app.tokens(["scope": scope])
            tokens.append(access)
            refreshes.append(try #require(refresh))
        }
        let password = await app.token(
            ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
            ("password", ServiceUnderTest.password), ("scope", scope))
        tokens.append(try #require(password["access_token"]?.text))
        let renewed = await app.refresh(refreshes[0])
        tokens.append(try #require(renewed["access_token"]?.text))
        refreshes.append(try #require(renewed["refresh_token"]?.text))
        let begun = await service.request("POST", "/db/_session", as: .person)
        let cookie = try #require(begun.header("Set-Cookie")).prefix { $0 != ";" }
        let bystander = await App.signedIn(app, as: ServiceUnderTest.lead)
        // Known to the cache of verified tokens and passwords, which must not let anybody in any more.
        for token in tokens { #expect(await app.status("/mobile/platform/users/~", token) == 200) }

        try await app.end(how)
        for token in tokens {
            for path in ["/mobile/platform/users/~", "/scim/v2/Me", "/oauth2/userinfo"] {
                #expect(await app.status(path, token) == 401, "\(path)")
            }
            #expect(await !app.isActive(token))
        }
        for token in refreshes {
            #expect(await app.refresh(token).givesNothing)
            #expect(await !app.isActive(token))
        }
        let session = await service.request(
            "GET", "/scim/v2/Me", as: .nobody, headers: [("Cookie", String(cookie))])
        #expect(session.status == 401)
        if how != .signOutEverywhere {
            #expect(await service.request("GET", "/scim/v2/Me", as: .person).status == 401)
        }
        #expect(await app.status("/mobile/platform/users/~", bystander) == 200, "nobody else's has ended")
    }

    @Test("What was ended is not revived by what would have been good again: enabling, the old password, the old name")
    func revived() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let users = service.directory.unrestricted.users
        let engineer = try await users.user(.named(ServiceUnderTest.engineer))
        func check(_ access: String, _ refresh: String?, _ why: String) async {
            #expect(await app.status("/mobile/platform/users/~", access) == 401, "\(why)")
            #expect(await app.refresh(refresh ?? "").givesNothing, "\(why)")
        }
        let first = try await app.tokens()
        try await app.end(.disabling)
        try await users.modify(.id(engineer.id), [.set("active", .boolean(true))])
        await check(first.access, first.refresh, "enabled again")
        app.forgetCookies()
        let second = try await app.tokens()
        try await app.changePassword()
        try await app.changePassword(to: ServiceUnderTest.password)
        await check(second.access, second.refresh, "the old password again")
        app.forgetCookies()
        let third = try await app.tokens()
        try await app.end(.deletion)
        try await users.create(ServiceUnderTest.engineer)
        await check(third.access, third.refresh, "another user of the name")
        app.forgetCookies()
        let again = try await users.user(.named(ServiceUnderTest.engineer))
        #expect(again.id != engineer.id, "an identifier is never given again")
    }

    @Test("A program's token ends with the secret that got it, and with its backend's right to such tokens")
    func programs() async throws {
        let service = try await ServiceUnderTest()
        let keys = service.signIn.oauth.keys
        let app = try await App(service, ["directory_role": "provisioning"])
        func token() async throws -> String {
            try #require(await app.token(("grant_type", "client_credentials"))["access_token"]?.text)
        }
        let first = try await token()
        #expect(await app.isActive(first))
        try await app.change { $0.grants.remove(.clientCredentials) }
        #expect(await app.status("/scim/v2/Users", first) == 401)
        try await app.change { $0.grants.insert(.clientCredentials) }
        let second = try await token()
        #expect(await app.status("/scim/v2/Users", second) == 200)
        _ = try await Backend.renewSecrets(app.record.id, keys: keys, in: service.directory.unrestricted)
        for old in [first, second] { #expect(await app.status("/scim/v2/Users", old) == 401) }
        #expect(await app.token(("grant_type", "client_credentials")).givesNothing, "nor is the old secret taken")
    }

    @Test("Nor is it revived when its backend is enabled again, whatever is changed afterwards or claimed")
    func disabledProgram() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["directory_role": "provisioning"])
        func token() async throws -> String {
            try #require(await app.token(("grant_type", "client_credentials"))["access_token"]?.text)
        }
        let path = "/admin/backends/\(app.record.id)"
        let old = try await token()
        service.clock.advance(by: 5)
        for isEnabled in [false, true, true] {
            var body = await service.request("GET", path).body
            body["enabled"] = .boolean(isEnabled)
            body["disabled_at"] = 0
            #expect(await service.request("PUT", path, body).status == 200)
            #expect(await app.status("/scim/v2/Users", old) == 401)
        }
        let copy: JSONValue = ["name": "copy", "disabled_at": 99_999_999_999]
        #expect(await service.request("POST", "/admin/backends", copy)["disabled_at"] == nil)
        service.clock.advance(by: 1)
        #expect(await app.status("/scim/v2/Users", try await token()) == 200)
        #expect(await app.status("/scim/v2/Users", old) == 401)
    }

    @Test("Where the refresh tokens of a sign-in end because one was stolen, its access tokens do")
    func stolen() async throws {
        let app = try await App(try await ServiceUnderTest())
        let (first, refresh) = try await app.tokens()
        let old = try #require(refresh)
        let answer = await app.refresh(old)
        let second = try #require(answer["access_token"]?.text)
        app.service.clock.advance(by: 11)
        #expect(await app.refresh(old).givesNothing)
        for token in [first, second] {
            #expect(await !app.isActive(token))
            #expect(await app.status("/mobile/platform/users/~", token) == 401)
        }
    }

    @Test("A clock that was set back revives nothing that has ended, and one set forth ends what is old")
    func clocks() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let (access, refresh) = try await app.tokens()
        service.clock.advance(by: 1_801)
        #expect(await !app.isActive(access))
        service.clock.advance(by: 8 * 86_400)
        #expect(await app.refresh(refresh ?? "").givesNothing)
        try await service.directory.spentTokens.forgetExpired()
        service.clock.advance(by: -9 * 86_400)
        #expect(await !app.isActive(access), "its grant is gone")
        #expect(await app.refresh(refresh ?? "").givesNothing)
    }
}

extension App {
    /// A token of somebody, with all that it may have.
    static func signedIn(_ app: App, as name: String, scope: String = "openid directory") async -> String {
        let answer = await app.token(
            ("grant_type", "password"), ("username", name), ("password", ServiceUnderTest.password),
            ("scope", scope))
        return answer["access_token"]?.text ?? ""
    }
}

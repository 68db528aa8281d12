import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The claims that apps get by default", .timeLimit(.minutes(2)), .inBothForms)
struct ClaimTests {
    private static let all = "openid profile email phone address roles groups offline_access"
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]

    private func info(_ app: App, _ changes: [String: String?]) async throws -> Answer {
        app.forgetCookies()
        return await app.service.send(
            "GET", "/oauth2/userinfo", "Bearer " + (try await app.tokens(changes).access))
    }

    private func engineer(_ service: ServiceUnderTest, _ attributes: AttributeSet) async throws {
        try await service.directory.unrestricted.users.modify(
            .named(ServiceUnderTest.engineer), attributes: attributes)
    }

    @Test("No token and no claim tells roles to an app that asks for 'openid profile email'")
    func noLeak() async throws {
        let app = try await App(try await ServiceUnderTest(), ["scope": .string(Self.all)])
        let answer = await app.redeem(try await app.code(["scope": "openid profile email"]))
        let access = try #require(answer["access_token"]?.text)
        let userInfo = await app.service.send("GET", "/oauth2/userinfo", "Bearer " + access)
        let introspected = await app.post("/oauth2/introspect", [("token", access)])
        let idToken = try JSONWebToken(try #require(answer["id_token"]?.text)).claims
        for claims in [try JSONWebToken(access).claims, idToken, userInfo.body, introspected.body] {
            for name in ["role", "roles", "groups"] { #expect(claims[name] == nil, "\(name) in \(claims.written)") }
            #expect(!claims.written.contains("platform"))
        }
        app.forgetCookies()
        let asked = await app.redeem(try await app.code(["scope": "openid roles"]))
        let roles = try JSONWebToken(asked["access_token"]?.text ?? "").claims["roles"]?.texts ?? []
        #expect(roles.contains("platform"))
        #expect(try JSONWebToken(asked["id_token"]?.text ?? "").claims["roles"]?.texts == roles)
    }

    @Test("The scope 'groups' tells the effective roles, as names, identifiers or objects")
    func groups() async throws {
        let service = try await ServiceUnderTest()
        let role = try await service.directory.unrestricted.roles.role("platform")
        let id = JSONValue.string(role.id.description)
        for (form, expected) in [
            ("names", "platform"), ("identifiers", id), ("objects", ["id": id, "name": "platform"]),
        ] as [(String, JSONValue)] {
            let app = try await App(
                service, named: form, ["scope": .string(Self.all), "groups_claim": .string(form)])
            let groups = try await info(app, ["scope": "openid groups"])["groups"]?.elements ?? []
            #expect(groups.contains(expected), "\(groups)")
            #expect(try await info(app, ["scope": "openid groups"])["roles"] == nil)
        }
    }

    @Test("A backend with the mapping of before tells all roles, and is advised not to")
    func mappingOfBefore() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, ["claims": ["claims": []]])
        #expect(try await info(app, ["scope": "openid"])["role"]?.texts.contains("platform") == true)
        let listed = await service.request("GET", "/admin/backends")["backends"]?.elements.first
        #expect(listed?["advice"]?.texts.contains { $0.contains("roles") && $0.contains("'role'") } == true)
        let plain = try await App(service, named: "plain")
        #expect(try await info(plain, ["scope": "openid"])["role"] == nil)
    }

    @Test("A seed that is loaded at each start leaves the mapping of before as it is, unless the seed has a mapping")
    func seeds() async throws {
        let service = try await ServiceUnderTest()
        let view = service.directory.unrestricted
        func load(_ claims: String) async throws -> ClaimMapping? {
            let text = #"{"backends": [{"name": "seeded", "scope": "openid"\#(claims)}]}"#
            _ = try await service.signIn.load(Seed(json: Data(text.utf8), name: "seed.json"), in: view)
            return try await service.signIn.backends(in: view).first { $0.name == "seeded" }?.settings.claims
        }
        #expect(try await load("") == nil)
        #expect(try await load(#", "claims": {"claims": []}"#) == .allRoles)
        #expect(try await load("") == .allRoles)
        let other = try await load(#", "claims": {"claims": [], "sendRoleClaim": false}"#)
        #expect(other == ClaimMapping(claims: [], roleClaimName: nil))
        #expect(try await load("") == nil)
    }

    @Test("A mail address is verified once its user has used a link that was mailed there, and until it changes")
    func emailVerified() async throws {
        let service = try await ServiceUnderTest()
        try await engineer(service, ["mail": "ren@nordwind.example"])
        let app = try await App(service, ["scope": .string(Self.all)])
        #expect(try await info(app, ["scope": "openid email"])["email_verified"] == false)
        let view = service.directory.unrestricted
        func setPassword(isMailed: Bool) async throws {
            let link = try await view.awaitWrite {
                try $0.links.makePasswordLink(for: .named(ServiceUnderTest.engineer), .reset, isMailed: isMailed)
            }
            try await service.signIn.oauth.passwordLinks.setPassword(
                ServiceUnderTest.password, byLink: PasswordLink.digest(of: link.token))
        }
        try await setPassword(isMailed: false)
        #expect(try await info(app, ["scope": "openid email"])["email_verified"] == false, "handed over by somebody")
        try await setPassword(isMailed: true)
        #expect(try await info(app, ["scope": "openid email"])["email_verified"] == true)
        #expect(try await info(app, ["scope": "openid profile"])["email_verified"] == nil)
        try await engineer(service, ["mail": "other@nordwind.example"])
        #expect(try await info(app, ["scope": "openid email"])["email_verified"] == false)
    }

    @Test("updated_at is the time of the last change, and no number of a telephone is verified")
    func times() async throws {
        let service = try await ServiceUnderTest()
        service.clock.advance(by: 1_000)
        try await engineer(service, ["telephoneNumber": "+81 3 1234"])
        let app = try await App(service, ["scope": .string(Self.all)])
        let changed = Int64(service.clock.now.timeIntervalSince1970)
        #expect(try await info(app, ["scope": "openid profile"])["updated_at"] == .integer(changed))
        let phone = try await info(app, ["scope": "openid phone"])
        #expect(phone["phone_number_verified"] == false && phone["updated_at"] == nil)
    }

    @Test("The picture loads without a token, and ends with the photo, the account, and after a day")
    func picture() async throws {
        let service = try await ServiceUnderTest()
        try await engineer(service, ["photo": .binary(Data(Self.png))])
        let app = try await App(service, ["scope": .string(Self.all)])
        func address() async throws -> String? {
            try await info(app, ["scope": "openid profile"])["picture"]?.text?.replacing(
                "https://id.example.com", with: "")
        }
        func load(_ path: String) async -> Answer { await service.send("GET", path, nil) }
        let first = try #require(try await address())
        let image = await load(first)
        #expect(image.status == 200 && image.header("Content-Type") == "image/png")
        #expect(image.header("Content-Security-Policy") == "default-src 'none'; sandbox")
        #expect(image.header("X-Content-Type-Options") == "nosniff")
        #expect(try await info(app, ["scope": "openid email"])["picture"] == nil)
        var numbers = SeededNumbers(seed: randomSeed())
        let tag = String(first.split(separator: "/").last ?? "")
        for _ in 0..<200 {
            let other = numbers.alteration(of: tag, by: 0x30...0x7A)
            guard other != tag else { continue }
            #expect(await load("/oauth2/picture/" + PercentEncoding.segment(other)).status == 404)
        }
        service.clock.advance(by: 86_390)
        #expect(await load(first).status == 200)
        service.clock.advance(by: 11)
        #expect(await load(first).status == 404, "a day has passed")

        let second = try #require(try await address())
        try await engineer(service, ["photo": .binary(Data(Self.png + [4]))])
        #expect(await load(second).status == 404, "the photo is another one")
        let third = try #require(try await address())
        try await engineer(service, ["active": false])
        #expect(await load(third).status == 404, "the account is disabled")
        try await engineer(service, ["active": true])
        try await engineer(service, ["photo": .binary(Data("<svg onload=alert(1)>".utf8))])
        #expect(try await address() == nil, "no other type is sent to browsers")
    }

    @Test("Claims that an app asks for by name come where it wants them, and only of scopes that it may have")
    func byName() async throws {
        let service = try await ServiceUnderTest()
        try await engineer(service, ["mail": "ren@nordwind.example", "telephoneNumber": "+81 3 1234"])
        let app = try await App(service, ["scope": "openid profile email"])
        let claims =
            #"{"userinfo":{"email":{"essential":true},"phone_number":null},"id_token":{"given_name":null,"auth_time":null}}"#
        let answer = await app.redeem(try await app.code(["scope": "openid", "claims": claims]))
        let token = try JSONWebToken(try #require(answer["id_token"]?.text)).claims
        #expect(token["given_name"] != nil && token["family_name"] == nil && token["email"] == nil)
        #expect(token["auth_time"] != nil)
        let info = await service.send("GET", "/oauth2/userinfo", "Bearer " + (answer["access_token"]?.text ?? ""))
        #expect(info["email"]?.text == "ren@nordwind.example" && info["given_name"] == nil)
        #expect(info["phone_number"] == nil, "the backend may not have the scope 'phone'")
        #expect(info["email_verified"] == nil, "not asked for")
        #expect(answer["scope"]?.text == "openid")
    }

    @Test("A user is asked before claims are told that are asked for by name")
    func consent() async throws {
        let app = try await App(try await ServiceUnderTest(), ["consent": true])
        _ = try await app.code(["scope": "openid"])
        #expect(await app.browse("GET", try app.authorizePath(["scope": "openid"])).status == 303)
        let claims = #"{"userinfo":{"email":null}}"#
        let page = await app.browse("GET", try app.authorizePath(["scope": "openid", "claims": claims]))
        #expect(page.status == 200 && page.text.contains("know your mail address"))
        #expect(App.sent(try await app.allow(page))["code"] != nil)
        let again = await app.browse("GET", try app.authorizePath(["scope": "openid", "claims": claims]))
        #expect(App.sent(again)["code"] != nil)
    }

    @Test("An app that expects a certain subject gets nobody else")
    func subject() async throws {
        let app = try await App(try await ServiceUnderTest())
        let mine = try JSONWebToken(await app.redeem(try await app.code())["id_token"]?.text ?? "").claims["sub"]
        func claims(_ subject: JSONValue?) -> String {
            JSONValue.object([.init("id_token", ["sub": ["value": subject ?? .null]])]).written
        }
        let own = await app.browse("GET", try app.authorizePath(["claims": claims(mine), "prompt": "none"]))
        #expect(App.sent(own)["code"] != nil)
        let other = await app.browse("GET", try app.authorizePath(["claims": claims("nobody"), "prompt": "none"]))
        #expect(App.sent(other)["error"] == "login_required")
        let page = await app.browse("GET", try app.authorizePath(["claims": claims("nobody")]))
        #expect(page.status == 200, "somebody else may sign in")
        #expect(App.sent(try await app.signIn(on: page))["error"] == "login_required")
    }

    @Test(
        "A claims parameter that is no such object is refused, and so is a class of authentication that must be met",
        arguments: [
            ("x", "invalid_request"), ("[]", "invalid_request"), (#"{"userinfo":[]}"#, "invalid_request"),
            (#"{"userinfo":{"email":1}}"#, "invalid_request"),
            (#"{"id_token":{"acr":{"essential":true,"values":["gold"]}}}"#, "unmet_authentication_requirements"),
            (#"{"other":1,"userinfo":null,"id_token":{"acr":{"values":["gold"]},"made-up":null}}"#, ""),
        ])
    func malformed(claims: String, error: String) async throws {
        let app = try await App(try await ServiceUnderTest())
        _ = try await app.code()
        let answer = await app.browse("GET", try app.authorizePath(["claims": claims]))
        #expect(App.sent(answer)["error"] ?? "" == error)
    }
}

import Roster
import RosterCrypto
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What clients of other makers send, and what they read", .timeLimit(.minutes(2)), .inBothForms)
struct OtherMakersTests {
    private static let code = [
        ("grant_type", "authorization_code"), ("redirect_uri", App.redirect), ("code_verifier", App.verifier),
    ]

    @Test("A public client may send its name with an empty secret; to others an empty one is of no use")
    func emptySecret() async throws {
        let service = try await ServiceUnderTest()
        let grants: JSONValue = ["authorization_code", .string(BackendSettings.Grant.deviceCode.rawValue)]
        let app = try await App(service, ["public": true, "grant_types": grants])
        let field = ServiceUnderTest.basic(app.clientID, "")
        for more in [[], [("client_id", app.clientID)], [("client_id", app.clientID), ("client_secret", "")]] {
            let form = Self.code + [("code", try await app.code())] + more
            #expect(await app.post("/oauth2/token", form, authorization: field).status == 200, "\(more)")
        }
        let device = await app.post("/oauth2/device_authorization", [("scope", "openid")], authorization: field)
        #expect(device.status == 200)
        let other = try await App(service, named: "other")
        let refused = await app.post(
            "/oauth2/token", Self.code + [("code", try await app.code()), ("client_id", other.clientID)],
            authorization: field)
        #expect(refused["error"]?.text == "invalid_request", "two names")
        let confidential = await other.post(
            "/oauth2/token", [("grant_type", "client_credentials")],
            authorization: ServiceUnderTest.basic(other.clientID, ""))
        #expect(confidential.status == 401)
    }

    @Test("Who signs out without naming the app is asked, and goes on nowhere")
    func signOutByNobody() async throws {
        let app = try await App(
            try await ServiceUnderTest(), ["post_logout_redirect_uris": ["https://shop.example.com/bye"]])
        _ = try await app.code()
        let asked = await app.browse(
            "GET", "/oauth2/logout?post_logout_redirect_uri=https%3A%2F%2Fshop.example.com%2Fbye&state=s")
        #expect(asked.status == 200 && asked.text.contains("Sign out?"), "\(asked.text)")
        let done = try await app.bring(asked, to: "/oauth2/logout")
        #expect(done.status == 200 && done.header("Location") == nil)
        #expect(await app.browse("GET", try app.authorizePath()).status == 200, "the session has ended")
    }

    @Test("User info refuses a good token that is no user's, or does not say who one is, for what it allows")
    func userInfo() async throws {
        let app = try await App(try await ServiceUnderTest())
        let own = try #require(await app.token(("grant_type", "client_credentials"))["access_token"]?.text)
        let narrow = try await app.tokens(["scope": "profile"]).access
        for token in [own, narrow] {
            let answer = await app.service.send("GET", "/oauth2/userinfo", "Bearer " + token)
            #expect(answer.status == 403 && answer["error"]?.text == "insufficient_scope", "\(answer.text)")
            #expect(answer.header("WWW-Authenticate")?.contains("insufficient_scope") == true)
        }
    }

    @Test("A verifier may be of a form that the standard does not have, as long as it is the one")
    func verifiers() async throws {
        let app = try await App(try await ServiceUnderTest())
        for (verifier, status) in [
            ("mQTrFSqTeVIYtrDPbZc0qRkRZsXeQdpNiNFe2yxcgJI=", 200), (String(repeating: "a", count: 200), 200),
            (String(repeating: "a", count: 2_000), 400),
        ] {
            let challenge = Base64URL.text(try SHA256.digest(Array(verifier.utf8)))
            let code = try await app.code(["code_challenge": challenge])
            #expect(await app.redeem(code, verifier: verifier).status == status, "\(verifier.prefix(50))")
        }
    }

    @Test("An exchanged token is called what was asked for: access token or JWT")
    func issuedType() async throws {
        let app = try await App(try await ServiceUnderTest())
        let token = try await app.tokens().access
        let type = "urn:ietf:params:oauth:token-type:"
        for (asked, issued) in [(nil, "access_token"), ("access_token", "access_token"), ("jwt", "jwt")] {
            let answer = await app.post(
                "/oauth2/token",
                [
                    ("grant_type", BackendSettings.Grant.tokenExchange.rawValue), ("subject_token", token),
                    ("subject_token_type", type + "access_token"),
                ] + (asked.map { [("requested_token_type", type + $0)] } ?? []))
            #expect(answer["issued_token_type"]?.text == type + issued, "\(answer.text)")
        }
    }

    @Test("Another issuer's token is answered with an id token where openid was granted; null is the mobile cloud's")
    func idToken() async throws {
        let party = try Party.first.get()
        let issuers: JSONValue = [TrustingService.issuer(party, ["virtualUserEnabled": true])]
        try await TrustingService.running(issuers: issuers) { service in
            let answer = await service.bring(try party.token())
            let claims = try JSONWebToken(try #require(answer["id_token"]?.text, "\(answer.text)")).claims
            #expect(claims["aud"]?.text == service.app.clientID)
            let narrow = await service.bring(try party.token(), ("scope", "profile"))
            #expect(narrow.status == 200 && !narrow.body.names.contains("id_token"))
            let mobile = await service.send(
                "POST", "/mobile/platform/auth/token", ServiceUnderTest.basic(service.app.clientID, service.secret),
                form: [("grant_type", TrustingService.jwtGrant), ("assertion", try party.token())])
            #expect(mobile.status == 200 && mobile["id_token"] == .null, "\(mobile.text)")
        }
    }

    @Test("Introspection tells the name and the roles that a user has now")
    func currentRoles() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let view = service.directory.unrestricted
        let engineer = try await view.users.user(.named(ServiceUnderTest.engineer))
        try await view.roles.create("payroll")
        try await view.roles.add([.user(.id(engineer.id))], to: "payroll")
        let token = try await app.tokens(["scope": "openid roles"]).access
        func told() async -> [String] {
            await app.post("/oauth2/introspect", [("token", token)])["roles"]?.elements.compactMap(\.text) ?? []
        }
        #expect(await told().contains("payroll"))
        try await view.roles.remove([.user(.id(engineer.id))], from: "payroll")
        #expect(await !told().contains("payroll"))
        try await view.users.modify(.id(engineer.id), attributes: ["uid": "ren.ito"])
        let answer = await app.post("/oauth2/introspect", [("token", token)])
        #expect(answer["preferred_username"]?.text == "ren.ito" && answer["username"]?.text == "ren.ito")
    }
}

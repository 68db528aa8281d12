import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite(
    "Apps that register themselves (RFC 7591), and apps that describe themselves", .timeLimit(.minutes(2)), .inBothForms
)
struct RegistrationTests {
    private static let metadata: JSONValue = [
        "redirect_uris": ["https://new.example.com/cb"], "client_name": "New app",
        "grant_types": ["authorization_code"],
        "unknown": 1,
    ]

    private func register(_ service: ServiceUnderTest, _ changes: JSONValue = [:], as client: Client = .nobody) async
        -> Answer
    {
        var metadata = Self.metadata
        for member in changes.members { metadata[member.name] = member.value.isNull ? nil : member.value }
        return await service.request("POST", "/oauth2/register", as: client, metadata)
    }

    private func allow(_ service: ServiceUnderTest, _ rule: String) async {
        let set = await service.request("PUT", "/admin/policies/dynamic_registration", ["value": .string(rule)])
        #expect(set.status == 201)
    }

    private func discovery(_ service: ServiceUnderTest) async -> Answer {
        await service.send("GET", "/.well-known/openid-configuration", nil)
    }

    @Test("It is off until an administrator allows it, and discovery says so")
    func off() async throws {
        let service = try await ServiceUnderTest()
        for client in [Client.nobody, .administrator] { #expect(await register(service, as: client).status == 404) }
        #expect(await discovery(service)["registration_endpoint"] == nil)
        await allow(service, "everyone")
        #expect(await discovery(service)["registration_endpoint"]?.text == "https://id.example.com/oauth2/register")
    }

    @Test("Where only administrators may, others are refused")
    func administrators() async throws {
        let service = try await ServiceUnderTest()
        await allow(service, "administrators")
        for client in [Client.nobody, .person, .provisioning, .monitoring, .wrongPassword] {
            #expect([401, 403].contains(await register(service, as: client).status), "\(client)")
        }
        let made = await register(service, ["scope": "openid roles directory"], as: .tokenAdministrator)
        #expect(made.status == 201 && made["scope"]?.text == "openid roles directory", "\(made.text)")
    }

    @Test("An app that registers itself signs people in, who are asked, and gets few scopes")
    func everyone() async throws {
        let service = try await ServiceUnderTest()
        await allow(service, "everyone")
        let made = await register(service, ["scope": "openid profile directory roles groups offline_access"])
        #expect(made.status == 201 && made.header("Cache-Control") == "no-store", "\(made.text)")
        #expect(made["scope"]?.text == "openid profile offline_access" && made["client_name"]?.text == "New app")
        #expect(made["client_secret_expires_at"] == 0 && made["client_id_issued_at"] != nil)
        let id = try #require(made["client_id"]?.text)
        let secret = try #require(made["client_secret"]?.text)
        let query =
            "client_id=\(id)&response_type=code&scope=openid%20profile&nonce=n&redirect_uri=https%3A%2F%2Fnew.example.com%2Fcb"
        let browser = try await App(service)
        let page = try await browser.signIn(on: await browser.browse("GET", "/oauth2/authorize?" + query))
        #expect(page.text.contains("Allow New app?"))
        let code = try #require(App.sent(try await browser.allow(page))["code"])
        let tokens = await browser.post(
            "/oauth2/token", [("grant_type", "authorization_code"), ("code", code)],
            authorization: ServiceUnderTest.basic(id, secret))
        #expect(tokens.status == 200, "\(tokens.text)")
        #expect(try JSONWebToken(tokens["id_token"]?.text ?? "").algorithm == .rs256, "the standard's default")
    }

    @Test(
        "Descriptions that cannot be used are refused with the standard's codes",
        arguments: [
            (["redirect_uris": .null], "invalid_redirect_uri"),
            (["redirect_uris": ["http://evil.example/cb"]], "invalid_redirect_uri"),
            (["redirect_uris": ["https://a.example/cb#x"]], "invalid_redirect_uri"),
            (["redirect_uris": "https://a.example/cb"], "invalid_client_metadata"),
            (["response_types": ["token"]], "invalid_client_metadata"),
            (["grant_types": ["password"]], "invalid_client_metadata"),
            (["grant_types": ["client_credentials"]], "invalid_client_metadata"),
            (["jwks_uri": "http://169.254.169.254/"], "invalid_client_metadata"),
            (["sector_identifier_uri": "https://a.example/s"], "invalid_client_metadata"),
            (["token_endpoint_auth_method": "private_key_jwt"], "invalid_client_metadata"),
            (["token_endpoint_auth_method": "tls_client_auth"], "invalid_client_metadata"),
            (["id_token_signed_response_alg": "none"], "invalid_client_metadata"),
            (["backchannel_logout_uri": "http://a.example/x"], "invalid_client_metadata"),
        ] as [(JSONValue, String)])
    func refused(changes: JSONValue, error: String) async throws {
        let service = try await ServiceUnderTest()
        await allow(service, "everyone")
        let answer = await register(service, changes)
        #expect(answer.status == 400 && answer["error"]?.text == error, "\(answer.text)")
        #expect(await service.request("GET", "/admin/backends")["backends"]?.elements.isEmpty == true)
    }

    @Test("One network registers twenty apps in an hour and no more")
    func flood() async throws {
        let service = try await ServiceUnderTest()
        await allow(service, "everyone")
        for _ in 0..<20 { #expect(await register(service).status == 201) }
        let answer = await register(service)
        #expect(answer.status == 429 && answer.header("Retry-After") != nil)
        service.clock.advance(by: 3_601)
        #expect(await register(service).status == 201)
    }

    @Test(
        "An app whose id is the address of a document is known only where an administrator allows the document's host")
    func documents() async throws {
        let service = try await ServiceUnderTest()
        let receiver = try await onThread { try TLSReceiver() }
        service.signIn.oauth.registered.use(receiver.transport)
        let id = receiver.url("/app.json")
        let document: JSONValue = [
            "client_id": .string(id), "redirect_uris": ["https://doc.example.com/cb"], "client_name": "Doc",
            "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
        ]
        try receiver.answer(200, headers: ["Content-Type": "application/json"], document.written)
        let app = try await App(service)
        let path = try app.authorizePath(["client_id": id, "redirect_uri": "https://doc.example.com/cb"])
        #expect(await app.browse("GET", path).status == 400)
        #expect(receiver.requests.isEmpty, "no document is fetched unasked")
        for (policy, value) in [
            ("client_metadata_hosts", ["127.0.0.1"]), ("allow_private_addresses", true),
        ] as [(String, JSONValue)] {
            #expect(await service.request("PUT", "/admin/policies/" + policy, ["value": value]).status == 201)
        }
        let question = try await app.signIn(on: await app.browse("GET", path))
        #expect(question.text.contains("Allow Doc?"), "\(question.text)")
        let code = try #require(App.sent(try await app.allow(question))["code"])
        let tokens = await app.post(
            "/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("code_verifier", App.verifier),
                ("client_id", id),
            ], authorization: .some(nil))
        #expect(tokens.status == 200, "\(tokens.text)")
        #expect(receiver.requests.count == 1, "the document is kept for some minutes")
        var other = document
        other["client_id"] = .string(id + "x")
        try receiver.answer(200, other.written)
        service.clock.advance(by: 601)
        #expect(await app.browse("GET", path).status == 400, "a document of another app")
    }
}

@Suite("Addresses that other programs look for")
struct WellKnownTests {
    @Test("A password manager finds the page where people change their password")
    func changePassword() async throws {
        let answer = await (try await ServiceUnderTest()).send("GET", "/.well-known/change-password", nil)
        #expect(answer.status == 303 && answer.header("Location") == "../#account")
    }

    @Test("The server says as an API who issues tokens for it (RFC 9728)")
    func protectedResource() async throws {
        let answer = await (try await ServiceUnderTest()).send("GET", "/.well-known/oauth-protected-resource", nil)
        #expect(answer["resource"]?.text == "https://id.example.com")
        #expect(answer["authorization_servers"]?.texts == ["https://id.example.com"])
    }
}

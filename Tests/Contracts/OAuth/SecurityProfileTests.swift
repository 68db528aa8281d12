import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// A client under the FAPI 2.0 Security Profile, which proves itself with one key and its tokens with another.
struct FAPIClient: Sendable {
    static let redirect = "https://app.example.com/cb"
    let app: App
    let key: SigningKey
    let possession: PossessionKey

    init(_ service: ServiceUnderTest) async throws {
        key = try SigningKey(generating: .es256)
        possession = try PossessionKey()
        app = try await App(
            service, named: "bank",
            [
                "security_profile": "fapi_2_0", "jwks": ["keys": [key.publicKey]],
                "redirect_uris": [.string(Self.redirect)],
                "grant_types": ["authorization_code", "refresh_token", "client_credentials"],
            ])
    }

    func assertion(_ changes: JSONValue = [:], by other: SigningKey? = nil) throws -> [(String, String)] {
        let now = Int64(app.service.clock.now.timeIntervalSince1970)
        var claims: JSONValue = [
            "iss": .string(app.clientID), "sub": .string(app.clientID), "aud": "https://id.example.com",
            "iat": .integer(now), "exp": .integer(now + 60), "jti": .string(UUID().uuidString),
        ]
        for member in changes.members { claims[member.name] = member.value }
        return [
            ("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"),
            ("client_assertion", try (other ?? key).sign(claims.members, type: "JWT")),
        ]
    }

    func post(_ path: String, _ parameters: [(String, String)], isBound: Bool = true) async throws -> Answer {
        let proof = isBound ? try possession.proof("POST", App.url(path), at: app.service.clock.now) : nil
        return await app.post(path, try parameters + assertion(), proof: proof, authorization: .some(nil))
    }

    func push(_ changes: [String: String?] = [:]) async throws -> Answer {
        var changes = changes
        changes["redirect_uri"] = changes["redirect_uri"] ?? Self.redirect
        let items = URLComponents(string: try app.authorizePath(changes))?.queryItems ?? []
        return try await post("/oauth2/par", items.map { ($0.name, $0.value ?? "") }, isBound: false)
    }

    /// The answer that the browser brings to the app.
    func answer(_ changes: [String: String?] = [:]) async throws -> [String: String] {
        let pushed = try await push(changes)
        let uri = try #require(pushed["request_uri"]?.text, "\(pushed.text)")
        var page = await app.browse(
            "GET", "/oauth2/authorize?client_id=\(app.clientID)&request_uri=\(PercentEncoding.segment(uri))")
        if page.status == 200 { page = try await app.signIn(on: page) }
        return App.sent(page)
    }

    func redeem(_ code: String, isBound: Bool = true) async throws -> Answer {
        try await post(
            "/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", Self.redirect),
                ("code_verifier", App.verifier),
            ], isBound: isBound)
    }
}

@Suite("The switch for the FAPI 2.0 Security Profile", .timeLimit(.minutes(2)), .inBothForms)
struct SecurityProfileTests {
    @Test("A client that follows the profile signs a user in, and its refresh token stays the same")
    func works() async throws {
        let client = try await FAPIClient(try await ServiceUnderTest())
        let sent = try await client.answer()
        #expect(sent["iss"] == "https://id.example.com" && sent["state"] == "the state")
        let tokens = try await client.redeem(try #require(sent["code"], "\(sent)"))
        #expect(tokens["token_type"]?.text == "DPoP", "\(tokens.text)")
        let refresh = try #require(tokens["refresh_token"]?.text)
        for _ in 0..<3 {
            client.app.service.clock.advance(by: 60)
            let again = try await client.post(
                "/oauth2/token", [("grant_type", "refresh_token"), ("refresh_token", refresh)])
            #expect(again.status == 200 && again["refresh_token"]?.text == refresh, "\(again.text)")
        }
    }

    @Test("Requests that the profile does not allow are refused with the reason")
    func refused() async throws {
        let client = try await FAPIClient(try await ServiceUnderTest())
        let app = client.app
        let plain = App.sent(await app.browse("GET", try app.authorizePath(["redirect_uri": FAPIClient.redirect])))
        #expect(plain["error"] == "invalid_request" && plain["error_description"]?.contains("push") == true)
        let noChallenge = try await client.push(["code_challenge": nil, "code_challenge_method": nil])
        #expect(noChallenge["error"]?.text == "invalid_request", "a nonce does not replace it")
        let secret = await app.token(("grant_type", "client_credentials"))
        #expect(secret["error"]?.text == "invalid_client")
        #expect(secret["error_description"]?.text?.contains("private_key_jwt") == true)
        let unbound = try await client.redeem(try #require(try await client.answer()["code"]), isBound: false)
        #expect(unbound["error"]?.text == "invalid_dpop_proof")
        for changes in [
            ["aud": "https://id.example.com/oauth2/token"], ["aud": ["https://id.example.com"]],
        ] as [JSONValue] {
            let answer = await app.post(
                "/oauth2/token", try [("grant_type", "client_credentials")] + client.assertion(changes),
                proof: try client.possession.proof("POST", App.url("/oauth2/token"), at: app.service.clock.now),
                authorization: .some(nil))
            #expect(answer["error"]?.text == "invalid_client", "\(changes.written)")
            #expect(answer["error_description"]?.text?.contains("issuer") == true)
        }
        let introspected = await app.post("/oauth2/introspect", [("token", "x")])
        #expect(introspected["error"]?.text == "invalid_client")
    }

    @Test(
        "Settings that the profile does not allow are refused by name",
        arguments: [
            (["public": true], "public"), (["jwks": .null], "jwks"), (["grant_types": ["password"]], "grant_types"),
            (["redirect_uris": ["com.example.app:/cb"]], "redirect_uris"),
            (["redirect_uris": ["http://127.0.0.1/cb"]], "redirect_uris"),
            (["id_token_signed_response_alg": "RS256"], "id_token_signed_response_alg"),
            (["id_token_signed_response_alg": "HS256"], "id_token_signed_response_alg"),
            (["http_basic": true], "http_basic"), (["sso": true], "sso"),
        ] as [(JSONValue, String)])
    func settings(changes: JSONValue, name: String) throws {
        let key = try SigningKey(generating: .es256)
        var settings: JSONValue = [
            "security_profile": "fapi_2_0", "jwks": ["keys": [key.publicKey]],
            "grant_types": ["authorization_code", "refresh_token"], "redirect_uris": ["https://app.example.com/cb"],
        ]
        #expect(try BackendSettings(settings).profile == .fapi2)
        for member in changes.members { settings[member.name] = member.value.isNull ? nil : member.value }
        let error = #expect(throws: DirectoryError.self) { _ = try BackendSettings(settings) }
        #expect(error?.message.contains(name) == true, "\(error?.message ?? "")")
    }

    @Test("Nobody signs in with HTTP Basic by the name of such a backend")
    func basic() async throws {
        let client = try await FAPIClient(try await ServiceUnderTest())
        let answer = await client.app.service.send(
            "GET", "/mobile/platform/users/~", ServiceUnderTest.basic(ServiceUnderTest.engineer), nil,
            headers: [("Oracle-Mobile-Backend-ID", client.app.record.backendID)])
        #expect(answer.status == 401)
    }
}

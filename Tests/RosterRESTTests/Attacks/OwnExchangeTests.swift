import Foundation
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Attacks on the exchange of our own tokens")
struct OwnExchangeTests {
    private static let own = "https://id.example.com"
    private static let orders = "https://orders.example.com"

    private func exchange(
        _ app: App, _ token: String, _ more: (String, String)..., type: String = "access_token"
    ) async -> Answer {
        await app.post(
            "/oauth2/token",
            [
                ("grant_type", BackendSettings.Grant.tokenExchange.rawValue), ("subject_token", token),
                ("subject_token_type", "urn:ietf:params:oauth:token-type:" + type),
            ] + more)
    }

    @Test("A token for one audience leads to no other one again, also where its client may have both")
    func audience() async throws {
        let service = try await ServiceUnderTest()
        // A public client: the service for which the narrow token is can call itself by its name.
        let app = try await App(
            service,
            [
                "public": true, "audience": [.string(Self.own), .string(Self.orders)],
                "grant_types": [
                    "authorization_code", .string(BackendSettings.Grant.tokenExchange.rawValue),
                ],
            ])
        let wide = try await app.tokens(["scope": "openid directory"]).access
        #expect(await app.status("/scim/v2/Me", wide) == 200)
        let answer = await exchange(app, wide, ("audience", Self.orders))
        let narrow = try #require(answer["access_token"]?.text, "\(answer.text)")
        #expect(try JSONWebToken(narrow).claims["aud"]?.text == Self.orders)
        #expect(await app.status("/scim/v2/Me", narrow) == 401)
        for target in [("audience", Self.own), ("resource", Self.own)] {
            #expect(await exchange(app, narrow, target).givesNothing, "\(target)")
        }
        let both = await exchange(app, narrow, ("audience", Self.orders), ("resource", Self.own))
        #expect(both.givesNothing)
        let silent = await exchange(app, narrow)
        if let token = silent["access_token"]?.text {
            #expect(try JSONWebToken(token).claims["aud"]?.text == Self.orders)
            #expect(await app.status("/scim/v2/Me", token) == 401)
        }
    }

    @Test("A token leads to no scope that it has not, to no longer life, and to none for a refresh")
    func scopeAndLife() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let (access, refresh) = try await app.tokens(["scope": "openid profile offline_access"])
        for scope in ["directory", "profile directory", "email", "urn:opc:resource:consumer::all"] {
            #expect(await exchange(app, access, ("scope", scope)).givesNothing, "\(scope)")
        }
        let end = try #require(try JSONWebToken(access).claims["exp"])
        service.clock.advance(by: 600)
        var token = access
        for _ in 0..<3 {
            let answer = await exchange(app, token)
            #expect(answer["refresh_token"] == nil && answer["id_token"] == nil)
            token = try #require(answer["access_token"]?.text, "\(answer.text)")
            #expect(try JSONWebToken(token).claims["exp"] == end, "it ends with the first one")
        }
        let secret = try #require(refresh)
        for type in ["access_token", "refresh_token"] {
            #expect(await exchange(app, secret, type: type).givesNothing, "\(type)")
        }
        service.clock.advance(by: 1_300)
        for ended in [token, access] { #expect(await exchange(app, ended).givesNothing) }
    }

    @Test("A client exchanges its own tokens and those that are for it, and is named as the one who acts")
    func otherClients() async throws {
        let service = try await ServiceUnderTest()
        let api = try await App(service, named: "api")
        let app = try await App(service, named: "app", ["audience": [.string(Self.own), .string(api.clientID)]])
        let stranger = try await App(service, named: "stranger")
        let token = try await app.tokens(["scope": "openid profile directory"]).access
        #expect(await exchange(stranger, token).givesNothing)
        #expect(await exchange(stranger, token, ("client_id", app.clientID)).givesNothing)
        let answer = await exchange(api, token, ("scope", "profile"))
        let passed = try JSONWebToken(try #require(answer["access_token"]?.text, "\(answer.text)")).claims
        #expect(passed["act"]?["sub"]?.text == api.clientID && passed["client_id"]?.text == api.clientID)
        #expect(passed["scope"]?.text == "profile")
        let program = try #require(await app.token(("grant_type", "client_credentials"))["access_token"]?.text)
        #expect(await exchange(app, program).givesNothing, "a program's own stands for no user")
        let id = try #require(await app.redeem(try await app.code())["id_token"]?.text)
        for type in ["id_token", "jwt", "access_token"] {
            #expect(await exchange(app, id, type: type).givesNothing, "an id token is not an access token: \(type)")
        }
    }

    @Test("A token that was ended leads nowhere, and what came of it ends as its user does", arguments: Ending.allCases)
    func ended(how: Ending) async throws {
        let app = try await App(try await ServiceUnderTest())
        let access = try await app.tokens(["scope": "openid directory"]).access
        let child = try #require(await exchange(app, access)["access_token"]?.text)
        #expect(await app.status("/scim/v2/Me", child) == 200)
        let spare = try await app.tokens(["scope": "openid directory"]).access
        _ = await app.post("/oauth2/revoke", [("token", spare)])
        #expect(await exchange(app, spare).givesNothing)
        try await app.end(how)
        #expect(await app.status("/scim/v2/Me", child) == 401)
        for ended in [access, child] { #expect(await exchange(app, ended).givesNothing) }
    }

    @Test("What a client made of a token ends with the code or the refresh token that it goes back to")
    func descendants() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        for way in ["code", "revocation", "theft"] {
            let code = try await app.code(["scope": "openid directory offline_access"])
            let tokens = await app.redeem(code)
            var token = try #require(tokens["access_token"]?.text)
            let refresh = try #require(tokens["refresh_token"]?.text)
            var descendants: [String] = []
            for _ in 0..<3 {
                token = try #require(await exchange(app, token)["access_token"]?.text)
                descendants.append(token)
            }
            #expect(await app.status("/scim/v2/Me", token) == 200, "\(way)")
            switch way {
            case "code": _ = await app.redeem(code)
            case "revocation": _ = await app.post("/oauth2/revoke", [("token", refresh)])
            default:
                _ = await app.refresh(refresh)
                service.clock.advance(by: 11)
                _ = await app.refresh(refresh)
            }
            for token in descendants {
                #expect(await app.status("/scim/v2/Me", token) == 401, "\(way)")
                #expect(await !app.isActive(token), "\(way)")
            }
        }
    }
}

import Foundation
import Roster
import RosterSignIn
import RosterText
import Testing
import TestSupport

@Suite("Typed settings of backends and of sign-in")
struct TypedSettingsTests {
    private func all() throws -> BackendSettings {
        var settings = BackendSettings()
        settings.isEnabled = false
        settings.grants = [.password, .deviceCode]
        settings.redirectURIs = ["https://a.example.com/back"]
        settings.postLogoutRedirectURIs = ["https://a.example.com/out"]
        settings.scopes = [.openID, .directory, .directoryManage, "orders"]
        settings.audiences = ["https://orders.example.com"]
        settings.allowsExchange = true
        settings.allowsBasic = false
        settings.apis = [.mobile: APIRule(requiresLogin: false), "orders": APIRule(roles: ["buyers"])]
        settings.requiresConsent = true
        settings.directoryRole = .monitoring
        settings.isTrusted = true
        settings.signing = .clientSecret
        settings.assertionKeys = try PublicKeySet(json: Data(#"{"keys": []}"#.utf8))
        settings.tokens.codeLifetime = .seconds(30)
        settings.tokens.accessTokenLifetime = .seconds(120)
        settings.tokens.idTokenLifetime = .seconds(180)
        settings.tokens.refreshTokenLifetime = .seconds(240)
        settings.tokens.consumerTokenLifetime = .seconds(300)
        settings.tokens.usesRefreshTokens = true
        settings.tokens.claimsAvailability = .userInfo
        settings.claims = ClaimMapping(
            claims: [.init("team", [.attribute(.department), .value("none", ifRole: "guests")], mode: .firstMatch)],
            roleClaimName: nil)
        settings.app.serviceDomain = "MobileServiceDomain"
        settings.app.sessionTimeout = .seconds(3_600)
        settings.app.idleTimeout = .seconds(600)
        settings.app.maximumLoginAttempts = 3
        settings.app.allowsOffline = true
        settings.app.cryptoScheme = .saltedSHA256
        settings.app.requiredClaims = [.platform, .sdkVersion]
        settings.app.urlScheme = "com.example.shop"
        settings.app.agentPriority = 1
        settings.webgate = WebgateChallenge(name: "gate", level: 3)
        return settings
    }

    @Test("A purpose gives the settings that its clients need, and the settings that are given replace them")
    func purposes() throws {
        func settings(_ json: String) throws -> BackendSettings { try BackendSettings(json: Data(json.utf8)) }
        for purpose in BackendSettings.Purpose.allCases where purpose != .web {
            let made = try settings(#"{"for": "\#(purpose.rawValue)"}"#)
            #expect(made == BackendSettings(for: purpose))
            #expect(try BackendSettings(json: made.json) == made, "\(purpose)")
        }
        let app = try settings(#"{"for": "app", "redirect_uris": ["com.example.shop:/back"], "scope": "openid"}"#)
        #expect(app.isPublic && app.grants == [.authorizationCode, .refreshToken, .password])
        #expect(app.redirectURIs == ["com.example.shop:/back"] && app.scopes == [.openID])
        let web = try settings(#"{"for": "web", "redirect_uris": ["https://shop.example.com/back"]}"#)
        #expect(!web.isPublic && web.grants == [.authorizationCode, .refreshToken] && !web.scopes.contains(.directory))
        let error = #expect(throws: DirectoryError.self) { try settings(#"{"for": "web"}"#) }
        #expect(error?.message.hasPrefix("redirect_uris") == true)
        #expect(throws: DirectoryError.self) { try settings(#"{"for": "phone"}"#) }
    }

    @Test("All settings survive their JSON form, which has the names of OAuth")
    func roundTrip() throws {
        let settings = try all()
        #expect(try BackendSettings(json: settings.json) == settings)
        let json = try JSONValue(strictly: Array(settings.json))
        #expect(json["access_token_expiry"] == 2 && json["authorization_code_expiry_seconds"] == 30)
        #expect(json["scope"] == "openid directory directory:manage orders")
        #expect(json["id_token_signed_response_alg"] == "HS256")
        #expect(json["apis"]?["orders"]?["roles"] == ["buyers"])
        #expect(try BackendSettings(json: Data("{}".utf8)) == BackendSettings())
        #expect(try BackendSettings(json: Data(#"{"public": true}"#.utf8)) == BackendSettings(isPublic: true))
    }

    @Test("A backend gets the settings that it was made with, and one setting can be changed alone")
    func stored() async throws {
        let directory = try emptyDirectory()
        let signIn = try await SignIn.forTests(directory)
        let view = directory.unrestricted
        let made = try await signIn.createBackend(named: "shop", settings: all(), in: view)
        func kept() async throws -> BackendSettings { try #require(try await signIn.backends(in: view).first).settings }
        #expect(try await kept() == all())
        var settings = try await kept()
        settings.tokens.accessTokenLifetime = nil
        settings.isEnabled = true
        try await signIn.changeBackend(made.clientID, settings: settings, in: view)
        #expect(try await kept() == settings)
    }

    private static let wrong: [(@Sendable (inout BackendSettings) -> Void, String)] = [
        ({ $0.tokens.accessTokenLifetime = .seconds(90) }, "access_token_expiry"),
        ({ $0.tokens.accessTokenLifetime = .zero }, "access_token_expiry"),
        ({ $0.tokens.codeLifetime = .milliseconds(1_500) }, "authorization_code_expiry_seconds"),
        ({ $0.tokens.consumerTokenLifetime = .seconds(Int64.max) }, "consumer_token_expiry_seconds"),
        ({ $0.isPublic = true }, "grant_types"), ({ $0.scopes = ["two words"] }, "scope"),
        ({ $0.scopes = [.directoryManage] }, "scope"),
        ({ $0.redirectURIs = ["http://a.example.com"] }, "redirect_uris"),
        (
            {
                $0 = BackendSettings(isPublic: true)
                $0.signing = .clientSecret
            }, "id_token_signed_response_alg"
        ),
        ({ $0.allowsSocialLogin = true }, "social_login"), ({ $0.socialApps = ["facebook"] }, "social_apps"),
        ({ $0.apis = ["a": APIRule(requiresLogin: false, roles: ["x"])] }, "apis.a"),
        ({ $0.apis = [.scim: APIRule(requiresLogin: false)] }, "apis.scim.login_required"),
        ({ $0.claims = ClaimMapping(claims: [.init("sub", [.value("x")])]) }, "claims.claims[0].name"),
        ({ $0.claims = ClaimMapping(claims: [.init("a", [])]) }, "claims.claims[0].rules"),
        ({ $0.claims = ClaimMapping(claims: [.init("a", [.attribute("colour")])]) }, "claims.claims[0].rules[0]"),
        ({ $0.audiences = [""] }, "audience"),
        ({ $0.app.sessionTimeout = .milliseconds(1_500) }, "app.session_timeout_seconds"),
        ({ $0.app.idleTimeout = .seconds(-1) }, "app.idle_timeout_seconds"),
        ({ $0.app.maximumLoginAttempts = 101 }, "app.maximum_login_attempts"),
        ({ $0.app.urlScheme = "javascript" }, "app.url_scheme"), ({ $0.app.agentPriority = 1 }, "app.sso_priority"),
        ({ $0.webgate = WebgateChallenge(name: "a b") }, "webgate.name"),
        ({ $0.webgate = WebgateChallenge(name: "a", level: -1) }, "webgate.level"),
    ]

    @Test(
        "A setting that is out of its range, or contradicts another setting, is refused by its name",
        arguments: wrong.indices)
    func refused(index: Int) async throws {
        let (change, name) = Self.wrong[index]
        let directory = try emptyDirectory()
        let signIn = try await SignIn.forTests(directory)
        var settings = BackendSettings()
        let made = try await signIn.createBackend(named: "good", settings: settings, in: directory.unrestricted)
        change(&settings)
        for error in [
            await #expect(throws: DirectoryError.self) {
                try await signIn.createBackend(named: "shop", settings: settings, in: directory.unrestricted)
            },
            await #expect(throws: DirectoryError.self) {
                try await signIn.changeBackend(made.clientID, settings: settings, in: directory.unrestricted)
            },
        ] {
            #expect(
                error?.code == .invalidInput && error?.message.hasPrefix(name) == true, "\(String(describing: error))")
        }
    }

    @Test("SignIn checks its own settings when it is made")
    func ofSignIn() throws {
        let directory = try emptyDirectory()
        func message(
            _ direct: SignIn.DirectAccess = .init(), _ tokens: TokenSettings = .init(), _ trust: SignIn.Trust = .init()
        ) -> String? {
            do {
                _ = try SignIn(
                    directory, issuer: "https://id.example.com", trust: trust, direct: direct, tokenSettings: tokens,
                    passwordCost: .forTests)
                return nil
            } catch {
                return (error as? DirectoryError)?.message
            }
        }
        #expect(message() == nil)
        #expect(message(.init(apis: ["skim": APIRule()]))?.hasPrefix("apis.skim") == true)
        #expect(message(.init(apis: [.mobile: APIRule(requiresLogin: false)]))?.contains("login_required") == true)
        var tokens = TokenSettings()
        tokens.idTokenLifetime = .seconds(1)
        #expect(message(.init(), tokens)?.hasPrefix("id_token_expiry") == true)
        var trust = SignIn.Trust()
        trust.tokenExchange = TokenExchangePolicy(lifetime: .seconds(0), timeoutPolicy: .fromExternalToken)
        #expect(message(.init(), .init(), trust)?.contains("TokenExchangeTimeoutSecs") == true)
    }

    @Test("Text that is not a key set is refused")
    func keySet() throws {
        for text in ["", "[]", "{}", #"{"keys": {}}"#] {
            #expect(throws: DirectoryError.self) { try PublicKeySet(json: Data(text.utf8)) }
        }
    }
}

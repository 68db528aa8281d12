import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// The modules of the plans oidcc-basic-certification-test-plan and, with `form_post`, oidcc-formpost-basic-certification-test-plan.
@Suite("OpenID conformance: Basic and Form Post", .timeLimit(.minutes(3)))
struct BasicConformanceTests {
    @Test("oidcc-server", arguments: ConformanceClient.modes)
    func server(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let sent = try await client.authorize()
        #expect(sent["state"] == "the state" && sent["iss"] == "https://id.example.com")
        let answer = await client.redeem(sent["code"])
        #expect(answer["token_type"]?.text == "Bearer" && answer["expires_in"] != nil)
        let claims = try client.idToken(answer)
        let now = Int64(client.service.clock.now.timeIntervalSince1970)
        #expect(claims["iss"]?.text == "https://id.example.com" && claims["aud"]?.text == client.app.clientID)
        #expect(claims["nonce"]?.text == "the nonce" && claims["iat"] == .integer(now))
        #expect(
            claims["at_hash"]?.text == (try SignatureAlgorithm.rs256.halfHash(of: answer["access_token"]?.text ?? "")))
        #expect(await client.userInfo(answer)["sub"] == claims["sub"])
    }

    @Test("oidcc-response-type-missing", arguments: ConformanceClient.modes)
    func responseTypeMissing(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let sent = client.sent(await client.app.browse("GET", try client.path(["response_type": nil])))
        #expect(sent["error"] == "invalid_request" && sent["state"] == "the state")
    }

    @Test("oidcc-idtoken-signature", arguments: ConformanceClient.modes)
    func idTokenSignature(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let token = try JSONWebToken(try await client.tokens()["id_token"]?.text ?? "")
        let keys = try #require(VerificationKeySet(await client.service.send("GET", "/oauth2/jwks", nil).body))
        #expect(token.algorithm == .rs256 && token.keyID != nil)
        #expect(try token.isSigned(by: keys, allowing: [.rs256]))
    }

    @Test("oidcc-codereuse", arguments: ConformanceClient.modes)
    func codeReuse(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let code = try await client.authorize()["code"]
        #expect(await client.redeem(code).status == 200)
        #expect(await client.redeem(code)["error"]?.text == "invalid_grant")
    }

    @Test("oidcc-codereuse-30seconds", arguments: ConformanceClient.modes)
    func codeReuseLater(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let code = try await client.authorize()["code"]
        let answer = await client.redeem(code)
        client.service.clock.advance(by: 30)
        #expect(await client.redeem(code)["error"]?.text == "invalid_grant")
        #expect(await client.userInfo(answer).status == 401, "its tokens have ended")
    }

    /// Asks for a scope and expects its claims at user info, and those of no other scope.
    private func expectClaims(_ mode: String, _ scope: String, _ names: [String]) async throws {
        let client = try await ConformanceClient(mode)
        let answer = try await client.tokens(["scope": scope])
        let info = await client.userInfo(answer)
        for name in ["given_name", "email", "email_verified", "phone_number", "address"] {
            #expect((info[name] != nil) == names.contains(name), "\(name): \(info.text)")
        }
        #expect(Set(answer["scope"]?.text?.split(separator: " ") ?? []) == Set(scope.split(separator: " ")))
    }

    @Test("oidcc-scope-address", arguments: ConformanceClient.modes)
    func scopeAddress(mode: String) async throws { try await expectClaims(mode, "openid address", ["address"]) }

    @Test("oidcc-scope-email", arguments: ConformanceClient.modes)
    func scopeEmail(mode: String) async throws {
        try await expectClaims(mode, "openid email", ["email", "email_verified"])
    }

    @Test("oidcc-scope-phone", arguments: ConformanceClient.modes)
    func scopePhone(mode: String) async throws { try await expectClaims(mode, "openid phone", ["phone_number"]) }

    @Test("oidcc-scope-profile", arguments: ConformanceClient.modes)
    func scopeProfile(mode: String) async throws { try await expectClaims(mode, "openid profile", ["given_name"]) }

    @Test("oidcc-scope-all", arguments: ConformanceClient.modes)
    func scopeAll(mode: String) async throws {
        try await expectClaims(
            mode, "openid profile email address phone",
            ["given_name", "email", "email_verified", "phone_number", "address"])
    }

    @Test("oidcc-claims-essential", arguments: ConformanceClient.modes)
    func claimsEssential(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let answer = try await client.tokens(["claims": #"{"userinfo":{"name":{"essential":true}}}"#])
        #expect(await client.userInfo(answer)["name"]?.text?.isEmpty == false)
    }

    /// Sends a parameter that need not have an effect, and expects a code.
    private func expectNoHarm(_ mode: String, _ changes: [String: String?]) async throws {
        let client = try await ConformanceClient(mode)
        #expect(try await client.tokens(changes).status == 200, "\(changes)")
    }

    @Test("oidcc-claims-locales", arguments: ConformanceClient.modes)
    func claimsLocales(mode: String) async throws { try await expectNoHarm(mode, ["claims_locales": "se"]) }

    @Test("oidcc-ui-locales", arguments: ConformanceClient.modes)
    func uiLocales(mode: String) async throws { try await expectNoHarm(mode, ["ui_locales": "se"]) }

    @Test("oidcc-display-page", arguments: ConformanceClient.modes)
    func displayPage(mode: String) async throws { try await expectNoHarm(mode, ["display": "page"]) }

    @Test("oidcc-display-popup", arguments: ConformanceClient.modes)
    func displayPopup(mode: String) async throws { try await expectNoHarm(mode, ["display": "popup"]) }

    @Test("oidcc-ensure-request-with-acr-values-succeeds", arguments: ConformanceClient.modes)
    func acrValues(mode: String) async throws { try await expectNoHarm(mode, ["acr_values": "1 2"]) }

    @Test("oidcc-ensure-request-with-unknown-parameter-succeeds", arguments: ConformanceClient.modes)
    func unknownParameter(mode: String) async throws { try await expectNoHarm(mode, ["extra": "foobar"]) }

    @Test("oidcc-login-hint", arguments: ConformanceClient.modes)
    func loginHint(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let page = await client.app.browse("GET", try client.path(["login_hint": "buffy@example.com"]))
        #expect(page.text.contains("value=\"buffy@example.com\""), "the page shows the hint")
        #expect(try await client.finish(page)["code"] != nil)
    }

    @Test("oidcc-alternate-happy-flow", arguments: ConformanceClient.modes)
    func alternateHappyFlow(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let sent = try await client.authorize(["scope": "email profile openid", "state": nil])
        #expect(sent["state"] == nil && sent["code"] != nil)
        #expect(await client.redeem(sent["code"]).status == 200)
    }

    @Test("oidcc-userinfo-get", arguments: ConformanceClient.modes)
    func userInfoGet(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let answer = try await client.tokens()
        let info = await client.userInfo(answer)
        #expect(info.status == 200 && info.header("Content-Type")?.hasPrefix("application/json") == true)
        #expect(info["sub"] == (try client.idToken(answer)["sub"]))
    }

    @Test("oidcc-userinfo-post-header", arguments: ConformanceClient.modes)
    func userInfoPostHeader(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let token = try await client.tokens()["access_token"]?.text ?? ""
        #expect(await client.service.send("POST", "/oauth2/userinfo", "Bearer " + token, []).status == 200)
    }

    @Test("oidcc-userinfo-post-body", arguments: ConformanceClient.modes)
    func userInfoPostBody(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let token = try await client.tokens()["access_token"]?.text ?? ""
        let answer = await client.app.post("/oauth2/userinfo", [("access_token", token)], authorization: .some(nil))
        #expect(answer.status == 200)
    }

    @Test("oidcc-id-token-hint", arguments: ConformanceClient.modes)
    func idTokenHint(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let first = try await client.tokens()
        let second = try await client.tokens(["prompt": "none", "id_token_hint": first["id_token"]?.text])
        #expect(try client.idToken(second)["sub"] == client.idToken(first)["sub"])
    }

    @Test("oidcc-prompt-login", arguments: ConformanceClient.modes)
    func promptLogin(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let first = try client.idToken(await client.tokens())
        client.service.clock.advance(by: 5)
        let page = await client.app.browse("GET", try client.path(["prompt": "login"]))
        #expect(client.asks(page))
        let second = try client.idToken(await client.redeem(try await client.finish(page)["code"]))
        #expect(second["sub"] == first["sub"])
        #expect((second["auth_time"]?.seconds ?? 0) > (first["auth_time"]?.seconds ?? 0))
    }

    @Test("oidcc-prompt-none-not-logged-in", arguments: ConformanceClient.modes)
    func promptNoneNotLoggedIn(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let sent = client.sent(await client.app.browse("GET", try client.path(["prompt": "none"])))
        #expect(sent["error"] == "login_required" && sent["code"] == nil)
    }

    @Test("oidcc-prompt-none-logged-in", arguments: ConformanceClient.modes)
    func promptNoneLoggedIn(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let first = try client.idToken(await client.tokens())
        let silent = client.sent(await client.app.browse("GET", try client.path(["prompt": "none"])))
        let second = try client.idToken(await client.redeem(silent["code"]))
        #expect(second["sub"] == first["sub"] && second["auth_time"] == first["auth_time"])
    }

    @Test("oidcc-max-age-1", arguments: ConformanceClient.modes)
    func maxAge1(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let first = try client.idToken(await client.tokens())
        client.service.clock.advance(by: 2)
        let page = await client.app.browse("GET", try client.path(["max_age": "1"]))
        #expect(client.asks(page))
        let second = try client.idToken(await client.redeem(try await client.finish(page)["code"]))
        #expect((second["auth_time"]?.seconds ?? 0) > (first["auth_time"]?.seconds ?? 0))
    }

    @Test("oidcc-max-age-10000", arguments: ConformanceClient.modes)
    func maxAge10000(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let first = try client.idToken(await client.tokens())
        client.service.clock.advance(by: 2)
        let silent = client.sent(await client.app.browse("GET", try client.path(["max_age": "10000"])))
        let second = try client.idToken(await client.redeem(silent["code"]))
        #expect(second["auth_time"] == first["auth_time"] && second["auth_time"] != nil)
    }

    @Test("oidcc-ensure-post-request-succeeds", arguments: ConformanceClient.modes)
    func postRequest(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let items = URLComponents(string: try client.path())?.queryItems ?? []
        let page = await client.app.browse(
            "POST", "/oauth2/authorize", form: items.map { ($0.name, $0.value ?? "") })
        #expect(try await client.finish(page)["code"] != nil)
    }

    @Test("oidcc-ensure-registered-redirect-uri", arguments: ConformanceClient.modes)
    func registeredRedirect(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let page = await client.app.browse("GET", try client.path(["redirect_uri": App.redirect + "/other"]))
        #expect(page.status == 400 && page.header("Location") == nil && client.sent(page).isEmpty)
        #expect(page.text.contains("not registered"))
    }

    @Test("oidcc-ensure-request-object-with-redirect-uri", arguments: ConformanceClient.modes)
    func requestObjectWithRedirect(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let object = "eyJhbGciOiJub25lIn0.eyJyZWRpcmVjdF91cmkiOiJodHRwczovL2V2aWwuZXhhbXBsZSJ9."
        let sent = client.sent(await client.app.browse("GET", try client.path(["request": object])))
        #expect(sent["error"] == "request_not_supported")
    }

    @Test(
        "oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported",
        arguments: ConformanceClient.modes)
    func unsignedRequestObject(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let sent = client.sent(await client.app.browse("GET", try client.path(["request": "eyJhbGciOiJub25lIn0.e30."])))
        #expect(sent["error"] == "request_not_supported" && sent["state"] == "the state")
    }

    @Test(
        "oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported", arguments: ConformanceClient.modes)
    func requestURI(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let sent = client.sent(
            await client.app.browse("GET", try client.path(["request_uri": "https://rp.example.com/request.jwt"])))
        #expect(sent["error"] == "request_uri_not_supported")
    }

    @Test("oidcc-idtoken-unsigned", arguments: ConformanceClient.modes)
    func unsignedIDToken(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let discovery = await client.service.send("GET", "/.well-known/openid-configuration", nil)
        #expect(discovery["id_token_signing_alg_values_supported"]?.texts.contains("none") == false)
        #expect(throws: DirectoryError.self) { _ = try BackendSettings(["id_token_signed_response_alg": "none"]) }
    }

    @Test("oidcc-ensure-request-with-valid-pkce-succeeds", arguments: ConformanceClient.modes)
    func validPKCE(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let items = URLComponents(string: try client.app.authorizePath())?.queryItems ?? []
        let challenge = items.first { $0.name == "code_challenge" }?.value
        let sent = try await client.authorize(["code_challenge": challenge, "code_challenge_method": "S256"])
        #expect(await client.redeem(sent["code"], ("code_verifier", App.verifier)).status == 200)
    }

    @Test("oidcc-ensure-request-without-nonce-succeeds-for-code-flow", arguments: ConformanceClient.modes)
    func withoutNonce(mode: String) async throws {
        // The module wants a code. OAuth 2.1, section 7.5.1, requires PKCE of a client that sends no nonce.
        let client = try await ConformanceClient(mode)
        let sent = client.sent(await client.app.browse("GET", try client.path(["nonce": nil])))
        #expect(sent["error"] == "invalid_request" && sent["error_description"]?.contains("nonce") == true)
        let items = URLComponents(string: try client.app.authorizePath())?.queryItems ?? []
        let challenge = items.first { $0.name == "code_challenge" }?.value
        let proven = try await client.authorize([
            "nonce": nil, "code_challenge": challenge, "code_challenge_method": "S256",
        ])
        let answer = await client.redeem(proven["code"], ("code_verifier", App.verifier))
        #expect(try client.idToken(answer)["nonce"] == nil)
    }

    @Test("oidcc-refresh-token", arguments: ConformanceClient.modes)
    func refreshToken(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let first = try await client.tokens(["scope": "openid offline_access", "prompt": "consent"])
        let second = await client.app.refresh(try #require(first["refresh_token"]?.text, "\(first.text)"))
        #expect(second.status == 200 && second["access_token"] != first["access_token"])
        #expect(try client.idToken(second)["sub"] == client.idToken(first)["sub"])
        #expect(await client.userInfo(second).status == 200)
        let other = try await App(client.service, named: "other")
        let stolen = await other.refresh(second["refresh_token"]?.text ?? "")
        #expect(stolen["error"]?.text == "invalid_grant", "another client's")
    }

    @Test("oidcc-server-client-secret-post", arguments: ConformanceClient.modes)
    func clientSecretPost(mode: String) async throws {
        let client = try await ConformanceClient(mode)
        let code = try await client.authorize()["code"] ?? ""
        let answer = await client.app.post(
            "/oauth2/token",
            [
                ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", App.redirect),
                ("client_id", client.app.clientID), ("client_secret", client.app.secret ?? ""),
            ], authorization: .some(nil))
        #expect(answer.status == 200)
    }
}

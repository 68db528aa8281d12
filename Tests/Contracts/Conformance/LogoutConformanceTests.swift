import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// The modules of the plans for discovery and for sign-outs.
@Suite("OpenID conformance: Config, RP-initiated and back-channel logout", .timeLimit(.minutes(3)))
struct LogoutConformanceTests {
    private static let bye = "https://rp.example.com/post_logout_redirect"

    private func signedIn(_ settings: JSONValue = [:]) async throws -> (client: ConformanceClient, hint: String) {
        let own: JSONValue = ["post_logout_redirect_uris": [.string(Self.bye)]]
        let client = try await ConformanceClient("query", .object(own.members + settings.members))
        return (client, try #require(try await client.tokens()["id_token"]?.text))
    }

    private func signOut(_ client: ConformanceClient, _ parameters: [(String, String)]) async -> Answer {
        await client.app.browse("GET", "/oauth2/logout" + (parameters.isEmpty ? "" : "?" + App.encoded(parameters)))
    }

    private func isSignedIn(_ client: ConformanceClient) async throws -> Bool {
        client.sent(await client.app.browse("GET", try client.path(["prompt": "none"])))["code"] != nil
    }

    private func discovery() async throws -> Answer {
        await (try await ServiceUnderTest()).send("GET", "/.well-known/openid-configuration", nil)
    }

    @Test("oidcc-discovery-endpoint-verification")
    func discoveryEndpoint() async throws {
        let answer = try await discovery()
        #expect(answer.status == 200 && answer["issuer"]?.text == "https://id.example.com")
        for name in ["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"] {
            #expect(answer[name]?.text?.hasPrefix("https://id.example.com/") == true, "\(name)")
        }
        #expect(answer["response_types_supported"]?.texts.contains("code") == true)
        #expect(answer["scopes_supported"]?.texts.contains("openid") == true)
        #expect(answer["subject_types_supported"]?.texts == ["public", "pairwise"])
        #expect(answer["id_token_signing_alg_values_supported"]?.texts.contains("RS256") == true)
        #expect(answer["claims_supported"]?.texts.isEmpty == false && answer["claims_parameter_supported"] == true)
        #expect(answer["request_parameter_supported"] == false && answer["request_uri_parameter_supported"] == false)
    }

    @Test("oidcc-rp-initiated-logout-discovery-endpoint-verification")
    func rpInitiatedDiscovery() async throws {
        #expect(try await discovery()["end_session_endpoint"]?.text == "https://id.example.com/oauth2/logout")
    }

    @Test("oidcc-rp-initiated-logout")
    func rpInitiated() async throws {
        let (client, hint) = try await signedIn()
        let answer = await signOut(
            client, [("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye), ("state", "s")])
        #expect(answer.header("Location") == Self.bye + "?state=s")
        #expect(try await !isSignedIn(client))
    }

    @Test("oidcc-rp-initiated-logout-no-state")
    func noState() async throws {
        let (client, hint) = try await signedIn()
        let answer = await signOut(client, [("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye)])
        #expect(answer.header("Location") == Self.bye)
        #expect(try await !isSignedIn(client))
    }

    @Test("oidcc-rp-initiated-logout-no-post-logout-redirect-uri")
    func noAddress() async throws {
        let (client, hint) = try await signedIn()
        let answer = await signOut(client, [("id_token_hint", hint), ("state", "s")])
        #expect(answer.status == 200 && answer.text.contains("signed out"))
        #expect(try await !isSignedIn(client))
    }

    @Test("oidcc-rp-initiated-logout-bad-post-logout-redirect-uri")
    func badAddress() async throws {
        let (client, hint) = try await signedIn()
        let answer = await signOut(
            client, [("id_token_hint", hint), ("post_logout_redirect_uri", "https://evil.example/x"), ("state", "s")])
        #expect(answer.status == 400 && answer.header("Location") == nil)
    }

    @Test("oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri")
    func addressWithQuery() async throws {
        let (client, hint) = try await signedIn()
        let answer = await signOut(
            client, [("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye + "?extra=1"), ("state", "s")])
        #expect(answer.status == 400 && answer.header("Location") == nil)
    }

    @Test("oidcc-rp-initiated-logout-modified-id-token-hint")
    func modifiedHint() async throws {
        let (client, hint) = try await signedIn()
        let parts = hint.split(separator: ".").map(String.init)
        let claims: JSONValue = ["iss": "https://id.example.com", "sub": "1", "aud": .string(client.app.clientID)]
        let modified = "\(parts[0]).\(Base64URL.text(claims.bytes)).\(parts[2])"
        let answer = await signOut(
            client, [("id_token_hint", modified), ("post_logout_redirect_uri", Self.bye), ("state", "s")])
        #expect(answer.status == 400 && answer.header("Location") == nil)
        #expect(try await isSignedIn(client))
    }

    @Test("oidcc-rp-initiated-logout-bad-id-token-hint")
    func badHint() async throws {
        let (client, _) = try await signedIn()
        let answer = await signOut(
            client, [("id_token_hint", "abc"), ("post_logout_redirect_uri", Self.bye), ("state", "s")])
        #expect(answer.status == 400 && answer.header("Location") == nil)
        #expect(try await isSignedIn(client))
    }

    /// Signs out without a hint: the user is asked, and is signed out afterwards.
    private func expectQuestion(_ parameters: [(String, String)]) async throws {
        let (client, _) = try await signedIn()
        let question = await signOut(client, parameters)
        #expect(question.status == 200 && question.text.contains("Sign out?"))
        #expect(try await isSignedIn(client), "nothing has happened yet")
        let done = await client.app.browse("POST", "/oauth2/logout", form: [("request", try App.sealed(question))])
        #expect(done.status == 200 && done.header("Location") == nil && done.text.contains("signed out"))
        #expect(try await !isSignedIn(client))
    }

    @Test("oidcc-rp-initiated-logout-no-id-token-hint")
    func noHint() async throws { try await expectQuestion([("post_logout_redirect_uri", Self.bye), ("state", "s")]) }

    @Test("oidcc-rp-initiated-logout-no-params")
    func noParameters() async throws { try await expectQuestion([]) }

    @Test("oidcc-rp-initiated-logout-only-state")
    func onlyState() async throws { try await expectQuestion([("state", "s")]) }

    @Test("oidcc-backchannel-logout-discovery-endpoint-verification")
    func backChannelDiscovery() async throws {
        let answer = try await discovery()
        #expect(
            answer["backchannel_logout_supported"] == true && answer["backchannel_logout_session_supported"] == true)
    }

    @Test("oidcc-backchannel-rp-initiated-logout")
    func backChannel() async throws {
        let receiver = try await onThread { try TLSReceiver() }
        let (client, hint) = try await signedIn(["backchannel_logout_uri": .string(receiver.url("/bye"))])
        let oauth = client.service.signIn.oauth
        oauth.registered.use(receiver.transport)
        let policy = await client.service.request(
            "PUT", "/admin/policies/allow_private_addresses", ["value": true])
        #expect(policy.status == 201)
        _ = await signOut(client, [("id_token_hint", hint), ("post_logout_redirect_uri", Self.bye), ("state", "s")])
        try await oauth.signOutNotices.sendSignOutNotices()
        let text = receiver.requests.first?.split(separator: "logout_token=").last.map(String.init) ?? ""
        let token = try JSONWebToken(text)
        let idToken = try JSONWebToken(hint).claims
        #expect(token.algorithm == .rs256 && token.claims["sid"] == idToken["sid"] && token.claims["nonce"] == nil)
        #expect(token.claims["sub"] == idToken["sub"] && token.claims["aud"]?.text == client.app.clientID)
        #expect(token.claims["events"]?["http://schemas.openid.net/event/backchannel-logout"] == [:])
        #expect(try oauth.keys.verify(text, type: "logout+jwt") != nil)
    }
}

import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Pushed authorization requests (RFC 9126)", .timeLimit(.minutes(2)), .inBothForms)
struct PushedRequestTests {
    /// The parameters of a request for a code.
    private func parameters(_ app: App, _ changes: [String: String?] = [:]) throws -> [(String, String)] {
        let items = URLComponents(string: try app.authorizePath(changes))?.queryItems ?? []
        return items.map { ($0.name, $0.value ?? "") }
    }

    private func push(_ app: App, _ changes: [String: String?] = [:]) async throws -> Answer {
        await app.post("/oauth2/par", try parameters(app, changes))
    }

    private func path(_ app: App, _ uri: String, _ more: String = "") -> String {
        "/oauth2/authorize?client_id=\(app.clientID)&request_uri=\(PercentEncoding.segment(uri))\(more)"
    }

    @Test("An app pushes its request, the browser brings the name of it, and nothing else in the address counts")
    func works() async throws {
        let app = try await App(try await ServiceUnderTest())
        let pushed = try await push(app, ["response_mode": "query"])
        #expect(pushed.status == 201 && pushed.header("Cache-Control") == "no-store", "\(pushed.text)")
        let uri = try #require(pushed["request_uri"]?.text)
        #expect(uri.hasPrefix("urn:ietf:params:oauth:request_uri:") && pushed["expires_in"] == 90)
        let page = await app.browse("GET", path(app, uri, "&scope=directory&state=other&redirect_uri=https%3A%2F%2Fx"))
        let back = try await app.signIn(on: page)
        #expect(App.sent(back)["state"] == "the state", "\(back.text)")
        let answer = await app.redeem(try #require(App.sent(back)["code"]))
        #expect(answer["scope"]?.text == "openid profile offline_access")
        #expect(await app.browse("GET", path(app, uri)).status == 400, "the request was used")
    }

    @Test("The name of a request is its own client's, ends after 90 seconds, and is no address")
    func names() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let other = try await App(service, named: "other")
        let uri = try #require(try await push(app)["request_uri"]?.text)
        #expect(await app.browse("GET", path(other, uri)).status == 400)
        #expect(await app.browse("GET", path(app, uri + "x")).status == 400)
        #expect(await app.browse("GET", path(app, uri)).status == 200)
        service.clock.advance(by: 91)
        #expect(await app.browse("GET", path(app, uri)).status == 400)
        let address = try app.authorizePath(["request_uri": "https://app.example.com/request.jwt"])
        #expect(App.sent(await app.browse("GET", address))["error"] == "request_uri_not_supported")
    }

    @Test(
        "What the authorization endpoint would refuse is refused when it is pushed, and so is whoever is not the client"
    )
    func refused() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        let other = try await App(service, named: "other")
        for (changes, error) in [
            (["redirect_uri": "https://evil.example"], "invalid_request"),
            (["response_type": "token"], "unsupported_response_type"),
            (["code_challenge_method": "plain"], "invalid_request"), (["scope": "made-up"], "invalid_scope"),
            (["request_uri": "urn:ietf:params:oauth:request_uri:x"], "invalid_request"),
            (["client_id": other.clientID], "invalid_request"), (["resource": "https://zz.example"], "invalid_target"),
        ] as [([String: String?], String)] {
            let answer = try await push(app, changes)
            #expect(answer["error"]?.text == error && answer["request_uri"] == nil, "\(changes): \(answer.text)")
        }
        let unproven = await app.post("/oauth2/par", try parameters(app), authorization: .some(nil))
        #expect(unproven.status == 401)
        let wrong = await app.post(
            "/oauth2/par", try parameters(app), authorization: ServiceUnderTest.basic(app.clientID, "wrong"))
        #expect(wrong.status == 401)
        #expect(await service.send("GET", "/oauth2/par", nil).status == 405)
    }

    @Test("A backend that must push its requests gets no code for one in the address")
    func required() async throws {
        let app = try await App(try await ServiceUnderTest(), ["require_pushed_authorization_requests": true])
        let plain = App.sent(await app.browse("GET", try app.authorizePath()))
        #expect(plain["error"] == "invalid_request" && plain["error_description"]?.contains("push") == true)
        let uri = try #require(try await push(app)["request_uri"]?.text)
        let back = try await app.signIn(on: await app.browse("GET", path(app, uri)))
        #expect(App.sent(back)["code"] != nil)
    }

    @Test("A page that was shown for a pushed request stays one, also after a wrong password and a question")
    func pages() async throws {
        let app = try await App(
            try await ServiceUnderTest(), ["require_pushed_authorization_requests": true, "consent": true])
        let uri = try #require(try await push(app)["request_uri"]?.text)
        let page = await app.browse("GET", path(app, uri))
        let again = try await app.signIn(on: page, password: "wrong")
        let question = try await app.signIn(on: again)
        #expect(App.sent(try await app.allow(question))["code"] != nil)
    }

    @Test("A proof of a key that is pushed binds the code to the key")
    func possession() async throws {
        let app = try await App(try await ServiceUnderTest())
        let key = try PossessionKey()
        let proof = try key.proof("POST", App.url("/oauth2/par"), at: app.service.clock.now)
        let pushed = await app.post("/oauth2/par", try parameters(app), proof: proof)
        let uri = try #require(pushed["request_uri"]?.text, "\(pushed.text)")
        let back = try await app.signIn(on: await app.browse("GET", path(app, uri)))
        let code = try #require(App.sent(back)["code"])
        #expect(await app.redeem(code)["error"]?.text == "invalid_grant", "without the key")
        let clash = await app.post(
            "/oauth2/par", try parameters(app, ["dpop_jkt": try PossessionKey().thumbprint]),
            proof: try key.proof("POST", App.url("/oauth2/par"), at: app.service.clock.now))
        #expect(clash["error"]?.text == "invalid_dpop_proof")
    }
}

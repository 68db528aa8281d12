import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What a user allows an app", .timeLimit(.minutes(2)), .inBothForms)
struct ConsentTests {
    private static let loopback: JSONValue = ["http://127.0.0.1:5000/callback"]
    private static let settings: JSONValue = [
        "public": true, "grant_types": ["authorization_code", "refresh_token"], "consent": false,
    ]

    private func isAsked(_ answer: Answer) -> Bool { answer.status == 200 && answer.text.contains("Allow shop?") }

    @Test(
        "A public client with an address that other apps can answer gets no code unasked, whatever 'consent' says",
        arguments: ["http://127.0.0.1:5000/callback", "http://[::1]/callback", "com.example.shop:/callback"])
    func nativeApps(uri: String) async throws {
        let service = try await ServiceUnderTest()
        var settings = Self.settings
        settings["redirect_uris"] = [.string(uri)]
        let app = try await App(service, settings)
        let changes = ["redirect_uri": uri]
        let page = try await app.signIn(on: await app.browse("GET", try app.authorizePath(changes)))
        #expect(isAsked(page) && page.header("Location") == nil, "\(page.status)")
        let live = await app.browse("GET", try app.authorizePath(changes))
        #expect(isAsked(live), "a session that is alive is no answer")
        let silent = await app.browse("GET", try app.authorizePath(changes.merging(["prompt": "none"]) { $1 }))
        #expect(App.sent(silent)["error"] == "consent_required" && App.sent(silent)["code"] == nil)
        let denied = try await app.bring(live, to: "/oauth2/authorize", [("decision", "deny")])
        #expect(App.sent(denied)["error"] == "access_denied")
        #expect(isAsked(await app.browse("GET", try app.authorizePath(changes))), "who said no is asked again")
        #expect(App.sent(try await app.allow(page))["code"] != nil)
        #expect(App.sent(await app.browse("GET", try app.authorizePath(changes)))["code"] != nil, "asked once")
        let other = try await App(service, named: "another shop", settings)
        let theirs = try await other.signIn(on: await other.browse("GET", try other.authorizePath(changes)))
        #expect(theirs.text.contains("Allow another shop?"), "for each client")
    }

    @Test("Who allowed some scopes is asked again for more of them, and not for fewer")
    func scopes() async throws {
        let app = try await App(try await ServiceUnderTest(), Self.settings)
        _ = try await app.code(["scope": "openid profile"])
        func asked(_ scope: String) async throws -> Answer {
            await app.browse("GET", try app.authorizePath(["scope": scope]))
        }
        #expect(App.sent(try await asked("openid"))["code"] != nil)
        let more = try await asked("openid directory")
        #expect(isAsked(more))
        _ = try await app.allow(more)
        for scope in ["openid directory", "openid profile directory", "profile"] {
            #expect(App.sent(try await asked(scope))["code"] != nil, "\(scope)")
        }
        #expect(isAsked(try await asked("openid profile directory email")))
    }

    @Test("Clients that can be told apart are not asked about: with a secret, or at an https address")
    func others() async throws {
        let service = try await ServiceUnderTest()
        let secret = try await App(service, named: "with a secret")
        #expect(
            App.sent(try await secret.signIn(on: await secret.browse("GET", try secret.authorizePath())))["code"] != nil
        )
        let uri = "https://shop.example.com/callback"
        let web = try await App(
            service, named: "of the web",
            ["public": true, "grant_types": ["authorization_code"], "redirect_uris": [.string(uri)]])
        let page = await web.browse("GET", try web.authorizePath(["redirect_uri": uri]))
        #expect(App.sent(try await web.signIn(on: page))["code"] != nil)
    }

    @Test("Consent is listed, and taken back: the app's tokens and its codes end, and the user is asked again")
    func withdrawal() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service, Self.settings)
        let person = ServiceUnderTest.basic(ServiceUnderTest.engineer)
        let path = "/mobile/platform/users/~/consents"
        let (access, refresh) = try await app.tokens(["scope": "openid directory offline_access"])
        let code = try await app.code(["scope": "openid"])
        let listed = await service.send("GET", path, person)
        let entry = try #require(listed["consents"]?.elements.first)
        #expect(entry["client_id"]?.text == app.clientID && entry["name"]?.text == "shop")
        #expect(entry["scope"]?.text == "openid directory offline_access")
        #expect(await app.status("/scim/v2/Me", access) == 200)
        #expect(await service.send("DELETE", path + "/nobody", person).status == 404)
        let lead = ServiceUnderTest.basic(ServiceUnderTest.lead)
        #expect(await service.send("DELETE", path + "/" + app.clientID, lead).status == 404, "one's own only")
        #expect(await service.send("DELETE", path + "/" + app.clientID, person).status == 204)
        #expect(await app.status("/scim/v2/Me", access) == 401)
        #expect(await app.refresh(try #require(refresh))["error"]?.text == "invalid_grant")
        #expect(await app.redeem(code)["error"]?.text == "invalid_grant")
        #expect(await service.send("GET", path, person)["consents"]?.elements.isEmpty == true)
        #expect(isAsked(await app.browse("GET", try app.authorizePath(["scope": "openid"]))))
    }
}

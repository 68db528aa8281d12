import Foundation
import Roster
import RosterOpenID
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Names of users that differ from app to app (pairwise sub)", .timeLimit(.minutes(2)), .inBothForms)
struct PairwiseTests {
    private func app(_ service: ServiceUnderTest, _ name: String, _ sector: String) async throws -> App {
        try await App(
            service, named: name,
            [
                "subject_type": "pairwise", "sector": .string(sector),
                "post_logout_redirect_uris": ["https://shop.example.com/bye"],
            ])
    }

    @Test("An app knows a user by the same name always, others of its sector too, and others of other sectors not")
    func names() async throws {
        let service = try await ServiceUnderTest()
        let user = try await service.directory.unrestricted.users.user(ServiceUnderTest.engineer)
        var subjects: [String] = []
        for (name, sector) in [("a", "one"), ("b", "one"), ("c", "two")] {
            let app = try await app(service, name, sector)
            let answer = await app.redeem(try await app.code(["scope": "openid offline_access directory"]))
            let access = try #require(answer["access_token"]?.text, "\(answer.text)")
            let subject = try JSONWebToken(answer["id_token"]?.text ?? "").claims["sub"]?.text
            subjects.append(try #require(subject))
            let info = await service.send("GET", "/oauth2/userinfo", "Bearer " + access)
            #expect(info["sub"]?.text == subject && info.status == 200)
            #expect(try JSONWebToken(access).claims["sub"]?.text == subject)
            #expect(await app.post("/oauth2/introspect", [("token", access)])["sub"]?.text == subject)
            #expect(!(try JSONWebToken(access).claims.written.contains(user.id.description)))
            #expect(await app.status("/scim/v2/Me", access) == 200, "the token is its user's here")
            let renewed = await app.refresh(try #require(answer["refresh_token"]?.text))
            #expect(try JSONWebToken(renewed["access_token"]?.text ?? "").claims["sub"]?.text == subject)
            let token = renewed["access_token"]?.text ?? ""
            #expect(await app.post("/oauth2/revoke", [("token", token)]).status == 200)
            #expect(await !app.isActive(token), "a token that names nobody can be revoked as well")
        }
        #expect(subjects[0] == subjects[1] && subjects[1] != subjects[2])
        #expect(!subjects.contains(user.id.description))
    }

    @Test("The hint of such an app signs its user out, and says who is expected to sign in")
    func hints() async throws {
        let service = try await ServiceUnderTest()
        let app = try await app(service, "a", "one")
        let hint = try #require(await app.redeem(try await app.code())["id_token"]?.text)
        let silent = await app.browse("GET", try app.authorizePath(["prompt": "none", "id_token_hint": hint]))
        #expect(App.sent(silent)["code"] != nil)
        let out = await app.browse(
            "GET", "/oauth2/logout?id_token_hint=\(hint)&post_logout_redirect_uri=https%3A%2F%2Fshop.example.com%2Fbye")
        #expect(out.status == 303)
        _ = try await app.signIn(on: await app.browse("GET", try app.authorizePath()), as: ServiceUnderTest.lead)
        let other = await app.browse("GET", try app.authorizePath(["prompt": "none", "id_token_hint": hint]))
        #expect(App.sent(other)["error"] == "login_required")
    }

    @Test("A disabled user's tokens end, and a text that only looks like such a token is none")
    func ends() async throws {
        let service = try await ServiceUnderTest()
        let app = try await app(service, "a", "one")
        let access = try await app.tokens(["scope": "openid directory"]).access
        try await service.directory.unrestricted.users.modify(
            .named(ServiceUnderTest.engineer), attributes: ["active": false])
        #expect(await app.status("/scim/v2/Me", access) == 401)
        #expect(await !app.isActive(access))
    }

    @Test("Without a sector the host of the addresses counts; several hosts, or none, are refused")
    func sectors() throws {
        for addresses in [["https://a.example.com/cb", "https://b.example.com/cb"], ["com.example.app:/cb"], []] {
            #expect(throws: DirectoryError.self) {
                _ = try BackendSettings(["subject_type": "pairwise", "redirect_uris": .texts(addresses)])
            }
        }
        let one = try BackendSettings([
            "subject_type": "pairwise", "redirect_uris": ["https://a.example.com/cb", "https://a.example.com/two"],
        ])
        #expect(one.subjectType == .pairwise)
    }
}

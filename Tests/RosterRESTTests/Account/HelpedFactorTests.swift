import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The second factors of another user")
struct HelpedFactorTests {
    private let own = "/mobile/platform/users/~"
    private let path = "/admin/users/\(ServiceUnderTest.engineer)/second-factors"
    private let reset = "/admin/users/\(ServiceUnderTest.engineer)/second-factor"

    /// Sets up an authenticator app and challenge questions for the engineer.
    private func setUp(_ service: ServiceUnderTest) async throws -> (app: App, secret: String, recovery: [String]) {
        let questions: JSONValue = [
            "questions": [
                ["question": "What was your first street?", "answer": "Rue de la Paix"],
                ["question": "Who taught you to swim?", "answer": "Aunt Zoë"],
            ]
        ]
        #expect(await service.request("PUT", own + "/challenge-questions", as: .person, questions).status == 204)
        let answers = #"{"What was your first street?":"rue de la paix","Who taught you to swim?":"aunt zoë"}"#
        let app = try await App(service, ["trusted": true, "scope": "openid directory directory:manage"])
        let token = try #require(
            await app.post(
                "/oauth2/token",
                [
                    ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
                    ("password", ServiceUnderTest.password), ("kba_answers", answers),
                    ("scope", "directory directory:manage"),
                ])["access_token"]?.text)
        let begun = await service.send("POST", own + "/totp", "Bearer " + token)
        let secret = try #require(begun["secret"]?.text, "\(begun.text)")
        let step = Int64(service.clock.now.timeIntervalSince1970) / 30
        let code: JSONValue = ["code": .string(try OneTimePassword.code(base32Decoded(secret), step: step))]
        let done = await service.send("POST", own + "/totp/confirm", "Bearer " + token, code.bytes)
        return (app, secret, done["recovery_codes"]?.elements.compactMap(\.text) ?? [])
    }

    private func sign(_ app: App, _ code: String) async -> Answer {
        await app.post(
            "/oauth2/token",
            [
                ("grant_type", "password"), ("username", ServiceUnderTest.engineer),
                ("password", ServiceUnderTest.password), ("otp", code),
            ])
    }

    @Test("A helper sees the kind, the beginning and the last use of each factor, and no secret")
    func list() async throws {
        let service = try await ServiceUnderTest()
        #expect(await service.request("GET", path).body == ["factors": [], "lost": false])
        let (app, secret, recovery) = try await setUp(service)
        let time = JSONValue.time(service.clock.now)
        var found = await service.request("GET", path)
        let questions: JSONValue = ["kind": "questions", "created": time, "used": time, "questions": 2]
        let unused: JSONValue = ["kind": "app", "created": time, "used": .null, "recovery_codes": 10]
        #expect(found.body == ["factors": [unused, questions], "lost": false], "\(found.text)")
        service.clock.advance(by: 60)
        #expect(await sign(app, recovery[0]).status == 200)
        found = await service.request("GET", path)
        let used: JSONValue = [
            "kind": "app", "created": time, "used": .time(service.clock.now), "recovery_codes": 9,
        ]
        #expect(found["factors"]?.elements.first == used, "\(found.text)")
        for hidden in [secret, recovery[1], "first street", "paix"] {
            #expect(!found.text.localizedCaseInsensitiveContains(hidden), "\(hidden)")
        }
        #expect(await service.request("GET", path, as: .manager).status == 403)
        #expect(await service.request("GET", path.replacing(ServiceUnderTest.engineer, with: "nobody")).status == 404)
    }

    @Test("A helper removes one factor, and the other one stays; the feed tells which")
    func removal() async throws {
        let service = try await ServiceUnderTest()
        let (app, _, recovery) = try await setUp(service)
        for kind in ["app", "questions"] {
            #expect(await service.request("DELETE", "\(path)/\(kind)", as: .manager).status == 403)
        }
        #expect(await service.request("DELETE", "\(path)/other").status == 404)
        #expect(await service.request("DELETE", "\(path)/questions").status == 204)
        #expect(await service.request("DELETE", "\(path)/questions").status == 404)
        let left = await service.request("GET", path)["factors"]?.elements.compactMap { $0["kind"]?.text }
        #expect(left == ["app"])
        #expect(await sign(app, recovery[0]).status == 200, "the recovery codes are as before")
        #expect(await service.request("DELETE", "\(path)/app").status == 204)
        #expect(await service.request("GET", "/scim/v2/Me", as: .person).status == 200, "the password is enough")
        let entries = try await service.directory.unrestricted.changes.since(0)
            .filter { $0.kind == .revoked && $0.name == ServiceUnderTest.engineer }
        #expect(entries.compactMap { $0.after["means"]?.text } == ["challenge questions", "authenticator app"])
        #expect(entries.allSatisfy { !$0.actor.isEmpty && $0.before.isEmpty })
    }

    @Test("All are removed at once, also if they were lost with the key file")
    func all() async throws {
        let service = try await ServiceUnderTest()
        _ = try await setUp(service)
        _ = try service.directory.sealedSecrets.giveUp(by: "test")
        #expect(await service.request("GET", path).body == ["factors": [], "lost": true])
        #expect(await service.request("DELETE", path + "/app").status == 403)
        #expect(await service.request("DELETE", reset).status == 204)
        #expect(await service.request("GET", path).body == ["factors": [], "lost": false])
        #expect(await service.request("GET", "/scim/v2/Me", as: .person).status == 200)
    }
}

import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Coming by way of a backend")
struct BackendAccessTests {
    private struct Made {
        let record: Backend
        let anonymousKey: String
    }

    private func make(_ service: ServiceUnderTest, _ name: String, _ settings: JSONValue = [:]) async throws -> Made {
        let (backend, secrets) = try await Backend.create(
            .init(name: name, settings: BackendSettings(settings)), keys: service.signIn.oauth.keys,
            in: service.directory.unrestricted)
        return Made(record: backend, anonymousKey: secrets.anonymousKey)
    }

    private func send(
        _ service: ServiceUnderTest, _ path: String, _ authorization: String, backend: String...
    ) async -> Answer {
        await service.send("GET", path, authorization, headers: backend.map { ("Oracle-Mobile-Backend-ID", $0) })
    }

    private let own = "/mobile/platform/users/~"

    @Test("A name and a password, or the anonymous key, get in with the backend's id")
    func basic() async throws {
        let service = try await ServiceUnderTest()
        let backend = try await make(service, "shop")
        let id = backend.record.backendID
        let person = ServiceUnderTest.basic(ServiceUnderTest.engineer)
        #expect(await send(service, own, person, backend: id)["username"]?.text == ServiceUnderTest.engineer)
        let anonymous = "Basic " + backend.anonymousKey
        #expect(await send(service, own, anonymous, backend: id)["username"]?.text == "anonymous")
        #expect(await send(service, "/scim/v2/Users", anonymous, backend: id).status == 403, "nobody reads nothing")
        for path in ["/scim/v2/Users", "/oic_rest/rest/userprofile/people", "/oic_rest/rest/userprofile/changes"] {
            let refused = await send(service, path, anonymous, backend: id)
            #expect(refused.status == 403 && refused.text.contains("anonymous key"), "\(refused.text)")
            #expect(
                !refused.text.contains("access token") && refused.header("WWW-Authenticate") == nil, "no token was sent"
            )
        }
        #expect(await send(service, own, anonymous).status == 401, "the key is of a backend")
        #expect(await send(service, own, person, backend: "nobody").status == 401)
        #expect(await send(service, own, person, backend: id, id).status == 401)
        let other = try await make(service, "other")
        #expect(await send(service, own, anonymous, backend: other.record.backendID).status == 401)
        #expect(
            await send(service, own, ServiceUnderTest.basic(ServiceUnderTest.engineer, "wrong"), backend: id).status
                == 401)
    }

    @Test("Where a backend turns HTTP Basic off, or is disabled, neither gets in")
    func switchedOff() async throws {
        let service = try await ServiceUnderTest()
        for settings in [["http_basic": false], ["enabled": false]] as [JSONValue] {
            let backend = try await make(service, "\(settings)", settings)
            for authorization in ["Basic " + backend.anonymousKey, ServiceUnderTest.basic(ServiceUnderTest.engineer)] {
                #expect(await send(service, own, authorization, backend: backend.record.backendID).status == 401)
            }
        }
    }

    @Test("A backend's rules say who may call which API: signed in or not, and with which roles")
    func rules() async throws {
        let service = try await ServiceUnderTest()
        let role = try #require(
            try service.directory.unrestricted.read { session in
                try session.roles.memberships(of: session.users.id(of: .named(ServiceUnderTest.engineer))).first?.role
                    .name
            })
        let rules: JSONValue = [
            "apis": [
                "mobile": ["login_required": false], "scim": ["roles": [.string(role), "another"]],
                "userprofile": ["roles": ["nobody has this"]],
            ]
        ]
        let backend = try await make(service, "ruled", rules)
        let id = backend.record.backendID
        let person = ServiceUnderTest.basic(ServiceUnderTest.engineer)
        #expect(await send(service, own, person, backend: id).status == 200)
        #expect(await send(service, "/scim/v2/Me", person, backend: id).status == 200)
        #expect(await send(service, "people/ren.watanabe", person, backend: id).status == 403)
        #expect(await send(service, "people/ren.watanabe", person).status == 200, "no backend, no rules")
        #expect(await send(service, own, "Basic " + backend.anonymousKey, backend: id).status == 200)
        #expect(await send(service, "/scim/v2/Me", "Basic " + backend.anonymousKey, backend: id).status == 403)
        let app = try await App(service, named: "app", rules)
        let token = try await app.tokens(["scope": "openid directory"]).access
        #expect(await app.status("/scim/v2/Me", token) == 200)
        #expect(await app.status("/oic_rest/rest/userprofile/people/ren.watanabe", token) == 403)
        #expect(await app.post("/oauth2/introspect", [("token", token)])["apis"] == ["mobile", "scim"])
        let program = await app.token(("grant_type", "client_credentials"))["access_token"]?.text
        #expect(
            await app.post("/oauth2/introspect", [("token", try #require(program))])["apis"] == ["mobile"],
            "nobody has signed in")
        let strict = try await App(service, named: "strict", ["apis": [:]])
        let narrow = try await strict.tokens(["scope": "openid directory"]).access
        #expect(await strict.status("/scim/v2/Me", narrow) == 403, "what is not listed is not for it")
        #expect(await strict.status(own, narrow) == 403)
    }

    @Test(
        "Switches that exclude one another are refused with their names",
        arguments: [
            (["social_login": true, "grant_types": ["password"]], "grant_types"),
            (["social_login": true, "sso": true], "sso"), (["social_login": true, "http_basic": false], "http_basic"),
            (["social_login": true, "apis": ["a": ["roles": ["x"]]]], "roles"),
            (["apis": ["a": ["login_required": false, "roles": ["x"]]]], "apis.a"), (["apis": []], "apis "),
            (["apis": ["a": ["colour": 1]]], "apis.a.colour"),
        ] as [(JSONValue, String)])
    func settings(json: JSONValue, told: String) {
        #expect {
            try BackendSettings(json)
        } throws: { "\($0)".contains(told) }
    }

    @Test("A backend with social login keeps its settings, and gives no tokens by itself")
    func social() throws {
        let settings = try BackendSettings(
            [
                "social_login": true, "social_apps": ["facebook-shop"],
                "apis": ["mobile": ["login_required": false], "orders": ["social_login": false]],
            ])
        #expect(settings.grants.isEmpty && settings.apis?["orders"]?.allowsSocialLogin == false)
        #expect(settings.socialApps == ["facebook-shop"])
        #expect(try BackendSettings(json: settings.json) == settings)
    }
}

import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The profile of an app, and the agent of a service domain")
struct AppProfileTests {
    private static let path = "/oic_rest/rest/AppProfiles/"

    private func profile(_ service: ServiceUnderTest, _ app: String, _ query: String = "") async -> Answer {
        await service.request("GET", Self.path + app + query, as: .nobody)
    }

    @Test("Anybody reads where the services are and the rules of an app, by its client id or its name, and no secret")
    func reads() async throws {
        let app = try await App(
            try await ServiceUnderTest(),
            [
                "app": [
                    "service_domain": "MobileServiceDomain", "session_timeout_seconds": 3600,
                    "idle_timeout_seconds": 600, "maximum_login_attempts": 3, "offline": true,
                    "crypto_scheme": "SaltedSHA-512", "required_claims": ["platform", "os_version"],
                ]
            ])
        let query = "?osType=iOS&osVer=18.0&clientSDKVersion=1.0&serviceDomain=MobileServiceDomain"
        let answer = await profile(app.service, app.clientID, query)
        #expect(answer.status == 200, "\(answer.text)")
        #expect(await profile(app.service, "shop").bytes == answer.bytes)
        let url = "https://id.example.com"
        #expect(
            answer.body == [
                "application_id": .string(app.clientID), "name": "shop", "version": "1.0",
                "endpoints": [
                    "authentication": .string(url + "/oic_rest/rest/mobilejwtauthentication/authenticate"),
                    "registration": .string(url + "/oic_rest/rest/mobilejwtauthentication/register"),
                    "access": .string(url + "/oic_rest/rest/mobilejwtauthentication/access"),
                    "user_profile": .string(url + "/oic_rest/rest/userprofile/people"),
                    "roles": .string(url + "/oic_rest/rest/userprofile/groups"), "openid_issuer": .string(url),
                    "token_exchange": .string(url + "/mobile/platform/sso/exchange-token"),
                    "directory": .string(url + "/directory/v1"),
                ],
                "service_domain": "MobileServiceDomain", "session_timeout_seconds": 3600, "idle_timeout_seconds": 600,
                "maximum_login_attempts": 3, "offline": true, "crypto_scheme": "SaltedSHA-512",
                "required_claims": ["os_version", "platform"], "sso_agent": .null,
            ])
        for secret in [app.secret ?? "?", app.record.secretDigest ?? "?", app.record.backendID] {
            #expect(!answer.text.contains(secret))
        }
    }

    @Test("An app without a policy may try one password, and not sign in offline")
    func defaults() async throws {
        let app = try await App(try await ServiceUnderTest())
        let answer = await profile(app.service, app.clientID, "?serviceDomain=Any")
        #expect(answer["maximum_login_attempts"] == 1 && answer["offline"] == false, "\(answer.text)")
        #expect(answer["crypto_scheme"] == "scrypt" && answer["session_timeout_seconds"] == .null)
    }

    @Test("Unknown and disabled apps, and apps of another service domain, are answered alike")
    func alike() async throws {
        let service = try await ServiceUnderTest()
        let disabled = try await App(service, named: "disabled", ["enabled": false])
        let other = try await App(service, named: "other", ["app": ["service_domain": "Elsewhere"]])
        let unknown = await profile(service, "unknown", "?serviceDomain=Here")
        #expect(unknown.status == 404)
        for name in ["disabled", disabled.clientID, "other", other.clientID, String(repeating: "x", count: 300)] {
            let answer = await profile(service, name, "?serviceDomain=Here")
            #expect(answer.status == 404 && answer.bytes == unknown.bytes, "\(name): \(answer.text)")
        }
        #expect(await profile(service, "other", "?serviceDomain=Elsewhere").status == 200)
    }

    @Test("A client id takes precedence over the name of another app")
    func precedence() async throws {
        let service = try await ServiceUnderTest()
        let first = try await App(service, named: "first")
        let second = try await App(service, named: first.clientID)
        #expect(await profile(service, first.clientID)["application_id"]?.text == first.clientID)
        #expect(await profile(service, second.clientID)["name"]?.text == first.clientID)
    }

    @Test(
        "Parameters are bounded, and given once",
        arguments: [
            "?osType=" + String(repeating: "i", count: 129), "?serviceDomain=" + String(repeating: "d", count: 129),
            "?osVer=1&osVer=2",
        ])
    func bounds(query: String) async throws {
        let app = try await App(try await ServiceUnderTest())
        #expect(await profile(app.service, app.clientID, query).status == 400)
    }

    @Test("Administrators set the rules over REST, and a wrong rule is refused by its path")
    func administration() async throws {
        let service = try await ServiceUnderTest()
        let made = await service.request("POST", "/admin/backends", ["name": "shop", "app": ["offline": true]])
        #expect(made.status == 201 && made["app"]?["offline"] == true, "\(made.text)")
        let path = "/admin/backends/\(made["id"]?.text ?? "")"
        let changed = await service.request(
            "PUT", path, ["name": "shop", "app": ["maximum_login_attempts": 5], "webgate": ["name": "gate"]])
        #expect(changed["app"]?["maximum_login_attempts"] == 5 && changed["webgate"]?["level"] == 2, "\(changed.text)")
        #expect(await profile(service, "shop")["maximum_login_attempts"] == 5)
        let without = await service.request(
            "PUT", path, ["name": "shop", "app": ["session_timeout_seconds": 0, "idle_timeout_seconds": 0]])
        #expect(without["app"]?["idle_timeout_seconds"] == 0, "\(without.text)")
        #expect(await profile(service, "shop")["session_timeout_seconds"] == 0)
        for (rule, problem) in [
            (["maximum_login_attempts": 0], "app.maximum_login_attempts"), (["crypto_scheme": "SHA-1"], "app.crypto"),
            (["session_timeout_seconds": 10, "idle_timeout_seconds": 11], "app.idle_timeout_seconds"),
            (["idle_timeout_seconds": -1], "app.idle_timeout_seconds"),
            (["required_claims": ["imei"]], "app.required_claims"), (["service_domain": "a b"], "app.service_domain"),
            (["url_scheme": "https"], "app.url_scheme"), (["sso_priority": 1], "app.sso_priority"),
            (["session_timeout": 10], "app.session_timeout"),
        ] as [(JSONValue, String)] {
            let answer = await service.request("PUT", path, ["name": "shop", "app": rule])
            #expect(answer.status == 400 && answer.text.contains(problem), "\(answer.text)")
        }
        let refused = await service.request("PUT", path, ["name": "shop", "webgate": ["name": "a\"b"]])
        #expect(refused.status == 400 && refused.text.contains("webgate.name"), "\(refused.text)")
    }

    @Test("A mobile browser is led to the first agent of the service domain, and back to this server only")
    func signOn() async throws {
        let service = try await ServiceUnderTest()
        func agent(_ name: String, _ priority: Int64, isEnabled: Bool = true) async throws -> App {
            try await App(
                service, named: name,
                [
                    "enabled": .boolean(isEnabled),
                    "app": [
                        "service_domain": "Domain", "url_scheme": .string("com.example.\(name)"),
                        "sso_priority": .integer(priority),
                    ],
                ])
        }
        func led(_ query: String) async -> Answer {
            await service.request("GET", "/oic_rest/mobilesso" + query, as: .nobody)
        }
        #expect(await led("?serviceDomain=Domain").status == 404)
        _ = try await agent("late", 2)
        _ = try await agent("off", 1, isEnabled: false)
        #expect(
            await led("?serviceDomain=Domain&resourceURL=/app?a=1%26b").header("Location")
                == "com.example.late://sso?oamsso=true&serviceDomain=Domain&serverURL=https%3A%2F%2Fid.example.com"
                + "&resourceURL=https%3A%2F%2Fid.example.com%2Fapp%3Fa%3D1%26b")
        let first = try await agent("first", 1)
        let answer = await led("?serviceDomain=Domain")
        #expect(answer.status == 302 && answer.header("Location")?.hasPrefix("com.example.first://sso?") == true)
        #expect(await profile(service, first.clientID)["sso_agent"] == "com.example.first")
        for query in ["", "?serviceDomain=", "?serviceDomain=Domain&resourceURL=//evil.example.com"] {
            #expect(await led(query).status == 400, "\(query)")
        }
        for place in ["https://evil.example.com", "/%C3%BC", "/%5C/evil.example.com", "evil.example.com", "/a%20b"] {
            #expect(await led("?serviceDomain=Domain&resourceURL=" + place).status == 400, "\(place)")
        }
        #expect(await led("?serviceDomain=Other").status == 404)
    }
}

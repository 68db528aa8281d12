import Foundation
import Roster
import RosterCrypto
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Claims as Cloud Access Manager's native apps get them")
struct ReferenceClaimTests {
    /// The reference's application, of which the redirect address is one that a test can wait at.
    private static func settings() throws -> JSONValue {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent(
            "../../Fixtures/Reference/native-app.json")
        var settings = try JSONValue(strictly: Array(try Data(contentsOf: file)))
        settings["redirect_uris"] = [.string(App.redirect)]
        settings["grant_types"] = ["authorization_code", "refresh_token"]
        return settings
    }

    private func idToken(_ app: App, _ scope: String = "openid sampleAPI") async throws -> (
        claims: JSONValue, userInfo: JSONValue
    ) {
        let answer = await app.redeem(try await app.code(["scope": scope]))
        let text = try #require(answer["id_token"]?.text, "\(answer.text)")
        let payload = try #require(Base64URL.bytes(text.split(separator: ".")[1]))
        let access = try #require(answer["access_token"]?.text)
        let userInfo = await app.service.send("GET", "/oauth2/userinfo", "Bearer " + access)
        return (try JSONValue(parsing: payload), userInfo.body)
    }

    private static func texts(_ claim: JSONValue?) -> Set<String> { Set((claim?.elements ?? []).compactMap(\.text)) }

    private func service() async throws -> ServiceUnderTest {
        let service = try await ServiceUnderTest()
        try await service.directory.unrestricted.awaitWrite { session in
            for name in ["Admin", "Users"] {
                let role = try session.asProvisioning(to: "test").roles.create(name, [:])
                try session.asRoleOwner(of: .id(role.id), changing: .member).add([
                    .user(.named(ServiceUnderTest.engineer))
                ])
            }
        }
        return service
    }

    @Test("Rules for a claim 'role' stand beside the role claim, which then has Cloud Access Manager's own name")
    func mapped() async throws {
        let app = try await App(try await service(), named: "native", try Self.settings())
        let (claims, userInfo) = try await idToken(app)
        for told in [claims, userInfo] {
            #expect(told["role"] == ["create", "read", "update", "delete"])
            #expect(Self.texts(told["urn:cam/sso/role"]).isSuperset(of: ["Admin", "Users"]))
            #expect(told["preferred_username"]?.text == ServiceUnderTest.engineer)
            #expect(told["name"]?.text == "渡辺 蓮")
        }
        // A resource server looks for one of its scopes.
        #expect(userInfo["scope"]?.text?.split(separator: " ").contains("sampleAPI") == true)
    }

    @Test("A backend with 'claims' sends 'role', unless it says that it does not, and one without sends no role")
    func unmapped() async throws {
        let service = try await service()
        let native = try await App(service, ["claims": [:]])
        let (claims, userInfo) = try await idToken(native, "openid")
        for told in [claims, userInfo] {
            #expect(Self.texts(told["role"]).isSuperset(of: ["Admin", "Users"]))
            #expect(told["roles"] == nil, "that takes the scope 'roles'")
        }
        let silent = try await App(service, named: "silent", ["claims": ["sendRoleClaim": false]])
        #expect(try await idToken(silent, "openid").claims["role"] == nil)
        let plain = try await idToken(try await App(service, named: "plain"), "openid")
        for told in [plain.claims, plain.userInfo] { #expect(told["role"] == nil && told["roles"] == nil) }
    }
}

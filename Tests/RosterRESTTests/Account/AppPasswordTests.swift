import Foundation
import Roster
import RosterREST
import RosterSignIn
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("App passwords over HTTP")
struct AppPasswordTests {
    private static let base = "/mobile/platform/users/~/app-passwords"
    private static let user = ServiceUnderTest.engineer
    private let service: ServiceUnderTest

    init() async throws { service = try await ServiceUnderTest() }

    /// Makes an app password; returns its text.
    private func make(
        _ members: [JSONValue.Member] = [], named name: String = "mail", for use: String = "scim"
    ) async throws -> String {
        let body = JSONValue.object([.init("name", .string(name)), .init("for", .string(use))] + members)
        let answer = await service.request("POST", Self.base, as: .person, body)
        #expect(answer.status == 201 && answer.header("Cache-Control") == "no-store", "\(answer.text)")
        return try #require(answer.body["password"]?.text)
    }

    private func status(_ method: String = "GET", _ path: String, _ password: String, _ body: JSONValue? = nil) async
        -> Int
    {
        await service.send(method, path, ServiceUnderTest.basic(Self.user, password), body?.bytes).status
    }

    @Test("An app password for SCIM reads what its user may read, and is listed without its text")
    func reading() async throws {
        let password = try await make()
        #expect(password.utf8.count == 25)
        #expect(await status("GET", "/scim/v2/Me", password) == 200)
        #expect(
            await status(
                "POST", "/scim/v2/Users/.search", password,
                ["schemas": ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"], "count": 1]) == 200)
        await service.signIn.flush()
        let list = await service.request("GET", Self.base, as: .person)
        let one = try #require(list.body["app_passwords"]?.elements.first)
        #expect(one["name"]?.text == "mail" && one["for"]?.text == "scim" && one["used"]?.text != nil)
        #expect(!list.text.contains(password))
        let stored = try service.storedBytes()
        #expect(stored.range(of: Data(password.utf8)) == nil)
    }

    @Test("An app password changes nothing, and opens no other interface")
    func limits() async throws {
        let password = try await make()
        let patch: JSONValue = [
            "schemas": ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
            "Operations": [["op": "replace", "path": "nickName", "value": "x"]],
        ]
        #expect(await status("PATCH", "/scim/v2/Me", password, patch) == 401)
        #expect(await status("POST", "/scim/v2/Bulk", password, [:]) == 401)
        for path in [
            Self.base, "/mobile/platform/users/~/account", "/mobile/platform/users/me", "/db/_session", "/forms",
            "/oic_rest/rest/userprofile/people", "/admin/changes", "/scim/../forms", "/scim/v2/../../forms", "/metrics",
        ] {
            let code = await status("GET", path, password)
            #expect([401, 404, 429].contains(code), "\(path): \(code)")
        }
        let body: JSONValue = ["name": .string(Self.user), "password": .string(password)]
        #expect([401, 429].contains(await service.send("POST", "/db/_session", nil, body.bytes).status))
    }

    @Test("An app password for LDAP, of another user, from another network or after its end is refused")
    func elsewhere() async throws {
        let forLDAP = try await make(for: "ldap")
        #expect(await status("GET", "/scim/v2/Me", forLDAP) == 401)
        let near = try await make([.init("networks", ["192.0.2.0/28", "::1"])], named: "near")
        #expect(await service.send("GET", "/scim/v2/Me", ServiceUnderTest.basic(Self.user, near)).status == 200)
        #expect(
            await service.send(
                "GET", "/scim/v2/Me", ServiceUnderTest.basic(Self.user, near), clientAddress: "192.0.2.16"
            ).status == 401)
        #expect(
            await service.send("GET", "/scim/v2/Me", ServiceUnderTest.basic(ServiceUnderTest.lead, near)).status == 401)
        let short = await service.request(
            "POST", Self.base, as: .person, ["name": "short", "for": "scim", "days": 1])
        let password = try #require(short.body["password"]?.text)
        #expect(await status("GET", "/scim/v2/Me", password) == 200)
        service.clock.advance(by: 86_401)
        #expect(await status("GET", "/scim/v2/Me", password) == 401)
    }

    @Test("An app password works for a user with a second factor and while the password is guessed")
    func secondFactor() async throws {
        let password = try await make()
        for _ in 0..<12 { _ = await service.request("GET", "/scim/v2/Me", as: .wrongPassword) }
        let user = try await service.directory.unrestricted.users.user(Self.user)
        try await service.signIn.secondFactors.setQuestions(
            [("First street?", "Rue de la Paix"), ("First teacher?", "Aunt Zoe")], for: user.id)
        #expect(await status("GET", "/scim/v2/Me", password) == 200)
    }

    @Test("A user, the help desk, a new password and a disabled account end app passwords", arguments: 0..<4)
    func ends(way: Int) async throws {
        let password = try await make()
        #expect(await status("GET", "/scim/v2/Me", password) == 200)
        switch way {
        case 0: #expect(await service.request("DELETE", Self.base + "/MAIL", as: .person).status == 204)
        case 1:
            let path = "/admin/users/\(Self.user)/app-passwords"
            let id = await service.request("GET", path).body["app_passwords"]?.elements.first?["id"]?.text
            #expect(await service.request("DELETE", path + "/" + (try #require(id))).status == 204)
            #expect(await service.request("DELETE", path + "/mail").status == 404)
        case 2:
            let body: JSONValue = ["password": "a staple of horses"]
            #expect(await service.request("PUT", "/oic_rest/rest/userprofile/people/\(Self.user)", body).status == 200)
        default:
            for isActive in [false, true] {
                let body: JSONValue = ["active": .boolean(isActive)]
                #expect(
                    await service.request("PUT", "/oic_rest/rest/userprofile/people/\(Self.user)", body).status == 200)
            }
        }
        #expect([401, 429].contains(await status("GET", "/scim/v2/Me", password)))
        let changes = try await service.directory.unrestricted.changes.since(0)
        let told = changes.filter { $0.after["means"]?.text == "app password" }
        #expect(told.first?.after["reason"]?.text == "mail" && told.first?.kind == .granted)
        #expect(!changes.contains { "\($0)".contains(password) })
    }

    @Test("A name twice, an unknown use, a bad network and a session that began long ago are refused")
    func mistakes() async throws {
        _ = try await self.make()
        func make(_ body: JSONValue) async -> Int {
            await service.request("POST", Self.base, as: .person, body).status
        }
        #expect(await make(["name": "Mail", "for": "ldap"]) == 409)
        #expect(await make(["name": "x", "for": "page"]) == 400)
        #expect(await make(["name": "x", "for": "ldap", "networks": ["here"]]) == 400)
        #expect(await make(["name": "x", "for": "ldap", "networks": "192.0.2.1"]) == 400)
        #expect(await make(["name": "x", "for": "ldap", "days": 0]) == 400)
        #expect(await make(["name": "x", "for": "ldap", "secret": "mine"]) == 400)
        let visitor = try await Visitor(service, Self.user)
        service.clock.advance(by: 301)
        #expect(await visitor.request("POST", Self.base, ["name": "late", "for": "ldap"]).status == 401)
        #expect(await visitor.request("GET", Self.base).status == 200)
        #expect(await visitor.request("DELETE", Self.base + "/mail").status == 204)
    }

    @Test(
        "A network has the addresses of its leading bits",
        arguments: [
            ("192.0.2.0/24", "192.0.2.255", true), ("192.0.2.0/24", "192.0.3.0", false),
            ("192.0.2.0/25", "192.0.2.128", false), ("0.0.0.0/0", "203.0.113.9", true),
            ("0.0.0.0/0", "2001:db8::1", false), ("2001:db8::/33", "2001:db8:7fff::", true),
            ("2001:db8::/33", "2001:db8:8000::", false), ("192.0.2.7", "::ffff:192.0.2.7", true),
            ("::/0", "unix", false),
        ])
    func networks(text: String, address: String, isIn: Bool) throws {
        #expect(try #require(ClientNetwork(text)).contains(address) == isIn)
    }

    @Test(
        "What is no network is refused",
        arguments: ["", "192.0.2", "192.0.2.0/33", "::/129", "a/8", "192.0.2.0/-1", "/8", "::1/+1"])
    func noNetwork(text: String) { #expect(ClientNetwork(text) == nil) }
}

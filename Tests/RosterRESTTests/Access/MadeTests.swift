import Foundation
@testable import Roster
import RosterREST
import RosterSignIn
import RosterStore
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("Tokens of programs over HTTP")
struct TokensAPITests {
    @Test("A token is made, shown once, listed without itself, and ended by name or id at once")
    func lifeOfToken() async throws {
        let service = try await ServiceUnderTest()
        let made = await service.request(
            "POST", "/admin/tokens", ["name": "payroll", "role": "provisioning", "days": 1])
        #expect(made.status == 201, "\(made.text)")
        let token = try #require(made["token"]?.text)
        let id = try #require(made["id"]?.text)
        #expect(made["maker"]?.text == "root" && made["role"]?.text == "provisioning")
        let list = await service.request("GET", "/admin/tokens")
        let entry = try #require(list["tokens"]?.elements.first { $0["name"]?.text == "payroll" })
        let names = [
            "id", "name", "role", "created", "expires", "maker", "source", "creates_on_replace", "attributes",
            "members_of", "networks", "used",
        ]
        #expect(entry.members.map(\.name) == names)
        #expect(entry["id"]?.text == id && !list.text.contains(token))
        func works(_ token: String) async -> Bool {
            await service.send("GET", "/scim/v2/Users?count=1", "Bearer " + token).status == 200
        }
        #expect(await works(token))
        #expect(await service.request("DELETE", "/admin/tokens/\(id)").status == 204)
        #expect(await !works(token))
        #expect(await service.request("DELETE", "/admin/tokens/\(id)").status == 404)
        #expect(await service.request("DELETE", "/admin/tokens/HR").status == 204, "names are compared as names are")
        #expect(await service.request("GET", "/scim/v2/Users?count=1", as: .provisioning).status == 401)
    }

    @Test("A token ends when it was to, and what cannot be made is refused")
    func limits() async throws {
        let service = try await ServiceUnderTest()
        let end = service.clock.now.addingTimeInterval(60).formatted(.iso8601)
        let made = await service.request(
            "POST", "/admin/tokens", ["name": "brief", "role": "monitoring", "expires": .string(end)])
        let token = try #require(made["token"]?.text, "\(made.text)")
        #expect(await service.send("GET", "/metrics", "Bearer " + token).status == 200)
        service.clock.advance(by: 61)
        #expect(await service.send("GET", "/metrics", "Bearer " + token).status == 401)
        for body: JSONValue in [
            ["role": "monitoring"], ["name": "x"], ["name": "x", "role": "king"], ["name": "", "role": "monitoring"],
            ["name": "x", "role": "monitoring", "days": 0],
            ["name": "x", "role": "monitoring", "expires": "1999-01-01T00:00:00Z"],
            ["name": "x", "role": "monitoring", "days": 1, "expires": "2999-01-01T00:00:00Z"],
            ["name": "x", "role": "monitoring", "day": 1],
        ] {
            #expect(await service.request("POST", "/admin/tokens", body).status == 400, "\(body)")
        }
        #expect(await service.request("POST", "/admin/tokens", ["name": "hr", "role": "monitoring"]).status == 409)
    }

    @Test("Only administrators see and change them", arguments: [Client.person, .manager, .provisioning, .monitoring])
    func rights(client: Client) async throws {
        let service = try await ServiceUnderTest()
        #expect(await service.request("GET", "/admin/tokens", as: client).status == 403)
        let body: JSONValue = ["name": "x", "role": "administrator"]
        #expect(await service.request("POST", "/admin/tokens", as: client, body).status == 403)
        #expect(await service.request("DELETE", "/admin/tokens/hr", as: client).status == 403)
        #expect(await service.request("GET", "/admin/users/root/made", as: client).status == 403)
        #expect(await service.request("DELETE", "/admin/users/root/made", as: client).status == 403)
    }
}

@Suite("What somebody made is found and ended")
struct MadeTests {
    private let scope = "openid offline_access"

    @Test(
        "Backends, tokens, what these made, sessions, grants, accounts and owned roles are listed, and end with one call"
    )
    func takenOver() async throws {
        let service = try await ServiceUnderTest()
        let app = try await App(service)
        try await service.directory.unrestricted.awaitWrite { session in
            let evil = try session.asEditor(to: "test").users.create(
                NewUser("evil", attributes: ["password": .string(try session.hash(of: ServiceUnderTest.engineer))]))
            try session.asRoleOwner(
                of: .id(session.asPresentAdministrator(to: "test").powers.administratorsRole().id), changing: .member
            ).add([.user(.id(evil.id))])
            try session.asRoleOwner(of: .named("platform"), changing: .owner).add([.user(.id(evil.id))])
        }
        _ = try await service.directory.holders.admit(
            issuer: "https://evil.example", subject: "7", named: "evil", isNameCertain: true, creating: nil)
        let evil = try await Visitor(service, "evil")
        // A backend with the rights of an administrator, a token that it makes, and a backend that the token makes.
        let backend = await evil.request(
            "POST", "/admin/backends", ["name": "first", "directory_role": "administrator"])
        let client = await service.send(
            "POST", "/oauth2/token",
            ServiceUnderTest.basic(backend["client_id"]?.text ?? "", backend["client_secret"]?.text ?? ""),
            Array("grant_type=client_credentials".utf8),
            headers: [("Content-Type", "application/x-www-form-urlencoded")])
        let access = try #require(client["access_token"]?.text, "\(backend.text) \(client.text)")
        let second = await service.send(
            "POST", "/admin/tokens", "Bearer " + access,
            (["name": "second", "role": "administrator"] as JSONValue).bytes)
        let token = try #require(second["token"]?.text, "\(second.text)")
        let third = await service.send(
            "POST", "/admin/backends", "Bearer " + token, (["name": "third"] as JSONValue).bytes)
        #expect(third.status == 201)
        let begun = await service.send(
            "POST", "/db/_session", "Bearer " + token, (["name": "root"] as JSONValue).bytes)
        let session = "SyncGatewaySession=" + (begun["session_id"]?.text ?? "")
        let grant = await app.post(
            "/oauth2/token",
            [
                ("grant_type", "password"), ("username", "evil"), ("password", ServiceUnderTest.password),
                ("scope", scope),
            ])
        let refresh = try #require(grant["refresh_token"]?.text)

        let list = await service.request("GET", "/admin/users/evil/made")
        func names(_ member: String, _ part: String) -> [String] {
            list[member]?.elements.compactMap { $0[part]?.text } ?? []
        }
        #expect(names("backends", "name") == ["first", "third"])
        #expect(names("tokens", "name") == ["second"])
        #expect(names("sessions", "user").sorted() == ["evil", "root"])
        #expect(names("grants", "backend") == ["shop 1.0"])
        #expect(names("links", "issuer") == ["https://evil.example"])
        #expect(list["owned_roles"] == ["platform"])
        #expect(list["tokens"]?.elements.first?["maker"]?.text == "backend first 1.0")

        let ended = await service.request("DELETE", "/admin/users/evil/made")
        #expect(ended.status == 200 && ended.body == list.body)
        #expect(await service.send("GET", "/admin/keys", "Bearer " + token).status == 401)
        #expect(await service.send("GET", "/admin/keys", "Bearer " + access).status == 401)
        #expect(await service.send("GET", "/db/_session", nil, headers: [("Cookie", session)]).status == 401)
        #expect(await evil.request("GET", "/db/_session").status == 401)
        #expect(await app.refresh(refresh).status == 400)
        let left = await service.request("GET", "/admin/users/evil/made")
        #expect(left.body.members.dropFirst().allSatisfy { $0.value.elements.isEmpty }, "\(left.text)")
        // What others made is still there.
        #expect(await service.request("GET", "/admin/keys", as: .tokenAdministrator).status == 200)
        #expect(try service.directory.unrestricted.read { try $0.backends.all().map(\.name) } == ["shop"])
    }

    @Test("It is found after the maker was deleted, by the identifier and by the name")
    func deleted() async throws {
        let service = try await ServiceUnderTest()
        try await service.directory.unrestricted.awaitWrite { session in
            let other = try session.asEditor(to: "test").users.create(NewUser("other"))
            try session.asRoleOwner(
                of: .id(session.asPresentAdministrator(to: "test").powers.administratorsRole().id), changing: .member
            ).add([.user(.id(other.id))])
            _ = try session.users.modify(
                .id(other.id), [.set("password", .string(try session.hash(of: "root")))], ifVersion: nil)
        }
        let id = try await service.directory.unrestricted.users.user(.named("other")).id.description
        let made = await service.send(
            "POST", "/admin/tokens", ServiceUnderTest.basic("other"),
            (["name": "unrestricted", "role": "administrator"] as JSONValue).bytes)
        #expect(made.status == 201)
        // Made by nobody in particular, whatever a token is called.
        _ = try await App(service)
        #expect(await service.request("DELETE", "people/other").status == 204)
        for name in [id, "other"] {
            let list = await service.request("GET", "/admin/users/\(name)/made")
            #expect(list["tokens"]?.elements.compactMap { $0["name"]?.text } == ["unrestricted"])
            #expect(list["user"] == .null && list["backends"] == [])
        }
        #expect(await service.request("DELETE", "/admin/users/\(id)/made").status == 200)
        let token = made["token"]?.text ?? ""
        #expect(await service.send("GET", "/admin/keys", "Bearer " + token).status == 401)
        #expect(await service.request("GET", "/admin/users/\(id)/made").status == 404)
        #expect(await service.request("GET", "/admin/users/nobody.of.that.name/made").status == 404)
    }
}

extension Transaction {
    /// The hash of a user's password.
    fileprivate func hash(of name: String) throws -> String {
        try connection.first(AccessStatements.credential, text: name) { $0.optionalText(3) ?? "" } ?? ""
    }
}

import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM as Entra ID and Okta speak it", .inBothForms)
struct SCIMClientTests {
    private static let entra: JSONValue = [
        "schemas": [.string(SCIMServer.user), .string(SCIMServer.enterprise)], "externalId": "0a21f0f2",
        "userName": "test.entra", "active": true, "addresses": .null,
        "emails": [["primary": true, "type": "work", "value": "test@entra.example"]],
        "meta": ["resourceType": "User"], "name": ["formatted": "Test E", "familyName": "E", "givenName": "Test"],
        "roles": [], "displayName": "Test E",
    ]

    @Test("Entra ID asks for a user, creates, reads, changes, disables and deletes it")
    func entraUser() async throws {
        let server = try await SCIMServer()
        let none = try await server.get("/Users?filter=userName%20eq%20%22test.entra%22")
        #expect(none.status == 200)
        #expect(none.total == 0)
        let created = try await server.post("/Users", Self.entra)
        #expect(created.status == 201)
        let id = try #require(created.body["id"]?.text)
        #expect(created.headers["Location"] == "https://id.example.com/scim/v2/Users/\(id)")
        #expect(created.headers["ETag"] == created.body.at("meta", "version")?.text)
        #expect(created.body["externalId"] == "0a21f0f2")
        let found = try await server.get("/Users?filter=userName+eq+%22TEST.Entra%22")
        #expect(found.resources.first == created.body)

        let manager = try server.id(of: "ilse.brandt")
        let before = try await server.get("/Users/\(manager)").body
        let changed = try await server.patch(
            "/Users/\(id)",
            ["op": "Replace", "path": #"emails[type eq "work"].value"#, "value": "new@entra.example"],
            ["op": "Add", "path": #"emails[type eq "other"].value"#, "value": "o@entra.example"],
            ["op": "Replace", "path": "name.familyName", "value": "Neu"],
            ["op": "Add", "path": "nickName", "value": "Testy"],
            [
                "op": "Add", "path": .string("\(SCIMServer.enterprise):manager"),
                "value": [["$ref": .string("../Users/\(manager)"), "value": .string(manager)]],
            ],
            ["op": "Replace", "value": .object([.init("\(SCIMServer.enterprise):department", "Research")])])
        #expect(changed.status == 200)
        let user = try await server.get("/Users/\(id)").body
        #expect(
            user["emails"] == [
                ["primary": true, "type": "work", "value": "new@entra.example"],
                ["type": "other", "value": "o@entra.example"],
            ])
        #expect(user.at("name", "familyName") == "Neu")
        #expect(user.at("name", "givenName") == "Test")
        #expect(user["nickName"] == "Testy")
        #expect(user.at(SCIMServer.enterprise, "manager", "value") == .string(manager))
        #expect(user.at(SCIMServer.enterprise, "department") == "Research")
        #expect(try await server.get("/Users/\(manager)").body == before)

        #expect(
            try await server.patch("/Users/\(id)", ["op": "Replace", "path": "active", "value": "False"]).status == 200)
        #expect(try await server.get("/Users/\(id)").body["active"] == false)
        #expect(try await server.delete("/Users/\(id)").status == 204)
        #expect(try await server.get("/Users/\(id)").status == 404)
        #expect(try await server.delete("/Users/\(id)").status == 404)
    }

    @Test("Entra ID creates a group, adds and removes members, renames and deletes it")
    func entraGroup() async throws {
        let server = try await SCIMServer()
        let (anna, tom) = (try server.id(of: "anna.schroeder"), try server.id(of: "tom.evans"))
        let created = try await server.post(
            "/Groups",
            [
                "schemas": [
                    .string(SCIMServer.group), "http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM",
                ],
                "externalId": "8aa1a0c0", "displayName": "displayName", "meta": ["resourceType": "Group"],
            ])
        #expect(created.status == 201)
        let id = try #require(created.body["id"]?.text)
        let found = try await server.get("/Groups?excludedAttributes=members&filter=displayName+eq+%22displayName%22")
        #expect(found.total == 1)
        #expect(
            try await server.patch(
                "/Groups/\(id)",
                ["op": "Add", "path": "members", "value": [["$ref": .null, "value": .string(anna)]]],
                ["op": "Add", "path": "members", "value": [["value": .string(tom)]]]
            ).status == 204)
        #expect(try await server.members(id) == [anna, tom])
        #expect(
            try await server.patch(
                "/Groups/\(id)",
                ["op": "Remove", "path": "members", "value": [["$ref": .null, "value": .string(anna)]]]
            ).status == 204)
        #expect(try await server.members(id) == [tom])
        #expect(
            try await server.patch("/Groups/\(id)", ["op": "Replace", "path": "displayName", "value": "New"]).status
                == 200)
        #expect(try await server.get("/Groups/\(id)").body["displayName"] == "New")
        #expect(try await server.members(id) == [tom])
        #expect(try await server.delete("/Groups/\(id)").status == 204)
        #expect(try await server.get("/Groups/\(id)").status == 404)
    }

    @Test("Okta finds, creates with a password, pushes profiles with PUT, disables with an object, and fills groups")
    func okta() async throws {
        let server = try await SCIMServer()
        #expect(try await server.get("/Users?startIndex=1&count=2").resources.count == 2)
        #expect(try await server.get("/Users?filter=userName%20eq%20%22o.kta%22&startIndex=1&count=100").total == 0)
        var body: JSONValue = [
            "schemas": [.string(SCIMServer.user)], "userName": "o.kta",
            "name": ["givenName": "O", "familyName": "Kta"],
            "emails": [["primary": true, "value": "o@okta.example", "type": "work"]], "displayName": "O Kta",
            "locale": "en-US", "externalId": "00ujl29u0le5T6Aj10h7", "groups": [], "password": "1mz050nq and more",
            "active": true,
        ]
        let created = try await server.post("/Users", body)
        #expect(created.status == 201)
        #expect(created.body["password"] == nil)
        let id = try #require(created.body["id"]?.text)
        #expect(try await server.post("/Users", body).refusal == "409 uniqueness")
        body["id"] = .string(id)
        body["title"] = "Pushed"
        body["password"] = nil
        #expect(try await server.put("/Users/\(id)", body).status == 200)
        #expect(try await server.get("/Users/\(id)").body["title"] == "Pushed")
        #expect(try await server.patch("/Users/\(id)", ["op": "replace", "value": ["active": false]]).status == 200)
        #expect(try await server.get("/Users/\(id)").body["active"] == false)

        let group = try await server.createGroup("Okta people", members: [id])
        #expect(
            try await server.patch(
                "/Groups/\(group)", ["op": "remove", "path": .string("members[value eq \"\(id)\"]")],
                ["op": "add", "path": "members", "value": [["value": .string(id), "display": "o.kta"]]]
            ).status == 204)
        #expect(try await server.members(group) == [id])
        #expect(
            try await server.patch(
                "/Groups/\(group)",
                ["op": "replace", "value": ["id": .string(group), "displayName": "Okta renamed"]]
            ).status == 200)
        #expect(try await server.get("/Groups/\(group)").body["displayName"] == "Okta renamed")
        #expect(
            try await server.patch("/Groups/\(group)", ["op": "replace", "path": "members", "value": []]).status == 200)
        #expect(try await server.members(group).isEmpty)
    }
}

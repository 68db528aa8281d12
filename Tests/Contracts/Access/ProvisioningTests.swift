import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("What a provisioning client may not give away", .inBothForms)
struct ProvisioningTests {
    /// A service whose administrator `root` has two addresses.
    private func service() async throws -> ServiceUnderTest {
        let service = try await ServiceUnderTest()
        let emails: AttributeValue = .list([
            .complex(["value": "root@nordwind.example", "primary": true]),
            .complex(["value": "root@home.example", "type": "home"]),
        ])
        try await service.directory.unrestricted.users.modify("root", [.set("emails", emails)])
        return service
    }

    @Test("No way of writing a user gives them an administrator's address")
    func addresses() async throws {
        let service = try await service()
        let tom = try await service.directory.unrestricted.users.user("tom.evans").id.description
        let scim: JSONValue = [.string(SCIMServer.user)]
        for address in ["root@nordwind.example", "ROOT@nordwind.example", "root@home.example"] {
            let mail = JSONValue.string(address)
            let user: JSONValue = ["schemas": scim, "userName": "eve", "emails": [["value": mail]]]
            var tomAsWell = user
            tomAsWell["userName"] = "tom.evans"
            let operation: JSONValue = ["op": "add", "path": "emails", "value": [["value": mail, "type": "other"]]]
            let patch: JSONValue = ["schemas": [.string(SCIMPatch.schema)], "Operations": [operation]]
            for (method, path, body) in [
                ("POST", "people", ["uid": "eve", "mail": mail]), ("PUT", "people/tom.evans", ["mail": mail]),
                ("POST", "/scim/v2/Users", user), ("PUT", "/scim/v2/Users/" + tom, tomAsWell),
                ("PATCH", "/scim/v2/Users/" + tom, patch),
            ] as [(String, String, JSONValue)] {
                let answer = await service.request(method, path, as: .provisioning, body)
                #expect(answer.status == 403, "\(method) \(path) \(address): \(answer.text)")
            }
            let bulk: JSONValue = [
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
                "Operations": [
                    ["method": "POST", "path": "/Users", "bulkId": "1", "data": user],
                    ["method": "PATCH", "path": .string("/Users/" + tom), "data": patch],
                ],
            ]
            let answer = await service.request("POST", "/scim/v2/Bulk", as: .provisioning, bulk)
            let statuses = answer["Operations"]?.elements.map { $0["status"]?.text }
            #expect(statuses == ["403", "403"], "\(answer.text)")
        }
        let users = service.directory.unrestricted.users
        #expect(try await users.user("tom.evans").mail == "tom.evans@nordwind.example")
        #expect(try await users.search(Search(.uid.equals("eve"))).elements.isEmpty)
        let own = await service.request("PUT", "people/tom.evans", as: .provisioning, ["mail": "tom@nordwind.example"])
        #expect(own.status == 200)
        let given = await service.request("PUT", "people/tom.evans", ["mail": "root@nordwind.example"])
        #expect(given.status == 200, "an administrator may")
    }

    @Test("No way of relating somebody to a role makes them an owner of the administrators' role")
    func owners() async throws {
        let service = try await service()
        let view = service.directory.unrestricted
        try await view.roles.create("helpers")
        try await view.roles.add([.role("helpers")], to: "administrators")
        for role in ["administrators", "helpers"] {
            for (path, body) in [
                ("groups/\(role)/personOwner", ["person-uri": "tom.evans"]),
                ("groups/\(role)/groupOwner", ["owner-uri": "sales"]),
                ("people/tom.evans/ownerOf", ["group-uri": .string(role)]),
                ("groups/sales/groupOwnerOf", ["group-uri": .string(role)]),
            ] as [(String, JSONValue)] {
                let answer = await service.request("POST", path, as: .provisioning, body)
                #expect(answer.status >= 400, "\(path): \(answer.text)")
            }
            #expect(try await view.roles.users(of: .named(role), as: .owner).isEmpty)
            let answer = await service.request(
                "POST", "groups/\(role)/personOwner", ["person-uri": "tom.evans"])
            #expect(answer.status == 201, "an administrator may: \(answer.text)")
        }
    }
}

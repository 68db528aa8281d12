import Roster
import RosterFixtures
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("SCIM: groups", .inBothForms)
struct SCIMGroupTests {
    @Test("Members are users and groups, whatever a client says of their type")
    func members() async throws {
        let server = try await SCIMServer()
        let tom = try server.id(of: "tom.evans")
        let inner = try await server.createGroup("Inner", members: [tom])
        let group = try await server.createGroup("Outer")
        let path = "/Groups/\(group)"
        let mixed: JSONValue = [
            "op": "add", "path": "members",
            "value": [
                ["value": tom.json, "type": "Group"], ["value": inner.json, "type": "User"], ["value": tom.json],
            ],
        ]
        #expect(try await server.patch(path, mixed).status == 204)
        let withoutPath: JSONValue = ["op": "add", "value": ["members": [["value": tom.json]]]]
        #expect(try await server.patch(path, withoutPath).status == 204)
        let list = try await server.get(path).body["members"]?.elements ?? []
        #expect(list.count == 2)
        #expect(Set(list.compactMap { $0["type"]?.text }) == ["User", "Group"])
        #expect(list.contains { $0["$ref"] == "https://id.example.com/scim/v2/Groups/\(inner)".json })
        let groups = try await server.get("/Users/\(tom)").body["groups"]?.elements ?? []
        #expect(groups.contains { $0["value"] == group.json && $0["type"] == "direct" })
        // A member that goes by PUT, and one that comes.
        let other = try server.id(of: "peter.ng")
        let put = try await server.put(
            path,
            [
                "schemas": [.string(SCIMServer.group)], "displayName": "Outer",
                "members": [["value": other.json], ["value": inner.json]],
            ])
        #expect(put.status == 200)
        #expect(try await server.members(group) == [other, inner])
        for nobody in ["nobody", "tom.evans", ""] {
            for operation: JSONValue in [
                ["op": "add", "path": "members", "value": [["value": nobody.json]]],
                ["op": "add", "value": ["members": [["value": nobody.json]]]],
                [
                    "op": "replace", "path": "members",
                    "value": [["value": other.json], ["value": nobody.json, "type": "Group"]],
                ],
            ] { #expect(try await server.patch(path, operation).refusal == "400 invalidValue") }
        }
        #expect(try await server.members(group) == [other, inner])
    }

    @Test("Removing removes exactly whom it names")
    func removing() async throws {
        let server = try await SCIMServer()
        let ids = try ["tom.evans", "peter.ng", "nina.boehm", "helen.ward"].map { try server.id(of: $0) }
        let group = try await server.createGroup("G", members: ids)
        let path = "/Groups/\(group)"
        let filter = "members[value eq \"\(ids[0])\"]".json
        #expect(try await server.patch(path, ["op": "remove", "path": filter]).status == 204)
        #expect(try await server.members(group) == Set(ids[1...]))
        // Who is not in it is out of it, as Entra ID and Okta expect, however they name somebody who may be gone.
        let gone = try await server.create("gone")
        #expect(try await server.delete("/Users/\(gone)").status == 204)
        let version = try await server.get(path).body.at("meta", "version")
        for id in [ids[0], gone, "x", "zzzzzzzzzzz"] {
            for operation: JSONValue in [
                ["op": "remove", "path": "members[value eq \"\(id)\"]".json],
                ["op": "remove", "path": "members[value eq \"\(id)\" or value eq \"y\"]".json],
                ["op": "remove", "path": "members", "value": [["value": id.json]]],
            ] { #expect([200, 204].contains(try await server.patch(path, operation).status), "\(operation)") }
        }
        #expect(try await server.get(path).body.at("meta", "version") == version)
        let several: JSONValue = [
            "op": "Remove", "path": "members", "value": [["value": ids[0].json], ["value": ids[1].json]],
        ]
        #expect(try await server.patch(path, several).status == 204)
        #expect(try await server.members(group) == Set(ids[2...]))
        for empty: JSONValue in [
            ["op": "remove", "path": "members", "value": [[:]]], ["op": "remove", "path": "members", "value": [""]],
        ] {
            let answer = try await server.patch(path, empty)
            #expect(answer.status == 400, "\(answer.body)")
            #expect(try await server.members(group) == Set(ids[2...]))
        }
        #expect(try await server.patch(path, ["op": "remove", "path": "members"]).status == 200)
        #expect(try await server.members(group).isEmpty)
    }

    @Test("A circle of groups is refused with nothing written")
    func circle() async throws {
        let server = try await SCIMServer()
        let a = try await server.createGroup("A")
        let b = try await server.createGroup("B", members: [a])
        let c = try await server.createGroup("C", members: [b])
        for (group, member) in [(a, a), (a, b), (a, c)] {
            let refused = try await server.patch(
                "/Groups/\(group)", ["op": "replace", "path": "displayName", "value": "Never"],
                ["op": "add", "path": "members", "value": [["value": member.json]]])
            #expect(refused.status == 409)
            #expect(
                try await server.patch(
                    "/Groups/\(group)", ["op": "add", "path": "members", "value": [["value": member.json]]]
                ).status
                    == 409)
            #expect(try await server.get("/Groups/\(group)").body["displayName"] == "A")
            #expect(try await server.members(group).isEmpty)
        }
    }
}

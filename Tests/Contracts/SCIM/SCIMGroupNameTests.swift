import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

@Suite("The display names of groups over SCIM, which are texts for people", .inBothForms)
struct SCIMGroupNameTests {
    private func name(_ server: SCIMServer, _ id: String) async throws -> String? {
        try await server.get("/Groups/\(id)").body.at(SCIMServer.groupExtension, "name")?.text
    }

    private func rename(_ server: SCIMServer, _ id: String, _ text: String) async throws {
        let operation: JSONValue = ["op": "replace", "path": "displayName", "value": .string(text)]
        #expect([200, 204].contains(try await server.patch("/Groups/\(id)", operation).status))
    }

    @Test("A name that a group has given up is free for another")
    func formerName() async throws {
        let server = try await SCIMServer()
        let first = try await server.createGroup("Vertrieb")
        #expect(try await name(server, first) == "Vertrieb")
        try await rename(server, first, "Vertrieb EMEA")
        #expect(try await name(server, first) == "Vertrieb EMEA", "the unique name follows")
        let second = try await server.createGroup("Vertrieb")
        #expect(try await name(server, second) == "Vertrieb")
        let path = "/Groups/\(second)"
        let put = try await server.put(
            path, ["schemas": [.string(SCIMServer.group)], "displayName": "Vertrieb EMEA"])
        #expect(put.status == 200 && put.body.at(SCIMServer.groupExtension, "name") == "Vertrieb EMEA-2")
    }

    @Test("Groups may share a display name; their unique names get numbers")
    func shared() async throws {
        let server = try await SCIMServer()
        var names: [String?] = []
        var ids: [String] = []
        for _ in 0..<4 {
            ids.append(try await server.createGroup("Team"))
            names.append(try await name(server, ids.last ?? ""))
        }
        #expect(names == ["Team", "Team-2", "Team-3", "Team-4"])
        #expect(
            try await server.find(#"displayName eq "team""#, in: "Groups").names == ["Team", "Team", "Team", "Team"])
        try await rename(server, ids[1], "TEAM")
        #expect(try await name(server, ids[1])?.hasPrefix("TEAM-") == true, "names differ by more than case")
        try await rename(server, ids[1], "Crew")
        #expect(try await name(server, ids[1]) == "Crew")
    }

    @Test(
        "A display name follows none of the rules of names",
        arguments: [
            "R&D / EMEA; all", "  two  spaces ", "virtual x#y", "aaaaaaaaaaa", ".", "~", "a\\b", "tab\there",
            "👩‍💻 Devs", "\u{200B}", String(repeating: "long ", count: 200), "%2F",
        ])
    func anyText(text: String) async throws {
        let server = try await SCIMServer()
        let group = try await server.post(
            "/Groups", ["schemas": [.string(SCIMServer.group)], "displayName": .string(text)])
        #expect(group.status == 201 && group.body["displayName"] == .string(text), "\(group.body)")
        let name = try #require(group.body.at(SCIMServer.groupExtension, "name")?.text)
        #expect(!name.isEmpty && name.count <= 256)
        #expect(try await server.directory.unrestricted.roles.role(name).displayName == text)
    }

    @Test("A unique name that somebody gave stays when the display name changes, and a display name is no right")
    func ownNames() async throws {
        let server = try await SCIMServer()
        let given = try await server.post(
            "/Groups",
            [
                "schemas": [.string(SCIMServer.group)], "displayName": "Sales EMEA",
                SCIMServer.groupExtension: ["name": "emea"],
            ])
        let id = try #require(given.body["id"]?.text)
        try await rename(server, id, "Sales EMEA and more")
        #expect(try await name(server, id) == "emea")
        let role = try await server.directory.unrestricted.awaitWrite {
            try $0.asPresentAdministrator(to: "test").powers.administratorsRole()
        }
        let taken = try await server.createGroup(role.name, members: [try server.id(of: "tom.evans")])
        #expect(try await name(server, taken) == role.name + "-2")
        let tom = try await server.called(byUser: "tom.evans")
        #expect(
            try await tom.post("/Groups", ["schemas": [.string(SCIMServer.group)], "displayName": "x"]).status == 403)
    }

    @Test("Removing all of a group's extension removes what can be removed, and no error")
    func wholeExtension() async throws {
        let server = try await SCIMServer()
        let group = try await server.createGroup("Team")
        let path = "/Groups/\(group)"
        let urn = SCIMServer.groupExtension.json
        #expect(
            try await server.patch(path, ["op": "add", "path": urn, "value": ["description": "All of us"]]).status
                == 200)
        #expect(try await server.patch(path, ["op": "remove", "path": urn]).status == 200)
        #expect(try await server.get(path).body[SCIMServer.groupExtension] == ["name": "Team"])
    }
}

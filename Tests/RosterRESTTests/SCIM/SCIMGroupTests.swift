import Roster
import RosterFixtures
import RosterREST
import RosterText
import Testing

@Suite("SCIM: groups")
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
        #expect(try await server.patch(path, ["op": "remove", "path": filter]).refusal == "400 noTarget")
        #expect(
            try await server.patch(path, ["op": "remove", "path": "members[value eq \"x\"]"]).refusal == "400 noTarget")
        // Who is not in it is out of it, as Entra ID expects.
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

    @Test("A member of twenty thousand comes and goes without the others being read")
    func large() async throws {
        let directory = try Fixtures.organization(people: 20_001, seedNumber: 1)
        let server = try await SCIMServer(directory)
        let group = try await server.createGroup("Everybody")
        let newcomer = try await server.create("newcomer")
        try await directory.unrestricted.awaitWrite { session in
            var page = try session.search(Search(attributes: ["uid"], pageSize: 10_000))
            while true {
                try session.add(
                    page.elements.map { .user(.id($0.id)) }, to: .named("Everybody"), as: .member, ifVersion: nil)
                guard let next = page.next else { break }
                page = try session.search(Search(attributes: ["uid"], pageSize: 10_000).from(next))
            }
        }
        let path = "/Groups/\(group)"
        /// The shortest of some tries, which ends as soon as one is short enough: other tests run at the same time.
        func seconds(until limit: Double = 0, tries: Int = 20, _ body: () async throws -> Bool) async throws -> Double {
            var best = Double.infinity
            for _ in 0..<tries where best > limit {
                let start = ContinuousClock.now
                let holds = try await body()
                #expect(holds)
                best = min(best, (ContinuousClock.now - start) / .seconds(1))
            }
            return best
        }
        let filter = "members[value eq \"\(newcomer)\"]".json
        let adding: JSONValue = ["op": "add", "path": "members", "value": [["value": newcomer.json]]]
        let renaming: JSONValue = ["op": "replace", "path": "displayName", "value": "All"]
        let whole = try await seconds(tries: 2) { try await server.members(group).count == 20_002 }
        let moving = try await seconds(until: whole / 2) {
            let left = try await server.patch(path, ["op": "remove", "path": filter]).status
            let came = try await server.patch(path, adding).status
            return (left, came) == (204, 204)
        }
        let brief = try await seconds(until: whole / 2) {
            try await server.get(path + "?excludedAttributes=members").body["displayName"] == "Everybody"
        }
        let listed = try await seconds(until: whole / 2) {
            try await server.find("members.value eq \"\(newcomer)\"", in: "Groups", "&attributes=displayName").names
                == ["Everybody"]
        }
        let renamed = try await seconds(until: whole / 2) {
            try await server.patch(path + "?excludedAttributes=members", renaming).status == 200
        }
        print(
            "group of 20,000: read \(whole), one moves \(moving), brief \(brief), listed \(listed), renamed \(renamed)")
        for time in [moving, brief, listed, renamed] { #expect(time <= whole / 2) }
        #expect(try await server.get("/Groups?filter=displayName+eq+%22All%22&excludedAttributes=members").total == 1)
    }
}

extension Search {
    fileprivate func from(_ cursor: Cursor?) -> Search {
        var search = self
        search.start = cursor.map { .cursor($0) } ?? .page(1)
        return search
    }
}

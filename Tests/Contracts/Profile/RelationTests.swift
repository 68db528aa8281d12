import Roster
import RosterREST
import RosterText
import ServiceTestSupport
import Testing
import TestSupport

/// A relation of the profile service between two entities that are not related so yet, and its other side.
struct RelationCase: Sendable, CustomTestStringConvertible {
    let own: String
    let relation: String
    let other: String
    let inverse: String
    /// The keys by which a body names the entity itself and the other one.
    let keys: (own: String, other: String)

    var path: String { "\(own)/\(relation)" }
    var ownName: String { String(own.split(separator: "/")[1]) }
    var otherName: String { String(other.split(separator: "/")[1]) }
    var testDescription: String { path }

    static let all = [
        RelationCase(
            own: "people/ren.watanabe", relation: "manager", other: "people/tom.evans", inverse: "reports",
            keys: ("report-uri", "manager-uri")),
        RelationCase(
            own: "people/tom.evans", relation: "reports", other: "people/ren.watanabe", inverse: "manager",
            keys: ("manager-uri", "report-uri")),
        RelationCase(
            own: "people/tom.evans", relation: "memberOf", other: "groups/sales", inverse: "members",
            keys: ("person-uri", "group-uri")),
        RelationCase(
            own: "people/tom.evans", relation: "ownerOf", other: "groups/sales", inverse: "personOwner",
            keys: ("person-uri", "group-uri")),
        RelationCase(
            own: "groups/finance", relation: "members", other: "people/tom.evans", inverse: "memberOf",
            keys: ("group-uri", "person-uri")),
        RelationCase(
            own: "groups/finance", relation: "members", other: "groups/sales", inverse: "groupMemberOf",
            keys: ("group-uri", "child-group-uri")),
        RelationCase(
            own: "groups/finance", relation: "groupMembers", other: "groups/sales", inverse: "groupMemberOf",
            keys: ("group-uri", "child-group-uri")),
        RelationCase(
            own: "groups/finance", relation: "personOwner", other: "people/tom.evans", inverse: "ownerOf",
            keys: ("group-uri", "person-uri")),
        RelationCase(
            own: "groups/finance", relation: "groupOwner", other: "groups/sales", inverse: "groupOwnerOf",
            keys: ("group-uri", "owner-uri")),
        RelationCase(
            own: "groups/finance", relation: "groupMemberOf", other: "groups/sales", inverse: "groupMembers",
            keys: ("group-uri", "parent-group-uri")),
        RelationCase(
            own: "groups/finance", relation: "groupOwnerOf", other: "groups/sales", inverse: "groupOwner",
            keys: ("group-uri", "owned-group-uri")),
    ]
}

@Suite("Relations of the profile service", .inBothForms)
struct ProfileRelationTests {
    @Test("A relation that is written on one side shows on both, and goes with one word", arguments: RelationCase.all)
    func bothSides(relation: RelationCase) async throws {
        let service = try await ServiceUnderTest()
        let base = ServiceUnderTest.base
        let inverse = "\(relation.other)/\(relation.inverse)"
        let before = await service.request("GET", relation.path).names
        let inverseBefore = await service.request("GET", inverse).names
        #expect(await service.request("GET", "\(relation.path)/\(relation.otherName)").status == 404)
        let refused = await service.request("DELETE", "\(relation.path)/\(relation.otherName)")
        #expect(refused.status == 404 && refused.isProfileError)

        let body = JSONValue.object([
            .init(relation.keys.own, .string("\(base)/\(relation.own)")),
            .init(relation.keys.other, .string("\(base)/\(relation.other)")),
        ])
        let added = await service.request("POST", relation.path, body)
        #expect(added.status == 201, "\(added.text)")
        #expect(added["uri"]?.text == "\(base)/\(relation.path)/\(relation.otherName)")
        #expect(added[relation.keys.own]?.text == "\(base)/\(relation.own)")
        #expect(added.header("Location") == "https://id.example.com\(base)/\(relation.path)/\(relation.otherName)")
        let link = try #require(added["uri"]?.text)
        #expect(await service.request("GET", link).body == service.request("GET", relation.other).body)
        #expect(added[relation.keys.other]?.text == "\(base)/\(relation.other)")
        let after = await service.request("GET", relation.path).names
        if relation.relation == "manager" {
            #expect(after == [relation.otherName])
        } else {
            #expect(Set(after) == Set(before + [relation.otherName]))
        }
        #expect(await service.request("GET", inverse).names.contains(relation.ownName))
        #expect(await service.request("GET", "\(inverse)/\(relation.ownName)").status == 200)
        #expect(await service.request("POST", relation.path, body).status == 201)
        #expect(await service.request("GET", relation.path).names == after)

        let removed = await service.request("DELETE", link)
        #expect(removed.status == 204 && removed.bytes.isEmpty)
        #expect(await service.request("GET", relation.path).names == (relation.relation == "manager" ? [] : before))
        #expect(await service.request("GET", link).status == 404)
        #expect(await service.request("DELETE", link).status == 404)
        if relation.inverse != "manager" { #expect(await service.request("GET", inverse).names == inverseBefore) }
    }

    @Test("The other entity is named by a URI in any form", arguments: RelationCase.all)
    func forms(relation: RelationCase) async throws {
        let base = ServiceUnderTest.base
        var forms = [
            "https://id.example.com\(base)/\(relation.other)", "\(base)/\(relation.other)",
            "\(base)/\(relation.other)/",
            relation.other, "\(base)/\(relation.other)?attrsToFetch=uid",
            "http://other/\(relation.other.uppercasedName)",
        ]
        if relation.relation != "members" { forms.append(relation.otherName) }
        for form in forms {
            for key in [relation.keys.other, "uri"] {
                let service = try await ServiceUnderTest()
                let added = await service.request("POST", relation.path, .object([.init(key, .string(form))]))
                #expect(added.status == 201, "\(key): \(form): \(added.text)")
                #expect(await service.request("GET", relation.path).names.contains(relation.otherName), "\(form)")
                // However it was named, the answer has addresses that lead to both.
                for (name, value) in added.body.members.map({ ($0.name, $0.value.text ?? "") }) {
                    let entity = name == relation.keys.own ? relation.own : relation.other
                    let read = await service.request("GET", value)
                    #expect(read.body == (await service.request("GET", entity)).body, "\(name): \(value)")
                }
                #expect(Set(added.body.names) == ["uri", relation.keys.own, relation.keys.other])
            }
        }
    }

    @Test("A member that shares its name with a person or a group is told by its identifier")
    func sharedName() async throws {
        let service = try await ServiceUnderTest()
        let (person, group) = ("people/tom.evans", "groups/tom.evans")
        #expect(await service.request("POST", "groups", ["commonname": "tom.evans"]).status == 201)
        for (entity, key) in [(person, "person-uri"), (group, "child-group-uri")] {
            let added = await service.request("POST", "groups/finance/members", ["uri": .string(entity)])
            #expect(added.status == 201)
            let expected = await service.request("GET", entity).body
            for name in ["uri", key] {
                let link = try #require(added[name]?.text)
                #expect(await service.request("GET", link).body == expected, "\(link)")
            }
        }
    }

    @Test(
        "A body that means nobody, somebody else or nothing is refused and writes nothing", arguments: RelationCase.all)
    func refusedBodies(relation: RelationCase) async throws {
        let service = try await ServiceUnderTest()
        let before = try await service.lastChange()
        let (own, other) = relation.keys
        let wrongKind = relation.other.hasPrefix("people") ? "/groups/sales" : "/people/tom.evans"
        var bodies: [(JSONValue, Int)] = [
            ([:], 400), (.object([.init(other, 1)]), 400), (.object([.init(other, .null)]), 400),
            (.object([.init(other, [.string(relation.other)])]), 400), (.object([.init(other, "")]), 400),
            (.object([.init(other, "https://x.example/things/1")]), 400),
            (.object([.init(other, .string(relation.other + "-gone"))]), 404),
            (.object([.init(other, .string(relation.other)), .init(own, .string(relation.own + "-gone"))]), 400),
            (.object([.init(other, .string(relation.other)), .init(own, .string(relation.other))]), 400),
        ]
        if relation.relation != "members" { bodies.append((.object([.init(other, .string(wrongKind))]), 400)) }
        for (body, status) in bodies {
            let answer = await service.request("POST", relation.path, body)
            // An empty bare name is the name of nobody.
            let isFitting = answer.status == status || (body[other] == "" && answer.status == 404)
            #expect(isFitting && answer.isProfileError, "\(body): \(answer.status) \(answer.text)")
        }
        let gone = "\(relation.own)-gone/\(relation.relation)"
        let body = JSONValue.object([.init(other, .string(relation.other))])
        #expect(await service.request("POST", gone, body).status == 404)
        #expect(await service.request("GET", gone).status == 404)
        #expect(await service.request("DELETE", "\(gone)/\(relation.otherName)").status == 404)
        #expect(try await service.lastChange() == before)
    }

    @Test("The chain goes to the top, and the reports all the way down")
    func reach() async throws {
        let service = try await ServiceUnderTest()
        let chain = ["haruka.ito", "yuki.tanaka", "kenji.sato", "ilse.brandt"]
        #expect(await service.request("GET", "people/ren.watanabe/manager").names == ["haruka.ito"])
        for scope in ["toTop", "all"] {
            let pages = try await service.pages("people/ren.watanabe/manager?pagesize=3&scope=\(scope)")
            #expect(pages.flatMap { $0 }.map { $0["uid"]?.text } == chain)
        }
        let direct = await service.request("GET", "people/kenji.sato/reports")
        #expect(direct.names == ["yuki.tanaka", "joerg.muench", "grace.okafor"])
        let below = try await service.pages("people/kenji.sato/reports?scope=all&pagesize=4&attrsToFetch=uid,manager")
        let all = below.flatMap { $0 }.compactMap { $0["uid"]?.text }
        #expect(all.count > 10 && Set(all).count == all.count && all.contains("ren.watanabe"))
        #expect(!all.contains("kenji.sato") && !all.contains("tom.evans-gone") && !all.contains("petra.jaeger"))
        #expect(await service.request("GET", "people/ilse.brandt/manager?scope=toTop").names == [])
    }

    @Test("Groups are followed through groups")
    func nesting() async throws {
        let service = try await ServiceUnderTest()
        #expect(await service.request("GET", "people/ren.watanabe/memberOf").names == ["platform"])
        let effective = await service.request("GET", "people/ren.watanabe/memberOf?scope=all").names
        #expect(Set(effective) == ["platform", "engineering", "everyone", "on-call"])
        let direct = await service.request("GET", "groups/on-call/members")
        #expect(direct.names == ["platform", "anna.schroeder"])
        let members = try await service.pages("groups/on-call/members?scope=all&pagesize=2").flatMap { $0 }
        let names = members.compactMap { ($0["uid"] ?? $0["commonname"])?.text }
        #expect(Set(names).count == names.count && names.contains("ren.watanabe") && names.contains("platform"))
        #expect(
            await service.request("GET", "groups/everyone/groupMembers").names == [
                "engineering", "sales", "finance", "people",
            ])
        #expect(await service.request("GET", "groups/platform/groupMemberOf?scope=all").names.count == 3)
        #expect(await service.request("GET", "groups/on-call/groupOwner").names == ["leadership"])
        #expect(await service.request("GET", "people/sofia.weiss/ownerOf").names == ["everyone", "people"])
    }

    @Test("Circles are refused with 409, and nothing is written")
    func circles() async throws {
        let service = try await ServiceUnderTest()
        let before = try await service.lastChange()
        let circles: [(String, JSONValue)] = [
            ("people/tom.evans/manager", ["manager-uri": "people/tom.evans"]),
            ("people/tom.evans/reports", ["report-uri": "people/TOM.evans"]),
            ("people/ilse.brandt/manager", ["manager-uri": "people/ren.watanabe"]),
            ("people/ren.watanabe/reports", ["report-uri": "people/kenji.sato"]),
            ("groups/sales/members", ["member-uri": "groups/sales"]),
            ("groups/sales/groupMembers", ["member-uri": "groups/sales"]),
            ("groups/platform/groupMembers", ["member-uri": "groups/everyone"]),
            ("groups/everyone/groupMemberOf", ["parent-group-uri": "groups/platform"]),
            ("groups/sales/groupOwner", ["owner-uri": "groups/sales"]),
            ("groups/people/groupOwner", ["owner-uri": "groups/on-call"]),
            ("groups/on-call/groupOwnerOf", ["owned-group-uri": "groups/people"]),
        ]
        for (path, body) in circles {
            let answer = await service.request("POST", path, body)
            #expect(answer.status == 409 && answer.isProfileError, "\(path): \(answer.text)")
        }
        let put = await service.request("PUT", "people/kenji.sato", ["title": "x", "manager": "ren.watanabe"])
        #expect(put.status == 409)
        #expect(try await service.lastChange() == before)
    }

    @Test("Two who draw lines against each other cannot close a circle")
    func racingLines() async throws {
        let service = try await ServiceUnderTest()
        for round in 0..<20 {
            let names = ["x\(round)", "y\(round)"]
            for name in names { _ = await service.request("POST", "people", ["uid": .string(name)]) }
            async let one = service.request("POST", "people/\(names[0])/manager", ["manager-uri": .string(names[1])])
            async let two = service.request("POST", "people/\(names[1])/manager", ["manager-uri": .string(names[0])])
            #expect(await [one.status, two.status].sorted() == [201, 409])
        }
    }

    @Test("Removing a manager who is not the direct one changes nothing")
    func foreignLine() async throws {
        let service = try await ServiceUnderTest()
        #expect(await service.request("DELETE", "people/ren.watanabe/manager/yuki.tanaka").status == 404)
        #expect(await service.request("DELETE", "people/yuki.tanaka/reports/ren.watanabe").status == 404)
        #expect(await service.request("GET", "people/ren.watanabe/manager").names == ["haruka.ito"])
        #expect(await service.request("DELETE", "people/ren.watanabe/memberOf/engineering").status == 404)
        #expect(await service.request("DELETE", "people/HARUKA.ito/reports/REN.watanabe").status == 204)
        #expect(await service.request("GET", "people/haruka.ito/reports").names == ["emma.mueller", "jack.brown"])
    }

    @Test("Members of a large group are paged once each while some come and go, and every link works")
    func largeGroup() async throws {
        let service = try await ServiceUnderTest()
        try await service.directory.unrestricted.awaitWrite { session in
            let role = try session.asProvisioning(to: "test").roles.create("crowd", [:])
            for number in 0..<60 {
                let inner = try session.asProvisioning(to: "test").roles.create("crowd \(number)", [:])
                let user = try session.asEditor(to: "test").users.create(NewUser("member\(number)"))
                try session.asRoleOwner(of: .id(role.id), changing: .member).add([
                    .user(.id(user.id)), .role(.id(inner.id)),
                ])
            }
        }
        for size in [1, 7, 60, 119, 120, 121] {
            let pages = try await service.pages("groups/crowd/members?pagesize=\(size)")
            let names = pages.flatMap { $0 }.compactMap { ($0["uid"] ?? $0["commonname"])?.text }
            #expect(names.count == 120 && Set(names).count == 120, "\(size)")
            let last = await service.request("GET", "groups/crowd/members?pagesize=\(size)&pagepos=\(pages.count)")
            #expect(last.elements == pages.last, "\(size)")
            if let previous = last["previous"]?.text {
                #expect(await service.request("GET", previous).elements == pages[pages.count - 2])
            }
        }
        var leaving = (40..<60).map { "member\($0)" } + (40..<60).map { "crowd%20\($0)" }
        let pages = try await service.pages("groups/crowd/members?pagesize=5") { page in
            if let name = leaving.popLast() { _ = await service.request("DELETE", "groups/crowd/members/\(name)") }
            _ = await service.request("POST", "groups/crowd/members", ["person-uri": "people/ren.watanabe"])
        }
        let names = pages.flatMap { $0 }.compactMap { ($0["uid"] ?? $0["commonname"])?.text }
        #expect(Set(names).count == names.count)
        #expect(Set((0..<40).flatMap { ["member\($0)", "crowd \($0)"] }).isSubset(of: names))
    }
}

extension String {
    fileprivate var uppercasedName: String {
        let parts = split(separator: "/")
        return parts[0] + "/" + parts[1].uppercased() + "/"
    }
}

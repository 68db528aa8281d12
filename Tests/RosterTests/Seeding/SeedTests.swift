import Foundation
import Roster
import RosterFixtures
import Testing
import TestSupport

@Suite("Seeds")
struct SeedTests {
    private static let seeds = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Seeds")

    private func load(_ json: String, into directory: Directory) throws -> LoadReport {
        try directory.unrestricted.load(Seed(json: Data(json.utf8), name: "test.json"))
    }

    private func message(_ json: String) throws -> String {
        let directory = try emptyDirectory()
        let error = try #require(throws: DirectoryError.self) { try load(json, into: directory) }
        #expect(error.code == .invalidInput)
        #expect(
            try directory.unrestricted.changes.lastSequence() == 0, "nothing is kept of a seed that cannot be taken")
        return error.message
    }

    @Test(
        "Two values of one attribute in an entry are refused with their place",
        arguments: [
            #""familyName": "x", "sn": "y""#, #""emails": [{"value": "a@x.example"}], "mail": "b@x.example""#,
        ])
    func twoValues(_ members: String) throws {
        #expect(try message("{\"people\": [\n{\"uid\": \"ada\", \(members)}]}").contains("test.json, line 2, "))
    }

    @Test("Printing a seed shows its name, and no password that stands in it")
    func printing() throws {
        let seed = try Seed(
            json: Data(#"{"people": [{"uid": "ada", "password": "a staple of horses"}]}"#.utf8), name: "s")
        var dumped = ""
        dump([seed], to: &dumped)
        for text in ["\(seed)", "\([seed])", String(reflecting: seed), dumped, "\(seed.plainPasswords)"] {
            #expect(!text.contains("staple"), "\(text)")
        }
        #expect("\(seed)" == "Seed(s)")
    }

    @Test("Loading a seed a second time changes nothing and tells nothing")
    func loadingTwice() throws {
        let directory = try emptyDirectory()
        let seed = try Seed(contentsOf: Self.seeds.appendingPathComponent("company.json"))
        let first = try directory.unrestricted.load(seed)
        #expect(first.users.created == 40)
        let sequence = try directory.unrestricted.changes.lastSequence()
        let second = try directory.unrestricted.load(seed)
        #expect(second.users.unchanged == 40)
        #expect(second.users.created + second.users.changed + second.roles.created + second.roles.changed == 0)
        #expect(try directory.unrestricted.changes.lastSequence() == sequence)
    }

    @Test("The small company has five levels, nested roles, a vacancy, a disabled account and names in three languages")
    func company() throws {
        let view = try Fixtures.company().unrestricted
        #expect(try view.users.count() == 40)
        #expect(try view.users.below("ilse.brandt").map(\.depth).max() == 4)
        #expect(try view.users.search(Search(.familyName.starts("Mü"))).elements.count == 3)
        #expect(try view.users.search(Search(.attribute("vacant").equals(true))).elements.map(\.uid) == ["post.hr-2"])
        #expect(try view.users.search(Search(.not(.active), includesTotal: true)).total == 2)
        #expect(try view.users.search(Search(.familyName.equals("佐藤"))).elements.map(\.uid) == ["kenji.sato"])
        let roles = try view.roles.roles(having: .user("ren.watanabe")).map(\.name)
        #expect(Set(roles) == ["platform", "engineering", "everyone", "on-call"])
    }

    @Test("The company that is compiled in is the one of the folder")
    func compiledIn() throws {
        let directory = try emptyDirectory(clock: { Fixtures.moment })
        let seed = try Seed(contentsOf: Self.seeds.appendingPathComponent("company.json"))
        try directory.unrestricted.load(seed)
        let everyone = Search(sortedBy: .init(.uid), pageSize: 1_000)
        let loaded = try directory.unrestricted.users.search(everyone).elements
        #expect(try Fixtures.company().unrestricted.users.search(everyone).elements == loaded)
    }

    @Test("A test's own seed is a string, and its clock can be moved")
    func ownSeed() throws {
        let clock = SettableClock(Fixtures.moment)
        let directory = try Fixtures.directory(
            seed: #"{"people": [{"uid": "ada", "title": "Lead"}, {"uid": "bob", "manager": "ada"}]}"#,
            clock: { clock.now })
        let users = directory.unrestricted.users
        #expect(try users.reportees(of: "ada").map(\.uid) == ["bob"])
        #expect(try users.user("ada").created == Fixtures.moment)
        clock.advance(by: 3_600)
        #expect(try users.modify("ada", [.set(.title, "Head")]).modified == Fixtures.moment.addingTimeInterval(3_600))
        let mistake = #expect(throws: DirectoryError.self) { try Fixtures.directory(seed: "{\n\"people\": 1}") }
        #expect(mistake?.place?.line == 2)
    }

    @Test("The empty seed loads, and shows the format")
    func empty() throws {
        let directory = try emptyDirectory()
        let seed = try Seed(contentsOf: Self.seeds.appendingPathComponent("empty.json"))
        #expect(try directory.unrestricted.load(seed).users.created == 0)
        #expect(try directory.unrestricted.users.count() == 0)
    }

    @Test("A manager and a nested role may stand later in the file")
    func forwardReferences() throws {
        let directory = try emptyDirectory()
        _ = try load(
            #"{"people": [{"uid": "a", "manager": "b"}, {"uid": "b"}], "roles": [{"name": "x", "roles": ["y"]}, {"name": "y"}]}"#,
            into: directory)
        #expect(try directory.unrestricted.users.manager(of: "a")?.uid == "b")
        #expect(try directory.unrestricted.roles.roles(of: "x").map(\.name) == ["y"])
    }

    @Test(
        "What is wrong with a seed is named with file, line and field",
        arguments: [
            ("{\"people\": [\n{\"uid\": \"a\"},\n{\"givenName\": \"B\"}]}", 3, "'uid'"),
            ("{\"people\": [\n{\"uid\": \"a\",\n \"nosuch\": \"B\"}]}", 3, "'nosuch'"),
            ("{\"people\": [\n{\"uid\": \"a\"},\n{\"uid\": \"A\"}]}", 3, "'uid'"),
            ("{\"people\": [{\"uid\": \"a\",\n\"manager\": \"nobody\"}]}", 2, "'manager'"),
            (
                "{\"people\": [{\"uid\": \"a\", \"manager\": \"b\"},\n{\"uid\": \"b\", \"manager\": \"a\"}]}", 2,
                "'manager'"
            ),
            ("{\"people\": [{\"uid\": \"a\", \"title\":\n7}]}", 2, "'title'"),
            ("{\"people\": [{\"uid\": \"a\", \"active\":\n\"yes\"}]}", 2, "'active'"),
            ("{\"roles\": [{\"name\": \"r\", \"members\": [\n\"ghost\"]}]}", 2, "'members'"),
            ("{\"roles\": [{\"name\": \"r\", \"roles\": [\n\"r\"]}]}", 2, "'roles'"),
            ("{\"persons\": []}", 1, "'persons'"),
            ("{\"people\": [{\"uid\": \" a\"}]}", 1, "'uid'"),
            ("{\"people\": [{\"uid\": \"a\",}]}", 1, ""),
            ("{\"attributes\": [{\"name\": \"x\",\n\"type\": \"colour\"}]}", 2, "'type'"),
        ])
    func errors(_ json: String, _ line: Int, _ field: String) throws {
        let message = try message(json)
        #expect(message.hasPrefix("test.json, line \(line)"), "\(message)")
        #expect(field.isEmpty || message.contains(field), "\(message)")
    }

    @Test("The JSON Schema beside the seeds knows every key that the loader takes")
    func schemaKnowsTheKeys() throws {
        let data = try Data(contentsOf: Self.seeds.appendingPathComponent("seed.schema.json"))
        let schema = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
        let sections = try #require(schema["properties"] as? [String: [String: Any]])
        func keys(_ section: String) throws -> Set<String> {
            let items = try #require(sections[section]?["items"] as? [String: Any])
            return Set(try #require(items["properties"] as? [String: Any]).keys)
        }
        let known: Set = ["$schema", "$comment", "attributes", "people", "roles", "backends", "organization"]
        #expect(Set(sections.keys) == known)
        #expect(try keys("people") == ["uid", "manager", "active", "password"])
        #expect(try keys("roles") == ["name", "members", "roles", "owners", "ownerRoles"])
        let attributeKeys = try keys("attributes")
        for key in attributeKeys {
            let value = [
                "name": "\"a\"", "of": "\"user\"", "type": "\"string\"", "readers": "\"person\"",
                "writers": "\"person\"", "pattern": "\"[a-z]+\"", "minimumLength": "1", "maximumLength": "2",
                "minimum": "1, \"type\": \"integer\"", "maximum": "1.5, \"type\": \"decimal\"",
                "labels": "{\"de\": \"A\"}", "descriptions": "{\"de\": \"A\"}",
            ]
            let json = key == "name" ? "" : ", \"\(key)\": \(value[key] ?? "false")"
            _ = try load("{\"attributes\": [{\"name\": \"a\"\(json)}]}", into: emptyDirectory())
        }
        #expect(attributeKeys.count == 17)
    }
}

@Suite("Fixtures")
struct FixtureTests {
    @Test("The small company has the same identifiers and times in every run")
    func sameEveryTime() throws {
        let first = try Fixtures.company().unrestricted
        let second = try Fixtures.company().unrestricted
        let users = try first.users.search(Search()).elements
        #expect(try second.users.search(Search()).elements == users)
        #expect(users.allSatisfy { $0.created == Fixtures.moment })
        #expect(users.map(\.uid).first == "ilse.brandt")
        #expect(users.map(\.id) == users.map(\.id).sorted())
    }

    @Test("Each fixture is a directory of its own")
    func independent() throws {
        let first = try Fixtures.company()
        try first.unrestricted.users.create("newcomer")
        #expect(throws: DirectoryError.self) { try Fixtures.company().unrestricted.users.user("newcomer") }
    }

    @Test("One number gives one organisation, another number another")
    func generator() throws {
        let digest = OrganizationGenerator(people: 500, seedNumber: 7).digest
        #expect(OrganizationGenerator(people: 500, seedNumber: 7).digest == digest)
        #expect(OrganizationGenerator(people: 500, seedNumber: 8).digest != digest)
        #expect(OrganizationGenerator(people: 20_000, seedNumber: 7).digest == "8b20d80e28052a89", "pinned")
        let view = try Fixtures.organization(people: 500, seedNumber: 7).unrestricted
        #expect(try view.users.count() == 500)
        #expect(try view.users.withoutManager().count == 1)
        #expect(try view.check().isEmpty)
    }
}

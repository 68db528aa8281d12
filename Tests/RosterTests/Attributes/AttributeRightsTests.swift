import Foundation
import Roster
import Testing
import TestSupport

@Suite("Readers and writers of built-in attributes")
struct AttributeRightsTests {
    private func people(_ directory: Directory) throws -> (ada: UserID, eve: UserID) {
        let users = directory.unrestricted.users
        let ada = try users.create(
            "ada",
            attributes: [
                "mobile": "+3", "homePhone": "+2", "telephoneNumber": "+1", "title": "Countess",
                "emails": [["value": "h@x", "type": "home"], ["value": "w@x", "type": "work"]],
                "addresses": [["type": "work", "locality": "Berlin", "streetAddress": "Elm 1"]],
            ]
        ).id
        return (ada, try users.create("eve").id)
    }

    @Test("Rights hold at once, survive reopening, and can be taken back")
    func opening() throws {
        try withFolder { folder in
            let file = folder.appendingPathComponent("d.db")
            var directory = try Directory(at: file)
            let (ada, eve) = try people(directory)
            func seen() throws -> User { try directory.acting(as: .user(eve)).users.user("ada") }
            #expect(try seen().mobile == nil)
            let attributes = directory.unrestricted.attributes
            try attributes.setRights(of: "mobile", readers: .signedIn)
            try attributes.setRights(of: "title", readers: .person, writers: .person)
            try attributes.setRights(of: "emails", readers: .signedIn)
            for _ in 0..<2 {
                #expect(try seen().mobile == "+3")
                #expect(try seen()["homePhone"] == nil, "it was not opened")
                #expect(try seen().title == nil)
                #expect(try seen().attributes["emails"]?.elements.count == 2)
                let search = Search(.attribute("mobile").equals("+3"))
                #expect(try directory.acting(as: .user(eve)).users.search(search).elements.map(\.uid) == ["ada"])
                #expect(
                    code { try directory.acting(as: .user(eve)).users.search(Search(.title.present)) }
                        == .invalidFilter)
                try directory.acting(as: .user(ada)).users.modify("ada", attributes: ["title": "Lady"])
                directory.close()
                directory = try reopen(file)
            }
            try directory.unrestricted.attributes.resetRights(of: "mobile")
            try directory.unrestricted.attributes.resetRights(of: "title")
            #expect(try seen().mobile == nil)
            #expect(try seen().title == "Lady")
            #expect(
                code { try directory.acting(as: .user(ada)).users.modify("ada", attributes: ["title": "x"]) }
                    == .notPermitted)
            directory.close()
        }
    }

    @Test("The feed tells who may read what, before and after")
    func told() throws {
        let view = try emptyDirectory().unrestricted
        try view.attributes.setRights(of: "mobile", readers: .signedIn)
        let change = try #require(try view.changes.since(0).last)
        #expect(change.entity == .attribute && change.kind == .modified && change.name == "mobile")
        #expect(change.before["readers"] == "managers" && change.after["readers"] == "signedIn")
        try view.attributes.setRights(of: "mobile", readers: .signedIn)
        #expect(try view.changes.lastSequence() == 1, "what is so already is no change")
    }

    @Test("A view is never wider than its list, and of several views of an element the narrowest counts")
    func narrowest() throws {
        let directory = try emptyDirectory()
        let (_, eve) = try people(directory)
        let attributes = directory.unrestricted.attributes
        func seen() throws -> User { try directory.acting(as: .user(eve)).users.user("ada") }
        try attributes.setRights(of: "street", readers: .managers)
        #expect(try seen().attributes["addresses"] == nil, "the street stands in the whole element")
        try attributes.setRights(of: "mobile", readers: .signedIn)
        try attributes.setRights(of: "phoneNumbers", readers: .managers)
        #expect(try seen().mobile == nil && seen().telephoneNumber == nil)
        #expect(
            code { try directory.acting(as: .user(eve)).users.search(Search(.attribute("mobile").present)) }
                == .invalidFilter)
        try attributes.setRights(of: "mail", readers: .managers)
        #expect(try seen().attributes["emails"] == nil)
        #expect(code { try directory.acting(as: .user(eve)).users.search(Search(.mail.present)) } == .invalidFilter)
    }

    @Test("Who may not write a view cannot write it through its list, nor the other way round")
    func writers() throws {
        let directory = try emptyDirectory()
        let (ada, _) = try people(directory)
        let attributes = directory.unrestricted.attributes
        func write(_ attributes: AttributeSet) -> DirectoryError.Code? {
            code { try directory.acting(as: .user(ada)).users.modify("ada", attributes: attributes) }
        }
        try attributes.setRights(of: "mobile", writers: .administrators)
        #expect(write(["mobile": "+9"]) == .notPermitted)
        #expect(write(["phoneNumbers": [["value": "+9", "type": "mobile"]]]) == .notPermitted)
        #expect(write(["homePhone": "+8"]) == nil)
        try attributes.resetRights(of: "mobile")
        try attributes.setRights(of: "phoneNumbers", writers: .administrators)
        #expect(write(["homePhone": "+7"]) == .notPermitted)
    }

    private static let refused: [(AttributeName, AttributeDefinition.Readers?, AttributeDefinition.Writers?)] = [
        ("password", .administrators, nil), ("password", .signedIn, nil), ("uid", nil, .person),
        ("active", nil, .person),
        ("manager", nil, .person), ("memberOf", nil, .person), ("externalId", .signedIn, nil), ("id", .person, nil),
        ("mail", nil, .person), ("emails", nil, .person), ("entitlements", nil, .person), ("title", .nobody, nil),
        ("title", nil, .nobody), ("pin", .signedIn, nil), ("nosuch", .signedIn, nil), ("mobile", .administrators, nil),
        ("displayName", .administrators, nil),
    ]

    @Test("What decides a sign-in is not opened, and nothing is set that cannot hold", arguments: refused)
    func bounds(
        _ name: AttributeName, _ readers: AttributeDefinition.Readers?, _ writers: AttributeDefinition.Writers?
    ) throws {
        let view = try emptyDirectory().unrestricted
        try view.attributes.declare([AttributeDefinition("pin", readers: .nobody)])
        let error = #expect(throws: DirectoryError.self) {
            try view.attributes.setRights(of: name, readers: readers, writers: writers)
        }
        #expect(error?.code == .invalidAttribute)
        #expect(error?.advice?.isEmpty == false)
        #expect(view.attributes.vocabulary().rights.isEmpty)
        #expect(try view.changes.lastSequence() == 1)
    }

    @Test("Every built-in attribute that can be narrowed gets its own readers and writers back")
    func backAgain() throws {
        for entity in [AttributeDefinition.Entity.user, .role] {
            let view = try emptyDirectory().unrestricted
            let before = view.attributes.vocabulary().definitions(for: entity)
            var narrowed = 0
            for definition in before {
                let isNarrowed =
                    code {
                        try view.attributes.setRights(
                            of: definition.name, for: entity, readers: .administrators, writers: .administrators)
                    } == nil
                let now = view.attributes.vocabulary().definition(of: definition.name, for: entity)
                guard isNarrowed else {
                    #expect(now == definition, "\(definition.name)")
                    continue
                }
                narrowed += 1
                #expect(now?.readers == .administrators && now?.writers == .administrators, "\(definition.name)")
                try view.attributes.resetRights(of: definition.name, for: entity)
                #expect(view.attributes.vocabulary().definitions(for: entity) == before, "\(definition.name)")
            }
            #expect(narrowed >= (entity == .user ? 40 : 2))
        }
    }

    @Test("Only administrators set rights", arguments: AccessTests.Who.allCases)
    func permission(_ who: AccessTests.Who) throws {
        try AccessTests.withCallers(.memory) { (_: Directory, view: AccessTests.Callers) throws in
            let expected: DirectoryError.Code? = who == .administrator ? nil : .notPermitted
            #expect(code { try view(who).attributes.setRights(of: "title", readers: .managers) } == expected)
            #expect(code { try view(who).attributes.resetRights(of: "title") } == expected)
        }
    }

    @Test("Rights of declared attributes, and of roles' attributes, can be set as well")
    func declared() throws {
        let directory = try emptyDirectory()
        let view = directory.unrestricted
        try view.attributes.declare([AttributeDefinition("salary", kind: .integer)])
        let eve = try view.users.create("eve").id
        try view.users.create("ada", attributes: ["salary": 7])
        try view.roles.create("staff", attributes: ["description": "All"])
        try view.attributes.setRights(of: "salary", readers: .person)
        try view.attributes.setRights(of: "description", for: .role, readers: .administrators)
        let hers = directory.acting(as: .user(eve))
        #expect(try hers.users.user("ada").attributes["salary"] == nil)
        #expect(try hers.roles.role("staff")["description"] == nil)
        #expect(view.attributes.vocabulary().declared.first?.readers == .person)
    }

    @Test("A seed sets rights, an export has them, and loading it again changes nothing")
    func seeds() throws {
        let json = """
            {"attributes": [{"name": "mobile", "readers": "signedIn"}, {"name": "badge"},
              {"name": "title", "readers": "managers", "writers": "person"},
              {"name": "description", "of": "role", "readers": "administrators"}]}
            """
        let view = try emptyDirectory().unrestricted
        let report = try view.load(Seed(json: Data(json.utf8), name: "s"))
        #expect(report.attributes.created == 1 && report.attributes.changed == 3)
        let vocabulary = view.attributes.vocabulary()
        #expect(vocabulary.definition(of: "mobile")?.readers == .signedIn)
        #expect(vocabulary.definition(of: "title")?.writers == .person)
        let again = try view.load(Seed(json: Data(json.utf8), name: "s"))
        #expect(again.attributes.unchanged == 4)
        var file = Data()
        try view.export(.json) { file += $0 }
        let copy = try emptyDirectory().unrestricted
        try copy.load(Seed(json: file, name: "copy"))
        #expect(copy.attributes.vocabulary().rights == vocabulary.rights)
        var second = Data()
        try copy.export(.json) { second += $0 }
        #expect(second == file)
    }

    @Test(
        "A mistake in a seed's rights is placed",
        arguments: [
            "{\"name\": \"mobile\"}", "{\"name\": \"mobile\", \"type\": \"string\", \"readers\": \"person\"}",
            "{\"name\": \"mobile\", \"readers\": \"everybody\"}", "{\"name\": \"password\", \"readers\": \"signedIn\"}",
            "{\"name\": \"mail\", \"writers\": \"person\"}",
        ])
    func seedMistakes(_ entry: String) throws {
        let view = try emptyDirectory().unrestricted
        let error = #expect(throws: DirectoryError.self) {
            try view.load(Seed(json: Data("{\"attributes\": [\n\(entry)]}".utf8), name: "s.json"))
        }
        #expect(error?.code == .invalidInput)
        #expect(error?.message.hasPrefix("s.json, line 2") == true, "\(error?.message ?? "")")
    }
}

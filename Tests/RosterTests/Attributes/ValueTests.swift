import Foundation
import Roster
import Testing
import TestSupport

private enum Company {
    static let badge = Attribute<Int>("badge")
    static let rating = Attribute<Double>("rating")
    static let joined = Attribute<Date>("joined")
    static let key = Attribute<Data>("key")
    static let isRemote = Attribute<Bool>("isRemote")
    static let skills = Attribute<[String]>("skills")
    static let title = Attribute<String>(.title)
}

@Suite("Values and their names have types")
struct ValueTests {
    @Test("Attributes of one's own are declared, written, searched and read without casts")
    func typed() throws {
        try withDirectory(.usual) { directory in
            let view = directory.unrestricted
            try view.attributes.declare([
                AttributeDefinition(Company.badge), AttributeDefinition(Company.rating),
                AttributeDefinition(Company.joined), AttributeDefinition(Company.key),
                AttributeDefinition(Company.isRemote), AttributeDefinition(Company.skills),
            ])
            let day = Date(timeIntervalSince1970: 1_700_000_000.5)
            var attributes: AttributeSet = [:]
            attributes[Company.badge] = 42
            attributes[Company.rating] = 0.1
            attributes[Company.joined] = day
            attributes[Company.key] = Data([0, 1, 255])
            attributes[Company.isRemote] = true
            attributes[Company.skills] = ["Swift", "SQL"]
            try view.users.create("ada", attributes: attributes)
            let ada = try view.users.user(
                "ada", attributes: [Company.key.name, "badge", "rating", "joined", "isRemote", "skills"])
            #expect(ada[Company.badge] == 42 && ada[Company.rating] == 0.1 && ada[Company.joined] == day)
            #expect(ada[Company.key] == Data([0, 1, 255]) && ada[Company.isRemote] == true)
            #expect(ada[Company.skills] == ["Swift", "SQL"] && ada[Company.title] == nil)
            try view.users.modify(
                "ada", [.set(Company.badge, 43), .clear(Company.rating), .set(Company.title, "Lead")])
            let changed = try view.users.user("ada")
            #expect(changed[Company.badge] == 43 && changed[Company.rating] == nil && changed[Company.title] == "Lead")
            #expect(try view.users.count(matching: .attribute(Company.badge).isAtLeast(43)) == 1)
        }
    }

    static let values: [AttributeValue] = [
        "text", "", 7, .integer(.max), .integer(.min), 0.1, .decimal(3), .decimal(-0.0), true, false, .list([]),
        ["a", 1, [true]],
        .time(Date(timeIntervalSince1970: 1_700_000_000.123)), .binary(Data()), .binary(Data([0, 255])),
        .complex([:]), ["street": "x", "primary": true, "rank": 1.5], ["list": ["a": .binary(Data([1]))]],
    ]

    @Test("Every kind of value comes back from JSON and property lists as it was", arguments: values)
    func coded(value: AttributeValue) throws {
        #expect(try JSONDecoder().decode([AttributeValue].self, from: JSONEncoder().encode([value])) == [value])
        let set: AttributeSet = ["value": value, .mail: "x"]
        #expect(try JSONDecoder().decode(AttributeSet.self, from: JSONEncoder().encode(set)) == set)
        let list = try PropertyListEncoder().encode([value])
        #expect(try PropertyListDecoder().decode([AttributeValue].self, from: list) == [value])
    }

    @Test("Searches, filters, cursors and callers come back from JSON as they were")
    func questions() throws {
        let filter: Filter = .all(
            .familyName.starts("Mü"), .not(.title.present), .any(.member(of: "staff"), .attribute("badge").equals(7)),
            .element("emails", .attribute("type").equals("work")))
        let searches = [
            Search(
                filter, sortedBy: .init(.familyName, descending: true), attributes: [.mail], pageSize: 7,
                includesTotal: true),
            Search(from: .cursor(Cursor("abc")), prefetch: [.manager]), Search(from: .offset(3)),
        ]
        #expect(try JSONDecoder().decode([Search].self, from: JSONEncoder().encode(searches)) == searches)
        let callers: [Caller] = [
            .administrator("x"), .provisioning("y"), .virtualUser(issuer: "i", subject: "s"), .nobody,
        ]
        #expect(try JSONDecoder().decode([Caller].self, from: JSONEncoder().encode(callers)) == callers)
    }

    @Test("Printing a user or a role shows the name and the identifier, and nobody's data")
    func printing() throws {
        try withDirectory(.usual) { directory in
            let ada = try directory.unrestricted.users.create(
                "ada", attributes: [.homeAddress: "Elm Street", .mail: "a@b.example"])
            let role = try directory.unrestricted.roles.create("staff", attributes: [.description: "secret"])
            var dumped = ""
            dump([ada], to: &dumped)
            dump(role, to: &dumped)
            for text in ["\(ada)", "\([ada])", String(reflecting: ada), "\(role)", dumped] {
                #expect(!text.contains("Elm") && !text.contains("a@b") && !text.contains("secret"), "\(text)")
            }
            #expect("\(ada)" == "ada (\(ada.id))" && "\(role)" == "staff (\(role.id))")
            #expect(Set([ada, ada]).count == 1 && Dictionary(grouping: [role], by: \.self).count == 1)
        }
    }
}

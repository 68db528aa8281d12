import Foundation
import Roster
import TestSupport
import Testing

@Suite("Text that is contained")
struct ContainedTextTests {
    /// Users in whose names and addresses the characters of `anders` stand together, or apart.
    private static func directory() throws -> Directory {
        let directory = try emptyDirectory()
        let users = directory.unrestricted.users
        try users.create(
            "together", attributes: ["familyName": "Sanders", "mail": "sanders@example.com", "title": "x"])
        try users.create(
            "apart", attributes: ["familyName": "And nde der ers", "mail": "and.nde.der.ers@example.com", "title": "x"])
        try users.create("accented", attributes: ["familyName": "Sändersönders", "mail": "other@example.com"])
        try users.create("andersen", attributes: ["familyName": "Other", "mail": "third@example.com"])
        return directory
    }

    @Test(
        "Only users in whose text the characters stand together are found, counted and left out",
        arguments: [
            (Filter.familyName.contains("anders"), ["together"]), (.mail.contains("anders"), ["together"]),
            (.attribute("uid").contains("anders"), ["andersen"]), (.familyName.contains("änders"), ["accented"]),
            (.familyName.contains("and"), ["together", "apart"]), (.familyName.contains("nde der"), ["apart"]),
            (.any(.familyName.contains("anders"), .attribute("uid").contains("anders")), ["together", "andersen"]),
            (.all(.familyName.contains("anders"), .attribute(.title).equals("x")), ["together"]),
            (.all(.familyName.contains("ders"), .mail.contains("ders")), ["together"]),
            (.not(.familyName.contains("anders")), ["apart", "accented", "andersen"]),
            (.not(.mail.contains("anders")), ["apart", "accented", "andersen"]),
            (.familyName.contains(String(repeating: "anders", count: 40)), []),
        ] as [(Filter, [String])])
    func findsWhatStandsTogether(filter: Filter, names: [String]) throws {
        let users = try Self.directory().unrestricted.users
        let page = try users.search(Search(filter, includesTotal: true))
        #expect(page.elements.map(\.uid) == names)
        #expect(page.total == names.count)
        #expect(try users.count(matching: filter) == names.count)
        let sorted = try users.search(Search(filter, sortedBy: .init(.uid)))
        #expect(sorted.elements.map(\.uid) == names.sorted())
    }

    @Test("Telephone numbers are found by a part, those of one type alone, and also if a user has very many")
    func telephoneNumbers() throws {
        let users = try emptyDirectory().unrestricted.users
        func number(_ value: String, _ type: String) -> AttributeValue {
            ["value": .string(value), "type": .string(type)]
        }
        try users.create("work", attributes: ["phoneNumbers": [number("+49 30 12345-6", "work")]])
        try users.create(
            "mobile", attributes: ["phoneNumbers": [number("+49 30 99", "work"), number("0171/12345", "mobile")]])
        try users.create("apart", attributes: ["phoneNumbers": [number("123 2345", "work"), number("345", "fax")]])
        let many = (0..<200).map { number("+49 40 7\($0)", "work") } + [number("+49 40 12345", "fax")]
        try users.create("many", attributes: ["phoneNumbers": .list(many)])
        func found(_ filter: Filter) throws -> [String] {
            let page = try users.search(Search(filter, includesTotal: true))
            #expect(page.total == page.elements.count)
            return page.elements.map(\.uid)
        }
        #expect(try found(.attribute(.phoneNumbers).contains("12345")) == ["work", "mobile", "many"])
        #expect(try found(.attribute("mobile").contains("12345")) == ["mobile"])
        #expect(try found(.attribute("fax").contains("345")) == ["apart", "many"])
        #expect(try found(.attribute(.phoneNumbers).contains("23")) == ["work", "mobile", "apart", "many"])
        #expect(try found(.not(.attribute(.phoneNumbers).contains("12345"))) == ["apart"])
        try users.modify("many", attributes: ["phoneNumbers": [number("5", "work")]])
        #expect(try found(.attribute(.phoneNumbers).contains("12345")) == ["work", "mobile"])
        try users.modify("work", [.set("phoneNumbers", .list([]))])
        #expect(try found(.attribute(.phoneNumbers).contains("12345")) == ["mobile"])
        try users.delete("mobile")
        #expect(try found(.attribute(.phoneNumbers).contains("12345")).isEmpty)
    }

    @Test("A long text is found by its own end, although the index is asked for some of its characters only")
    func longText() throws {
        let users = try emptyDirectory().unrestricted.users
        let long = (0..<120).map { "part\($0)" }.joined(separator: " ")
        try users.create("whole", attributes: ["displayName": .string(long)])
        try users.create("other", attributes: ["displayName": .string(long.replacing("part77", with: "part7x"))])
        #expect(try users.search(Search(.attribute(.displayName).contains(long))).elements.map(\.uid) == ["whole"])
    }

    @Test("Control characters are found alike in an attribute with an index and in one without")
    func controlCharacters() throws {
        let view = try emptyDirectory().unrestricted
        try view.attributes.declare([AttributeDefinition("note"), AttributeDefinition("memo", isIndexed: false)])
        for (number, text) in ["a\u{1}", "a\u{1F}b\u{4}", "é\u{1}b", "a\u{1F}"].enumerated() {
            try view.users.create("u\(number)", attributes: ["note": .string(text), "memo": .string(text)])
        }
        let operands = ["a", "b", "a\u{1}", "a\u{1F}", "é", "e", "\u{1}", "\u{1F}", "\u{4}", "b\u{4}", "\u{1}b"]
        for operand in operands {
            for comparison in [Filter.Comparison.contains, .starts, .ends, .equal] {
                let names = try ["note", "memo"].map { name in
                    try view.users.search(Search(.compare(AttributePath(name), comparison, .string(operand))))
                        .elements.map(\.uid).sorted()
                }
                #expect(names[0] == names[1], "\(comparison) \(operand.debugDescription)")
            }
        }
        #expect(try view.users.search(Search(.attribute("note").ends("\u{1}"))).elements.map(\.uid) == ["u0"])
    }
}

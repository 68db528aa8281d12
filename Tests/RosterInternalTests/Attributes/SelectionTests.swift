import Testing

@testable import Roster

@Suite("Selections of attributes")
struct SelectionTests {
    private let vocabulary = Vocabulary()

    private func selected(_ names: [AttributeName], _ entity: AttributeDefinition.Entity = .user) throws -> Set<
        AttributeName
    > {
        var attributes: AttributeSet = [
            "title": "Clerk", "familyName": "Mori", "description": "Sales", "emails": ["a@b.example"],
        ]
        try Selection(.only(names), of: entity, vocabulary).apply(to: &attributes)
        return Set(attributes.map(\.name))
    }

    @Test("A list that is asked again selects the same attributes, for users and for roles")
    func again() throws {
        for _ in 0..<3 {
            #expect(try selected(["sn", "mail", "description"]) == ["familyName", "emails", "description"])
            #expect(try selected(["description"], .role) == ["description"])
            #expect(try selected(["description"]) == ["description"])
            #expect(throws: DirectoryError.self) { try selected(["title"], .role) }
            #expect(throws: DirectoryError.self) { try selected(["no-such-attribute"]) }
        }
    }

    @Test("More lists than are remembered, and longer ones, select their attributes")
    func many() throws {
        let lists: [[AttributeName]] = (1...30).map { Array(repeating: "title", count: $0) + ["sn"] }
        for _ in 0..<2 {
            for list in lists { #expect(try selected(list) == ["title", "familyName"]) }
            #expect(try selected(Array(repeating: "mail", count: 1_000)) == ["emails"])
        }
    }
}

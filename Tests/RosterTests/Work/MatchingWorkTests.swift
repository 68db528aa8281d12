import Foundation
import Roster
import RosterStore
import TestSupport
import Testing

@Suite("The work of the search for people by words", .timeLimit(.minutes(10)))
struct MatchingWorkTests {
    private static let names = ["Anna", "Bert", "Cleo", "Dora"]

    private static func directory(_ place: Place, _ count: Int, _ body: (Directory) throws -> Void) throws {
        try withDirectory(place) { (directory: Directory) throws in
            try directory.unrestricted.users.load(
                (0..<count).map { number in
                    let family = number == 77 ? "Rarename" : "Family \(number % 50)"
                    let attributes: AttributeSet = [
                        "givenName": .string(names[number % 4]), "familyName": .string(family), "title": "Engineer",
                        "department": number % 2 == 0 ? "Research" : "Sales",
                    ]
                    let manager: UserReference? = number == 0 ? nil : .named("u\((number - 1) / 8)")
                    return NewUser("u\(number)", attributes: attributes, manager: manager)
                })
            try body(directory)
        }
    }

    private static let questions = [
        "anna", "engineer research", "rarename", "anna family", "rarenmae", "enginer", "dora sales", "zzzz",
    ]

    @Test("A question takes the same work among four times as many people", arguments: Place.allCases)
    func questions(place: Place) throws {
        var found: [String: [StatementWork]] = [:]
        for count in [2_000, 8_000] {
            try Self.directory(place, count) { directory in
                let me = try directory.unrestricted.users.user("u77").id
                let users = directory.acting(as: .user(me)).users
                for question in Self.questions {
                    _ = try users.matching(question)
                    let work = try work(on: directory) { _ = try users.matching(question) }
                    found[question, default: []].append(work)
                }
            }
        }
        for question in Self.questions {
            let works = try #require(found[question])
            // Chunks of people whom the index finds, and the index's own steps, may be a few more.
            #expect(works[1].statements <= works[0].statements + 30, "\(question): \(works)")
            #expect(works[1].steps <= works[0].steps * 3 / 2 + 2_000, "\(question): \(works)")
        }
    }
}

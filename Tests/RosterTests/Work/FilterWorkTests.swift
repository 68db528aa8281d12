import Foundation
import Roster
import RosterStore
import Testing
import TestSupport

/// The work of filters and lists: a page costs what it shows, and not what the directory has.
@Suite("The work of filters", .timeLimit(.minutes(10)))
struct FilterWorkTests {
    private static let people = 1_500

    private struct Question: Sendable {
        let name: String
        /// Whether the parts of the filter have more candidates in the larger directory. Up to 1,000 candidates of each part are counted
        /// to choose the way.
        let isCounted: Bool
        let search: @Sendable (Int) -> Search

        init(
            _ name: String, _ filter: @escaping @Sendable (Int) -> Filter, by order: [Search.Sort] = [],
            isCounted: Bool = false
        ) {
            self.name = name
            self.isCounted = isCounted
            search = { Search(filter($0), sortedBy: order, pageSize: 20) }
        }
    }

    /// The most statements that find out in a file where two indexes with more candidates than that meet.
    private static let statementsOfMeeting = 3
    /// The steps that counting 1,000 candidates takes for each of two parts.
    private static let stepsOfChoice = 8_000

    private static let byName = [Search.Sort(.familyName)]

    private static let questions: [Question] = [
        Question("name and in a large role", { .all(.uid.equals(.string("u\($0)")), .member(of: "large", .direct)) }),
        Question(
            "name and not in a large role", { .all(.uid.equals(.string("u\($0)")), .not(.member(of: "large"))) }),
        Question(
            "name or address", { .any(.uid.equals(.string("u\($0)")), .mail.equals(.string("u\($0)@example.com"))) }),
        Question(
            "name or address, in a large role",
            {
                .all(
                    .any(.uid.equals(.string("u\($0)")), .mail.equals(.string("u\($0)@example.com"))),
                    .member(of: "large", .direct))
            }),
        Question("members of a large role", { _ in .member(of: "large", .direct) }),
        Question("members of a large role by name", { _ in .member(of: "large", .direct) }, by: byName),
        Question("a department by name", { _ in .department.equals("research") }, by: byName),
        Question(
            "title and department", { _ in .all(.title.equals("title 1"), .department.equals("research")) },
            isCounted: true),
        Question("everybody by title, descending", { _ in .everything }, by: [.init(.title, descending: true)]),
        Question("changed since, nobody", { _ in Filter.attribute("modified").isGreater(than: .time(.distantFuture)) }),
        Question("newest changed first", { _ in .everything }, by: [.init("modified", descending: true)]),
        Question("no manager", { _ in .not(.manager.present) }),
        Question("no title", { _ in .not(.title.present) }),
        Question("no mail", { _ in .not(.mail.present) }),
        Question("an indexed country, nobody", { _ in .attribute("country").equals("XX") }),
        Question("telephone contains", { _ in .attribute(.phoneNumbers).contains("555 900") }),
        Question("a small line", { _ in .below("u100") }),
        Question("a large line by name", { _ in .all(.below("u0"), .active) }, by: byName),
    ]

    private static func directory(_ place: Place, _ count: Int, _ body: (Directory) throws -> Void) throws {
        try withDirectory(place) { (directory: Directory) throws in
            var scan = PlainScan.make(count)
            // The number of people who are found does not depend on the number of all.
            for number in scan.people.indices {
                scan.people[number].title = number == 900 ? nil : "title \(number % 3)"
                if number != 901 {
                    scan.people[number].mails = ["u\(number)@example.com"]
                } else {
                    scan.people[number].mails = []
                }
                scan.people[number].manager = number == 0 ? nil : number < 900 ? (number - 1) / 8 : 0
            }
            try scan.fill(directory)
            try directory.unrestricted.attributes.index("country")
            try body(directory)
        }
    }

    @Test("A page takes the same work among four times as many people", arguments: Place.allCases)
    func pages(place: Place) throws {
        var found: [String: [StatementWork]] = [:]
        for count in [Self.people, 4 * Self.people] {
            try Self.directory(place, count) { directory in
                let users = directory.unrestricted.users
                for question in Self.questions {
                    _ = try users.search(question.search(count - 10))
                    let work = try work(on: directory) { _ = try users.search(question.search(count - 12)) }
                    found[question.name, default: []].append(work)
                }
            }
        }
        for question in Self.questions {
            let works = try #require(found[question.name])
            var small = works[0]
            if question.isCounted {
                small.steps += Self.stepsOfChoice
                small.statements += Self.statementsOfMeeting
            }
            var large = works[1]
            if question.isCounted { large.statements = max(large.statements, small.statements) }
            #expect(large.isSame(as: small), "\(question.name): \(works[0]) and \(works[1])")
        }
    }

    @Test("A total counts the candidates of the most selective part", arguments: Place.allCases)
    func totals(place: Place) throws {
        let counted: [(String, Filter, isFixed: Bool)] = [
            ("name and role", .all(.uid.equals("u33"), .member(of: "large", .direct)), true),
            ("role", .member(of: "large", .direct), false), ("department", .department.equals("research"), false),
            ("small line", .below("u100"), true), ("large line", .below("u0"), false),
            ("no title", .not(.title.present), true),
            (
                "small role and department", .all(.member(of: "small", .direct), .department.equals("research")),
                true
            ),
        ]
        var found: [[StatementWork]] = []
        for count in [Self.people, 4 * Self.people] {
            try Self.directory(place, count) { directory in
                let users = directory.unrestricted.users
                found.append(
                    try counted.map { _, filter, _ in
                        _ = try users.count(matching: filter)
                        // A change empties the memory of totals.
                        try users.modify("u1", attributes: ["nickName": .string("n\(count)")])
                        return try work(on: directory) { _ = try users.count(matching: filter) }
                    })
            }
        }
        for (index, (name, _, isFixed)) in counted.enumerated() {
            var small = found[0][index]
            let large = found[1][index]
            if name == "small role and department" { small.steps += Self.stepsOfChoice }
            #expect(
                isFixed ? large.isSame(as: small) : large.isInProportion(to: small), "\(name): \(small) and \(large)")
        }
    }
}

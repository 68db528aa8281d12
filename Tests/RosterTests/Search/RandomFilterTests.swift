import Foundation
import Roster
import Testing
import TestSupport

/// Random filters over people of whom a plain scan in Swift knows everything.
@Suite("Random filters", .timeLimit(.minutes(10)))
struct RandomFilterTests {
    private struct Choices {
        var numbers: SeededNumbers
        let count: Int

        mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &numbers) }
        mutating func pick<Element>(_ elements: [Element]) -> Element { elements[number(0..<elements.count)] }
        mutating func uid() -> String { "u\(number(0..<count))" }

        mutating func leaf() -> Filter {
            switch number(0..<20) {
            case 0: .uid.equals(.string(uid()))
            case 1: .uid.starts(uid())
            case 2: .uid.contains("\(number(10..<300))")
            case 3: .title.equals(.string("title \(number(0..<4))"))
            case 4: pick([.title.present, .mail.present, .manager.present, .department.present])
            case 5: .department.equals(.string(pick(["research", "dept3", "dept5", "none"])))
            case 6: .department.isGreater(than: .string(pick(["dept3", "dept9", "r"])))
            case 7: .mail.equals(.string(pick(["\(uid())@example.com", "shared20@example.com", "none@example.com"])))
            case 8: .mail.ends(pick(["0@example.com", "@example.com"]))
            case 9: .attribute("tags").equals(.string(pick(["red", "tag0", "TAG3", "blue"])))
            case 10: .attribute("level").isLess(than: .integer(Int64(number(0..<100))))
            case 11: .attribute("country").equals(.string(pick(["AQ", "de", "XX"])))
            case 12: .manager.equals(.string(uid()))
            case 13: .member(of: .named(pick(PlainScan.roles)), .direct)
            case 14: .member(of: .named(pick(PlainScan.roles)))
            case 15: .below(.named(pick(["u0", "u1", "u5", uid()])))
            case 16: .below(.named(pick(["u0", "u1", "u5"])), levels: number(1..<4))
            case 17: .attribute(.phoneNumbers).contains("\(number(1..<900))")
            case 18: .attribute("mobile").contains("71/\(number(1..<30))")
            default: .active
            }
        }

        mutating func filter(_ depth: Int = 0) -> Filter {
            guard depth < 3, number(0..<10) < 6 else { return number(0..<4) == 0 ? .not(leaf()) : leaf() }
            let filters = (0..<number(1..<4)).map { _ in filter(depth + 1) }
            return switch number(0..<4) {
            case 0: .or(filters)
            case 1: .not(.and(filters))
            default: .and(filters)
            }
        }
    }

    @Test("Random filters find what a plain scan finds, and the pages of any order are that", arguments: Place.allCases)
    func random(place: Place) throws {
        let seed = randomSeed()
        let scan = PlainScan.make(2_200)
        try withDirectory(place) { (directory: Directory) throws in
            try scan.fill(directory)
            try directory.unrestricted.attributes.index("country")
            let users = directory.unrestricted.users
            var choices = Choices(numbers: SeededNumbers(seed: seed), count: scan.people.count)
            for round in 0..<150 {
                let filter = choices.filter()
                let expected = scan.names(filter)
                let order = choices.pick(FilterTableTests.orders)
                var read: [String] = []
                try users.all(Search(filter, sortedBy: order, pageSize: max(20, expected.count / 2))).forEach {
                    read.append($0.uid)
                }
                #expect(Set(read) == Set(expected) && read.count == expected.count, "seed \(seed), \(round): \(filter)")
                #expect(try users.count(matching: filter) == expected.count, "seed \(seed), \(round): \(filter)")
            }
        }
    }
}

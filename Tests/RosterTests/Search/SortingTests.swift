import Foundation
import Roster
import TestSupport
import Testing

@Suite("Sorting")
struct SortingTests {
    static let names = ["Äb", "Ärger", "éa", "Öl", "Ost", "ße", "Zoe"]

    private static func make(_ directory: Directory, _ people: [AttributeSet]) throws -> UserManager {
        let users = directory.unrestricted.users
        for (index, attributes) in people.enumerated() { try users.create("u\(index)", attributes: attributes) }
        return users
    }

    @Test(
        "Names sort as people expect, by an index, a text of one's own and in both directions",
        arguments: Place.allCases)
    func expectedOrder(place: Place) throws {
        try withDirectory(place) { directory in
            let names = Self.names.shuffled()
            let users = try Self.make(
                directory, names.map { [.familyName: .string($0), .nickName: .string($0), .displayName: .string($0)] })
            for attribute in [AttributeName.familyName, .nickName, .displayName] {
                for isDescending in [false, true] {
                    let sort = Search.Sort(attribute, descending: isDescending)
                    let found = try users.search(Search(sortedBy: sort)).elements.compactMap { $0[.familyName]?.text }
                    #expect(found == (isDescending ? Self.names.reversed() : Self.names), "\(sort)")
                }
            }
            #expect(
                try users.search(Search(.attribute(.familyName).isAtLeast("o"), sortedBy: .init(.familyName)))
                    .elements.compactMap { $0[.familyName]?.text } == ["Öl", "Ost", "ße", "Zoe"])
        }
    }

    @Test("Roles sort by their names and display names as people expect", arguments: Place.allCases)
    func roles(place: Place) throws {
        try withDirectory(place) { directory in
            let roles = directory.unrestricted.roles
            for name in Self.names.shuffled() { try roles.create(name) }
            for attribute in [AttributeName.name, .displayName] {
                let found = try roles.search(
                    Search(.not(.attribute(.name).equals("administrators")), sortedBy: .init(attribute)))
                #expect(found.elements.map(\.name) == Self.names)
            }
        }
    }

    @Test(
        "Comparisons ignore case and keep accents apart, whatever the keys of the order are", arguments: Place.allCases)
    func comparisons(place: Place) throws {
        try withDirectory(place) { directory in
            let names = ["Müller", "MÜLLER", "muller", "Mullers", "Mülz", "~Mu"]
            // A column of the user, a value that no index has, and a value in the table of values.
            let alias = AttributeName("alias")
            try directory.unrestricted.attributes.declare([AttributeDefinition(alias)])
            let users = try Self.make(
                directory, names.map { [.familyName: .string($0), .nickName: .string($0), alias: .string($0)] })
            func found(_ condition: (AttributeName) -> Filter) throws -> [[String]] {
                try [AttributeName.familyName, .nickName, alias].map { name in
                    try users.search(Search(condition(name), sortedBy: .init("id"))).elements.compactMap {
                        $0[name]?.text
                    }
                }
            }
            func expect(_ expected: [String], _ condition: (AttributeName) -> Filter) throws {
                let found = try found(condition)
                #expect(found == [expected, expected, expected], "\(condition(.familyName))")
            }
            try expect(["Müller", "MÜLLER"]) { .attribute($0).equals("müller") }
            try expect(["muller"]) { .attribute($0).equals("MULLER") }
            try expect(["muller", "Mullers"]) { .attribute($0).starts("mul") }
            try expect(["Müller", "MÜLLER", "Mülz"]) { .attribute($0).starts("Mü") }
            try expect(["muller", "Mullers"]) { .attribute($0).contains("ul") }
            try expect(["Müller", "MÜLLER"]) { .attribute($0).ends("ÜLLER") }
            try expect(["Mullers", "Mülz"]) {
                .and([.attribute($0).isGreater(than: "müller"), .attribute($0).isLess(than: "n")])
            }
            try expect(["~Mu"]) { .attribute($0).contains("~") }
            try expect([]) { .attribute($0).contains("\u{1}") }
        }
    }

    @Test(
        "Several attributes sort, each in its own direction, the same for pages, offsets and cursors",
        arguments: Place.allCases)
    func severalAttributes(place: Place) throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        try withDirectory(place) { directory in
            let names: [AttributeName] = [.department, .familyName, .title, .nickName]
            let values = ["Äb", "ab", "Ab", "b"]
            let people = (0..<40).map { _ in
                var set = AttributeSet()
                for name in names where Int.random(in: 0..<4, using: &numbers) > 0 {
                    set[name] = values.randomElement(using: &numbers).map { .string($0) }
                }
                return set
            }
            let users = try Self.make(directory, people)
            let all = try users.search(Search(sortedBy: .init("id"), attributes: .all, pageSize: 100)).elements
            let rank = ["ab": 0, "Ab": 1, "Äb": 2, "b": 3]
            for _ in 0..<30 {
                let order = names.shuffled(using: &numbers).prefix(Int.random(in: 2...3, using: &numbers)).map {
                    Search.Sort($0, descending: Bool.random(using: &numbers))
                }
                let expected = all.enumerated().sorted { left, right in
                    for sort in order {
                        let ranks = [left.element, right.element].map { rank[$0[sort.attribute]?.text ?? ""] ?? 9 }
                        if ranks[0] != ranks[1] { return (ranks[0] < ranks[1]) != sort.isDescending }
                    }
                    return (left.offset < right.offset) != order[0].isDescending
                }.map(\.element.uid)
                #expect(
                    try users.search(Search(sortedBy: order, pageSize: 100)).elements.map(\.uid) == expected,
                    "\(order), seed \(seed)")
                var (seen, start): ([String], Search.Start) = ([], .page(1))
                while true {
                    let page = try users.search(Search(sortedBy: order, pageSize: 7, from: start))
                    seen += page.elements.map(\.uid)
                    guard let next = page.next else { break }
                    start = .cursor(next)
                }
                #expect(seen == expected, "\(order), seed \(seed)")
                let offset = Int.random(in: 0..<40, using: &numbers)
                let rest = try users.search(Search(sortedBy: order, pageSize: 5, from: .offset(offset))).elements.map(
                    \.uid)
                #expect(rest == Array(expected.dropFirst(offset).prefix(5)), "\(order), \(offset), seed \(seed)")
            }
        }
    }

    @Test("A cursor of another order, and nine attributes, are refused")
    func refusals() throws {
        try withDirectory(.usual) { directory in
            let users = try Self.make(directory, (0..<4).map { [.title: .string("t\($0)")] })
            let order = [Search.Sort(.title), Search.Sort(.familyName)]
            let next = try #require(try users.search(Search(sortedBy: order, pageSize: 2)).next)
            #expect(
                code { try users.search(Search(sortedBy: order.reversed(), from: .cursor(next))) } == .invalidCursor)
            #expect(code { try users.search(Search(sortedBy: .init(.title), from: .cursor(next))) } == .invalidCursor)
            let many = Array(repeating: Search.Sort(.title), count: 9)
            #expect(code { try users.search(Search(sortedBy: many)) } == .invalidFilter)
        }
    }
}

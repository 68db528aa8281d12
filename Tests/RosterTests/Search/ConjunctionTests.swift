import Foundation
import Roster
import RosterStore
import Testing
import TestSupport

@Suite("Filters of two values that each have an index", .timeLimit(.minutes(5)))
struct ConjunctionTests {
    /// People in runs of one title and one department, as imports of one department after the other leave them: `Clerk` in `Sales` and `Chief`
    /// in `Research`, 3,000 of each in turns of 500, and then 60 people who are `Clerk` in `Research`.
    private func fill(_ directory: Directory) throws {
        func person(_ number: Int, _ title: String, _ department: String) -> NewUser {
            NewUser(
                "u\(number)",
                attributes: [
                    "title": .string(title), "department": .string(department),
                    "mail": .string("u\(number)@example.com"),
                ])
        }
        let runs = (0..<6_000).map { number in
            number / 500 % 2 == 0 ? person(number, "Clerk", "Sales") : person(number, "Chief", "Research")
        }
        try directory.unrestricted.users.load(runs + (6_000..<6_060).map { person($0, "Clerk", "Research") })
    }

    private static let both = Filter.all(.title.equals("clerk"), .department.equals("research"))

    private func names(_ search: Search, _ view: DirectoryView) throws -> [String] {
        try view.users.search(search).elements.map(\.uid)
    }

    @Test("Pages have everybody with both values, in order, by cursors and by numbers", arguments: Place.allCases)
    func pages(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            try fill(directory)
            let view = directory.unrestricted
            let expected = (6_000..<6_060).map { "u\($0)" }
            for filter in [Self.both, .all(.department.equals("research"), .title.equals("clerk"))] {
                for order in [[], [Search.Sort("id")], [.init(.title)], [.init(.title, descending: true)]] {
                    var found: [String] = []
                    var start = Search.Start.page(1)
                    while true {
                        let page = try view.users.search(Search(filter, sortedBy: order, pageSize: 25, from: start))
                        found += page.elements.map(\.uid)
                        guard let next = page.next else { break }
                        start = .cursor(next)
                    }
                    // Equal titles come in the order of identifiers, forwards or backwards.
                    #expect(
                        found == (order.first?.isDescending == true ? expected.reversed() : expected),
                        "\(filter) \(order)")
                }
                let third = Search(filter, pageSize: 20, from: .page(3), includesTotal: true)
                #expect(try names(third, view) == Array(expected.suffix(20)))
                #expect(try view.users.search(third).total == 60)
                #expect(try names(Search(filter, pageSize: 7, from: .offset(58)), view) == Array(expected.suffix(2)))
            }
            #expect(try names(Search(.all(.title.equals("chief"), .department.equals("sales"))), view) == [])
        }
    }

    @Test("The case of letters does not count, also where values differ in nothing else", arguments: Place.allCases)
    func cases(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            try fill(directory)
            let view = directory.unrestricted
            for name in ["u6001", "u6003"] { try view.users.modify(.named(name), [.set(.title, "CLERK")]) }
            try view.users.modify("u6002", [.set(.department, "RESEARCH")])
            let found = try names(Search(Self.both, pageSize: 100), view)
            #expect(Set(found) == Set((6_000..<6_060).map { "u\($0)" }) && found.count == 60)
        }
    }

    @Test("A page by a cursor among people with one value costs the same wherever the page is")
    func deepPages() throws {
        guard Place.allCases.contains(.memory) else { return }
        try withDirectory(.memory) { (directory: Directory) throws in
            try fill(directory)
            let view = directory.unrestricted
            for (filter, order) in [
                (Filter.department.equals("sales"), nil), (.everything, Search.Sort(.title)),
                (.everything, .init(.title, descending: true)),
            ] {
                var steps: [Int] = []
                var start = Search.Start.page(1)
                var found: Set<UserID> = []
                while true {
                    var page: Page<User>?
                    let work = try TestSupport.work(on: directory) {
                        page = try view.users.search(Search(filter, sortedBy: order, pageSize: 100, from: start))
                    }
                    steps.append(work.steps)
                    found.formUnion(page?.elements.map(\.id) ?? [])
                    guard let next = page?.next else { break }
                    start = .cursor(next)
                }
                #expect(found.count == (filter == .everything ? 6_060 : 3_000))
                // The page with the end of a value reads the next value, too.
                #expect((steps.max() ?? 0) < 2 * steps[1], "\(filter): \(steps)")
            }
        }
    }

    @Test("A page does not read the people before who have one of the values only")
    func work() throws {
        guard Place.allCases.contains(.memory) else { return }
        try withDirectory(.memory) { (directory: Directory) throws in
            try fill(directory)
            let search = Search(Self.both, pageSize: 20)
            _ = try names(search, directory.unrestricted)
            let work = try TestSupport.work(on: directory) { _ = try names(search, directory.unrestricted) }
            // Counting 1,000 candidates of each value takes 8,000 steps; reading the 3,000 with the title alone would take 50,000.
            #expect(work.steps < 25_000 && work.fullScanSteps == 0, "\(work)")
        }
    }
}

import Roster
import RosterStore
import RosterText
import Testing
import TestSupport

@Suite("Walks down reporting lines", .timeLimit(.minutes(5)))
struct ReportingWalkTests {
    /// A step as text: depth, name, whether it is the last one, and how many it hides.
    private static func walk(_ users: UserManager, from start: UserReference? = nil, levels: Int? = nil) async throws
        -> [String]
    {
        let steps = Locked<[String]>([])
        try await users.walkDown(from: start, attributes: ["title"], levels: levels) { step in
            steps.withLock { $0.append("\(step.depth) \(step.user.uid) \(step.isLast) \(step.hidden)") }
        }
        return steps.withLock { $0 }
    }

    /// Users each of whom reports to a user of a smaller number, or to nobody.
    private static func fill(_ view: DirectoryView, _ managers: [Int?]) throws {
        try view.users.load(
            managers.enumerated().map { number, manager in
                NewUser("u\(number)", attributes: ["title": "T"], manager: manager.map { .named("u\($0)") })
            })
    }

    private static func expected(_ managers: [Int?], from start: Int?, levels: Int) -> [String] {
        let reportees = Dictionary(grouping: managers.indices.filter { managers[$0] != nil }) { managers[$0] ?? 0 }
        func everyone(below number: Int) -> Int {
            (reportees[number] ?? []).reduce(0) { $0 + 1 + everyone(below: $1) }
        }
        var lines: [String] = []
        func add(_ number: Int, _ depth: Int, _ isLast: Bool) {
            let below = reportees[number] ?? []
            lines.append("\(depth) u\(number) \(isLast) \(depth >= levels ? everyone(below: number) : 0)")
            guard depth < levels else { return }
            for (index, next) in below.enumerated() { add(next, depth + 1, index == below.count - 1) }
        }
        let first = start.map { [$0] } ?? managers.indices.filter { managers[$0] == nil }
        for (index, number) in first.enumerated() { add(number, 0, index == first.count - 1) }
        return lines
    }

    @Test("A walk comes to each user once, managers first, whatever the shape of the lines", arguments: Place.allCases)
    func order(place: Place) async throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        // A manager of more people than a page has, a long line, and everything between.
        let managers: [Int?] = (0..<3_000).map { number in
            switch number {
            case 0: nil
            case 1...1_200: 0
            case 1_201...1_230: number - 1
            default:
                Int.random(in: 0..<50, using: &numbers) == 0 ? nil : Int.random(in: 0..<number, using: &numbers)
            }
        }
        try await withDirectory(place) { directory in
            let view = directory.unrestricted
            try await onThread { try Self.fill(view, managers) }
            #expect(
                try await Self.walk(view.users) == Self.expected(managers, from: nil, levels: .max), "seed \(seed)")
            for (start, levels) in [(nil, 1), (0, 2), (1_200, 40), (5, 0)] as [(Int?, Int)] {
                let found = try await Self.walk(
                    view.users, from: start.map { .named("u\($0)") }, levels: levels)
                #expect(
                    found == Self.expected(managers, from: start, levels: levels), "seed \(seed), \(levels) levels")
            }
            #expect(await code { try await Self.walk(view.users, from: "nobody") } == .notFound)
        }
    }

    @Test(
        "A walk sends few statements, and takes four times the work for four times as many people",
        arguments: Place.allCases)
    func isLinear(place: Place) async throws {
        var found: [StatementWork] = []
        for count in [1_000, 4_000] {
            try await withDirectory(place) { directory in
                let view = directory.unrestricted
                try await onThread { try Self.fill(view, (0..<count).map { $0 == 0 ? nil : ($0 - 1) / 6 }) }
                var steps: [String] = []
                found.append(try await work(on: directory) { steps = try await Self.walk(view.users) })
                #expect(steps.count == count)
            }
        }
        #expect(found[1].isInProportion(to: found[0]), "\(found)")
        #expect(found[1].statements < 100, "\(found)")
    }

    @Test("A page far below the top costs what comes before it, and not its level", arguments: Place.allCases)
    func farPages(place: Place) throws {
        var found: [StatementWork] = []
        for count in [1_000, 4_000] {
            try withDirectory(place) { (directory: Directory) throws in
                let view = directory.unrestricted
                // Levels of 10, 200 and the rest.
                try Self.fill(
                    view,
                    (0..<count).map { $0 == 0 ? nil : $0 <= 10 ? 0 : $0 <= 210 ? ($0 - 1) % 10 + 1 : $0 % 200 + 11 })
                func page() throws -> [Subordinate] { try view.users.below("u0", limit: 20, offset: 215) }
                #expect(try page().map(\.depth) == Array(repeating: 3, count: 20))
                found.append(try work(on: directory) { _ = try page() })
                let all = try view.users.below("u0")
                #expect(all.count == count - 1)
                #expect(try page().map(\.user.uid) == all[215..<235].map(\.user.uid))
            }
        }
        #expect(found[1].isSame(as: found[0]), "\(found)")
    }
}

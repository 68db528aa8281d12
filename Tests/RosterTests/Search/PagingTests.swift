import Foundation
import Roster
import Testing
import TestSupport

@Suite("Pages and cursors")
struct PagingTests {
    static func withMany(_ place: Place, _ count: Int, _ body: (UserManager) throws -> Void) throws {
        try withDirectory(place) { directory in
            let users = directory.unrestricted.users
            for number in 0..<count {
                // Every third has no title; several share one.
                let title = number % 3 == 0 ? "" : "t\(number % 7)"
                try users.create(
                    "u\(1000 + number)",
                    attributes: ["title": .string(title), "familyName": .string("Name \(number * 37 % count)")])
            }
            try body(users)
        }
    }

    static let orders: [Search.Sort?] = [
        nil, .init("title"), .init("title", descending: true), .init("familyName"), .init("uid", descending: true),
        .init("costCenter"),
    ]

    @Test(
        "A cursor neither skips nor repeats anyone while others come, go and change", arguments: Place.allCases, orders)
    func cursorsWhileWriting(place: Place, order: Search.Sort?) throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        try Self.withMany(place, 60) { users in
            let search = { (start: Search.Start) in Search(sortedBy: order, pageSize: 7, from: start) }
            var staying = Set(try users.search(Search(pageSize: 100)).elements.map(\.uid))
            var seen: [String] = []
            var start = Search.Start.page(1)
            var new = 0
            while true {
                let page = try users.search(search(start))
                seen += page.elements.map(\.uid)
                guard let next = page.next else { break }
                start = .cursor(next)
                for _ in 0..<3 {
                    new += 1
                    try users.create(
                        "n\(new)", attributes: ["title": .string("t\(Int.random(in: 0..<9, using: &numbers))")])
                    if let gone = staying.sorted().randomElement(using: &numbers) {
                        try users.delete(.named(gone))
                        staying.remove(gone)
                    }
                    if let changed = staying.sorted().randomElement(using: &numbers) {
                        try users.modify(.named(changed), attributes: ["description": .string("\(new)")])
                    }
                }
                #expect(seen.count < 500, "seed \(seed)")
                if seen.count >= 500 { break }
            }
            #expect(Set(seen).count == seen.count, "nobody twice, seed \(seed)")
            #expect(staying.subtracting(seen) == [], "nobody left out, seed \(seed)")
        }
    }

    @Test(
        "Pages by position are right in any order of asking and after every change", arguments: Place.allCases, orders)
    func positions(place: Place, order: Search.Sort?) throws {
        try Self.withMany(place, 40) { users in
            for round in 0..<3 {
                let all = try users.search(Search(.active, sortedBy: order, pageSize: 100, includesTotal: true))
                let uids = all.elements.map(\.uid)
                #expect(all.total == uids.count)
                for page in [1, 5, 2, 9, 3, 8, 20, 1] {
                    let found = try users.search(
                        Search(.active, sortedBy: order, pageSize: 5, from: .page(page), includesTotal: true))
                    #expect(
                        found.elements.map(\.uid) == Array(uids.dropFirst((page - 1) * 5).prefix(5)), "page \(page)")
                    #expect(found.total == uids.count)
                    #expect((found.next == nil) == (page * 5 >= uids.count), "page \(page)")
                }
                try users.create("a\(round)", attributes: ["title": "t0"])
                try users.delete(.named("u\(1010 + round)"))
            }
        }
    }

    @Test("A cursor that was changed, cut, or made for another search is refused", arguments: Place.allCases)
    func tampered(place: Place) throws {
        try Self.withMany(place, 20) { users in
            let search = Search(.title.present, sortedBy: .init("title"), pageSize: 3)
            let cursor = try #require(try users.search(search).next)
            func code(_ text: String, _ filter: Filter = .title.present, _ order: Search.Sort? = .init("title"))
                -> DirectoryError.Code?
            {
                TestSupport.code {
                    try users.search(Search(filter, sortedBy: order, pageSize: 3, from: .cursor(Cursor(text))))
                }
            }
            let text = cursor.description
            #expect(code(text) == nil)
            #expect(text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) })
            for wrong in [
                "", ".", "..", "...", "a.b.c", "\0", text + ".", "." + text, text + ".x", String(text.dropFirst()),
                text + "=", " " + text,
                text.uppercased(), String(text.split(separator: ".").dropLast().joined(separator: ".")),
                text.replacingOccurrences(of: ".t", with: ".z"), text.replacingOccurrences(of: ".t", with: ".i"),
                "'; DROP TABLE user; --", String(repeating: "9", count: 100_000),
            ] { #expect(code(wrong) == .invalidCursor, "\(wrong.prefix(50))") }
            #expect(code(text, .everything) == .invalidCursor, "another filter")
            #expect(code(text, .title.present, nil) == .invalidCursor, "another order")
            #expect(
                code(text, .title.present, .init("title", descending: true)) == .invalidCursor, "the other direction")
            #expect(
                TestSupport.code {
                    try users.search(
                        Search(.title.present, sortedBy: .init("title"), pageSize: 9, from: .cursor(cursor)))
                } == nil)
        }
    }

    @Test("Another caller cannot go on with somebody's cursor")
    func foreignCaller() throws {
        let directory = try emptyDirectory()
        let view = directory.unrestricted
        for number in 0..<5 { try view.users.create("u\(number)") }
        let eve = try view.users.create("eve")
        let next = try #require(try view.users.search(Search(pageSize: 2)).next)
        let result = code {
            try directory.acting(as: .user(eve.id)).users.search(Search(pageSize: 2, from: .cursor(next)))
        }
        #expect(result == .invalidCursor)
    }

    @Test("Roles are searched, sorted and paged in the same way", arguments: Place.allCases)
    func roles(place: Place) throws {
        try withDirectory(place) { directory in
            let roles = directory.unrestricted.roles
            for number in 0..<10 {
                let description = number % 2 == 0 ? "even \(9 - number)" : ""
                try roles.create("r\(number)", attributes: ["description": .string(description)])
            }
            let even = try roles.search(Search(Filter.attribute("description").starts("EVEN"), includesTotal: true))
            #expect(even.total == 5)
            #expect(try roles.search(Search(Filter.attribute("name").equals("R3"))).elements.map(\.name) == ["r3"])
            var names: [String] = []
            var start = Search.Start.page(1)
            while true {
                let page = try roles.search(Search(sortedBy: .init("description"), pageSize: 3, from: start))
                names += page.elements.map(\.name)
                guard let next = page.next else { break }
                start = .cursor(next)
            }
            #expect(names == ["r8", "r6", "r4", "r2", "r0", "r1", "r3", "r5", "r7", "r9"])
        }
    }
}

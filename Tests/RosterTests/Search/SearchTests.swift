import Foundation
import Roster
import Testing
import TestSupport

@Suite("Search")
struct SearchTests {
    /// Ada has everything twice, Bob once, Cleo nothing.
    static func withPeople(_ place: Place, _ body: (UserManager, DirectoryView) throws -> Void) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            try view.attributes.declare([
                AttributeDefinition("tags", isMultiValued: true), AttributeDefinition("level", kind: .integer),
            ])
            try view.users.create(
                "ada",
                attributes: [
                    "title": "Countess", "costCenter": "77", "tags": ["red", "green"], "level": 2,
                    "emails": [["value": "ada@x.org", "type": "work"], ["value": "ada@home.org", "type": "home"]],
                ])
            try view.users.create(
                "bob",
                attributes: ["title": "Builder", "costCenter": "8", "tags": ["red"], "level": 1, "mail": "bob@x.org"])
            try view.users.create("cleo")
            try body(view.users, view)
        }
    }

    /// Each operator on an attribute with an index, one without, one with several values, and a number.
    static let comparisons: [(Filter, [String])] = [
        (.title.equals("COUNTESS"), ["ada"]), (.title.differs(from: "countess"), ["bob", "cleo"]),
        (.title.contains("UNT"), ["ada"]), (.title.contains("e"), ["ada", "bob"]), (.title.starts("b"), ["bob"]),
        (.title.ends("ER"), ["bob"]), (.title.isGreater(than: "builder"), ["ada"]),
        (.title.isAtLeast("builder"), ["ada", "bob"]), (.title.isLess(than: "countess"), ["bob"]),
        (.title.isAtMost("countess"), ["ada", "bob"]), (.title.present, ["ada", "bob"]),
        (.not(.title.present), ["cleo"]),
        (.not(.title.equals("countess")), ["bob", "cleo"]),
        (.not(.title.isGreater(than: "zzz")), ["ada", "bob", "cleo"]),
        (.attribute("costCenter").equals("77"), ["ada"]),
        (.attribute("costCenter").differs(from: "77"), ["bob", "cleo"]),
        (.attribute("costCenter").isGreater(than: "77"), ["bob"]), (.attribute("costCenter").contains("7"), ["ada"]),
        (.attribute("costCenter").present, ["ada", "bob"]),
        (.not(.attribute("costCenter").starts("7")), ["bob", "cleo"]),
        (.attribute("tags").equals("GREEN"), ["ada"]), (.attribute("tags").equals("red"), ["ada", "bob"]),
        (.attribute("tags").differs(from: "green"), ["bob", "cleo"]),
        (.attribute("tags").differs(from: "red"), ["cleo"]),
        (.attribute("tags").starts("gr"), ["ada"]), (.attribute("tags").isLess(than: "h"), ["ada"]),
        (.all(.attribute("tags").equals("red"), .attribute("tags").equals("green")), ["ada"]),
        (.attribute("tags").present, ["ada", "bob"]), (.attribute("level").isLess(than: 2), ["bob"]),
        (.attribute("level").differs(from: 2), ["bob", "cleo"]), (.attribute("level").isAtLeast(1), ["ada", "bob"]),
        (.mail.equals("ADA@home.org"), ["ada"]), (.mail.differs(from: "ada@home.org"), ["bob", "cleo"]),
        (.mail.contains("@x.o"), ["ada", "bob"]), (.mail.contains("@"), ["ada", "bob"]),
        (.mail.ends("HOME.ORG"), ["ada"]),
        (.mail.present, ["ada", "bob"]), (.compare(AttributePath("emails", part: "type"), .equal, "home"), ["ada"]),
        (
            .element("emails", .all(Filter.attribute("type").equals("work"), Filter.attribute("value").ends("x.org"))),
            ["ada"]
        ),
        (
            .element("emails", .all(Filter.attribute("type").equals("home"), Filter.attribute("value").ends("x.org"))),
            []
        ),
        (.element("emails", Filter.attribute("value").equals("BOB@X.ORG")), ["bob"]),
        (.not(.element("emails", Filter.attribute("type").present)), ["bob", "cleo"]),
        (.active, ["ada", "bob", "cleo"]), (.not(.active), []), (.everything, ["ada", "bob", "cleo"]),
        (.not(.everything), []),
        (.and([]), ["ada", "bob", "cleo"]), (.or([]), []), (.not(.or([])), ["ada", "bob", "cleo"]),
        (.title.starts(""), ["ada", "bob"]), (.title.contains(""), ["ada", "bob"]), (.title.equals(""), []),
        (.uid.isAtLeast("bob"), ["bob", "cleo"]), (.attribute("version").equals(1), ["ada", "bob", "cleo"]),
    ]

    @Test("Each operator on one value, several values and none", arguments: Place.allCases, comparisons)
    func operators(place: Place, comparison: (Filter, [String])) throws {
        try Self.withPeople(place) { (users: UserManager, _: DirectoryView) throws in
            let (filter, expected) = comparison
            let page = try users.search(Search(filter, includesTotal: true))
            #expect(page.elements.map(\.uid).sorted() == expected)
            #expect(page.total == expected.count)
            let negated = try users.search(Search(.not(filter), sortedBy: .init("uid"))).elements.map(\.uid)
            #expect(
                negated == ["ada", "bob", "cleo"].filter { !expected.contains($0) }, "nobody is in neither or both")
        }
    }

    static let sorts: [(Search.Sort, [String])] = [
        (.init("title"), ["bob", "ada", "cleo"]), (.init("title", descending: true), ["cleo", "ada", "bob"]),
        (.init("costCenter"), ["ada", "bob", "cleo"]), (.init("costCenter", descending: true), ["cleo", "bob", "ada"]),
        (.init("level"), ["bob", "ada", "cleo"]), (.init("level", descending: true), ["cleo", "ada", "bob"]),
        (.init("mail"), ["ada", "bob", "cleo"]), (.init("uid", descending: true), ["cleo", "bob", "ada"]),
        (.init("created"), ["ada", "bob", "cleo"]), (.init("id", descending: true), ["cleo", "bob", "ada"]),
        (.init("manager"), ["ada", "bob", "cleo"]), (.init("manager", descending: true), ["cleo", "bob", "ada"]),
        (.init("active"), ["ada", "bob", "cleo"]), (.init("description"), ["ada", "bob", "cleo"]),
    ]

    @Test(
        "Those without a value come last, and first in descending order, by pages and by cursors too",
        arguments: Place.allCases, sorts)
    func sorting(place: Place, sort: (Search.Sort, [String])) throws {
        try Self.withPeople(place) { (users: UserManager, _: DirectoryView) throws in
            let (order, expected) = sort
            #expect(try users.search(Search(sortedBy: order)).elements.map(\.uid) == expected)
            for (index, uid) in expected.enumerated().reversed() {
                let page = try users.search(Search(sortedBy: order, pageSize: 1, from: .page(index + 1)))
                #expect(page.elements.map(\.uid) == [uid])
                let rest = try users.search(Search(sortedBy: order, from: .offset(index)))
                #expect(rest.elements.map(\.uid) == Array(expected[index...]))
                guard let next = page.next else { continue }
                let after = try users.search(Search(sortedBy: order, from: .cursor(next)))
                #expect(after.elements.map(\.uid) == Array(expected[(index + 1)...]))
            }
            #expect(code { try users.search(Search(sortedBy: .init("memberOf"))) } == .invalidAttribute)
            #expect(code { try users.search(Search(sortedBy: .init("nonsense"))) } == .invalidFilter)
        }
    }

    static let hostile = [
        "\"", "\\", "*", "%", "_", "'", "''", "\0", "a\0b", "ab\0", "\"ab\0cd", "'; DROP TABLE user; --",
        "\" OR 1 = 1 --", "NEAR(ada)",
        "ada AND bob", "ada OR bob", "NOT ada", "ada*", "^ada", "uid:ada", "{name}:ada", "-ada", "+ada", "(ada)",
        "\"\"\"", "\u{1}",
        "a\nb", "\n\n\n", "\u{FFFD}", "\u{10FFFF}", "😀😀😀", "e\u{301}e\u{301}e\u{301}",
        String(repeating: "a", count: 2_000),
        String(repeating: "\"", count: 500), "?1", ":name", "$1", "\\u0000",
    ]

    @Test("Whatever is searched for is text and nothing else", arguments: Place.allCases, hostile)
    func injection(place: Place, text: String) throws {
        try Self.withPeople(place) { (users: UserManager, view: DirectoryView) throws in
            for name in ["uid", "title", "costCenter", "tags", "mail", "memberOf", "familyName"] as [AttributeName] {
                for comparison in Filter.Comparison.allCases {
                    let filter = Filter.compare(AttributePath(name), comparison, .string(text))
                    if name == "memberOf", comparison == .notEqual { continue }
                    let found = try users.search(Search(filter, includesTotal: true))
                    #expect(found.total == found.elements.count, "\(name) \(comparison)")
                    guard [.equal, .contains, .starts, .ends].contains(comparison) else { continue }
                    #expect(found.elements.isEmpty, "\(name) \(comparison)")
                }
            }
            // Where somebody has just this text, they are found by it and by its parts, and nobody else is.
            if !text.utf8.contains(0) {
                try users.create(
                    "it", attributes: ["givenName": .string("x" + text + "y"), "costCenter": .string(text)])
                for filter in [
                    Filter.givenName.contains(text), .givenName.starts("x" + text), .givenName.ends(text + "y"),
                    .givenName.equals(.string("X" + text + "Y")), .attribute("costCenter").equals(.string(text)),
                ] { #expect(try users.search(Search(filter)).elements.map(\.uid) == ["it"], "\(filter)") }
            }
            #expect(try view.check() == [])
        }
    }

    @Test("A filter that is too deep or too long is refused, one at the limit is not", arguments: Place.allCases)
    func limits(place: Place) throws {
        try Self.withPeople(place) { (users: UserManager, _: DirectoryView) throws in
            func nested(_ depth: Int, _ wrap: (Filter) -> Filter) -> Filter {
                (0..<depth).reduce(Filter.title.present) { filter, _ in wrap(filter) }
            }
            let wraps: [(Filter) -> Filter] = [
                { .not($0) }, { .and([$0, .everything]) }, { .and([.everything, $0]) }, { .or([$0]) },
                { .or([.title.equals("x"), $0, .title.equals("y")]) },
            ]
            for wrap in wraps {
                #expect(code { try users.search(Search(nested(Filter.maximumDepth, wrap))) } == nil)
                #expect(code { try users.search(Search(nested(5_000, wrap))) } == .invalidFilter)
            }
            func wide(_ count: Int) -> Filter { .or((0..<count).map { Filter.title.equals(.string("t\($0)")) }) }
            #expect(code { try users.search(Search(wide(Filter.maximumComparisons))) } == nil)
            #expect(code { try users.search(Search(wide(Filter.maximumComparisons + 1))) } == .invalidFilter)
            #expect(
                code { try users.search(Search(.or((0..<25_000).map { Filter.uid.contains("text\($0)") }))) }
                    == .invalidFilter)
            #expect(code { try users.search(Search(.and((0..<60).map { Filter.uid.contains("text\($0)") }))) } == nil)
        }
    }

    @Test(
        "Unknown attributes, pages and attributes to fetch are refused with their kind of error",
        arguments: Place.allCases)
    func refusals(place: Place) throws {
        try Self.withPeople(place) { (users: UserManager, view: DirectoryView) throws in
            #expect(code { try users.search(Search(Filter.attribute("nonsense").present)) } == .invalidFilter)
            #expect(code { try users.search(Search(attributes: ["nonsense"])) } == .invalidAttribute)
            for size in [-1, DirectoryLimits.maximumPageSize + 1, .max, .min] {
                #expect(code { try users.search(Search(pageSize: size)) } == .invalidPage)
            }
            for start in [Search.Start.page(0), .page(-1), .page(.min), .page(.max), .offset(-1), .offset(.min)] {
                #expect(code { try users.search(Search(from: start)) } == .invalidPage, "\(start)")
            }
            #expect(try users.search(Search(from: .offset(.max))).elements == [])
            let count = try users.search(Search(.title.present, pageSize: 0, includesTotal: true))
            #expect(count.elements == [])
            #expect(count.total == 2)
            #expect(count.next == nil)
            #expect(code { try view.roles.search(Search(.title.present)) } == .invalidFilter, "roles have no title")
        }
    }
}

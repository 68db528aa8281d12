import Foundation
import Roster
import Testing
import TestSupport

@Suite("Reporting lines")
struct ReportingTests {
    /// top ← (a ← (a1, a2 ← a21), b), and alone.
    static func withTree(_ place: Place, _ body: (UserManager, DirectoryView) throws -> Void) throws {
        try withDirectory(place) { directory in
            let users = directory.unrestricted.users
            try users.create("top", attributes: ["title": "Chief"])
            for (uid, manager) in [("a", "top"), ("b", "top"), ("a1", "a"), ("a2", "a"), ("a21", "a2")] {
                try users.create(uid, attributes: ["title": .string("T " + uid)], manager: .named(manager))
            }
            try users.create("alone")
            try body(users, directory.unrestricted)
        }
    }

    @Test("The chain to the top, and where it ends before", arguments: Place.allCases)
    func chain(place: Place) throws {
        try Self.withTree(place) { (users: UserManager, _: DirectoryView) throws in
            func chain(levels: Int? = nil, upTo end: ChainEnd? = nil) throws -> [String] {
                try users.chain(of: "a21", levels: levels, upTo: end).map(\.uid)
            }
            #expect(try chain() == ["a2", "a", "top"])
            #expect(try chain(levels: 2) == ["a2", "a"])
            #expect(try chain(upTo: .user("A")) == ["a2", "a"])
            #expect(try chain(upTo: .title("t A2")) == ["a2"])
            #expect(try chain(upTo: .title("nobody's")) == ["a2", "a", "top"])
            #expect(try users.chain(of: "top").isEmpty)
            #expect(
                try users.chain(of: "a21", attributes: ["givenName"], upTo: .title("T a")).map(\.uid) == ["a2", "a"])
            #expect(code { try chain(levels: 0) } == .invalidPage)
            #expect(code { try chain(upTo: .user("nobody")) } == .notFound)
            #expect(code { try users.chain(of: "nobody") } == .notFound)
        }
    }

    @Test("Everyone below with their depth, level by level and in pages", arguments: Place.allCases)
    func below(place: Place) throws {
        try Self.withTree(place) { (users: UserManager, _: DirectoryView) throws in
            func below(_ user: UserReference, levels: Int? = nil, limit: Int = 100, offset: Int = 0) throws -> [String]
            {
                try users.below(user, levels: levels, limit: limit, offset: offset).map { "\($0.depth) \($0.user.uid)" }
            }
            let all = ["1 a", "1 b", "2 a1", "2 a2", "3 a21"]
            #expect(try below("top") == all)
            #expect(try below("top", levels: 1) == Array(all[..<2]))
            #expect(try below("top", levels: 2) == Array(all[..<4]))
            #expect(try below("top", limit: 2, offset: 1) == Array(all[1..<3]))
            #expect(try below("top", offset: 5) == [])
            #expect(try below("a21") == [])
            let counts = try users.reporteeCounts(of: "top")
            #expect(counts == (2, 5))
            #expect(try users.withoutManager().map(\.uid) == ["top", "alone"])
            #expect(code { try below("top", limit: 0) } == .invalidPage)
            #expect(code { try below("top", offset: -1) } == .invalidPage)
        }
    }

    @Test("Reportees come in pages, with the attributes asked for", arguments: Place.allCases)
    func reportees(place: Place) throws {
        try Self.withTree(place) { (users: UserManager, _: DirectoryView) throws in
            let first = try users.reportees(of: "top", attributes: ["title"], limit: 1)
            #expect(first.map(\.title) == ["T a"])
            #expect(try users.reportees(of: "top", limit: 1, after: first.last?.id).map(\.uid) == ["b"])
            #expect(try users.reportees(of: "top", after: users.user("b").id).isEmpty)
            #expect(code { try users.reportees(of: "top", attributes: ["nonsense"]) } == .invalidAttribute)
        }
    }

    @Test("The lowest common manager, who may be one of those asked about", arguments: Place.allCases)
    func common(place: Place) throws {
        try Self.withTree(place) { (users: UserManager, _: DirectoryView) throws in
            func common(_ names: UserReference...) throws -> String? { try users.lowestCommonManager(of: names)?.uid }
            #expect(try common("a1", "a21") == "a")
            #expect(try common("a21", "b") == "top")
            #expect(try common("a", "a21") == "a")
            #expect(try common("a21") == "a21")
            #expect(try common("a21", "alone") == nil)
            #expect(try common() == nil)
            #expect(try common("a1", "a2", "b", "a21") == "top")
            #expect(code { try common("a", "nobody") } == .notFound)
        }
    }

    @Test("Nobody comes to report to themselves, by whatever verb", arguments: Place.allCases)
    func circles(place: Place) throws {
        try Self.withTree(place) { (users: UserManager, view: DirectoryView) throws in
            let last = try view.changes.lastSequence()
            for manager in ["top", "a", "a2", "a21"] {
                #expect(code { try users.setManager(.named(manager), of: "top") } == .circle)
                #expect(
                    code { try users.modify("top", [.set("manager", .string(manager)), .set("title", "x")]) } == .circle
                )
            }
            #expect(try view.changes.lastSequence() == last)
            #expect(code { try users.create("self", manager: "self") } == .notFound)
            try users.setManager("b", of: "a")
            #expect(try users.chain(of: "a21").map(\.uid) == ["a2", "a", "b", "top"])
            #expect(code { try users.setManager("a21", of: "b") } == .circle)
        }
    }

    @Test(
        "What becomes of the reportees of someone who is deleted is the caller's choice", arguments: Place.allCases,
        ReporteePolicy.allCases)
    func deletion(place: Place, policy: ReporteePolicy) throws {
        try Self.withTree(place) { (users: UserManager, _: DirectoryView) throws in
            let result = code { try users.delete("a", reportees: policy) }
            #expect(result == (policy == .refuse ? .hasReportees : nil))
            let expected: [String?] =
                policy == .refuse ? ["a", "a"] : policy == .reassign ? ["top", "top"] : [nil, nil]
            #expect(try ["a1", "a2"].map { try users.user($0).manager()?.uid } == expected)
            #expect(try users.user("a1").version == (policy == .refuse ? 1 : 2))
            #expect(try users.user("a21").manager()?.uid == "a2", "those further below stay where they are")
            let top = code { try users.delete("top", reportees: policy) }
            #expect(top == (policy == .refuse ? .hasReportees : nil))
            if policy == .reassign { #expect(try users.user("b").managerID == nil, "above the top there is nobody") }
        }
    }

    @Test("A line of 1,500 levels is answered whole", arguments: Place.allCases)
    func deepLine(place: Place) throws {
        try withDirectory(place) { directory in
            let users = directory.unrestricted.users
            let depth = 1_500
            try users.load((0..<depth).map { NewUser("u\($0)", manager: $0 == 0 ? nil : .named("u\($0 - 1)")) })
            let bottom = UserReference.named("u\(depth - 1)")
            #expect(try users.chain(of: bottom).count == depth - 1)
            #expect(try users.below("u0").count == depth - 1)
            #expect(try users.reporteeCounts(of: "u0").all == depth - 1)
            #expect(try users.lowestCommonManager(of: [bottom, "u0"])?.uid == "u0")
            #expect(code { try users.setManager(bottom, of: "u0") } == .circle)
        }
    }
}

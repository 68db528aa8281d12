import Foundation
import Roster
import Testing
import TestSupport

/// Two questions about one person: whether the person is below another one, and whether the person is a member of a role.
@Suite("Below and member")
struct LineTests {
    @Test("A user is below each manager of the line, and below nobody else", arguments: Place.allCases)
    func isBelow(place: Place) throws {
        try ReportingTests.withTree(place) { (users: UserManager, _: DirectoryView) throws in
            for (user, manager, expected) in [
                ("a21", "a2", true), ("a21", "top", true), ("a1", "a", true), ("a1", "b", false), ("top", "a", false),
                ("a", "a", false), ("alone", "top", false), ("top", "top", false),
            ] {
                #expect(
                    try users.isBelow(.named(user), .named(manager)) == expected, "\(user) below \(manager)")
                let id = UserReference.id(try users.user(user).id)
                #expect(try users.isBelow(id, .either(manager)) == expected)
                #expect(
                    try users.count(matching: .all(.uid.equals(.string(user)), .below(.named(manager))))
                        == (expected ? 1 : 0))
            }
            #expect(code { try users.isBelow("nobody", "top") } == .notFound)
            #expect(code { try users.isBelow("top", "nobody") } == .notFound)
        }
    }

    @Test("A transaction sees its own lines and memberships", arguments: Place.allCases)
    func transaction(place: Place) throws {
        try ReportingTests.withTree(place) { (users: UserManager, view: DirectoryView) throws in
            try view.roles.create("team")
            let seen = try view.transaction { view in
                try view.users.setManager("b", of: "a")
                try view.roles.add([.user("a1")], to: "team")
                let everyone = try view.users.search(Search(.below("b"), sortedBy: .init(.uid))).elements.map(\.uid)
                return (
                    try view.users.isBelow("a21", "b"), try view.roles.contains("team", "a1"), everyone
                )
            }
            #expect(seen.0 && seen.1 && seen.2 == ["a", "a1", "a2", "a21"])
            #expect(try users.isBelow("a21", "b"))
        }
    }

    @Test("A role contains its members and those of nested roles, however many there are", arguments: Place.allCases)
    func contains(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let view = directory.unrestricted
            for uid in ["ada", "bob", "cleo"] { try view.users.create(uid) }
            let roles = view.roles
            for number in 0...20 {
                try roles.create("r\(number)")
                if number > 0 { try roles.add([.role(.named("r\(number)"))], to: .named("r\(number - 1)")) }
            }
            try roles.add([.user("ada")], to: "r20")
            try roles.add([.user("bob")], to: "r0")
            #expect(try roles.contains("r0", "ada") && roles.contains("r20", "ada") && roles.contains("r0", "bob"))
            #expect(try !roles.contains("r0", "ada", reach: .direct) && roles.contains("r0", "bob", reach: .direct))
            #expect(try !roles.contains("r1", "bob") && !roles.contains("r0", "cleo"))
            #expect(code { try roles.contains("nothing", "ada") } == .notFound)
            #expect(code { try roles.contains("r0", "nobody") } == .notFound)
            // With more nested roles than are looked at, the roles of the user are followed.
            try roles.create("wide")
            for number in 0..<80 {
                try roles.create("w\(number)")
                try roles.add([.role(.named("w\(number)"))], to: "wide")
            }
            try roles.add([.user("cleo")], to: "w79")
            #expect(try roles.contains("wide", "cleo") && !roles.contains("wide", "bob"))
            #expect(try view.users.count(matching: .member(of: "wide")) == 1)
        }
    }

    @Test("The three calling styles answer alike", arguments: Place.allCases)
    func styles(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("top")
            try await view.users.create("low", manager: "top")
            try await view.roles.create("team")
            try await view.roles.add([.user("low")], to: "team")
            #expect(try await view.users.isBelow("low", "top"))
            #expect(try await view.roles.contains("team", "low"))
            let queue = DispatchQueue(label: "test")
            let isBelow = await withCheckedContinuation { continuation in
                view.users.isBelowAsynchronously("low", "top", deliveringOn: queue) {
                    result, _ in continuation.resume(returning: result)
                }
            }
            let isMember = await withCheckedContinuation { continuation in
                view.roles.containsAsynchronously("team", "top", deliveringOn: queue) {
                    result, _ in continuation.resume(returning: result)
                }
            }
            #expect(try isBelow.get() && !isMember.get())
        }
    }

    @Test("A loop over all results needs no await, and ends by the error of its closure", arguments: Place.allCases)
    func all(place: Place) throws {
        struct Enough: Error {}
        try withDirectory(place) { (directory: Directory) throws in
            let view = directory.unrestricted
            for number in 0..<25 { try view.users.create("u\(number)") }
            var read: [String] = []
            try view.users.all(Search(pageSize: 4)).forEach { read.append($0.uid) }
            #expect(read == (0..<25).map { "u\($0)" })
            #expect(throws: Enough.self) {
                try view.users.all(Search(pageSize: 4)).forEach { if $0.uid == "u5" { throw Enough() } }
            }
        }
    }

    @Test("An explanation names the index, and the index that would help", arguments: Place.allCases)
    func explanations(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let view = directory.unrestricted
            try view.users.create("ada", attributes: ["country": "NL"])
            let users = view.users
            let byCountry = Search(.attribute("country").equals("nl"))
            let before = try users.explain(byCountry)
            #expect(before.readsEverybody && before.helpfulIndexes == ["country"])
            try view.attributes.index("country")
            let after = try users.explain(byCountry)
            #expect(!after.readsEverybody && after.helpfulIndexes.isEmpty)
            #expect(after.lines.contains { $0.contains("addresses.country") })
            #expect(try users.count(matching: byCountry.filter) == 1)
            try users.modify("ada", attributes: ["country": "BE"])
            #expect(try users.count(matching: byCountry.filter) == 0)
            #expect(view.attributes.vocabulary().definition(of: "country")?.isIndexed == true)
            #expect(try directory.unrestricted.check().isEmpty || place == .server)
            try view.attributes.removeIndex(of: "country")
            #expect(try users.explain(byCountry).readsEverybody)
            let byName = try users.explain(Search(.all(.uid.equals("ada"), .active)))
            #expect(!byName.readsEverybody && byName.lines.first?.contains("'uid'") == true)
        }
    }
}

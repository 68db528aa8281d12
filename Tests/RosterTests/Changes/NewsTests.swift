import Foundation
import Roster
import RosterStore
import Testing
import TestSupport

@Suite("Who is new, and what needs a hand", .timeLimit(.minutes(5)))
struct NewsTests {
    @Test("New and moved people are told latest first, as far as the caller may read it", arguments: Place.allCases)
    func news(place: Place) throws {
        let clock = SettableClock()
        try withDirectory(place, clock: { clock.now }) { (directory: Directory) throws in
            let view = directory.unrestricted
            try view.attributes.setRights(of: "title", readers: .administrators)
            for name in ["boss", "ada", "bob", "cleo", "dan"] { try view.users.create(name) }
            clock.advance(by: 7_200)
            for name in ["late", "gone"] { try view.users.create(name) }
            try view.users.setManager("boss", of: "late")
            try view.users.setManager("boss", of: "ada")
            try view.users.modify("bob", [.set("title", "Lead")])
            try view.users.modify("cleo", [.set("mobile", "1")])
            try view.users.modify("boss", [.set("department", "Board")])
            try view.users.modify("dan", [.set("department", "Board")])
            try view.users.delete("gone")
            func told(_ view: DirectoryView, _ limit: Int = 10) throws -> [String] {
                try view.read { try $0.overview.news(limit: limit) }.map { "\($0.user.uid) \($0.change.kind)" }
            }
            #expect(
                try told(view) == [
                    "dan modified", "boss modified", "bob modified", "ada modified", "late created", "cleo created",
                ])
            #expect(try told(view, 2) == ["dan modified", "boss modified"])
            let ada = directory.acting(as: .user(try view.users.user("ada").id))
            #expect(
                try told(ada) == [
                    "dan modified", "boss modified", "ada modified", "late created", "cleo created", "bob created",
                ],
                "a title that the caller may not read is no news")
        }
    }

    @Test(
        "An administrator is told who has no manager or mail, which managers are disabled, and how often sign-ins were refused",
        arguments: Place.allCases)
    func attention(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("boss", attributes: ["mail": "boss@example.com"])
            for name in ["ada", "bob", "cleo"] { try await view.users.create(name, manager: "boss") }
            try await view.users.setManager("bob", of: "cleo")
            for name in ["ada", "bob"] { try await view.users.modify(.named(name), [.set("active", false)]) }
            try await directory.audit([
                (AuditEntry(.refused, .user, id: 1, name: "x", actor: "sign-in", detail: ["from": "192.0.2.1"]), 3)
            ])
            let found = try await view.awaitRead { try $0.overview.attention() }
            #expect(found.withoutManager == 1 && found.withoutMail == 3 && found.refused == 1)
            let bob = try await view.users.user("bob").id
            #expect(found.disabledManagers == [bob])
            let ada = directory.acting(as: .user(try await view.users.user("cleo").id))
            await #expect(throws: DirectoryError.self) { _ = try await ada.awaitRead { try $0.overview.attention() } }
        }
    }

    @Test("Neither question takes more work in a directory of four times as many people", arguments: Place.allCases)
    func work(place: Place) throws {
        func works(_ people: Int) throws -> (news: StatementWork, attention: StatementWork) {
            try withDirectory(place) { (directory: Directory) throws in
                let view = directory.unrestricted
                try view.users.create("boss")
                try view.users.load(
                    (0..<people).map { number in
                        NewUser("u\(number)", manager: number < 1_500 ? nil : "boss", isActive: number >= 1_500)
                    })
                let person = directory.acting(as: .user(try view.users.user("boss").id))
                func ask() throws -> (StatementWork, StatementWork) {
                    (
                        try TestSupport.work(on: directory) {
                            let news = try person.read { try $0.overview.news(limit: 12) }
                            #expect(news.count == 12)
                        },
                        try TestSupport.work(on: directory) {
                            let found = try view.read { try $0.overview.attention() }
                            #expect(found.withoutMail > Attention.most)
                        }
                    )
                }
                _ = try ask()
                return try ask()
            }
        }
        let (small, large) = (try works(6_000), try works(24_000))
        #expect(large.news.isSame(as: small.news), "\(small.news) and \(large.news)")
        #expect(large.attention.isSame(as: small.attention), "\(small.attention) and \(large.attention)")
    }
}

import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("The examples of the README")
struct ReadmeTests: NamesFiles {
    let folder: ExampleFolder

    init() throws { folder = try ExampleFolder() }

    @Test("The program makes two users and finds one")
    func program() throws {
        let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
        let users = directory.unrestricted.users  // no permission checks: the app itself decides who may do what

        try users.create("ada", attributes: [.givenName: "Ada", .familyName: "Lovelace", .mail: "ada@example.com"])
        try directory.unrestricted.transaction { view in  // all of it or nothing
            try view.users.create("grace", attributes: [.givenName: "Grace", .familyName: "Hopper", .title: "Lead"])
            try view.users.setManager("ada", of: "grace")
        }

        let grace = try users.user("grace")
        print(grace.label, "reports to", try grace.manager()?.label ?? "nobody")

        let page = try users.search(Search(.all(.familyName.starts("Lo"), .active), sortedBy: .init(.familyName)))
        for user in page.elements { print(user.uid, user.mail ?? "without an address") }
        #expect(page.elements.map(\.uid) == ["ada"])
    }

    @Test("The program makes two users and finds one, with await")
    func programAwaiting() async throws {
        let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
        let users = directory.unrestricted.users  // no permission checks: the app itself decides who may do what

        try await users.create(
            "ada", attributes: [.givenName: "Ada", .familyName: "Lovelace", .mail: "ada@example.com"])
        try await directory.unrestricted.transaction { view in  // all of it or nothing
            try view.users.create("grace", attributes: [.givenName: "Grace", .familyName: "Hopper", .title: "Lead"])
            try view.users.setManager("ada", of: "grace")
        }

        let grace = try await users.user("grace")
        print(grace.label, "reports to", try await grace.manager()?.label ?? "nobody")

        let page = try await users.search(Search(.all(.familyName.starts("Lo"), .active), sortedBy: .init(.familyName)))
        for user in page.elements { print(user.uid, user.mail ?? "without an address") }
        #expect(page.elements.map(\.uid) == ["ada"])
    }

    @Test("Emma reports to Haruka")
    func manager() throws {
        let users = try Fixtures.company().unrestricted.users  // 40 users, always the same ones, in memory
        #expect(try users.manager(of: "emma.mueller")?.uid == "haruka.ito")
    }
}

import Foundation
import Roster
import Testing

@Suite("Getting started")
struct GettingStartedTests: NamesFiles {
    let folder: ExampleFolder

    init() throws { folder = try ExampleFolder() }

    @Test("A file is created")
    func file() throws {
        let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
        #expect(try directory.unrestricted.users.count() == 0)
    }

    @Test("A directory lives in memory")
    func memory() throws {
        let directory = try Directory.inMemory()
        #expect(try directory.unrestricted.users.count() == 0)
    }

    @Test("A view has the rights of its caller")
    func views() throws {
        let directory = try Directory.inMemory()
        let view = directory.unrestricted
        let ada = try view.users.create("ada", attributes: [.givenName: "Ada", .familyName: "Lovelace"])
        let own = directory.acting(as: .user(ada.id))
        #expect(own.caller == .user(ada.id))
    }

    @Test("A view has the rights of its caller, with await")
    func viewsAwaiting() async throws {
        let directory = try Directory.inMemory()
        let view = directory.unrestricted
        let ada = try await view.users.create("ada", attributes: [.givenName: "Ada", .familyName: "Lovelace"])
        let own = directory.acting(as: .user(ada.id))
        #expect(own.caller == .user(ada.id))
    }

    @Test("Users are created, read and changed")
    func users() throws {
        let directory = try Directory.inMemory()
        try directory.unrestricted.users.create("ada")
        let users = directory.unrestricted.users
        try users.create("grace", attributes: [.displayName: "Grace Hopper", .title: "Lead"], manager: "ada")

        let grace = try users.user("grace")
        print(grace.label, grace[.title]?.text ?? "without a title")
        print(try grace.manager()?.label ?? "at the top")

        try users.modify("grace", [.set(.title, "Rear admiral"), .clear(.mail)])
        try users.modify("grace", attributes: [.nickName: "Amazing Grace"])
        #expect(try users.user("grace").title == "Rear admiral")
    }

    @Test("Users are created, read and changed, with await")
    func usersAwaiting() async throws {
        let directory = try Directory.inMemory()
        try await directory.unrestricted.users.create("ada")
        let users = directory.unrestricted.users
        try await users.create("grace", attributes: [.displayName: "Grace Hopper", .title: "Lead"], manager: "ada")

        let grace = try await users.user("grace")
        print(grace.label, grace[.title]?.text ?? "without a title")
        print(try await grace.manager()?.label ?? "at the top")

        try await users.modify("grace", [.set(.title, "Rear admiral"), .clear(.mail)])
        try await users.modify("grace", attributes: [.nickName: "Amazing Grace"])
        #expect(try await users.user("grace").title == "Rear admiral")
    }

    @Test("A change names the version that it is based on")
    func versions() throws {
        let users = try Directory.inMemory().unrestricted.users
        try users.create("grace")
        let grace = try users.user("grace")
        try users.modify("grace", [.set(.title, "Commodore")], ifVersion: grace.version)
        #expect(try users.user("grace").version == grace.version + 1)
    }

    @Test("A change names the version that it is based on, with await")
    func versionsAwaiting() async throws {
        let users = try Directory.inMemory().unrestricted.users
        try await users.create("grace")
        let grace = try await users.user("grace")
        try await users.modify("grace", [.set(.title, "Commodore")], ifVersion: grace.version)
        #expect(try await users.user("grace").version == grace.version + 1)
    }

    @Test("An error has a code")
    func errors() throws {
        let users = try Directory.inMemory().unrestricted.users
        try users.create("ada")
        do {
            try users.create("ada")
        } catch let error as DirectoryError where error.code == .alreadyExists {
            print(error.message, error.advice ?? "")
        }
        #expect(try users.count() == 1)
    }

    @Test("An error has a code, with await")
    func errorsAwaiting() async throws {
        let users = try Directory.inMemory().unrestricted.users
        try await users.create("ada")
        do {
            try await users.create("ada")
        } catch let error as DirectoryError where error.code == .alreadyExists {
            print(error.message, error.advice ?? "")
        }
        #expect(try await users.count() == 1)
    }
}

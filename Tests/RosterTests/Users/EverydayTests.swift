import Foundation
import Roster
import Testing
import TestSupport

@Suite("Everyday verbs")
struct EverydayTests {
    private func withPeople(_ body: (DirectoryView) async throws -> Void) async throws {
        try await withDirectory(.usual) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.load(
                (1...25).map { NewUser("user\($0)", attributes: [.title: .string("Title \($0 % 2)")]) })
            for role in ["staff", "engineers", "swift"] { try await view.roles.create(role) }
            try await view.roles.add([.role("engineers")], to: "staff")
            try await view.roles.add([.role("swift")], to: "engineers")
            try await view.roles.add([.user("user1"), .user("user2")], to: "swift")
            try await view.roles.add([.user("user3")], to: "staff")
            try await body(view)
        }
    }

    @Test("Somebody who is not there is nil, and whether they are there can be asked")
    func finding() async throws {
        try await withPeople { (view: DirectoryView) async throws in
            #expect(try await view.users.find("USER1")?.uid == "user1")
            #expect(try await view.users.find("nobody") == nil)
            #expect(try await view.users.exists("user1"))
            #expect(try await !view.users.exists("nobody"))
            #expect(try await view.roles.find("Staff")?.name == "staff")
            #expect(try await view.roles.find("nothing") == nil)
            #expect(try await view.roles.exists("staff"))
            #expect(try await view.roles.count() == 3)
            await #expect(throws: DirectoryError.self) { try await view.users.find("user1", attributes: ["nosuch"]) }
        }
    }

    @Test("Several users come in one call, in the order in which they are named")
    func several() async throws {
        try await withPeople { (view: DirectoryView) async throws in
            let id = try await view.users.user("user7").id
            let found = try await view.users.users(["user9", .id(id), "nobody", "user9"], attributes: [.title])
            #expect(found.map { $0?.uid } == ["user9", "user7", nil, "user9"])
            #expect(found[0]?[.title] == "Title 1")
        }
    }

    @Test("Whoever is in a role, also through others, is found together with every other condition")
    func roles() async throws {
        try await withPeople { (view: DirectoryView) async throws in
            func found(_ filter: Filter) async throws -> [String] {
                try await view.users.search(Search(filter, sortedBy: .init(.uid))).elements.map(\.uid)
            }
            #expect(try await found(.member(of: "staff")) == ["user1", "user2", "user3"])
            #expect(try await found(.member(of: "staff", .direct)) == ["user3"])
            let id = try await view.roles.role("engineers").id
            #expect(try await found(.member(of: .id(id))) == ["user1", "user2"])
            #expect(try await found(.all(.member(of: "staff"), .title.equals("Title 1"))) == ["user1", "user3"])
            #expect(try await found(.all(.not(.member(of: "staff")), .uid.starts("user2"))).count == 6)
            #expect(try await found(.member(of: "nothing")) == [])
            #expect(try await view.users.count(matching: .any(.member(of: "swift"), .uid.equals("user9"))) == 3)
        }
    }

    @Test("A loop goes through all results, also while others write")
    func all() async throws {
        try await withPeople { (view: DirectoryView) async throws in
            var names: [String] = []
            let search = Search(.title.equals("Title 1"), sortedBy: .init(.uid), pageSize: 3)
            for try await user in view.users.all(search) {
                names.append(user.uid)
                if names.count == 4 { try await view.users.delete("user25") }
            }
            #expect(names == (0...12).map { "user\($0 * 2 + 1)" }.filter { $0 != "user25" }.sorted())
            var roles = 0
            for try await _ in view.roles.all() { roles += 1 }
            #expect(roles == 3)
            var none = 0
            for try await _ in view.users.all(Search(.uid.equals("nobody"))) { none += 1 }
            #expect(none == 0)
        }
    }

    @Test("Somebody who is there is changed, and somebody who is not is created")
    func upserting() async throws {
        try await withPeople { (view: DirectoryView) async throws in
            let (old, isNew) = try await view.users.upsert("USER1", attributes: [.title: "Lead"])
            #expect(old.uid == "user1" && old.title == "Lead" && !isNew)
            let (new, wasCreated) = try await view.users.upsert(
                "zoe", attributes: [.manager: "user1", "lastname": "Zoe"])
            #expect(wasCreated && new.lastName == "Zoe")
            #expect(try await new.manager()?.uid == "user1")
        }
    }
}

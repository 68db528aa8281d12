import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("Transactions and batches")
struct TransactionsTests {
    let directory: Directory
    var view: DirectoryView { directory.unrestricted }
    var users: UserManager { view.users }

    init() throws { directory = try Fixtures.company() }

    @Test("A transaction makes several changes as one")
    func transaction() throws {
        let lead = try view.transaction { view in
            let lead = try view.users.create(
                "new.lead", attributes: [.title: "Team Lead Mobile"], manager: "joerg.muench")
            try view.users.setManager("new.lead", of: "ruth.fischer")
            try view.users.setManager("new.lead", of: "noah.davies")
            return lead
        }
        print(lead.label)
        #expect(try users.manager(of: "ruth.fischer")?.uid == "new.lead")
    }

    @Test("A transaction makes several changes as one, with await")
    func transactionAwaiting() async throws {
        let lead = try await view.transaction { view in
            let lead = try view.users.create(
                "new.lead", attributes: [.title: "Team Lead Mobile"], manager: "joerg.muench")
            try view.users.setManager("new.lead", of: "ruth.fischer")
            try view.users.setManager("new.lead", of: "noah.davies")
            return lead
        }
        print(lead.label)
        #expect(try await users.manager(of: "ruth.fischer")?.uid == "new.lead")
    }

    @Test("A transaction goes on after an error that it catches")
    func nested() throws {
        try view.transaction { view in
            for name in ["platform", "mobile"] {
                do {
                    try view.roles.create(name)
                } catch let error as DirectoryError where error.code == .alreadyExists {
                    print("There is a role '\(name)' already.")
                }
            }
        }
        #expect(try view.roles.exists("mobile"))
    }

    @Test("A transaction goes on after an error that it catches, with await")
    func nestedAwaiting() async throws {
        try await view.transaction { view in
            for name in ["platform", "mobile"] {
                do {
                    try view.roles.create(name)
                } catch let error as DirectoryError where error.code == .alreadyExists {
                    print("There is a role '\(name)' already.")
                }
            }
        }
        #expect(try await view.roles.exists("mobile"))
    }

    @Test("A batch is a value")
    func batch() throws {
        let batch: Batch = [
            .createUser(NewUser("new.lead", attributes: [.title: "Team Lead Mobile"], manager: "joerg.muench")),
            .createUser(NewUser("new.engineer", manager: "new.lead")),
            .createRole("mobile"),
            .add([.user("new.lead"), .user("new.engineer")], to: "mobile"),
        ]
        let outcomes = try view.perform(batch)
        print(outcomes.count)

        let stored = try JSONEncoder().encode(batch)
        let same = try JSONDecoder().decode(Batch.self, from: stored)
        print(same == batch)
        #expect(outcomes.count == 4 && same == batch)
    }

    @Test("A batch is a value, with await")
    func batchAwaiting() async throws {
        let batch: Batch = [
            .createUser(NewUser("new.lead", attributes: [.title: "Team Lead Mobile"], manager: "joerg.muench")),
            .createUser(NewUser("new.engineer", manager: "new.lead")),
            .createRole("mobile"),
            .add([.user("new.lead"), .user("new.engineer")], to: "mobile"),
        ]
        let outcomes = try await view.perform(batch)
        print(outcomes.count)

        let stored = try JSONEncoder().encode(batch)
        let same = try JSONDecoder().decode(Batch.self, from: stored)
        print(same == batch)
        #expect(outcomes.count == 4 && same == batch)
    }

    @Test("A user is created or changed")
    func upsert() throws {
        let (user, wasCreated) = try users.upsert("new.lead", attributes: [.title: "Team Lead Mobile"])
        print(user.label, wasCreated)
        #expect(wasCreated && user.uid == "new.lead")
    }

    @Test("A user is created or changed, with await")
    func upsertAwaiting() async throws {
        let (user, wasCreated) = try await users.upsert("new.lead", attributes: [.title: "Team Lead Mobile"])
        print(user.label, wasCreated)
        #expect(wasCreated && user.uid == "new.lead")
    }

    @Test("A change is refused if the user has changed meanwhile")
    func versions() throws {
        let emma = try users.user("emma.mueller")
        let changed = try users.modify("emma.mueller", [.set(.title, "Principal Engineer")], ifVersion: emma.version)
        print(changed.version)
        #expect(changed.version == emma.version + 1)
    }

    @Test("A change is refused if the user has changed meanwhile, with await")
    func versionsAwaiting() async throws {
        let emma = try await users.user("emma.mueller")
        let changed = try await users.modify(
            "emma.mueller", [.set(.title, "Principal Engineer")], ifVersion: emma.version)
        print(changed.version)
        #expect(changed.version == emma.version + 1)
    }

    @Test("Many users are created in one transaction")
    func loading() throws {
        let number = try users.load((1...1_000).map { NewUser("person\($0)", manager: "kenji.sato") })
        print(number)
        #expect(number == 1_000)
    }

    @Test("Many users are created in one transaction, with await")
    func loadingAwaiting() async throws {
        let number = try await users.load((1...1_000).map { NewUser("person\($0)", manager: "kenji.sato") })
        print(number)
        #expect(number == 1_000)
    }
}

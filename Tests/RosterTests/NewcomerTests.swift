import Foundation
import Roster
import RosterFixtures
import Synchronization
import TestSupport
import Testing

/// An attribute of the app's own, under a name that the compiler checks.
private enum Company {
    static let locker = Attribute<Int>("locker")
    static let skills = Attribute<[String]>("skills")
    static let talents = Attribute<[String]>("talents")
}

/// A screen of the app, which shows what a manager finds.
private final class Screen: EntityDelegate {
    let shown = Mutex<[String]>([])
    let isDone = Mutex(false)

    func didReceive<Value: Sendable>(
        _ entities: Result<Value, any Error>, from source: EntitySource, withHandle handle: AsyncOperationHandle<Value>
    ) {
        guard case .success(let page as Page<User>) = entities, case .users = source else { return }
        shown.withLock { $0 = page.elements.map(\.label) }
        isDone.withLock { $0 = true }
    }

    func didFinishOperation(
        error: (any Error)?, by source: EntitySource, withHandle handle: AsyncOperationHandle<Void>
    ) {}
}

/// The code that a developer writes in the first hour: each task with the public interface, without casts, and without text for a standard
/// attribute.
@Suite("A newcomer's program", .timeLimit(.minutes(2)))
struct NewcomerTests {
    @Test("People are read, changed, searched and sorted", arguments: 1...4)
    func everyday(_: Int) throws {
        let directory = try Fixtures.company()
        let users = directory.unrestricted.users

        // One call for many, for somebody who may not exist, for a number, and for creating or changing.
        #expect(try users.users(["emma.mueller", "nobody"]).map { $0?.uid } == ["emma.mueller", nil])
        #expect(try users.find("nobody") == nil && users.exists("emma.mueller"))
        #expect(try users.count(matching: .department.equals("Sales")) > 0)
        let (ada, wasCreated) = try users.upsert("ada", attributes: [.givenName: "Ada", .mail: "ada@example.com"])
        #expect(wasCreated && ada.mail == "ada@example.com")
        #expect(try !users.upsert(ada.uid, attributes: [.familyName: "Lovelace"]).wasCreated)

        // What was fetched.
        let slim = try users.user(ada, attributes: [.givenName])
        #expect(slim.familyName == nil && !slim.isFetched(.familyName))
        #expect(try slim.attribute(.familyName) == "Lovelace")

        // Filters, several attributes that sort, pages.
        let search = Search(
            .all(.member(of: "engineering"), .active), sortedBy: [.init(.familyName), .init(.givenName)], pageSize: 5)
        let page = try users.search(search)
        #expect(page.elements.count == 5 && page.next != nil)
        #expect(Set(page.elements).count == Set(page.elements.map(\.id)).count)
    }

    @Test("Variables go into attributes, as literals do")
    func variables() throws {
        let view = try Fixtures.company().unrestricted
        let (name, floor, skills) = ("Sales", 3, ["Swift"])
        try view.attributes.declare([AttributeDefinition(Company.locker), AttributeDefinition(Company.skills)])
        let ada = try view.users.create(
            "ada",
            attributes: ["department": "\(name)", "title": "Head of \(name), floor \(floor)", "locker": .init(floor)])
        #expect(ada.department == name && ada.title == "Head of Sales, floor 3" && ada[Company.locker] == floor)
        let grace = try view.users.create(
            "grace",
            attributes: .init {
                $0.department = name
                $0[Company.locker] = floor
                $0[Company.skills] = skills
            })
        #expect(grace.department == name && grace[Company.locker] == floor && grace[Company.skills] == skills)
        let (_, isNew) = try view.users.upsert("ada", attributes: [.department: "\(name)"])
        #expect(!isNew)
        #expect(try view.users.count(matching: .all(.department.equals("\(name)"), .title.contains("\(floor)"))) == 1)
    }

    @Test("Several changes are one, as a closure and as a value that travels")
    func transactions() throws {
        let view = try Fixtures.company().unrestricted
        try view.transaction { view in
            let grace = try view.users.create("grace", attributes: [.givenName: "Grace"])
            try view.users.setManager(grace, of: "emma.mueller")
            #expect(try view.users.reportees(of: grace).map(\.uid) == ["emma.mueller"])
        }
        let batch: Batch = [
            .createUser(NewUser("ada", attributes: [.title: "Analyst"], manager: "grace")),
            .createRole("analysts", [.displayName: "Analysts"]),
            .add([.user("ada")], to: "analysts"),
        ]
        let sent = try JSONDecoder().decode(Batch.self, from: JSONEncoder().encode(batch))
        try view.perform(sent)
        #expect(try view.roles.role("analysts").members().map(\.uid) == ["ada"])
        #expect(throws: DirectoryError.self) { try view.perform(batch) }
        #expect(try view.users.chain(of: "ada").first?.uid == "grace")
    }

    @Test("An attribute of one's own is declared with rules, read without casts, renamed and undeclared")
    func attributes() throws {
        let view = try Fixtures.company().unrestricted
        try view.attributes.declare([
            AttributeDefinition(Company.locker, isUnique: true, rules: [.minimum(1), .maximum(9_999)]),
            AttributeDefinition(Company.skills, rules: .maximumLength(20), writers: .person),
        ])
        try view.users.modify("emma.mueller", [.set(Company.locker, 42), .set(Company.skills, ["Swift", "SQL"])])
        let emma = try view.users.user("emma.mueller")
        #expect(emma[Company.locker] == 42 && emma[Company.skills] == ["Swift", "SQL"])
        #expect(throws: DirectoryError.self) { try view.users.modify("kenji.sato", [.set(Company.locker, 42)]) }
        #expect(throws: DirectoryError.self) { try view.users.modify("kenji.sato", [.set(Company.locker, 0)]) }
        try view.attributes.rename(Company.skills.name, to: Company.talents.name)
        #expect(try view.users.count(matching: .attribute(Company.talents).equals("swift")) == 1)
        try view.attributes.undeclare(Company.talents.name, removingValues: true)
        #expect(view.attributes.vocabulary().definition(of: Company.talents.name) == nil)
    }

    @Test("Rights are asked before a button is shown, and a printed user shows nobody's data")
    func rights() throws {
        let directory = try Fixtures.company()
        let emma = try directory.unrestricted.users.user("emma.mueller")
        let own = directory.acting(as: .user(emma.id))
        #expect(try own.may(.write(.nickName, of: emma)))
        #expect(try !own.may(.write(.title, of: emma)) && !own.may(.createUsers))
        #expect(try JSONDecoder().decode(Caller.self, from: JSONEncoder().encode(own.caller)) == own.caller)
        #expect(!"\(String(reflecting: emma))".contains("@"))
    }

    @Test("A loop reads all users, another one watches, and a screen is told")
    func watching() async throws {
        let directory = try Fixtures.company()
        let view = directory.unrestricted
        var count = 0
        for try await user in view.users.all(Search(.active, pageSize: 7)) { count += user.isActive ? 1 : 0 }
        #expect(try await count == view.users.count(matching: .active))

        var titles: [String?] = []
        for try await user in view.users.observe(user: "emma.mueller") {
            titles.append(user?.title)
            if titles.count == 2 { break }
            try await view.users.modify("emma.mueller", [.set(.title, "Principal Engineer")])
        }
        #expect(titles.count == 2 && titles.last == "Principal Engineer")

        let changes = try await view.changes.since(0)
        #expect(Dictionary(grouping: changes, by: \.id).values.allSatisfy { $0.count == 1 })

        let screen = Screen()
        view.users.searchAsynchronously(
            Search(.title.equals("Principal Engineer")), deliveringOn: .global(), delegate: screen)
        while !screen.isDone.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
        #expect(screen.shown.withLock { $0 }.contains("Emma Müller"))
    }
}

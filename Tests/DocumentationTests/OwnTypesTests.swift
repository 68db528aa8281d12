import Foundation
import Roster
import RosterFixtures
import Testing

/// The delegate's type of the article about calling styles.
private final class PeopleScreen: EntityDelegate {
    func didReceive<Value: Sendable>(
        _ entities: Result<Value, any Error>, from source: EntitySource, withHandle handle: AsyncOperationHandle<Value>
    ) {
        switch entities {
        case .success(let user as User): print(user.label, "from", source)
        case .success(let page as Page<User>): print(page.elements.map(\.label), "from", source)
        case .success: print("something else from", source)
        case .failure(let error): print(source, "failed:", error)
        }
    }

    func didFinishOperation(
        error: (any Error)?, by source: EntitySource, withHandle handle: AsyncOperationHandle<Void>
    ) {
        print(source, error.map { "failed: \($0)" } ?? "is done")
    }
}

@Suite("Types of the app's own", .timeLimit(.minutes(1)))
struct OwnTypesTests {
    let directory: Directory
    var view: DirectoryView { directory.unrestricted }
    var users: UserManager { view.users }

    init() throws { directory = try Fixtures.company() }

    @Test("A user is given in each form")
    func forms() throws {
        try users.create("grace", manager: "emma.mueller")
        let name = "grace"
        let grace = try users.user(name)
        print(try users.manager(of: name)?.label ?? "-", try users.manager(of: grace)?.label ?? "-")
        print(try users.manager(of: grace.id)?.label ?? "-", try users.exists(.either(name)))
        #expect(try users.manager(of: grace)?.uid == "emma.mueller")
    }

    @Test("A user is given in each form, with await")
    func formsAwaiting() async throws {
        try await users.create("grace", manager: "emma.mueller")
        let name = "grace"
        let grace = try await users.user(name)
        print(try await users.manager(of: name)?.label ?? "-", try await users.manager(of: grace)?.label ?? "-")
        print(try await users.manager(of: grace.id)?.label ?? "-", try await users.exists(.either(name)))
        #expect(try await users.manager(of: grace)?.uid == "emma.mueller")
    }

    @Test("Attributes are properties")
    func properties() throws {
        let emma = try users.user("emma.mueller")
        var attributes = AttributeSet()
        attributes.givenName = "Ada"
        attributes.department = emma.department
        let ada = try users.create("ada", attributes: attributes)
        print(ada.givenName ?? "-", ada.department ?? "-", ada.attributes)
        #expect(ada.givenName == "Ada" && ada.department == emma.department)
    }

    @Test("Attributes are properties, with await")
    func propertiesAwaiting() async throws {
        let emma = try await users.user("emma.mueller")
        var attributes = AttributeSet()
        attributes.givenName = "Ada"
        attributes.department = emma.department
        let ada = try await users.create("ada", attributes: attributes)
        print(ada.givenName ?? "-", ada.department ?? "-", ada.attributes)
        #expect(ada.givenName == "Ada" && ada.department == emma.department)
    }

    @Test("An attribute has the cases of an enumeration")
    func enumeration() throws {
        enum Shift: String, AttributeConvertible { case day, night }
        let shift = Attribute<Shift>("shift")
        try view.attributes.declare(AttributeDefinition(shift))
        try users.modify("emma.mueller", [.set(shift, .night)])
        print(try users.user("emma.mueller")[shift] == .night)
        #expect(try users.user("emma.mueller")[shift] == .night)
    }

    @Test("An attribute has the cases of an enumeration, with await")
    func enumerationAwaiting() async throws {
        enum Shift: String, AttributeConvertible { case day, night }
        let shift = Attribute<Shift>("shift")
        try await view.attributes.declare(AttributeDefinition(shift))
        try await users.modify("emma.mueller", [.set(shift, .night)])
        print(try await users.user("emma.mueller")[shift] == .night)
        #expect(try await users.user("emma.mueller")[shift] == .night)
    }

    @Test("A Codable type is read and written")
    func model() throws {
        struct Person: Codable {
            var uid: String
            var givenName: String?
            var mail: String?
            var hireDate: Date?
        }
        let emma = try users.user("emma.mueller").decoded(as: Person.self)
        let ada = Person(uid: "ada", givenName: "Ada", mail: emma.mail)
        try users.create(attributes: AttributeSet(encoding: ada))
        #expect(try users.user("ada").givenName == "Ada" && emma.uid == "emma.mueller")
    }

    @Test("A Codable type is read and written, with await")
    func modelAwaiting() async throws {
        struct Person: Codable {
            var uid: String
            var givenName: String?
            var mail: String?
            var hireDate: Date?
        }
        let emma = try await users.user("emma.mueller").decoded(as: Person.self)
        let ada = Person(uid: "ada", givenName: "Ada", mail: emma.mail)
        try await users.create(attributes: AttributeSet(encoding: ada))
        #expect(try await users.user("ada").givenName == "Ada" && emma.uid == "emma.mueller")
    }

    @Test("A task takes the form with await")
    func task() async throws {
        let users = users
        let kenji = try await Task { try await users.user("kenji.sato") }.value
        #expect(kenji.uid == "kenji.sato")
    }

    @Test("A delegate is given to a call and to a manager")
    func delegate() async throws {
        let screen = PeopleScreen()
        let first = users.userAsynchronously("kenji.sato", deliveringOn: .main, delegate: screen)

        var people = directory.unrestricted.users
        people.delegate = screen
        let second = people.searchAsynchronously(Search(.title.contains("lead")), deliveringOn: .main)
        while first.result == nil || second.result == nil { await Task.yield() }
        #expect(try first.result?.get().uid == "kenji.sato")
    }

    @Test("An observable object follows a user")
    @MainActor
    func query() async throws {
        let query = DirectoryQuery<User?>()
        let following = Task { await query.follow(view.users.observe(user: "emma.mueller")) }
        while query.answer == nil { try await Task.sleep(for: .milliseconds(10)) }
        print(query.answer??.label ?? "nobody", query.error == nil)
        following.cancel()
        #expect(query.answer??.uid == "emma.mueller")
    }
}

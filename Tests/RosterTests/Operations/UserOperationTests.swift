import Dispatch
import Foundation
import Roster
import Testing
import TestSupport

/// The way in which an operation of Oracle Mobile and Social SDK is called.
enum Form: String, CaseIterable, CustomTestStringConvertible {
    case synchronous, awaited, handle
    var testDescription: String { rawValue }
}

/// Waits for the result of a handle, and expects that it comes on the queue that was chosen and through this handle.
func result<Value: Sendable>(
    of start: (DispatchQueue, @escaping Completion<Value>) -> AsyncOperationHandle<Value>,
    location: SourceLocation = #_sourceLocation
) async throws -> Value {
    let key = DispatchSpecificKey<Bool>()
    let queue = DispatchQueue(label: "chosen by the test")
    queue.setSpecific(key: key, value: true)
    let calls = Gathered<(Result<Value, any Error>, AsyncOperationHandle<Value>, Bool)>()
    let handle = start(queue) { result, handle in
        calls.append((result, handle, DispatchQueue.getSpecific(key: key) == true))
    }
    let arrived = try await onThread { calls.wait(for: 1) }
    // Whatever would come a second time has come once what is in line there is done.
    queue.sync {}
    #expect(calls.all.count == 1, "the completion is called exactly once", sourceLocation: location)
    let (result, told, isOnQueue) = try #require(arrived.first)
    #expect(told === handle, "the completion gets the handle that was returned", sourceLocation: location)
    #expect(isOnQueue, "the completion runs on the queue that was chosen", sourceLocation: location)
    #expect(handle.result != nil, sourceLocation: location)
    return try result.get()
}

/// Runs the form that is asked for.
func perform<Value: Sendable>(
    _ form: Form, synchronous: @escaping @Sendable () throws -> Value, awaited: () async throws -> Value,
    handle: (DispatchQueue, @escaping Completion<Value>) -> AsyncOperationHandle<Value>
) async throws -> Value {
    switch form {
    case .synchronous: try await onThread(synchronous)
    case .awaited: try await awaited()
    case .handle: try await result(of: handle)
    }
}

@Suite("Every operation on users exists three ways")
struct UserOperationTests {
    /// Ada manages Bob and Cäcilie.
    static func withPeople(_ place: Place, _ body: (UserManager) async throws -> Void) async throws {
        try await withDirectory(place) { directory in
            let users = directory.unrestricted.users
            try await users.create(
                "ada", attributes: ["givenName": "Ada", "familyName": "Lovelace", "title": "Countess"])
            try await users.create(
                "bob", attributes: ["givenName": "Bob", "familyName": "Müller", "title": "Builder"], manager: "ada")
            try await users.create(
                "cäcilie", attributes: ["givenName": "Cäcilie", "familyName": "Müller", "title": "Baker"],
                manager: "ada")
            try await body(users)
        }
    }

    @Test("A simple search wants all conditions, another one any", arguments: Place.allCases, Form.allCases)
    func dictionarySearch(place: Place, form: Form) async throws {
        try await Self.withPeople(place) { users in
            func search(_ filter: [String: String], _ isSimple: Bool, size: Int, page: Int) async throws -> [User] {
                try await perform(
                    form,
                    synchronous: {
                        try users.search(
                            filter, isSimpleSearch: isSimple, attributes: ["title"], pageSize: size, pagePosition: page)
                    },
                    awaited: {
                        try await users.search(
                            filter, isSimpleSearch: isSimple, attributes: ["title"], pageSize: size, pagePosition: page)
                    },
                    handle: {
                        users.searchAsynchronously(
                            filter, isSimpleSearch: isSimple, attributes: ["title"], pageSize: size, pagePosition: page,
                            deliveringOn: $0, completion: $1)
                    })
            }
            let conditions = ["lastname": "MÜLLER", "firstname": "b*"]
            #expect(try await search(conditions, true, size: 10, page: 1).map(\.uid) == ["bob"])
            let any = try await search(conditions, false, size: 10, page: 1)
            #expect(Set(any.map(\.uid)) == ["bob", "cäcilie"])
            #expect(any.allSatisfy { $0.title != nil && $0.lastName == nil }, "only the attributes asked for come")
            let everyone = try await search([:], true, size: 2, page: 1) + search([:], true, size: 2, page: 2)
            #expect(everyone.map(\.uid).sorted() == ["ada", "bob", "cäcilie"])
            #expect(try await search(["title": "*e*"], true, size: 10, page: 1).count == 3)
        }
    }

    @Test("A star in a dictionary search stands for any text", arguments: Place.allCases)
    func wildcards(place: Place) async throws {
        try await Self.withPeople(place) { (users: UserManager) async throws in
            func found(_ pattern: String) throws -> Set<String> {
                Set(
                    try users.search(["title": pattern], isSimpleSearch: true, pageSize: 10, pagePosition: 1)
                        .map(\.uid))
            }
            #expect(try found("B*") == ["bob", "cäcilie"])
            #expect(try found("*er") == ["bob", "cäcilie"])
            #expect(try found("*unt*") == ["ada"])
            #expect(try found("*") == ["ada", "bob", "cäcilie"])
            #expect(try found("baker") == ["cäcilie"])
            #expect(try found("b*r") == ["bob", "cäcilie"])
            #expect(
                code { try users.search(["nonsense": "x"], isSimpleSearch: true, pageSize: 1, pagePosition: 1) }
                    == .invalidFilter)
            #expect(code { try users.search([:], isSimpleSearch: true, pageSize: 1, pagePosition: 0) } == .invalidPage)
        }
    }

    @Test("One user by name or by id, with what was asked to come along", arguments: Place.allCases, Form.allCases)
    func oneUser(place: Place, form: Form) async throws {
        try await Self.withPeople(place) { users in
            func user(_ reference: UserReference, _ prefetch: Prefetch) async throws -> User {
                try await perform(
                    form, synchronous: { try users.user(reference, attributes: ["title"], prefetch: prefetch) },
                    awaited: { try await users.user(reference, attributes: ["title"], prefetch: prefetch) },
                    handle: {
                        users.userAsynchronously(
                            reference, attributes: ["title"], prefetch: prefetch, deliveringOn: $0, completion: $1)
                    })
            }
            let ada = try await user("ADA", [.manager, .reportees])
            #expect(ada.title == "Countess")
            #expect(ada.firstName == nil, "only the attributes asked for come")
            #expect(ada.reports?.map(\.uid) == ["bob", "cäcilie"])
            #expect(try await user(.id(ada.id), []).reports == nil, "nobody comes along unasked")
            #expect(try await user(.either(ada.id.description), []).uid == "ada")
            await #expect(throws: DirectoryError.self) { try await user("nobody", []) }
            #expect(await code { try await user("nobody", []) } == .notFound)
            // What was fetched along is not fetched again.
            let bob = try await user("bob", .manager)
            try await users.modify("ada", attributes: ["title": "Duchess"])
            #expect(try await bob.manager()?.title == "Countess")
            #expect(try await user("bob", []).manager()?.title == "Duchess")
        }
    }

    @Test("A user is created of attributes alone", arguments: Place.allCases, Form.allCases)
    func create(place: Place, form: Form) async throws {
        try await Self.withPeople(place) { users in
            func create(_ attributes: AttributeSet) async throws {
                try await perform(
                    form, synchronous: { _ = try users.create(attributes: attributes) },
                    awaited: { _ = try await users.create(attributes: attributes) },
                    handle: { users.createAsynchronously(attributes: attributes, deliveringOn: $0, completion: $1) })
            }
            try await create(["uid": "dora", "title": "Driver", "manager": "bob", "active": false])
            let dora = try await users.user("dora")
            #expect(dora.title == "Driver")
            #expect(dora.isActive == false)
            #expect(try await dora.manager()?.uid == "bob")
            #expect(await code { try await create(["uid": "DORA"]) } == .alreadyExists)
            #expect(await code { try await create(["title": "x"]) } == .invalidAttribute)
            #expect(await code { try await create(["uid": "eve", "manager": "nobody"]) } == .notFound)
            #expect(await code { try await create(["uid": "eve", "id": "1"]) } == .invalidAttribute)
            #expect(await code { try await users.user("eve") } == .notFound, "nothing is left of what was refused")
        }
    }

    @Test("Only what a modification names is changed", arguments: Place.allCases, Form.allCases)
    func modify(place: Place, form: Form) async throws {
        try await Self.withPeople(place) { users in
            func modify(_ user: UserReference, _ attributes: AttributeSet) async throws {
                try await perform(
                    form, synchronous: { _ = try users.modify(user, attributes: attributes) },
                    awaited: { _ = try await users.modify(user, attributes: attributes) },
                    handle: {
                        users.modifyAsynchronously(user, attributes: attributes, deliveringOn: $0, completion: $1)
                    })
            }
            try await modify("bob", ["title": "Architect", "description": "Can we fix it?"])
            let bob = try await users.user("bob")
            #expect(bob.title == "Architect")
            #expect(bob.description == "Can we fix it?")
            #expect(bob.lastName == "Müller")
            #expect(bob.version == 2)
            try await modify("bob", ["description": ""])
            #expect(try await users.user("bob").description == nil)
            #expect(await code { try await modify("bob", ["title": "x", "nonsense": "y"]) } == .invalidAttribute)
            #expect(try await users.user("bob").title == "Architect")
            #expect(await code { try await modify("nobody", ["title": "x"]) } == .notFound)
        }
    }

    @Test("A user is deleted, and refused while somebody reports to them", arguments: Place.allCases, Form.allCases)
    func delete(place: Place, form: Form) async throws {
        try await Self.withPeople(place) { users in
            func delete(_ user: UserReference, _ policy: ReporteePolicy) async throws {
                try await perform(
                    form, synchronous: { try users.delete(user, reportees: policy) },
                    awaited: { try await users.delete(user, reportees: policy) },
                    handle: { users.deleteAsynchronously(user, reportees: policy, deliveringOn: $0, completion: $1) })
            }
            try await delete("bob", .refuse)
            #expect(await code { try await users.user("bob") } == .notFound)
            #expect(await code { try await delete("bob", .refuse) } == .notFound)
            #expect(await code { try await delete("ada", .refuse) } == .hasReportees)
            try await delete("ada", .leave)
            #expect(try await users.user("cäcilie").managerID == nil)
        }
    }

    @Test("A user's manager, reportees and attributes", arguments: Place.allCases, Form.allCases)
    func around(place: Place, form: Form) async throws {
        try await Self.withPeople(place) { users in
            let ada = try await users.user("ada", attributes: ["givenName"])
            let bob = try await users.user("bob")
            func manager(_ user: User) async throws -> User? {
                try await perform(
                    form, synchronous: { try user.manager() }, awaited: { try await user.manager() },
                    handle: { user.managerAsynchronously(deliveringOn: $0, completion: $1) })
            }
            #expect(try await manager(bob)?.uid == "ada")
            #expect(try await manager(ada) == nil)
            let reportees = try await perform(
                form, synchronous: { try ada.reportees(attributes: ["title"]) },
                awaited: { try await ada.reportees(attributes: ["title"]) },
                handle: { ada.reporteesAsynchronously(attributes: ["title"], deliveringOn: $0, completion: $1) })
            #expect(reportees.map(\.title) == ["Builder", "Baker"])
            #expect(reportees.map(\.lastName) == [nil, nil])
            func attribute(_ name: AttributeName) async throws -> AttributeValue? {
                try await perform(
                    form, synchronous: { try ada.attribute(name) }, awaited: { try await ada.attribute(name) },
                    handle: { ada.attributeAsynchronously(name, deliveringOn: $0, completion: $1) })
            }
            #expect(ada["title"] == nil)
            #expect(try await attribute("title") == "Countess", "it is fetched, since it was not")
            #expect(try await attribute("description") == nil)
            #expect(await code { try await attribute("nonsense") } == .invalidAttribute)
        }
    }

    @Test("A composed search by handle", arguments: Place.allCases)
    func composedSearch(place: Place) async throws {
        try await Self.withPeople(place) { users in
            let page = try await result { queue, completion in
                users.searchAsynchronously(
                    Search(
                        .familyName.equals("müller"), sortedBy: .init("givenName", descending: true),
                        includesTotal: true),
                    deliveringOn: queue, completion: completion)
            }
            #expect(page.elements.map(\.uid) == ["cäcilie", "bob"])
            #expect(page.total == 2)
        }
    }
}

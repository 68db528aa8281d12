import Foundation
import Roster
import RosterClient
import RosterTransport
import TestSupport
import Testing

@Suite("A server's directory is the directory", .timeLimit(.minutes(5)))
struct RemoteDirectoryTests {
    @Test("2,000 random operations give the same answers and the same errors as in this process")
    func randomOperations() async throws {
        try await withTwoDirectories { two in
            var operations = RandomOperations(numbers: SeededNumbers(seed: randomSeed()))
            var names: Set<String> = []
            for number in 1...2_000 {
                let operation = operations.next()
                names.insert(operation.name)
                let expected = await Shown.outcome { try await operation.run(two.embedded) }
                let found = await Shown.outcome { try await operation.run(two.remote) }
                try #require(found == expected, "operation \(number), \(operation.name)")
            }
            #expect(names.count >= 27)
            let feeds = try await two.both.asyncMap { view in
                try await view.changes.since(0, limit: 10_000).filter {
                    [.user, .role, .attribute].contains($0.entity) && $0.kind != .signedIn
                }
                .map(Shown.change)
            }
            #expect(feeds[0] == feeds[1])
        }
    }

    @Test("A server checks its directory for an administrator")
    func check() async throws {
        try await withTwoDirectories { two in
            let problems = try await two.remote.check()
            #expect(problems.isEmpty)
        }
    }

    @Test("Every kind of value comes back as it was set")
    func values() async throws {
        try await withTwoDirectories { two in
            let kinds: [(AttributeName, AttributeDefinition.Kind, [AttributeValue])] = [
                ("aText", .string, [.string("a\"\\\n\u{1F600}é"), .string(String(repeating: "x", count: 60_000))]),
                ("aNumber", .integer, [.integer(.max), .integer(.min), .integer(0)]),
                (
                    "aDecimal", .decimal,
                    [.decimal(0.1), .decimal(-1e300), .decimal(5), .decimal(.leastNormalMagnitude)]
                ),
                ("aTruth", .boolean, [.boolean(true), .boolean(false)]),
                (
                    "aTime", .time,
                    [.time(Date(timeIntervalSince1970: -0.001)), .time(Date(timeIntervalSince1970: 4e9))]
                ),
                ("someBytes", .binary, [.binary(Data(0...255)), .binary(Data())]),
            ]
            for view in two.both {
                for (name, kind, _) in kinds { try await view.attributes.declare(name, kind) }
                try await view.attributes.declare(AttributeDefinition("many", isMultiValued: true))
                try await view.users.create("v")
            }
            for (name, _, values) in kinds {
                for value in values {
                    var found: [String] = []
                    for view in two.both {
                        found.append(
                            await Shown.outcome {
                                try await view.users.modify("v", [.set(name, value)])
                                return Shown.user(try await view.users.user("v", attributes: .all))
                            })
                    }
                    #expect(found[0] == found[1], "\(name)")
                    #expect(
                        try await two.remote.users.user("v", attributes: .all)[name] == value
                            || value == .binary(Data()))
                }
            }
            for value in [AttributeValue.list([]), .list([.string("b"), .string("a")])] {
                for view in two.both { try await view.users.modify("v", [.set("many", value)]) }
                let shown = try await two.both.asyncMap { Shown.user(try await $0.users.user("v", attributes: .all)) }
                #expect(shown[0] == shown[1])
            }
            #expect(throws: DirectoryError.self) {
                try two.remote.users.modify("v", [.set("aDecimal", .decimal(.infinity))])
            }
        }
    }

    @Test("Synchronous calls, and searches by page and by cursor, give the same answers")
    func synchronous() async throws {
        try await withTwoDirectories { two in
            // The server of the test needs Swift's threads, so the calls wait on another one.
            let shown = try await onThread {
                try two.both.map { view in
                    var pages: [String] = []
                    var search = Search(sortedBy: [Search.Sort(.familyName)], pageSize: 9, includesTotal: true)
                    while true {
                        let page = try view.users.search(search)
                        pages.append(Shown.page(page))
                        guard let next = page.next else { break }
                        search.start = .cursor(next)
                    }
                    let ada = try view.users.create("ada", attributes: ["lastname": "Lovelace"], manager: "haruka.ito")
                    pages.append(Shown.user(ada))
                    pages.append(try ada.manager().map(Shown.user) ?? "nil")
                    pages.append(Shown.list(try view.users.user("haruka.ito").reportees()))
                    try view.users.delete("ada")
                    pages.append("\(try view.changes.retention())")
                    return pages
                }
            }
            #expect(shown[0] == shown[1])
            #expect(shown[0].count > 8)
        }
    }

    @Test("Changes of the vocabulary are the same, and other views of the server see them with the next answer")
    func vocabulary() async throws {
        try await withTwoDirectories { two in
            let other = try await DirectoryView(server: two.url, credentials: two.credentials, transport: two.transport)
            for view in two.both {
                let attributes = view.attributes
                try await attributes.declare("pass", .integer, rules: [.unique])
                try await attributes.widen("pass", to: .string)
                try await attributes.rename("pass", to: "gate")
                try await attributes.setRules([], of: "gate")
                try await attributes.setTexts(AttributeTexts(labels: ["de": "Tor", "en": "Door"]), of: "gate")
                try await attributes.changeTexts(
                    labels: ["en": nil], descriptions: ["de": "Am Eingang."], of: "gate")
                try await attributes.setRights(of: .mobile, readers: .managers)
                try await attributes.setRules([.unique], of: .mail)
                try await attributes.removeIndex(of: "gate")
            }
            let found = two.both.map { $0.attributes.vocabulary() }
            #expect(found[0].declared == found[1].declared)
            let texts = AttributeTexts(labels: ["de": "Tor"], descriptions: ["de": "Am Eingang."])
            #expect(found[0].definition(of: "gate")?.texts == texts)
            #expect(found[0].rights == found[1].rights)
            #expect(found[0].definition(of: .mail) == found[1].definition(of: .mail))
            _ = try await other.users.count()
            #expect(other.attributes.vocabulary().declared == found[0].declared)
            for view in two.both { try await view.attributes.undeclare("gate") }
            #expect(two.remote.attributes.vocabulary().declared == two.embedded.attributes.vocabulary().declared)
        }
    }

    @Test("What needs the file is not offered, and says so")
    func notOffered() async throws {
        try await withTwoDirectories { two in
            let view = two.remote
            #expect(code { try view.transaction { _ in } } == .notOffered)
            #expect(await code { try await view.transaction { _ in } } == .notOffered)
            #expect(code { try view.export(.json) { _ in } } == .notOffered)
            #expect(
                code { try view.importPeople(from: Data(), named: "x", options: ImportOptions(format: .csv)) }
                    == .notOffered)
        }
    }

    @Test("Wrong credentials, a server that is away, and one that is none are errors with a code")
    func failures() async throws {
        try await withTwoDirectories { two in
            let wrong = ServerCredentials.bearer("roster_wrong")
            let error = await #expect(throws: DirectoryError.self) {
                _ = try await DirectoryView(server: two.url, credentials: wrong, transport: two.transport)
            }
            #expect(error?.code == .notSignedIn)
            #expect(error?.description.contains("roster_wrong") == false)
            #expect(
                await code {
                    _ = try await DirectoryView(
                        server: address("http://127.0.0.1:1"), credentials: two.credentials, transport: two.transport)
                } == .unreachable)
            #expect(
                await code {
                    _ = try await DirectoryView(
                        server: two.url.appendingPathComponent("scim"), credentials: two.credentials,
                        transport: two.transport)
                } == .notOffered)
            #expect(
                code {
                    _ = try DirectoryView(
                        server: address("ftp://x"), credentials: two.credentials, transport: two.transport)
                } == .invalidInput)
        }
    }

    @Test("The changes of a user's roles are those of the directory, page by page")
    func memberships() async throws {
        try await withTwoDirectories { two in
            var found: [[MembershipChange]] = []
            for view in two.both {
                try await view.roles.create("crew", attributes: ["displayName": "The crew"])
                try await view.roles.add([.user("emma.mueller")], to: "crew", as: .owner)
                try await view.roles.add([.user("emma.mueller")], to: "crew")
                try await view.roles.delete("crew")
                let first = try await view.changes.memberships(of: "emma.mueller", limit: 3)
                let rest = try await view.changes.memberships(of: "emma.mueller", before: first.last)
                found.append(first + rest)
            }
            func shown(_ changes: [MembershipChange]) -> [String] {
                changes.map { change in
                    "\(change.time.timeIntervalSince1970) \(change.kind) \(change.actor) \(change.role) "
                        + "\(change.roleName ?? "-") \(change.displayName ?? "-") \(change.isOfDeletion) \(change.isRoleThere)"
                }
            }
            #expect(found[0].count > 4 && shown(found[0]) == shown(found[1]))
            #expect(await code { _ = try await two.remote.changes.memberships(of: "nobody") } == .notFound)
        }
    }

    @Test("A user of the server has a user's rights")
    func rights() async throws {
        try await withTwoDirectories { two in
            let id = try await two.served.unrestricted.users.user("ren.watanabe").id
            #expect(two.remote.caller != .user(id))
            #expect(try await two.remote.may(.administer))
            #expect(Mirror(reflecting: two.credentials).children.isEmpty)
            #expect("\(two.credentials)" == "credentials")
        }
    }
}

extension Array {
    func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}

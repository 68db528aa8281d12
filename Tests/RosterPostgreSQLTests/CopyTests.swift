import Foundation
import Roster
import RosterPostgreSQL
import RosterSignIn
import Testing
import TestSupport

@Suite("Copies between a file and a database", .enabled(if: PostgreSQLCluster.shared != nil), .timeLimit(.minutes(3)))
struct CopyTests {
    private func withDatabases(_ count: Int, _ body: ([Directory]) async throws -> Void) async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let databases = try (0..<count).map { _ in try cluster.makeDatabase() }
        let key = cluster.folder.appendingPathComponent("key-\(databases[0])")
        let directories = try databases.map { try Directory(connectedTo: cluster.address($0), keyFile: key) }
        defer {
            for directory in directories { directory.close() }
            for database in databases { cluster.drop(database) }
        }
        try await body(directories)
    }

    /// The company of the seeds, with all kinds of keys, and text that is difficult to write in a row.
    private func fill(_ directory: Directory) async throws {
        let view = directory.unrestricted
        let seeds = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Seeds")
        try await view.load(Seed(contentsOf: seeds.appendingPathComponent("company.json")))
        try await view.attributes.declare(AttributeDefinition("locker", isUnique: true))
        try await view.attributes.declare(
            AttributeDefinition("floor", kind: .integer, texts: AttributeTexts(labels: ["de": "Stockwerk"])))
        let texts = [
            "tab\there", "back\\slash \\N", "line\nbreak\r", "Zoë \u{1F600}", "", "'; DROP TABLE users",
            "\u{10FFFD}0 stands for zero on a server",
        ]
        for (number, text) in texts.enumerated() {
            try await view.users.create(
                "t\(number)",
                attributes: [
                    "title": .string(text), "description": .string(text), "locker": .string("b\(number)" + text),
                    "floor": .integer(Int64(number) - 3),
                ])
        }
        // Managers with larger identifiers than those of their reportees, and a gap in the identifiers.
        for number in 0..<300 { try await view.users.create("p\(number)") }
        for number in 0..<299 {
            try await view.users.modify(.named("p\(number)"), [.set("manager", .string("p\(number + 1)"))])
        }
        try await view.users.delete("p0")
    }

    private func expectSame(_ first: Directory, _ second: Directory) async throws {
        let views: [DirectoryView] = [first.unrestricted, second.unrestricted]
        for filter in [
            "floor ge -1", "floor eq 2", "floor lt 0", "title co \"break\"", "title sw \"tab\"", "userName co \"p12\"",
            "userName sw \"T\"", "userName gt \"p\"", "locker pr", "not (title pr)",
            "displayName co \"an\"", "name.familyName sw \"m\"", "emails.value co \"@\"", "roles.value pr",
            "manager.value pr and userName ew \"9\"",
        ] {
            let names = try await views.asyncMap { view -> [String] in
                let vocabulary = view.attributes.vocabulary()
                let search = Search(try Filter(scim: filter, vocabulary: vocabulary), pageSize: 200)
                return try await view.users.search(search).elements.map(\.uid)
            }
            #expect(names[0] == names[1] && !names[0].isEmpty, "\(filter)")
        }
        if first.isOnServer != second.isOnServer {
            // Sorting by an attribute without a column compares keys whose form depends on the engine.
            var search = Search(sortedBy: .init("floor"), pageSize: 2)
            let cursors = try await views.asyncMap { try await $0.users.search(search).next }
            search.start = .cursor(try #require(cursors[0]))
            let refused = await code { [search] in try await views[1].users.search(search) }
            #expect(refused == .invalidCursor)
        }
        let changes = try await views.asyncMap { try await $0.changes.since(0, limit: 1_000) }
        #expect(changes[0] == changes[1])
        for view in views { #expect(try await view.check() == []) }
        // Both go on with the same identifiers.
        let next = try await views.asyncMap { try await $0.users.create("next").id }
        #expect(next[0] == next[1])
        for view in views { try await view.attributes.declare(AttributeDefinition("later")) }
    }

    @Test("A copy to a database and back has the same rows, answers and numbers, and goes on alike")
    func roundTrip() async throws {
        try await withDatabases(2) { databases in
            let origin = try Directory.inMemory()
            defer { origin.close() }
            try await fill(origin)
            let back = try Directory.inMemory()
            defer { back.close() }
            let out = try await origin.copy(to: databases[0])
            #expect(try await databases[0].copy(to: databases[1]) == out)
            #expect(try await databases[1].copy(to: back) == out)
            #expect(out.first { $0.name == "users" }?.rows ?? 0 > 300)
            try await expectSame(origin, databases[0])
            try await expectSame(databases[1], back)
        }
    }

    @Test("No name under which a stranger tried to sign in stops a copy to a database and back")
    func copiesNamesOfStrangers() async throws {
        try await withDatabases(1) { databases in
            let origin = try Directory.inMemory()
            defer { origin.close() }
            let signIn = try SignIn(origin, issuer: "https://id.example.com", passwordCost: .forTests)
            for name in ["zero \0", "marked zero \0\u{301}", "\u{10FFFD}0 stands for zero"] {
                await #expect(throws: (any Error).self) { try await signIn.person(named: name, password: "guessed") }
            }
            await signIn.flush()
            let back = try Directory.inMemory()
            defer { back.close() }
            let out = try await origin.copy(to: databases[0])
            #expect(out.first { $0.name == "change" }?.rows ?? 0 >= 3)
            #expect(try await databases[0].copy(to: back) == out)
        }
    }

    @Test("A directory that has anything in it receives no copy, and stays as it is")
    func refusesUsed() async throws {
        try await withDatabases(1) { databases in
            let origin = try Directory.inMemory()
            defer { origin.close() }
            try await origin.unrestricted.users.create("ada")
            try await databases[0].unrestricted.users.create("bob")
            let intoUsed = await code { try await origin.copy(to: databases[0]) }
            #expect(intoUsed == .alreadyExists)
            let back = await code { try await databases[0].copy(to: origin) }
            #expect(back == .alreadyExists)
            #expect(try await databases[0].unrestricted.users.count() == 1)
            #expect(try await origin.unrestricted.users.user("ada").uid == "ada")
        }
    }

    @Test("A copy that is cancelled leaves nothing, and the next one succeeds")
    func cancelled() async throws {
        try await withDatabases(1) { databases in
            let origin = try Directory.inMemory()
            defer { origin.close() }
            for number in 0..<500 { try await origin.unrestricted.users.create("u\(number)") }
            let hasBegun = Gate()
            let database = databases[0]
            let task = Task { try await origin.copy(to: database) { _ in hasBegun.pass() } }
            _ = try await onThread { hasBegun.waitForArrivals() }
            task.cancel()
            hasBegun.open()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await databases[0].unrestricted.users.count() == 0)
            try await origin.copy(to: databases[0])
            #expect(try await databases[0].unrestricted.users.count() == 500)
            #expect(try await databases[0].unrestricted.check() == [])
        }
    }

    @Test("After a restore by the server's tools, all sessions end, and changes go on")
    func restored() async throws {
        try await withDatabases(1) { databases in
            let directory = databases[0]
            let password = "a staple of correct horses"
            let signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
            try await directory.unrestricted.users.create("ada")
            try await signIn.setPassword(password, of: "ada", in: directory.unrestricted)
            let session = try await signIn.beginSession(for: signIn.person(named: "ada", password: password))
            #expect(try await signIn.person(ofSession: session)?.name == "ada")
            try await directory.endAllSignIns()
            #expect(try await signIn.person(ofSession: session) == nil)
            try await directory.unrestricted.users.create("bob")
            #expect(try await directory.unrestricted.check() == [])
            await signIn.flush()
        }
    }
}

extension Array where Element: Sendable {
    fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async rethrows -> [Value] {
        var values: [Value] = []
        for element in self { values.append(try await body(element)) }
        return values
    }
}

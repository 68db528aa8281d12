import Foundation
import Roster
import RosterPostgreSQL
import Testing
import TestSupport

/// Runs a test with a directory that two servers have open: each has its own connections and memory, as in two processes.
private func withTwoServers(_ body: (DirectoryView, DirectoryView) async throws -> Void) async throws {
    let cluster = try #require(PostgreSQLCluster.shared)
    let database = try cluster.makeDatabase()
    let directories = try (0..<2).map { _ in try Directory(connectedTo: cluster.address(database)) }
    defer {
        for directory in directories { directory.close() }
        cluster.drop(database)
    }
    try await body(directories[0].unrestricted, directories[1].unrestricted)
}

@Suite(
    "Several servers with one database", .enabled(if: PostgreSQLCluster.shared != nil), .timeLimit(.minutes(3)))
struct SeveralServersTests {
    @Test("What one server has written, the other one reads at once")
    func readsAtOnce() async throws {
        try await withTwoServers { first, second in
            for number in 0..<100 {
                let user = try await first.users.create("u\(number)", attributes: ["title": .string("T\(number)")])
                #expect(try await second.users.user("u\(number)").id == user.id)
                #expect(try await second.users.count() == number + 1)
            }
        }
    }

    @Test("A large load is kept whole with its indexes, or not at all where a name comes twice")
    func loads() async throws {
        try await withTwoServers { first, second in
            let people = (0..<1_200).map { number in
                NewUser(
                    "p\(number)",
                    attributes: ["familyName": .string("Fam\(number)"), "mail": .string("p\(number)@example.com")],
                    manager: number > 0 ? .named("p\(number / 8)") : nil)
            }
            await #expect {
                try await first.users.load(people + [NewUser("P7")])
            } throws: { error in
                guard let error = error as? DirectoryError else { return false }
                return error.code == .alreadyExists && error.message.contains("P7")
            }
            #expect(try await second.users.count() == 0)
            #expect(try await first.users.load(people) == 1_200)
            #expect(try await first.users.load([NewUser("later", manager: .named("p1199"))]) == 1)
            let found = try await second.users.search(Search(.familyName.contains("am119"))).elements.map(\.uid)
            #expect(Set(found) == Set(["p119"] + (1_190..<1_200).map { "p\($0)" }))
            #expect(try await second.users.manager(of: "p1199")?.uid == "p149")
            #expect(try await second.check() == [])
            #expect(try await second.changes.since(0, limit: 1_000).last?.sequence == 1_000)
        }
    }

    @Test("A large load leaves the indexes and foreign keys that there were, and takes every character")
    func loadsIntoEmpty() async throws {
        try await withServerDirectory { cluster, database, directory in
            func definitions() throws -> [Substring] {
                let text = try cluster.output(
                    of: """
                        SELECT pg_get_indexdef(indexrelid) FROM pg_index;
                        SELECT conrelid::regclass, conname, pg_get_constraintdef(oid) FROM pg_constraint;
                        """, in: database)
                return text.split(separator: "\n").sorted()
            }
            let before = try definitions()
            #expect(before.contains { $0.contains("FOREIGN KEY") })
            let title = "\\N\t\\.\n\r\u{1}é\u{1F600}\\"
            let people = (0..<1_200).map { NewUser("p\($0)", attributes: ["title": .string(title)]) }
            #expect(try await directory.unrestricted.users.load(people) == 1_200)
            #expect(try definitions() == before)
            #expect(try await directory.unrestricted.users.user("p7").title == title)
        }
    }

    @Test("A server tells that changes wait for no standby")
    func standbys() async throws {
        try await withServerDirectory { _, _, directory in
            let state = try directory.storage.standbyState()
            #expect(state == .notAwaited)
        }
    }

    @Test("A follower of one server hears of the other one's changes, in order and without a gap")
    func follows() async throws {
        try await withTwoServers { first, second in
            let feed = first.changes.follow(since: 0)
            let follower = Task {
                var numbers: [Int64] = []
                for try await change in feed {
                    numbers.append(change.sequence)
                    if numbers.count == 60 { break }
                }
                return numbers
            }
            for number in 0..<60 {
                try await (number % 3 == 0 ? first : second).users.create("u\(number)")
            }
            #expect(try await follower.value == Array(1...60))
        }
    }

    @Test("A change of the vocabulary holds at the other server at once")
    func sharesVocabulary() async throws {
        try await withTwoServers { first, second in
            try await first.users.create("ada")
            let unknown = await code { try await second.users.modify("ada", [.set("badge", "7")]) }
            #expect(unknown == .invalidAttribute)
            try await first.attributes.declare(AttributeDefinition("badge", isUnique: true))
            try await second.users.modify("ada", [.set("badge", "7")])
            let twice = await code { try await first.users.create("bob", attributes: ["badge": .string("7")]) }
            #expect(twice == .alreadyExists)
        }
    }

    @Test("Of equal names that both servers create at once, one wins")
    func oneNameOnce() async throws {
        try await withTwoServers { first, second in
            for round in 0..<30 {
                let codes = await withTaskGroup(of: DirectoryError.Code?.self) { group in
                    for server in [first, second] {
                        group.addTask { await code { try await server.users.create("u\(round)") } }
                    }
                    return await group.reduce(into: []) { $0.append($1) }
                }
                #expect(codes.count { $0 == nil } == 1)
                #expect(codes.count { $0 == .alreadyExists } == 1)
            }
        }
    }

    @Test("Managers that both servers set at once never form a circle")
    func noCircles() async throws {
        let seed = randomSeed()
        var numbers = SeededNumbers(seed: seed)
        try await withTwoServers { first, second in
            for number in 0..<5 { try await first.users.create("u\(number)") }
            let moves = (0..<200).map { _ in
                (Int.random(in: 0..<5, using: &numbers), Int.random(in: 0..<5, using: &numbers))
            }
            await withTaskGroup(of: Void.self) { group in
                for (index, move) in moves.enumerated() where move.0 != move.1 {
                    let server = index % 2 == 0 ? first : second
                    group.addTask {
                        _ = try? await server.users.setManager(.named("u\(move.1)"), of: .named("u\(move.0)"))
                    }
                }
            }
            for number in 0..<5 {
                #expect(try await first.users.chain(of: .named("u\(number)")).count < 5)
            }
            #expect(try await first.check() == [])
        }
    }
}

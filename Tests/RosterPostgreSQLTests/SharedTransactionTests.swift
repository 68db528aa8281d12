import Foundation
import Roster
import RosterPostgreSQL
import Testing
import TestSupport

@Suite(
    "Changes that share a transaction of a server", .enabled(if: PostgreSQLCluster.shared != nil),
    .timeLimit(.minutes(3)))
struct SharedTransactionTests {
    @Test("Concurrent changes and renamings of a few users lose nothing of one another")
    func losesNothing() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        let directory = try Directory(connectedTo: cluster.address(database))
        defer {
            directory.close()
            cluster.drop(database)
        }
        let view = directory.unrestricted
        for name in ["ada", "grace", "kay"] { try await view.users.create(name) }
        let kay = try await view.users.user("kay").id
        let (callers, rounds) = (16, 20)
        let renamings = try await withThrowingTaskGroup(of: Int.self) { group in
            for caller in 0..<callers {
                group.addTask {
                    var renamings = 0
                    for round in 0..<rounds {
                        let title = AttributeValue.string("T\(caller).\(round)")
                        let name = caller.isMultiple(of: 2) ? "ada" : "grace"
                        try await view.users.modify(.named(name), attributes: ["title": title])
                        try await view.users.modify(.id(kay), attributes: ["title": title])
                        // Only one of the two names is taken, and another caller may have changed which.
                        let names = round.isMultiple(of: 2) ? ("kay", "alan") : ("alan", "kay")
                        do {
                            try await view.users.modify(
                                .named(names.0), attributes: ["uid": .string(names.1), "department": title])
                            renamings += 1
                        } catch let error as DirectoryError where error.code == .notFound {}
                    }
                    return renamings
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(renamings > 0)
        let half = Int64(callers / 2 * rounds)
        #expect(try await view.users.user("ada").version == 1 + half)
        #expect(try await view.users.user("grace").version == 1 + half)
        #expect(try await view.users.user(.id(kay)).version == Int64(1 + callers * rounds + renamings))
        let changes = try await view.changes.since(0, limit: 10_000)
        #expect(changes.map(\.sequence) == (1...Int64(3 + 2 * callers * rounds + renamings)).map { $0 })
        #expect(try await view.check() == [])
    }
}

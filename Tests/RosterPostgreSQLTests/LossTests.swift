import Foundation
import RosterPostgreSQL
import RosterStore
import RosterText
import Testing
import TestSupport

@testable import Roster

@Suite("A database server that is lost", .enabled(if: PostgreSQLCluster.shared != nil), .timeLimit(.minutes(5)))
struct LossTests {
    /// Draws from one seed on several threads.
    private final class Draws: Sendable {
        private let numbers: Locked<SeededNumbers>
        init(_ seed: UInt64) { numbers = Locked(SeededNumbers(seed: seed)) }
        func below(_ bound: Int) -> Int { numbers.withLock { Int.random(in: 0..<bound, using: &$0) } }
    }

    @Test("Each change is kept exactly once, wherever connections are cut")
    func keepsOnce() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        defer { cluster.drop(database) }
        let draws = Draws(randomSeed())
        let cuts = Locked(0)
        let isCutting = Locked(false)
        let proxy = try CuttingProxy(to: cluster.socketPath) { _ in
            guard isCutting.withLock({ $0 }), draws.below(25) == 0 else { return .pass }
            cuts.withLock { $0 += 1 }
            return draws.below(2) == 0 ? .lose : .loseAnswer
        }
        let directory = try Directory(connectedTo: cluster.address(database, by: proxy.port))
        defer { directory.close() }
        let users = directory.unrestricted.users
        isCutting.withLock { $0 = true }
        let failures = Gathered<String>()
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<4 {
                group.addTask {
                    for number in 0..<100 {
                        do {
                            _ = try await users.create("u\(caller)-\(number)")
                        } catch {
                            failures.append("\(caller)-\(number): \(error)")
                        }
                    }
                }
            }
        }
        isCutting.withLock { $0 = false }
        print("\(cuts.withLock { $0 }) connections were cut")
        #expect(cuts.withLock { $0 } >= 50)
        // A change that ran twice would be refused, because its name exists.
        #expect(failures.all == [])
        #expect(try await users.count() == 400)
        let changes = try await directory.unrestricted.changes.since(0, limit: 1_000)
        #expect(changes.map { $0.sequence } == Array(1...400))
        #expect(try await directory.unrestricted.check() == [])
    }

    @Test("Reads go on after idle connections were closed")
    func readsGoOn() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        defer { cluster.drop(database) }
        let directory = try Directory(connectedTo: cluster.address(database))
        defer { directory.close() }
        let users = directory.unrestricted.users
        try await users.create("ada")
        for round in 0..<20 {
            cluster.endConnections(of: database)
            #expect(try await users.count() == 1)
            cluster.endConnections(of: database)
            try await users.modify("ada", [.set(.title, .string("T\(round)"))])
        }
    }

    @Test("A call that needs a new connection waits until the server is back")
    func waitsForConnection() async throws {
        try await withCutDirectory { isDown, directory in
            try await directory.unrestricted.users.create("ada")
            isDown.withLock { $0 = true }
            Task {
                try await Task.sleep(for: .seconds(1))
                isDown.withLock { $0 = false }
            }
            // An export always uses a connection of its own.
            let exported = Locked(Data())
            try await directory.unrestricted.export(.csv) { piece in exported.withLock { $0 += piece } }
            #expect(String(decoding: exported.withLock { $0 }, as: UTF8.self).contains("ada"))
        }
    }

    @Test("The operator hears once that the server is lost, and once that the server is back")
    func tellsOfLoss() async throws {
        try await withCutDirectory { isDown, directory in
            let told = Gathered<String>()
            directory.storage.watchForLoss { told.append($0) }
            isDown.withLock { $0 = true }
            Task {
                try await Task.sleep(for: .seconds(1))
                isDown.withLock { $0 = false }
            }
            try await directory.unrestricted.export(.csv) { _ in }
            _ = try await directory.unrestricted.users.count()
            #expect(told.all.count == 2)
            #expect(told.all.first?.contains("cannot be reached") == true)
            #expect(told.all.last?.contains("reached again") == true)
        }
    }

    @Test("A transaction that pauses for too long fails, and does not run again")
    func pausesTooLong() async throws {
        try await withServerDirectory { _, _, directory in
            let runs = Locked(0)
            let error = await #expect(throws: DirectoryError.self) {
                try await directory.unrestricted.awaitWrite { transaction in
                    runs.withLock { $0 += 1 }
                    try transaction.connection.run(Self.pauseBriefly)
                    _ = try transaction.asEditor(to: "test").users.create(NewUser("ada"))
                    Thread.sleep(forTimeInterval: 1)
                    _ = try transaction.asEditor(to: "test").users.create(NewUser("bob"))
                }
            }
            #expect(error?.code == .limitExceeded)
            #expect(runs.withLock(\.self) == 1)
            let count = try await directory.unrestricted.users.count()
            #expect(count == 0)
        }
    }

    private static let pauseBriefly: SQL = "SET LOCAL idle_in_transaction_session_timeout = '200ms'"
}

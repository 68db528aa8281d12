import Foundation
import RosterPostgreSQL
import RosterStore
import RosterText
import Testing
import TestSupport

@testable import Roster

@Suite(
    "Cancelled calls on a database server", .enabled(if: PostgreSQLCluster.shared != nil), .timeLimit(.minutes(20)))
struct CancelTests {
    /// How many calls are cancelled.
    private static var rounds: Int {
        ProcessInfo.processInfo.environment["ROSTER_CANCELS"].flatMap { Int($0) } ?? 1_000
    }
    private static let callers = 8

    /// How the calls of a test have ended.
    private struct Ends: Sendable {
        /// Cancelled calls that ended with a `CancellationError`, and those that had ended before.
        var cancelled = 0
        var late = 0
        /// Calls that nobody cancelled, and that had the right answer.
        var undisturbed = 0
        var problems: [String] = []
    }

    @Test("A cancellation ends its own call or none, and never another caller's")
    func hitsNobodyElse() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        defer { cluster.drop(database) }
        let directory = try Directory(connectedTo: cluster.address(database))
        defer { directory.close() }
        let users = directory.unrestricted.users
        try await users.load((0..<2_000).map { NewUser("p\($0)", attributes: ["title": .string("T\($0)")]) })
        let seed = randomSeed()
        let ends = Locked(Ends())
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<Self.callers {
                group.addTask {
                    var numbers = SeededNumbers(seed: seed &+ UInt64(caller))
                    for round in 0..<(Self.rounds / Self.callers) * 2 {
                        let (kind, number) = (
                            Int.random(in: 0..<4, using: &numbers), Int.random(in: 0..<2_000, using: &numbers)
                        )
                        let task = Task { try await Self.call(kind, number, "c\(caller)-\(round)", users) }
                        let isCancelled = round % 2 == 0
                        if isCancelled {
                            let delay = Int.random(in: 0..<[300, 3_000, 30_000][kind % 3], using: &numbers)
                            try? await Task.sleep(for: .microseconds(delay))
                            task.cancel()
                        }
                        let result = await task.result
                        ends.withLock {
                            Self.count(result, isCancelled, "seed \(seed), \(caller), \(round), \(kind)", &$0)
                        }
                    }
                }
            }
        }
        let all = ends.withLock { $0 }
        print(
            "\(all.cancelled) calls were cancelled, \(all.late) had ended before, \(all.undisturbed) others were right")
        #expect(all.problems == [])
        #expect(all.cancelled > Self.rounds / 10)
        #expect(try await directory.unrestricted.check() == [])
        let changes = try await directory.unrestricted.changes.since(2_000, limit: 10_000)
        #expect(changes.map(\.sequence) == Array(2_001..<2_001 + Int64(changes.count)))
    }

    private static func count(
        _ result: Swift.Result<Bool, any Error>, _ isCancelled: Bool, _ call: String, _ ends: inout Ends
    ) {
        switch result {
        case .success(true): if isCancelled { ends.late += 1 } else { ends.undisturbed += 1 }
        case .success(false): ends.problems.append("\(call): a wrong answer")
        case .failure(is CancellationError) where isCancelled: ends.cancelled += 1
        case .failure(let error): ends.problems.append("\(call): \(error)")
        }
    }

    /// Calls the directory.
    ///
    /// - Returns: Whether the answer is right.
    private static func call(_ kind: Int, _ number: Int, _ name: String, _ users: UserManager) async throws -> Bool {
        switch kind {
        case 0: return try await users.user("p\(number)").title == "T\(number)"
        case 1:
            let search = Search(.attribute(.title).equals(.string("t\(number)")))
            return try await users.search(search).elements.map(\.uid) == ["p\(number)"]
        case 2:
            // Long enough to be cancelled at the server.
            let search = Search(.attribute(.title).ends("\(number)"), pageSize: 500, includesTotal: true)
            return try await users.search(search).elements.contains { $0.uid == "p\(number)" }
        default: return try await users.create(.init(name)).uid == name
        }
    }

    private static let sleep: SQL = "SELECT 1 FROM (SELECT pg_sleep(?1)) AS s"

    @Test("Closing the directory ends a read that the server is running")
    func closingEndsReads() async throws {
        try await withServerDirectory { _, _, directory in
            let start = ContinuousClock.now
            let reading = Task.detached {
                try await directory.store.awaitRead(for: .lookUp) {
                    try $0.first(Self.sleep, [.integer(30)]) { _ in true }
                }
            }
            try await Task.sleep(for: .milliseconds(200))
            directory.close()
            let error = await #expect(throws: DirectoryError.self) { try await reading.value }
            #expect(error?.code == .closed)
            #expect(.now - start < .seconds(20))
        }
    }

    @Test("A cancelled change beside the directory leaves the connection to the next call as it was")
    func cancelsAside() async throws {
        try await withServerDirectory { _, _, directory in
            let view = directory.unrestricted
            try await view.users.create("ada")
            for round in 0..<20 {
                let waiting = Task {
                    try await directory.awaitLookUp(expecting: [.user(.named("ada"))], by: view.caller) {
                        _ = try view.read { try $0.users.user(.named("ada"), .all) }
                        try directory.store.changeSideTables {
                            _ = try $0.first(Self.sleep, [.integer(10)]) { _ in true }
                        }
                    }
                }
                try await Task.sleep(for: .milliseconds(20 + round))
                waiting.cancel()
                await #expect(throws: CancellationError.self) { try await waiting.value }
                for _ in 0..<4 { #expect(try await view.users.user("ada").uid == "ada") }
                try directory.store.changeSideTables { _ = try $0.first(Self.sleep, [.integer(0)]) { _ in true } }
            }
        }
    }
}

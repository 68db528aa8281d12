import Foundation
import RosterStore
import Synchronization
import Testing
import TestSupport

@testable import Roster

@Suite("Changes that share a commit", .timeLimit(.minutes(2)))
struct SharedCommitTests {
    /// Puts jobs in line while the writer is held up, so that they share one commit, and returns what came of each.
    static func together(
        _ store: Store, _ bodies: [@Sendable (Connection) throws -> Void], cancelling cancelled: Int? = nil,
        once arrived: Gate? = nil
    ) async throws -> [Result<Void, any Error>] {
        let gate = Gate()
        let holder = Task { try await store.awaitWrite { _ in gate.pass() } }
        try await onThread { _ = gate.waitForArrivals() }
        let inLine = Gate()
        inLine.open()
        // One after the other, so that they stand in this order.
        var tasks: [Task<Void, any Error>] = []
        for body in bodies {
            tasks.append(Task { try await store.awaitWrite(body) })
            for _ in 0..<200 { await Task.yield() }
        }
        gate.open()
        try await holder.value
        if let cancelled, let arrived {
            try await onThread { _ = arrived.waitForArrivals() }
            tasks[cancelled].cancel()
            arrived.open()
        }
        var results: [Result<Void, any Error>] = []
        for task in tasks { results.append(await task.result) }
        return results
    }

    struct Refused: Error {}

    static func isSuccess(_ result: Result<Void, any Error>) -> Bool {
        if case .success = result { return true }
        return false
    }

    @Test("One that fails does not hurt its neighbours", arguments: Place.allCases)
    func failureStaysAlone(place: Place) async throws {
        try await CancellationTests.withStore(place) { (store: Store) async throws in
            let results = try await Self.together(
                store,
                [
                    { try CancellationTests.mark("a", on: $0) },
                    {
                        try CancellationTests.mark("never", on: $0)
                        throw Refused()
                    },
                    { try CancellationTests.mark("b", on: $0) },
                    { try $0.run(dynamic: "INSERT INTO mark VALUES (NULL)") },
                    { try CancellationTests.mark("c", on: $0) },
                ])
            #expect(results.map(Self.isSuccess) == [true, false, true, false, true])
            try await CancellationTests.expectUsable(store, marks: ["a", "b", "c"])
        }
    }

    @Test(
        "One that is interrupted while it runs does not hurt its neighbours", arguments: Place.allCases, [true, false])
    func interruptionStaysAlone(place: Place, isChanging: Bool) async throws {
        try await CancellationTests.withStore(place) { (store: Store) async throws in
            let begun = Gate()
            let rows = "WITH RECURSIVE n (i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
            let results = try await Self.together(
                store,
                [
                    { try CancellationTests.mark("a", on: $0) },
                    { connection in
                        try CancellationTests.mark("never", on: connection)
                        begun.pass()
                        try connection.run(
                            dynamic: isChanging ? "INSERT INTO mark \(rows)" : "SELECT count(*) FROM (\(rows))")
                    },
                    { try CancellationTests.mark("b", on: $0) },
                ], cancelling: 1, once: begun)
            #expect(results.map(Self.isSuccess) == [true, false, true])
            if case .failure(let error) = results[1] { #expect(error is CancellationError) }
            try await CancellationTests.expectUsable(store, marks: ["a", "b"])
        }
    }

    @Test("One commit is one step for readers: they see none or all of what shares it")
    func readersSeeWholeCommits() async throws {
        try await CancellationTests.withStore(.file) { (store: Store) async throws in
            let isOver = Atomic<Bool>(false)
            let reader = Task {
                var seen: Set<Int64> = []
                while !isOver.load(ordering: .relaxed) {
                    let count = try await store.awaitRead(for: .search(nil)) { connection in
                        let first = try connection.first("SELECT count(*) FROM mark") { $0.integer(0) } ?? 0
                        for _ in 0..<20 {
                            let again = try connection.first("SELECT count(*) FROM mark") { $0.integer(0) } ?? 0
                            #expect(again == first, "a read sees one moment only")
                        }
                        return first
                    }
                    seen.insert(count)
                }
                return seen
            }
            for round in 0..<50 {
                try await store.awaitWrite { connection in
                    for number in 0..<10 { try CancellationTests.mark("\(round)-\(number)", on: connection) }
                }
            }
            isOver.store(true, ordering: .relaxed)
            let seen = try await reader.value
            #expect(seen.allSatisfy { $0 % 10 == 0 }, "\(seen.sorted())")
        }
    }

    @Test("A change that has returned is seen by every read that begins afterwards", arguments: Place.allCases)
    func readYourWrites(place: Place) async throws {
        try await CancellationTests.withStore(place) { (store: Store) async throws in
            let wrong = await inParallel(4) { thread -> Int in
                var wrong = 0
                for number in 0..<100 {
                    let name = "\(thread)-\(number)"
                    try? store.write { try CancellationTests.mark(name, on: $0) }
                    let found = try? store.read { connection in
                        try connection.first("SELECT 1 FROM mark WHERE text = ?1", [.text(name)]) { _ in true }
                    }
                    if found != true { wrong += 1 }
                }
                return wrong
            }
            #expect(wrong == [0, 0, 0, 0])
        }
    }

    @Test("The file is written by one connection only: readers refuse to change or checkpoint it")
    func readersCannotWrite() async throws {
        try await CancellationTests.withStore(.file) { (store: Store) async throws in
            #expect(throws: DirectoryError.self) { try store.read { try CancellationTests.mark("x", on: $0) } }
            #expect(throws: DirectoryError.self) {
                try store.read { try $0.run(dynamic: "PRAGMA wal_checkpoint(TRUNCATE)") }
            }
            #expect(
                try store.read { try $0.first("PRAGMA wal_autocheckpoint") { $0.integer(0) } } == 0,
                "and no connection checkpoints by itself")
            #expect(try await store.awaitWrite { try $0.first("PRAGMA wal_autocheckpoint") { $0.integer(0) } } == 0)
            #expect(try await store.awaitWrite { try $0.first("PRAGMA synchronous") { $0.integer(0) } } == 2)
            #expect(try await store.awaitWrite { try $0.first("PRAGMA journal_mode") { $0.text(0) } } == "wal")
            try await CancellationTests.expectUsable(store)
        }
    }
}

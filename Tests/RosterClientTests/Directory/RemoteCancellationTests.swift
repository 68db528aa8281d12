import Dispatch
import Foundation
import Roster
import RosterClient
import RosterFixtures
import RosterServer
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Cancelling calls to a server's directory", .timeLimit(.minutes(5)))
struct RemoteCancellationTests {
    @Test("2,000 calls and handles that are cancelled at random moments end, and nothing of them runs on at the server")
    func cancelling() async throws {
        try await withProxiedDirectory { proxied in
            let view = try await DirectoryView(
                server: address("http://127.0.0.1:\(try #require(proxied.server.port))"),
                credentials: proxied.credentials,
                transport: proxied.transport)
            let seed = randomSeed()
            let completions = Counter()
            var (handles, ends) = (0, [String: Int]())
            for round in 0..<40 {
                var numbers = SeededNumbers(seed: seed &+ UInt64(round))
                var operations = RandomOperations(numbers: numbers)
                var tasks: [Task<String, Never>] = []
                for number in 0..<56 {
                    let operation = operations.next()
                    // A few calls run to their end, however busy the machine is.
                    guard number % 10 > 0 else {
                        tasks.append(Task { await Self.end(Task { try await operation.run(view) }.result) })
                        continue
                    }
                    let moment = Duration.microseconds(Int.random(in: 0..<6_000, using: &numbers))
                    if Bool.random(using: &numbers) {
                        tasks.append(Task { await Self.cancelledTask(operation, view, after: moment) })
                    } else {
                        handles += 1
                        tasks.append(Task { await Self.cancelledHandle(operation, view, after: moment, completions) })
                    }
                }
                for task in tasks { ends[await task.value, default: 0] += 1 }
            }
            let cancelled = ends["CancellationError()", default: 0]
            let all = ends.values.reduce(0, +)
            #expect(all == 2_240 && cancelled > 100 && all - cancelled >= 240, "\(ends)")
            #expect(completions.value == handles)
            try await onThread { #expect(waitUntil { proxied.server.statistics?.requestsInFlight == 0 }) }
            #expect(try await view.users.count() > 0)
        }
    }

    private static func end(_ result: Result<String, any Error>) -> String {
        switch result {
        case .success: "success"
        case .failure(let error as DirectoryError): "\(error.code)"
        case .failure(let error): "\(error)"
        }
    }

    private static func pass(_ moment: Duration) async {
        let end = ContinuousClock.now + moment
        while ContinuousClock.now < end { await Task.yield() }
    }

    private static func cancelledTask(
        _ operation: RandomOperation, _ view: DirectoryView, after moment: Duration
    ) async -> String {
        let task = Task { try await operation.run(view) }
        await pass(moment)
        task.cancel()
        return end(await task.result)
    }

    private static func cancelledHandle(
        _ operation: RandomOperation, _ view: DirectoryView, after moment: Duration, _ completions: Counter
    ) async -> String {
        let ended = Locked<String?>(nil)
        let handle = AsyncOperationHandle(deliveringOn: .global()) {
            try await operation.run(view)
        } completion: { result, _ in
            completions.add()
            ended.withLock { $0 = end(result) }
        }
        await pass(moment)
        handle.cancel()
        while true {
            if let end = ended.withLock({ $0 }) { return end }
            await Task.yield()
        }
    }

    @Test("Cancelling a search stops its statement at the server")
    func statement() async throws {
        try await withProxiedDirectory(Self.largeDirectory()) { proxied in
            let view = proxied.view
            // No index helps with these conditions.
            let conditions = (0..<40).map { number in
                Filter.not(.compare(AttributePath("title"), .contains, .string("no such title \(number)")))
            }
            let slow = Search(.and(conditions), pageSize: 0, includesTotal: true)
            for _ in 0..<5 {
                let searches = (0..<8).map { _ in
                    Task {
                        while true { _ = try await view.users.search(slow) }
                    }
                }
                try await onThread { #expect(waitUntil { proxied.server.statistics?.requestsInFlight == 8 }) }
                for search in searches { search.cancel() }
                for search in searches { _ = await search.result }
                try await onThread { #expect(waitUntil { proxied.server.statistics?.requestsInFlight == 0 }) }
            }
        }
    }

    /// A directory in which searches take long.
    private static func largeDirectory() async throws -> CompanyDirectory {
        let company = try CompanyDirectory()
        let users = (0..<4_000).map { Batch.Operation.createUser(NewUser("many\($0)", attributes: ["title": "Many"])) }
        try await company.directory.unrestricted.perform(Batch(users))
        return company
    }

    /// Not with a database: the server, which has a process of its own elsewhere, waits for a thread of the pool then.
    @Test(
        "Synchronous calls from more tasks than Swift's pool has threads come through",
        .enabled(if: PostgreSQLCluster.shared == nil))
    func fullPool() async throws {
        try await withProxiedDirectory { proxied in
            let view = proxied.view
            let names = await withTaskGroup(of: String.self) { group in
                for _ in 0..<64 { group.addTask { Self.nameAndWait(view) } }
                return await group.reduce(into: []) { $0.append($1) }
            }
            #expect(names == Array(repeating: "haruka.ito", count: 64))
        }
    }

    /// Waits on the calling thread, which belongs to Swift's pool.
    private static func nameAndWait(_ view: DirectoryView) -> String {
        do { return try view.users.user("haruka.ito").uid } catch { return "\(error)" }
    }
}

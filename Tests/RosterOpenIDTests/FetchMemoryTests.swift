import Foundation
import RosterOpenID
import TestSupport
import Testing

@Suite("Documents that are fetched and kept", .timeLimit(.minutes(1)))
struct FetchMemoryTests {
    private struct Failure: Error {}

    /// A source whose fetches wait until the test answers them.
    private final class Source: Sendable {
        let begun = Gathered<Int>()
        private let answers = AsyncStream<Result<Int, any Error>>.makeStream()

        func answer(_ result: Result<Int, any Error>) { answers.continuation.yield(result) }

        func fetch() async throws -> Int {
            begun.append(0)
            for await answer in answers.stream { return try answer.get() }
            throw CancellationError()
        }
    }

    private let clock = SettableClock()
    private let rule = ReloadRule(minimumSeconds: 10, maximumSeconds: 100)

    private func memory() -> FetchMemory<String, Int> {
        FetchMemory(fetchesAtFirstMiss: true, clock: { [clock] in clock.now })
    }

    @Test("While a stranger's fetch is slow, everybody gets the kept document at once")
    func othersDoNotWait() async throws {
        let (memory, source, rule) = (memory(), Source(), rule)
        source.answer(.success(1))
        #expect(try await memory.value(of: "a", by: rule) { try await source.fetch() }.value == 1)
        clock.advance(by: 10)
        let stranger = Task {
            try await memory.value(of: "a", by: rule, isMissing: true) { try await source.fetch() }.value
        }
        _ = try await onThread { source.begun.wait(for: 2) }
        for _ in 0..<100 {
            #expect(try await memory.value(of: "a", by: rule) { throw Failure() }.value == 1)
        }
        // The document is too old by now, but not twice as old.
        clock.advance(by: 150)
        #expect(try await memory.value(of: "a", by: rule) { throw Failure() }.value == 1)
        source.answer(.success(2))
        #expect(try await stranger.value == 2)
        #expect(try await memory.value(of: "a", by: rule) { throw Failure() }.value == 2)
    }

    @Test("A document that is more than twice as old as allowed is not used while a new one is fetched")
    func tooOld() async throws {
        let (memory, source, rule) = (memory(), Source(), rule)
        source.answer(.success(1))
        _ = try await memory.value(of: "a", by: rule) { try await source.fetch() }
        clock.advance(by: 201)
        let first = Task { try await memory.value(of: "a", by: rule) { try await source.fetch() }.value }
        _ = try await onThread { source.begun.wait(for: 2) }
        let second = Task { try await memory.value(of: "a", by: rule) { throw Failure() }.value }
        source.answer(.success(2))
        #expect(try await first.value == 2)
        #expect(try await second.value == 2)
    }

    @Test("A document that cannot be fetched again stays in use, and the error is told")
    func failing() async throws {
        let (memory, rule) = (memory(), rule)
        let nothing = try await memory.value(of: "a", by: rule) { throw Failure() }
        #expect(nothing.value == nil && nothing.problem is Failure)
        clock.advance(by: 10)
        #expect(try await memory.value(of: "a", by: rule) { 1 }.value == 1)
        clock.advance(by: 101)
        let old = try await memory.value(of: "a", by: rule) { throw Failure() }
        #expect(old.value == 1 && old.problem is Failure)
    }

    @Test("What is missing is fetched at once after an ordinary fetch, and then not before the rule allows")
    func missing() async throws {
        let (memory, rule, count) = (memory(), rule, Counter())
        func ask(isMissing: Bool = true) async throws -> Int {
            _ = try await memory.value(of: "a", by: rule, isMissing: isMissing) {
                count.add()
                return count.value
            }
            return count.value
        }
        #expect(try await ask(isMissing: false) == 1)
        for _ in 0..<200 { #expect(try await ask() == 2) }
        clock.advance(by: 9)
        #expect(try await ask() == 2)
        clock.advance(by: 1)
        for _ in 0..<200 { #expect(try await ask() == 3) }
        clock.advance(by: 101)
        #expect(try await ask(isMissing: false) == 4)
        #expect(try await ask() == 5)
    }

    @Test("A caller who is cancelled waits no longer, and the fetch goes on for the others")
    func cancelled() async throws {
        let (memory, source, rule) = (memory(), Source(), rule)
        let first = Task { try await memory.value(of: "a", by: rule) { try await source.fetch() }.value }
        _ = try await onThread { source.begun.wait(for: 1) }
        let second = Task { try await memory.value(of: "a", by: rule) { throw Failure() }.value }
        first.cancel()
        await #expect(throws: CancellationError.self) { _ = try await first.value }
        source.answer(.success(1))
        #expect(try await second.value == 1)
    }
}

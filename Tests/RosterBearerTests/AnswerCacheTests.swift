import RosterText
import Testing
import TestSupport

@testable import RosterBearer

@Suite("What is remembered of an issuer's answers", .timeLimit(.minutes(5)))
struct AnswerCacheTests {
    /// Something that questions wait for until the test opens it.
    private final class Door: Sendable {
        private let stream: AsyncStream<Void>
        private let opening: Task<Void, Never>
        private let continuation: AsyncStream<Void>.Continuation

        init() {
            let (stream, continuation) = AsyncStream<Void>.makeStream()
            (self.stream, self.continuation) = (stream, continuation)
            opening = Task { for await _ in stream {} }
        }

        func open() { continuation.finish() }
        func pass() async { await opening.value }
    }

    @Test("When too many questions wait for the issuer, further ones are refused at once; the others are answered")
    func bounded() async throws {
        let clock = SettableClock()
        let cache = AnswerCache(lifetime: 60, clock: { clock.now })
        let (door, asked) = (Door(), Gathered<Int>())
        let waiting = (0..<AnswerCache.maximumQuestions).map { number in
            Task {
                try await cache.claims(of: "token \(number)") {
                    asked.append(number)
                    await door.pass()
                    return (["sub": .integer(Int64(number))], nil)
                }
            }
        }
        _ = try await onThread { asked.wait(for: AnswerCache.maximumQuestions) }
        await #expect(throws: TokenProblem.self) {
            _ = try await cache.claims(of: "one more") { (["sub": "x"], nil) }
        }
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting[0].value }
        door.open()
        for (number, task) in waiting.enumerated() where number > 0 {
            #expect(try await task.value["sub"] == .integer(Int64(number)))
        }
        let again = try await cache.claims(of: "token 0") { (["sub": "asked again"], nil) }
        #expect(again["sub"] == 0, "a caller who gave up did not end the question")
        #expect(try await cache.claims(of: "one more") { (["sub": "x"], nil) }["sub"] == "x")
    }

    private struct Silence: Error {}
    private static let wrong = TokenProblem(.invalidToken, "The issuer says no.")

    /// Asks about as many wrong tokens as may wait for an answer. The door lets the answers out.
    private func ask(_ cache: AnswerCache) async throws -> (Door, [Task<JSONValue, any Error>]) {
        let (door, asked) = (Door(), Gathered<Int>())
        let strangers = (0..<AnswerCache.maximumQuestions).map { number in
            Task {
                try await cache.claims(of: "random \(number)") {
                    asked.append(number)
                    await door.pass()
                    throw Self.wrong
                }
            }
        }
        _ = try await onThread { asked.wait(for: AnswerCache.maximumQuestions) }
        return (door, strangers)
    }

    @Test("Strangers' questions do not keep a token from being asked about that was good before")
    func placesOfKnownTokens() async throws {
        let clock = SettableClock()
        let cache = AnswerCache(lifetime: 60, clock: { clock.now })
        #expect(try await cache.claims(of: "mine") { (["sub": "me"], nil) }["sub"] == "me")
        clock.advance(by: 61)
        let (door, strangers) = try await ask(cache)
        #expect(try await cache.claims(of: "mine") { (["sub": "still me"], nil) }["sub"] == "still me")
        door.open()
        for stranger in strangers { await #expect(throws: Self.wrong) { _ = try await stranger.value } }
    }

    @Test("Any number of wrong tokens drops no good answer")
    func wrongTokensAreApart() async throws {
        let clock = SettableClock()
        let cache = AnswerCache(lifetime: 60, clock: { clock.now })
        #expect(try await cache.claims(of: "mine") { (["sub": "me"], nil) }["sub"] == "me")
        for number in 0..<2 * AnswerCache.capacity {
            await #expect(throws: Self.wrong) {
                _ = try await cache.claims(of: "random \(number)") { throw Self.wrong }
            }
        }
        #expect(try await cache.claims(of: "mine") { throw Silence() }["sub"] == "me")
    }

    @Test("A token that was good and is refused now has no place of its own any more")
    func revoked() async throws {
        let clock = SettableClock()
        let cache = AnswerCache(lifetime: 60, clock: { clock.now })
        _ = try await cache.claims(of: "mine") { (["sub": "me"], nil) }
        clock.advance(by: 61)
        await #expect(throws: Self.wrong) { _ = try await cache.claims(of: "mine") { throw Self.wrong } }
        await #expect(throws: Self.wrong) { _ = try await cache.claims(of: "mine") { (["sub": "me"], nil) } }
        clock.advance(by: 11)
        let (door, strangers) = try await ask(cache)
        let crowded = await #expect(throws: TokenProblem.self) {
            _ = try await cache.claims(of: "mine") { (["sub": "again"], nil) }
        }
        #expect(crowded?.code == .unavailable)
        door.open()
        for stranger in strangers { await #expect(throws: Self.wrong) { _ = try await stranger.value } }
        #expect(try await cache.claims(of: "mine") { (["sub": "again"], nil) }["sub"] == "again")
    }
}

import RosterText
import Testing
import TestSupport

@testable import RosterBearer

@Suite("What is remembered of an issuer's answers", .timeLimit(.minutes(1)))
struct AnswerMemoryTests {
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
        let memory = AnswerMemory(lifetime: 60, clock: { clock.now })
        let (door, asked) = (Door(), Gathered<Int>())
        let waiting = (0..<AnswerMemory.maximumQuestions).map { number in
            Task {
                try await memory.claims(of: "token \(number)") {
                    asked.append(number)
                    await door.pass()
                    return (["sub": .integer(Int64(number))], nil)
                }
            }
        }
        _ = try await onThread { asked.wait(for: AnswerMemory.maximumQuestions) }
        await #expect(throws: TokenProblem.self) {
            _ = try await memory.claims(of: "one more") { (["sub": "x"], nil) }
        }
        waiting[0].cancel()
        await #expect(throws: CancellationError.self) { _ = try await waiting[0].value }
        door.open()
        for (number, task) in waiting.enumerated() where number > 0 {
            #expect(try await task.value["sub"] == .integer(Int64(number)))
        }
        let again = try await memory.claims(of: "token 0") { (["sub": "asked again"], nil) }
        #expect(again["sub"] == 0, "a caller who gave up did not end the question")
        #expect(try await memory.claims(of: "one more") { (["sub": "x"], nil) }["sub"] == "x")
    }
}

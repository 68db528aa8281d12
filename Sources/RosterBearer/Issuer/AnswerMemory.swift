import Foundation
import RosterCrypto
import RosterSignIn
import RosterText

/// Remembers what an issuer said about tokens. Tokens are known by their digests. Callers with the same token share one question.
actor AnswerMemory {
    private enum Answer: Sendable {
        case good(JSONValue)
        case bad(TokenProblem)

        var claims: JSONValue {
            get throws(TokenProblem) {
                switch self {
                case .good(let claims): return claims
                case .bad(let problem): throw problem
                }
            }
        }
    }

    private struct Entry {
        let answer: Answer
        let until: Date
    }

    /// The largest number of tokens that are remembered.
    static let capacity = 10_000
    /// The largest number of questions that wait for an answer. Further ones are refused, so that a slow issuer does not fill the
    /// memory of this process.
    static let maximumQuestions = 64
    /// The seconds for which a refusal is remembered.
    private static let refusalLifetime: TimeInterval = 10
    /// The seconds for which the issuer is not asked again about a token after an answer of no use, or about any token after no answer.
    private static let pause: TimeInterval = 1

    private let lifetime: TimeInterval
    private let clock: @Sendable () -> Date
    private var entries = GenerationalMap<[UInt8], Entry>(capacity: capacity)
    private var questions: [[UInt8]: Task<Answer, Never>] = [:]
    private var silence: (problem: TokenProblem, until: Date)?

    init(lifetime: TimeInterval, clock: @escaping @Sendable () -> Date) {
        (self.lifetime, self.clock) = (lifetime, clock)
    }

    /// The claims of a token.
    ///
    /// - Parameter ask: Asks the issuer for the claims and the end of the token.
    /// - Throws: ``TokenProblem``, `CancellationError`.
    func claims(
        of token: String, _ ask: @escaping @Sendable () async throws -> (claims: JSONValue, end: Date?)
    ) async throws -> JSONValue {
        let digest = try SHA256.digest(Array(token.utf8))
        let now = clock()
        if let entry = entries.value(digest) {
            // A clock that was set back makes no answer live longer.
            if now < entry.until, entry.until <= now.addingTimeInterval(max(lifetime, Self.refusalLifetime)) {
                return try entry.answer.claims
            }
            entries.remove(digest)
        }
        if let question = questions[digest] { return try await Self.answer(to: question).claims }
        if let silence, now < silence.until, silence.until <= now.addingTimeInterval(Self.pause) {
            throw silence.problem
        }
        guard questions.count < Self.maximumQuestions else {
            throw TokenProblem(.unavailable, "\(Self.maximumQuestions) questions wait for the issuer's answer.")
        }
        // A task of its own: a caller that is cancelled must not end the question of the others.
        let question = Task { await self.answer(digest, ask) }
        questions[digest] = question
        return try await Self.answer(to: question).claims
    }

    /// Waits for the answer to a question. A caller that is cancelled waits no longer.
    ///
    /// - Throws: `CancellationError`.
    private nonisolated static func answer(to question: Task<Answer, Never>) async throws -> Answer {
        let (answers, continuation) = AsyncStream<Answer>.makeStream()
        Task {
            continuation.yield(await question.value)
            continuation.finish()
        }
        // The iteration ends when the caller's task is cancelled.
        for await answer in answers { return answer }
        throw CancellationError()
    }

    private func answer(
        _ digest: [UInt8], _ ask: @Sendable () async throws -> (claims: JSONValue, end: Date?)
    ) async -> Answer {
        let asked = clock()
        defer { questions[digest] = nil }
        do {
            let (claims, end) = try await ask()
            let until = min(asked.addingTimeInterval(lifetime), end ?? .distantFuture)
            entries.set(Entry(answer: .good(claims), until: until), for: digest)
            return .good(claims)
        } catch let problem as TokenProblem {
            let seconds = problem.code == .unavailable ? Self.pause : Self.refusalLifetime
            entries.set(Entry(answer: .bad(problem), until: clock().addingTimeInterval(seconds)), for: digest)
            return .bad(problem)
        } catch {
            let problem = TokenProblem(.unavailable, (error as? IssuerDocuments.Problem)?.description ?? "No answer.")
            silence = (problem, clock().addingTimeInterval(Self.pause))
            return .bad(problem)
        }
    }
}

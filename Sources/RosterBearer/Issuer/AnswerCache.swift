import Foundation
import RosterCrypto
import RosterText

/// Remembers an issuer's answers about tokens. Tokens are known by their digests. Callers with the same token share one question.
///
/// Strangers can send any number of wrong tokens. The cache therefore keeps refusals in a map of their own, and reserves a part of
/// the requests to the issuer for tokens that were valid before.
actor AnswerCache {
    private struct Good {
        /// The issuer's answer; nil for an answer that is too old.
        var claims: JSONValue?
        let until: Date
    }

    private struct Refusal {
        let problem: TokenProblem
        let until: Date
    }

    private struct Question {
        let result: SharedResult<JSONValue>
        let wasGood: Bool
    }

    /// The largest number of good tokens that are remembered, and that of refused ones.
    static let capacity = 10_000
    /// The largest number of questions about tokens that were good before, and that about other tokens, which wait for an answer.
    /// Further ones are refused, so that a slow issuer does not fill the memory of this process.
    static let maximumQuestions = 64
    /// The seconds for which a refusal is remembered.
    private static let refusalLifetime: TimeInterval = 10
    /// The seconds for which the issuer is not asked again about a token after an answer of no use, or about any token after no answer.
    private static let pause: TimeInterval = 1

    private let lifetime: TimeInterval
    private let clock: @Sendable () -> Date
    private var good = GenerationalMap<[UInt8], Good>(capacity: capacity)
    private var refused = GenerationalMap<[UInt8], Refusal>(capacity: capacity)
    private var questions: [[UInt8]: Question] = [:]
    private var silence: Refusal?

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
        let known = good.value(digest)
        if let known {
            if let claims = known.claims, Self.isIn(known.until, now, lifetime) { return claims }
            // The token stays known as one that was good.
            good.set(Good(claims: nil, until: known.until), for: digest)
        }
        if let refusal = refused.value(digest) {
            if Self.isIn(refusal.until, now, Self.refusalLifetime) { throw refusal.problem }
            refused.remove(digest)
        }
        if let question = questions[digest] { return try await question.result.value() }
        if let silence, Self.isIn(silence.until, now, Self.pause) { throw silence.problem }
        let question = Question(result: SharedResult(), wasGood: known != nil)
        guard questions.values.count(where: { $0.wasGood == question.wasGood }) < Self.maximumQuestions else {
            throw TokenProblem(.unavailable, "\(Self.maximumQuestions) questions wait for the issuer's answer.")
        }
        questions[digest] = question
        // A task of its own: a caller that is cancelled must not end the question of the others.
        Task { question.result.finish(await self.answer(digest, ask)) }
        return try await question.result.value()
    }

    /// Whether an answer may still be used. A clock that was set back makes no answer live longer.
    private static func isIn(_ until: Date, _ now: Date, _ lifetime: TimeInterval) -> Bool {
        now < until && until <= now.addingTimeInterval(lifetime)
    }

    private func answer(
        _ digest: [UInt8], _ ask: @Sendable () async throws -> (claims: JSONValue, end: Date?)
    ) async -> Result<JSONValue, any Error> {
        let asked = clock()
        defer { questions[digest] = nil }
        do {
            let (claims, end) = try await ask()
            let until = min(asked.addingTimeInterval(lifetime), end ?? .distantFuture)
            good.set(Good(claims: claims, until: until), for: digest)
            return .success(claims)
        } catch let problem as TokenProblem {
            if problem.code != .unavailable { good.remove(digest) }
            let seconds = problem.code == .unavailable ? Self.pause : Self.refusalLifetime
            refused.set(Refusal(problem: problem, until: clock().addingTimeInterval(seconds)), for: digest)
            return .failure(problem)
        } catch {
            let problem = TokenProblem(.unavailable, "The issuer cannot be asked: \(error)")
            silence = Refusal(problem: problem, until: clock().addingTimeInterval(Self.pause))
            return .failure(problem)
        }
    }
}

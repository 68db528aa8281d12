import RosterText

/// Counts refused credentials by reason, for `/metrics`.
package final class RefusalCounts: Sendable {
    private let state = Locked<[String: Int]>([:])

    /// The number of refusals of each reason since the start.
    package var counts: [(reason: String, count: Int)] {
        let counts = state.withLock { $0 }
        return ["wrong", "throttled", "overloaded", "second_factor"].map { ($0, counts[$0] ?? 0) }
    }

    func count(_ failure: AuthenticationFailure) {
        let reason =
            switch failure {
            case .wrong: "wrong"
            case .tooManyAttempts: "throttled"
            case .overloaded: "overloaded"
            case .secondFactorRequired, .secondFactorWrong, .secondFactorLost: "second_factor"
            }
        state.withLock { $0[reason, default: 0] += 1 }
    }
}

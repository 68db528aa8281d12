package import Foundation
import Synchronization

/// Remembers which assertions were used, so that each is taken once (SAML profiles, 4.1.4.5).
///
/// In memory, and so only until the process ends.
package final class SAMLReplayMemory: Sendable {
    private struct Key: Hashable {
        let issuer: String
        let id: String
    }

    private struct State {
        var until: [Key: Date] = [:]
        /// With how many it is worth while to look for those that have expired.
        var sweepAt = 1_024
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// - Parameter capacity: The most assertions that are remembered at a time, about 200 bytes each.
    package init(capacity: Int = 65_536) { self.capacity = max(capacity, 1) }

    /// Takes an assertion for the one time that it may be used. Costs about 1 µs.
    ///
    /// - Parameter until: From when it cannot be presented any more; ``SAMLAssertion/claimUntil``.
    /// - Returns: `false` where it was claimed before, or where so many are remembered that nobody could tell: nothing
    ///   that could still be presented is forgotten to make room.
    package func claim(id: String, issuer: String, until: Date, now: Date) -> Bool {
        state.withLock { state in
            let key = Key(issuer: issuer, id: id)
            if let known = state.until[key], known > now { return false }
            if state.until.count >= min(state.sweepAt, capacity) {
                state.until = state.until.filter { $0.value > now }
                // Sweeping when there are twice as many costs each claim the same, however many there are.
                state.sweepAt = max(1_024, state.until.count * 2)
            }
            guard state.until.count < capacity else { return false }
            state.until[key] = until
            return true
        }
    }
}

import Foundation
import RosterText

/// Caches the standing of callers until the next commit, or until the account ends.
final class StandingMemory: Sendable {
    private struct State {
        var commit: UInt64 = 0
        var ownCommit: UInt64 = 0
        var standings: [UserID: (standing: Rights.Standing, ends: Int64?)] = [:]
    }
    private static let most = 1_000
    private let state = Locked(State())
    let clock: @Sendable () -> Date

    init(_ clock: @escaping @Sendable () -> Date) { self.clock = clock }

    /// Returns whether the memory has the standing of a user, and this process has committed nothing since the memory got the standing.
    /// Another process may have committed a change.
    ///
    /// - Parameter ownCommit: The number of commits that this process has finished.
    func mayKnow(_ user: UserID, at ownCommit: UInt64) -> Bool {
        state.withLock { $0.ownCommit == ownCommit && $0.standings[user] != nil }
    }

    /// Returns the standing of a user in a snapshot with exactly this number of commits.
    ///
    /// - Parameters:
    ///   - ownCommit: The number of commits that this process had finished before the snapshot.
    ///   - find: Determines the standing if it is not cached.
    func standing(
        of user: UserID, at commit: UInt64, ownCommit: UInt64,
        _ find: () throws -> (standing: Rights.Standing, ends: Int64?)
    ) rethrows -> Rights.Standing {
        let known = state.withLock { state -> (standing: Rights.Standing, ends: Int64?)? in
            guard state.commit == commit else { return nil }
            // A commit of this process can be in the snapshot before the process has counted the commit.
            state.ownCommit = max(state.ownCommit, ownCommit)
            return state.standings[user]
        }
        if let known, known.ends.map({ clock().milliseconds < $0 }) ?? true { return known.standing }
        let found = try find()
        state.withLock { state in
            if state.commit != commit || state.standings.count >= Self.most { state = State(commit: commit) }
            state.ownCommit = max(state.ownCommit, ownCommit)
            state.standings[user] = found
        }
        return found.standing
    }
}

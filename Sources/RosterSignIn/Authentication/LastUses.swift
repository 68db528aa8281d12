import Foundation
import Roster
import RosterStore
import RosterText

/// Stores when programs have last used their credentials: app passwords and programs' tokens.
///
/// A request does not wait until its use is stored. The uses of 50 milliseconds are stored in one commit, and a use is not stored within
/// an hour after another use of the same credential. A crash loses the uses of the last moment. A directory that cannot be written, such
/// as a standby, stores no use.
package final class LastUses: Sendable {
    private struct State {
        /// The time at which the use of a credential was noted last, by the digest of the credential.
        var noted: [String: Date] = [:]
        /// The uses that are not stored yet, by the digest of the credential.
        var waiting: [String: (statement: SQL, time: Date)] = [:]
        var writing: Task<Void, Never>?
    }

    /// The seconds for which a use is not stored again.
    private static let interval: TimeInterval = 3_600
    /// The largest number of credentials in memory.
    private static let capacity = 10_000
    /// The time for which uses gather for a commit.
    private static let pause = Duration.milliseconds(50)

    private let directory: Directory
    private let state = Locked(State())

    init(_ directory: Directory) { self.directory = directory }

    /// Notes that a program has used a token now.
    package func note(_ token: APIToken) { note(token.digest, token.lastUse, storing: TokenStatements.noteUse) }

    /// Notes that a program has used an app password now.
    package func note(_ password: AppPassword) {
        note(password.digest, password.lastUse, storing: AppPasswordStatements.noteUse)
    }

    /// - Parameters:
    ///   - stored: The last use that is stored; nil for none.
    ///   - statement: The statement that stores the time ?2 as the last use of the credential with the digest ?1.
    private func note(_ digest: String, _ stored: Date?, storing statement: SQL) {
        let now = directory.now
        func isRecent(_ time: Date?) -> Bool {
            time.map { (0..<Self.interval).contains(now.timeIntervalSince($0)) } ?? false
        }
        guard !isRecent(stored) else { return }
        state.withLock { state in
            guard !isRecent(state.noted[digest]), state.waiting.count < Self.capacity else { return }
            if state.noted.count >= Self.capacity { state.noted = [:] }
            state.noted[digest] = now
            state.waiting[digest] = (statement, now)
            // A detached task, because a task of a directory's callback must not write while the callback runs.
            if state.writing == nil { state.writing = Task.detached { await self.write() } }
        }
    }

    /// Waits until all noted uses are stored. In a callback of the directory this returns at once, because the uses wait for the callback.
    package func flush() async {
        guard !directory.store.isHeldByCaller else { return }
        while let writing = state.withLock({ $0.writing }) { await writing.value }
    }

    private func write() async {
        while true {
            try? await Task.sleep(for: Self.pause)
            let uses = state.withLock { state in
                defer { state.waiting = [:] }
                if state.waiting.isEmpty { state.writing = nil }
                return state.waiting
            }
            if uses.isEmpty { return }
            try? await directory.store.awaitWrite { connection in
                for (digest, use) in uses {
                    try connection.run(use.statement, [.text(digest), .integer(use.time.milliseconds)])
                }
            }
        }
    }
}

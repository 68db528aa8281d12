import RosterStore
import RosterText

/// Waits for a commit. The server answers when there is a newer one, or after some seconds.
package struct AwaitCommit: ReadOperation {
    package static let name = "awaitCommit"
    package static let isNarrow = true
    /// The number of the known commit, which is meaningful to the running server only; nil for none.
    package let after: String?
    package var isBrief: Bool { true }

    init(after: String?) { self.after = after }

    /// The number of the latest commit, without waiting.
    package func run(in transaction: Transaction) throws -> String { try transaction.commitNumber() }
}

extension Transaction {
    /// The number of the latest commit, and the vocabulary's, which can be adopted after the commit. In a file, both count from the
    /// start of this process. On a server, they are the same for all processes.
    fileprivate func commitNumber() throws -> String {
        if core.store.isOnServer, let commits = try connection.exactSnapshot(),
            let revision = connection.engine.revision()
        {
            return "\(commits).\(revision)"
        }
        return "\(core.startNumber).\(core.store.commitCount).\(core.vocabulary.revision)"
    }
}

extension DirectoryView {
    /// The time for which a server lets a client wait for a commit.
    private static let longestWait = Duration.seconds(20)

    /// Waits until there is a commit that the client does not know yet, or until the client should ask again.
    ///
    /// - Throws: ``DirectoryError`` `overloaded` if too many clients wait. The client asks again later.
    package func awaitCommit(_ question: AwaitCommit) async throws -> String {
        let signal = ChangeSignal(of: self)
        let latest = try await read(question)
        guard latest == question.after else { return latest }
        let place = try embedded().core.commitWaits.enter(caller.requester)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await signal.wait() }
            group.addTask { try await Task.sleep(for: Self.longestWait) }
            try await group.next()
            group.cancelAll()
        }
        withExtendedLifetime(place) {}
        return try await read(question)
    }
}

/// Counts the clients that wait for a commit, and limits their number for each caller and for all, because each client holds a
/// connection.
final class CommitWaits: Sendable {
    private static let most = 512
    private static let mostOfUser = 16
    private static let mostOfProgram = 128
    private let counts = Locked<[Requester: Int]>([:])

    /// One waiting client. Releasing the place ends the wait in the counts.
    final class Place: Sendable {
        private let waits: CommitWaits
        private let caller: Requester

        fileprivate init(_ waits: CommitWaits, _ caller: Requester) { (self.waits, self.caller) = (waits, caller) }
        deinit { waits.leave(caller) }
    }

    func enter(_ caller: Requester) throws -> Place {
        let isFree = counts.withLock { counts in
            let most = caller.isLimited ? Self.mostOfUser : Self.mostOfProgram
            guard counts[caller, default: 0] < most, counts.values.reduce(0, +) < Self.most else { return false }
            counts[caller, default: 0] += 1
            return true
        }
        guard isFree else {
            throw DirectoryError(
                .overloaded, "Too many requests wait for a commit already.", advice: "Ask again later.")
        }
        return Place(self, caller)
    }

    private func leave(_ caller: Requester) {
        counts.withLock { counts in
            counts[caller] = counts[caller].flatMap { $0 > 1 ? $0 - 1 : nil }
        }
    }
}

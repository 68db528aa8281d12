internal import CSQLite
import Synchronization

/// The number of pages in the log, and the threshold for the next checkpoint.
final class LogPages: Sendable {
    private static let interval: Int32 = 4_000
    private let pages = Atomic<Int32>(0)
    private let due = Atomic<Int32>(LogPages.interval)

    var isCheckpointDue: Bool { pages.load(ordering: .relaxed) > due.load(ordering: .relaxed) }

    var isVast: Bool { pages.load(ordering: .relaxed) > 25_000 }

    /// Makes the next checkpoint due after another ``interval`` pages. The log can have kept its pages, because a reader prevents SQLite
    /// from restarting the log.
    func didCheckpoint() { due.store(pages.load(ordering: .relaxed) &+ Self.interval, ordering: .relaxed) }

    private func didCommit(pages new: Int32) {
        // A smaller number means that the log has started over.
        if new < pages.exchange(new, ordering: .relaxed) { due.store(Self.interval, ordering: .relaxed) }
    }

    func watch(_ engine: SQLiteEngine) {
        let context = Unmanaged.passUnretained(self).toOpaque()
        sqlite3_wal_hook(
            engine.handle,
            { context, _, _, pages in
                guard let context else { return SQLITE_OK }
                Unmanaged<LogPages>.fromOpaque(context).takeUnretainedValue().didCommit(pages: pages)
                return SQLITE_OK
            }, context)
    }
}

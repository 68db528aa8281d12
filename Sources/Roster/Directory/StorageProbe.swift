import Dispatch
import Foundation
import RosterStore
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Finds out whether the disk of a directory takes changes: it has space, and a file can be written to it.
///
/// Only one attempt runs at a time, on a thread of its own, and its result counts for ``interval``, so that asking often costs
/// nothing and a disk that hangs blocks nobody.
package final class StorageProbe: Sendable {
    /// The least number of free bytes. Below it the log could not take a large change.
    package static let leastSpace: Int64 = 16 << 20
    /// The time for which a result counts.
    static let interval = Duration.seconds(5)
    /// The longest time for which a caller waits for the disk; a disk that takes longer counts as one that does not answer.
    static let patience = Duration.seconds(5)

    private struct State {
        var isRunning = false
        var problem: Problem?
        var finished: ContinuousClock.Instant?
    }

    private let file: DirectoryFile
    private let leastSpace: Int64
    private let state = Locked(State())
    private let queue = DispatchQueue(label: "roster.probe")

    /// - Parameter leastSpace: The least number of free bytes.
    /// - Returns: Nil for a directory in memory, and for one that is open for reading only.
    package init?(_ directory: Directory, leastSpace: Int64 = StorageProbe.leastSpace) {
        guard let file = directory.file else { return nil }
        (self.file, self.leastSpace) = (file, leastSpace)
    }

    /// The result of the last attempt to write to the disk; nil if none ended within ``interval``.
    package var known: Result? {
        state.withLock { state in
            guard let finished = state.finished, ContinuousClock.now - finished < Self.interval else { return nil }
            return Result(problem: state.problem)
        }
    }

    /// The reason why the storage of a directory takes no changes, in one word.
    package enum Problem: String, Sendable, CaseIterable {
        /// The file was deleted, moved or replaced by another one.
        case fileMoved = "file-moved"
        case damaged
        /// The disk has less than ``leastSpace``, or a quota is reached.
        case diskFull = "disk-full"
        case diskReadOnly = "disk-read-only"
        /// The disk refuses to write for another reason.
        case diskFailed = "disk-failed"
        /// The disk has not answered within ``patience``.
        case diskSilent = "disk-silent"
    }

    /// The outcome of an attempt.
    package struct Result: Sendable {
        /// The reason why the disk takes no changes; nil if it takes them.
        package let problem: Problem?
    }

    /// The reason why the disk takes no changes; nil if it takes them.
    package func problem() async -> Problem? {
        let start = ContinuousClock.now
        begin(start)
        while true {
            // The time is read first, so that a task that wakes up late still takes a result that came in time.
            let isOver = Task.isCancelled || ContinuousClock.now - start >= Self.patience
            let (isRunning, problem) = state.withLock { ($0.isRunning, $0.problem) }
            if !isRunning { return problem }
            if isOver { return .diskSilent }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    /// Begins an attempt, unless one runs or ended a moment ago.
    private func begin(_ now: ContinuousClock.Instant) {
        let isDue = state.withLock { state in
            guard !state.isRunning, state.finished.map({ now - $0 >= Self.interval }) ?? true else { return false }
            state.isRunning = true
            return true
        }
        guard isDue else { return }
        queue.async { [self] in
            let problem = attempt()
            state.withLock { $0 = State(problem: problem, finished: .now) }
        }
    }

    private func attempt() -> Problem? {
        switch file.probe() {
        case nil: file.freeSpace.map { $0 < leastSpace } == true ? .diskFull : nil
        case ENOSPC, EDQUOT: .diskFull
        case EROFS: .diskReadOnly
        default: .diskFailed
        }
    }
}

extension DirectoryStorage {
    /// The reason why the file takes no changes, whatever its disk says; nil if there is none. Cost: a question to the file system.
    package var fileProblem: StorageProbe.Problem? {
        if directory.core.store.isDamaged { return .damaged }
        return directory.core.store.isFileMoved ? .fileMoved : nil
    }

    /// Checks the whole file in the background.
    ///
    /// - Parameter tell: Called once when this check, or any later read or change, finds damage.
    package func watchForDamage(_ tell: @escaping @Sendable () -> Void) { directory.core.store.watchForDamage(tell) }

    /// Reports when the database server of the directory is lost, reached again, or replaced by a standby. Does nothing for a directory in
    /// a file.
    ///
    /// - Parameter tell: The function that receives a sentence for the operator. The function must return at once, and takes the place of
    ///   an earlier function.
    package func watchForLoss(_ tell: @escaping @Sendable (String) -> Void) {
        directory.core.store.watchForLoss { tell($0.description) }
    }

    /// Returns what reads and changes wait for in the database server, such as a standby. Returns nil if none of them waits, and for a
    /// directory in a file. Blocks the thread.
    package func waitReason() -> String? { directory.core.store.waitReason() }
}

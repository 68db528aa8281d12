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
        var problem: String?
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

    /// The outcome of an attempt.
    package struct Result: Sendable {
        /// The reason why the disk takes no changes; nil if it takes them.
        package let problem: String?
    }

    /// The reason why the disk takes no changes; nil if it takes them. It names no path.
    package func problem() async -> String? {
        let start = ContinuousClock.now
        begin(start)
        while true {
            // The time is read first, so that a task that wakes up late still takes a result that came in time.
            let isOver = Task.isCancelled || ContinuousClock.now - start >= Self.patience
            let (isRunning, problem) = state.withLock { ($0.isRunning, $0.problem) }
            if !isRunning { return problem }
            if isOver { return "The disk does not answer." }
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

    private func attempt() -> String? {
        if let number = file.probe() {
            switch number {
            case ENOSPC, EDQUOT: return "The disk is full."
            case EROFS: return "The disk is read-only."
            default: return "The disk cannot be written to: \(String(cString: strerror(number)))."
            }
        }
        guard let free = file.freeSpace, free < leastSpace else { return nil }
        return "The disk is full: fewer than \(leastSpace >> 20) MiB are free."
    }
}

import Synchronization
import RosterText

/// Counts commits.
package final class CommitCounter: Sendable {
    private let begun = Atomic<UInt64>(0)
    private let finished = Atomic<UInt64>(0)

    /// The number of finished commits.
    package var value: UInt64 { finished.load(ordering: .sequentiallyConsistent) }
    /// Whether no commit has begun since this number of commits were finished. A snapshot taken meanwhile has exactly
    /// these commits.
    package func isStill(_ value: UInt64) -> Bool { begun.load(ordering: .sequentiallyConsistent) == value }
    package func begin() { begun.add(1, ordering: .sequentiallyConsistent) }
    package func finish() { finished.add(1, ordering: .sequentiallyConsistent) }
}

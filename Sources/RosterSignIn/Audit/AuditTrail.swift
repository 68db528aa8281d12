package import Roster
import RosterText

/// Brings what happens at sign-in into the change feed, many entries in one commit.
///
/// Whoever signs in does not wait for the disk: an entry is there a moment later, and after a crash the last ones of that
/// moment are missing. More than ``capacity`` entries do not wait: those that are too many are counted, and the number is
/// told. Nobody fills the disk with refusals: see ``AuditLimits``.
package final class AuditTrail: Sendable {
    /// How many entries wait at most.
    package static let capacity = 20_000
    private static let batch = 2_000
    /// How long entries gather for a commit: each one costs a wait for the disk.
    private static let pause = Duration.milliseconds(50)

    /// The means of those who prove who they are with each of their requests.
    package static let perRequest = "basic"

    private struct State {
        var waiting: [AuditEntry] = []
        var limits = AuditLimits()
        var lost = 0
        var writing: Task<Void, Never>?
    }

    private let directory: Directory
    private let state = Locked(State())
    private let now: MonotonicTime

    package init(_ directory: Directory, now: @escaping MonotonicTime = systemMonotonicTime()) {
        self.directory = directory
        self.now = now
    }

    /// Whether nobody was told lately that somebody signs in with each request from there. Cost: less than a microsecond.
    package func isNews(_ name: String, from origin: String) -> Bool {
        state.withLock { $0.limits.isNews(name, from: origin, at: now()) }
    }

    /// Puts an entry in line, unless there are too many of its kind.
    package func tell(_ entry: AuditEntry) {
        state.withLock { state in
            for entry in state.limits.admitted(entry, at: now()) {
                guard state.waiting.count < Self.capacity else {
                    state.lost += 1
                    continue
                }
                state.waiting.append(entry)
            }
            if state.writing == nil, !state.waiting.isEmpty { state.writing = Task { await write() } }
        }
    }

    /// Waits until what is in line has been written.
    package func flush() async {
        while let writing = state.withLock({ $0.writing }) { await writing.value }
    }

    private func write() async {
        while true {
            try? await Task.sleep(for: Self.pause)
            let entries = state.withLock { state -> [AuditEntry] in
                var entries = Array(state.waiting.prefix(Self.batch))
                state.waiting.removeFirst(entries.count)
                if state.lost > 0, state.waiting.isEmpty {
                    entries.append(Self.lost(state.lost))
                    state.lost = 0
                }
                if entries.isEmpty { state.writing = nil }
                return entries
            }
            if entries.isEmpty { return }
            // A directory that cannot be written to says so to whoever changes it; signing in goes on.
            try? await directory.audit(entries)
        }
    }

    private static func lost(_ count: Int) -> AuditEntry {
        AuditEntry(
            .refused, .user, id: 0, name: "", actor: "sign-in",
            detail: ["reason": .string("\(count) more were not written, since there were too many at once")])
    }
}

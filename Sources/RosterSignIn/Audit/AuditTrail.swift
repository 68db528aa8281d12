package import Roster

/// Brings what happens at sign-in into the change feed, many entries in one commit.
///
/// Whoever signs in does not wait for the disk: an entry is there a moment later, and after a crash the last ones of that
/// moment are missing. More than ``capacity`` entries do not wait: those that are too many are counted, and the number is
/// told.
package actor AuditTrail {
    /// How many entries wait at most.
    package static let capacity = 20_000
    private static let batch = 500

    private let directory: Directory
    private var waiting: [AuditEntry] = []
    private var lost = 0
    private var writing: Task<Void, Never>?

    package init(_ directory: Directory) { self.directory = directory }

    /// Puts an entry in line.
    package nonisolated func tell(_ entry: AuditEntry) { Task { await add(entry) } }

    /// Waits until what is in line has been written.
    package func flush() async {
        while let writing { await writing.value }
    }

    private func add(_ entry: AuditEntry) {
        guard waiting.count < Self.capacity else {
            lost += 1
            return
        }
        waiting.append(entry)
        if writing == nil { writing = Task { await write() } }
    }

    private func write() async {
        while !waiting.isEmpty {
            var entries = Array(waiting.prefix(Self.batch))
            waiting.removeFirst(entries.count)
            if lost > 0, waiting.isEmpty {
                entries.append(
                    AuditEntry(
                        .refused, .user, id: 0, name: "", actor: "sign-in",
                        detail: ["reason": .string("\(lost) more were not written, since there were too many at once")])
                )
                lost = 0
            }
            // A directory that cannot be written to says so to whoever changes it; signing in goes on.
            try? await directory.credentials.tell(entries)
        }
        writing = nil
    }
}

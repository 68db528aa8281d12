package import Roster
import RosterStore
import RosterText

/// Writes sign-ins, refusals and revocations to the change feed, many entries in one commit.
///
/// A sign-in does not wait for the disk: its entry is written a moment later, and a crash loses the entries of the last moment.
/// Entries that are alike are counted: while they wait, and for an hour in the feed; see `Directory.audit(_:)`. At most ``capacity``
/// different entries wait; the feed says how many more were lost. ``AuditLimits`` keeps refusals from filling the disk.
package final class AuditTrail: Sendable {
    /// The largest number of entries that wait.
    package static let capacity = 20_000
    private static let batch = 2_000
    /// The time for which entries gather for a commit. Each commit costs a wait for the disk.
    private static let pause = Duration.milliseconds(50)

    /// The method of clients that bind to the LDAP server, many of which do so for each question.
    package static let ldap = "ldap"
    /// The methods of clients that send a password with each of their requests.
    package static let perRequest: Set<String> = ["basic", ldap]

    private struct State {
        /// The entries that wait, in their order.
        var waiting: [AuditEntry] = []
        /// How often each of them happened.
        var numbers: [AuditEntry: Int] = [:]
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

    /// Whether the feed did not say within the last hour that somebody signs in with each request from an address. Cost: less
    /// than a microsecond.
    ///
    /// - Parameter reason: The remark about the sign-in, which tells an app password from another one.
    package func isNews(_ name: String, _ reason: String?, from origin: String) -> Bool {
        state.withLock { $0.limits.isNews(name, reason, from: origin, at: now()) }
    }

    /// Records an event of a person or a backend.
    ///
    /// - Parameters:
    ///   - origin: The address and the browser of the client.
    ///   - method: The grant, the type of token, or the way in which the person signed in.
    ///   - reason: The reason of a refusal, or another remark.
    ///   - name: The name to show; nil for that of the person or the backend.
    package func record(
        _ kind: Change.Kind, _ person: Person?, _ backend: Backend?, from origin: ClientOrigin, method: String,
        reason: String? = nil, name: String? = nil
    ) {
        // The limit counts bytes, because one character can have very many of them.
        func cut(_ text: String) -> String { String(decoding: text.utf8.prefix(256), as: UTF8.self) }
        var detail: AttributeSet = ["from": .string(cut(origin.address)), "means": .string(cut(method))]
        if let browser = origin.browser { detail["browser"] = .string(cut(browser)) }
        if let reason { detail["reason"] = .string(cut(reason)) }
        if let backend { detail["backend"] = .string(backend.title) }
        let entity: Change.Entity
        let id: Int64
        switch person?.holder {
        case .user(let user): (entity, id) = (.user, user.rawValue)
        case .virtualUser(let user): (entity, id) = (.virtualUser, user.rawValue)
        case nil: (entity, id) = backend.map { (.backend, $0.id.rawValue) } ?? (.user, 0)
        }
        record(
            AuditEntry(
                kind, entity, id: id, name: cut(name ?? person?.shownName ?? backend?.title ?? ""),
                actor: backend.map { "backend \($0.title)" } ?? "sign-in", detail: detail))
    }

    /// Records in the history of a user that a mail to the user could not be queued or sent.
    package func recordLostMail(to user: User, _ purpose: Mailer.Purpose) {
        let reason = purpose == .link ? "the password link was not sent" : "the notice of a new browser was not sent"
        record(
            AuditEntry(
                .refused, .user, id: user.id.rawValue, name: user.uid, actor: "mail",
                detail: ["means": "mail", "reason": .string(reason)]))
    }

    /// Queues an entry, unless there are too many of its kind.
    package func record(_ entry: AuditEntry) {
        state.withLock { state in
            for entry in state.limits.admitted(entry, at: now()) {
                let isWaiting = state.numbers[entry] != nil
                guard isWaiting || state.waiting.count < Self.capacity else {
                    state.lost += 1
                    continue
                }
                state.numbers[entry, default: 0] += 1
                if !isWaiting { state.waiting.append(entry) }
            }
            // A detached task, because a task of a directory's callback must not write while the callback runs.
            if state.writing == nil, !state.waiting.isEmpty { state.writing = Task.detached { await self.write() } }
        }
    }

    /// Waits until all queued entries are written. In a callback of the directory this returns at once, because the entries wait
    /// for the callback.
    package func flush() async {
        guard !directory.store.isHeldByCaller else { return }
        while let writing = state.withLock({ $0.writing }) { await writing.value }
    }

    private func write() async {
        while true {
            try? await Task.sleep(for: Self.pause)
            let entries = state.withLock { state -> [(entry: AuditEntry, number: Int)] in
                var entries = state.waiting.prefix(Self.batch).map { entry in
                    (entry, state.numbers.removeValue(forKey: entry) ?? 1)
                }
                state.waiting.removeFirst(entries.count)
                if state.lost > 0, state.waiting.isEmpty {
                    let text = "\(state.lost) more were not written, since there were too many at once"
                    entries.append((AuditEntry(refusals: text), 1))
                    state.lost = 0
                }
                if entries.isEmpty { state.writing = nil }
                return entries
            }
            if entries.isEmpty { return }
            // Sign-ins go on where the directory cannot be written to; callers who change it get the error.
            try? await directory.audit(entries)
        }
    }
}

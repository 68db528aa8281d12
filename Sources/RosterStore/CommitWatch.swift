import Dispatch
import Synchronization
import RosterText

/// Wakes the followers of a directory on a server when another process has made a commit.
///
/// The watch asks for the number of commits. A notification by the server would hold a lock of the whole cluster at each commit, and
/// would need a connection that no pooler shares.
final class CommitWatch: Sendable {
    /// How often the watch asks, while somebody follows.
    private static let interval = DispatchTimeInterval.milliseconds(20)
    private let queue = DispatchQueue(label: "roster.watch")
    private let timer = Locked<(any DispatchSourceTimer)?>(nil)
    private let last = Locked<UInt64?>(nil)

    /// Begins to ask, unless the watch does so already.
    func start(_ store: Store) {
        timer.withLock { [weak store] timer in
            guard timer == nil else { return }
            let new = DispatchSource.makeTimerSource(queue: queue)
            new.setEventHandler { [weak self, weak store] in
                if let self, let store { ask(store) }
            }
            new.schedule(deadline: .now(), repeating: Self.interval)
            new.resume()
            timer = new
        }
    }

    func stop() {
        timer.withLock { timer in
            timer?.cancel()
            timer = nil
        }
    }

    private func ask(_ store: Store) {
        // While the server cannot be reached, there is nothing to tell.
        guard let number = try? store.read(once: true, { try $0.exactSnapshot() }) else { return }
        let isNew = last.withLock { last in
            defer { last = number }
            return last != number
        }
        if isNew { store.wakeFollowers() }
    }
}

import RosterStore
import Synchronization
import RosterText

/// Wakes a follower after each commit.
final class ChangeSignal: Sendable {
    private enum Source: Sendable {
        case store(Store, number: UInt64, stream: AsyncStream<Void>)
        /// A server, and the number of the last commit that it has told; nil before the first.
        case server(RemoteView, last: Locked<String?>)
    }
    private let source: Source

    init(of view: DirectoryView) {
        switch view.source {
        case .embedded(let shared):
            // One pending wake-up is enough, because the follower reads everything that has changed.
            let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
            let store = shared.core.store
            source = .store(store, number: store.follow { continuation.yield() }, stream: stream)
        case .remote(let remote): source = .server(remote, last: Locked(nil))
        }
    }

    deinit {
        if case .store(let store, let number, _) = source { store.unfollow(number) }
    }

    /// Waits for a commit after the previous call. With a server, the first call returns at once.
    func wait() async throws {
        switch source {
        case .store(_, _, let stream):
            var iterator = stream.makeAsyncIterator()
            // If the waiting task is cancelled, the stream ends for good.
            guard await iterator.next() != nil else { throw CancellationError() }
        case .server(let remote, let last):
            let known = last.withLock { $0 }
            var latest: String
            while true {
                let start = ContinuousClock.now
                latest = try await remote.latestCommit(after: known)
                // A server that answers at once must not be asked as fast as the network allows.
                let pause = latest == known ? Duration.seconds(1) : .milliseconds(50)
                try await Task.sleep(until: start + pause, clock: .continuous)
                if latest != known { break }
            }
            last.withLock { $0 = latest }
        }
        try Task.checkCancellation()
    }

    /// Whether the commits are those of a server, which can be away.
    var isOfServer: Bool {
        if case .server = source { return true }
        return false
    }

    /// Waits until the server answers again.
    func reconnect() async throws {
        guard case .server(let remote, let last) = source else { return }
        try await Task.sleep(for: .milliseconds(500))
        let latest = try await remote.latestCommit(after: nil)
        last.withLock { $0 = latest }
    }
}

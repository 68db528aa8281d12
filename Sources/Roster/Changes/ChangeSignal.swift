import RosterStore

/// Wakes a follower after each commit.
final class ChangeSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let store: Store
    private let number: UInt64

    init(_ store: Store) {
        // One pending wake-up is enough, because the follower reads everything that has changed.
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.stream = stream
        self.store = store
        number = store.follow { continuation.yield() }
    }

    deinit { store.unfollow(number) }

    /// Waits for a commit after the previous call.
    func wait() async throws {
        var iterator = stream.makeAsyncIterator()
        // If the waiting task is cancelled, the stream ends for good.
        guard await iterator.next() != nil else { throw CancellationError() }
        try Task.checkCancellation()
    }
}

import Foundation
import Synchronization
import RosterStore

/// What has changed in a directory, in order: the change feed. For administrators.
///
/// Changes stay for as long as the file lives, unless a ``Retention`` is set or ``compact(through:)`` forgets the oldest of
/// them. What is told of sign-ins is kept for 180 days unless another retention is set.
///
/// ```swift
/// for try await change in directory.unrestricted.changes.follow(since: 0) { … }
/// ```
public struct ChangeFeed: Sendable {
    let view: DirectoryView

    /// The number of the latest change; 0 where there was none.
    public func lastSequence() throws -> Int64 { try view.read { try $0.tellLastSequence() } }
    /// The number of the latest change; 0 where there was none.
    public func lastSequence() async throws -> Int64 { try await view.awaitRead { try $0.tellLastSequence() } }

    /// The changes after one that is known, oldest first.
    ///
    /// - Parameters:
    ///   - sequence: The number of the last change that is known; 0 for none.
    ///   - limit: How many at most, 1 to 10,000. Fewer come only where there are no more.
    /// - Throws: `changesCompacted` where the next one is gone, which names the first that is not; `notFound` where the number was never given, as after a
    ///   backup was restored; `notPermitted` for all but administrators.
    public func since(_ sequence: Int64, limit: Int = 1_000) throws -> [Change] {
        try view.read(isBrief: false) { try $0.changes(since: sequence, limit: limit) }
    }

    /// The changes after one that is known, as the synchronous form does.
    public func since(_ sequence: Int64, limit: Int = 1_000) async throws -> [Change] {
        try await view.awaitRead { try $0.changes(since: sequence, limit: limit) }
    }

    /// Forgets the changes up to a number. The numbers go on as if nothing were gone.
    public func compact(through sequence: Int64) throws { try view.write { try $0.compactChanges(sequence) } }
    /// Forgets the changes up to a number, as the synchronous form does.
    public func compact(through sequence: Int64) async throws {
        try await view.awaitWrite { try $0.compactChanges(sequence) }
    }

    /// Follows the changes as they are made. The sequence ends when the directory is closed, and throws what
    /// ``since(_:limit:)`` throws and `CancellationError` when its task is cancelled.
    ///
    /// - Parameter sequence: The number of the last change that is known; nil to begin with the next one.
    public func follow(since sequence: Int64? = nil) -> ChangeSequence {
        ChangeSequence(feed: self, start: sequence)
    }
}

/// The changes of a directory from one on, and then those that are made while somebody waits for them. Each iteration
/// follows by itself and holds no more than a page of changes, however slow it is.
public struct ChangeSequence: AsyncSequence, Sendable {
    let feed: ChangeFeed
    let start: Int64?

    /// Follows the changes one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let feed: ChangeFeed
        var last: Int64?
        private var page: ArraySlice<Change> = []
        private let signal: ChangeSignal

        init(feed: ChangeFeed, start: Int64?) {
            self.feed = feed
            last = start
            signal = ChangeSignal(feed.view.core.store)
            // Where "from now" is meant, now is when the following began, not when the first change is asked for.
            if last == nil { last = try? feed.lastSequence() }
        }

        /// The next change, waiting for it where there is none yet; nil once the directory has been closed.
        public mutating func next() async throws -> Change? {
            while true {
                if let change = page.popFirst() {
                    last = change.sequence
                    return change
                }
                do {
                    page = try await feed.since(last ?? 0)[...]
                } catch let error as DirectoryError where error.code == .closed {
                    return nil
                }
                if page.isEmpty { try await signal.wait() }
            }
        }
    }

    /// Begins to follow.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: feed, start: start) }
}

/// Wakes a follower after each commit.
private final class ChangeSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let store: Store
    private let number: UInt64

    init(_ store: Store) {
        // One wake is enough, however many changes there were: the follower reads all of them.
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        self.stream = stream
        self.store = store
        number = store.follow { continuation.yield() }
    }

    deinit { store.unfollow(number) }

    func wait() async throws {
        var iterator = stream.makeAsyncIterator()
        _ = await iterator.next()
        try Task.checkCancellation()
    }
}

extension Transaction {
    func lastSequence() throws -> Int64 {
        try connection.first(ChangeStatements.last) { $0.integer(0) } ?? 0
    }

    func tellLastSequence() throws -> Int64 {
        try rights.checkAdministrator(to: "read the changes")
        return try lastSequence()
    }

    func changes(since sequence: Int64, limit: Int) throws -> [Change] {
        try rights.checkAdministrator(to: "read the changes")
        try checkPage(limit)
        let compacted = try connection.first(ChangeStatements.compacted) { $0.integer(0) } ?? 0
        guard sequence >= compacted else {
            throw Self.gone(from: 1, through: compacted)
        }
        // After a backup was restored, whoever knows more than the directory would wait, and miss what comes.
        let last = try lastSequence()
        guard sequence <= last else {
            throw DirectoryError(
                .notFound, "There is no change \(sequence) yet; the latest is \(last).",
                advice: "Read the directory as a whole, then follow from \(last).")
        }
        let changes = try connection.all(ChangeStatements.since, [.integer(sequence), .integer(Int64(limit))]) {
            try Change($0)
        }
        // Whoever stopped within what is gone by now has missed a part of it. Whoever stopped before is told.
        if let next = changes.first, next.first <= sequence {
            throw Self.gone(from: next.first, through: next.sequence)
        }
        return changes
    }

    private static func gone(from first: Int64, through last: Int64) -> DirectoryError {
        DirectoryError(
            .changesCompacted,
            "The changes from \(first) to \(last) are gone; the first that there is afterwards is \(last + 1).",
            advice: "Read the directory as a whole, then follow from \(last).")
    }

    func compactChanges(_ sequence: Int64) throws {
        try checkPresentAdministrator(to: "compact the changes")
        let through = try endOfCompaction(min(sequence, lastSequence()))
        try connection.run(ChangeStatements.compact, [.integer(through)])
        try connection.run(ChangeStatements.setCompacted, [.integer(through)])
    }
}

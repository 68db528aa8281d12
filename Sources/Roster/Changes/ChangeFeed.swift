import Foundation
import Synchronization
import RosterStore

/// The change feed: everything that changed in a directory, in order. Only administrators can read it.
///
/// Entries stay for the life of the file unless a ``Retention`` is set or `compact(through:)` removes the oldest.
/// Entries about sign-ins stay for 180 days by default.
///
/// ```swift
/// for try await change in directory.unrestricted.changes.follow(since: 0) { … }
/// ```
public struct ChangeFeed: Sendable {
    let view: DirectoryView

    /// The number of the latest change; 0 if there is none.
    public func lastSequence() throws -> Int64 { try view.read { try $0.checkedLastSequence() } }
    /// The number of the latest change, as the synchronous form does.
    public func lastSequence() async throws -> Int64 { try await view.awaitRead { try $0.checkedLastSequence() } }

    /// Lists the changes after a known one, oldest first.
    ///
    /// - Parameters:
    ///   - sequence: The number of the last known change; 0 for none.
    ///   - limit: The largest number of changes to return, 1 to 10,000. A shorter result has reached the end.
    /// - Throws: `changesCompacted` if the next change was removed (the message names the first available one);
    ///   `notFound` if the number was never assigned, as after a restore; `notPermitted` unless the caller is an
    ///   administrator.
    public func since(_ sequence: Int64, limit: Int = 1_000) throws -> [Change] {
        try view.read(isBrief: false) { try $0.changes(since: sequence, limit: limit) }
    }

    /// Lists the changes after a known one, as the synchronous form does.
    public func since(_ sequence: Int64, limit: Int = 1_000) async throws -> [Change] {
        try await view.awaitRead { try $0.changes(since: sequence, limit: limit) }
    }

    /// Removes the changes up to a number. Later changes keep their numbers.
    public func compact(through sequence: Int64) throws { try view.write { try $0.compactChanges(sequence) } }
    /// Removes the changes up to a number, as the synchronous form does.
    public func compact(through sequence: Int64) async throws {
        try await view.awaitWrite { try $0.compactChanges(sequence) }
    }

    /// Follows changes as they are made. The sequence ends when the directory is closed. It throws the errors of
    /// `since(_:limit:)`, and `CancellationError` after its task is cancelled.
    ///
    /// - Parameter sequence: The number of the last known change; nil to start with the next change.
    public func follow(since sequence: Int64? = nil) -> ChangeSequence {
        ChangeSequence(feed: self, start: sequence)
    }
}

/// An endless sequence of changes, starting after a known one. Each iterator reads independently, and holds at most one
/// page of changes, however slowly it is consumed.
public struct ChangeSequence: AsyncSequence, Sendable {
    let feed: ChangeFeed
    let start: Int64?

    /// Iterates over the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let feed: ChangeFeed
        var last: Int64?
        private var page: ArraySlice<Change> = []
        private let signal: ChangeSignal

        init(feed: ChangeFeed, start: Int64?) {
            self.feed = feed
            last = start
            signal = ChangeSignal(feed.view.core.store)
            // Without a start, the sequence begins at the creation of the iterator and not at the first call of
            // `next()`.
            if last == nil { last = try? feed.lastSequence() }
        }

        /// Waits for the next change; returns nil once the directory is closed.
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

    /// Starts following.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: feed, start: start) }
}

/// Wakes a follower after each commit.
private final class ChangeSignal: Sendable {
    private let stream: AsyncStream<Void>
    private let store: Store
    private let number: UInt64

    init(_ store: Store) {
        // One pending wake-up is enough, because the follower reads all changes.
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

    func checkedLastSequence() throws -> Int64 {
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
        // A follower from before a restore may know a later number. Without this error it would wait and miss new
        // changes.
        let last = try lastSequence()
        guard sequence <= last else {
            throw DirectoryError(
                .notFound, "There is no change \(sequence) yet; the latest is \(last).",
                advice: "Read the directory as a whole, then follow from \(last).")
        }
        let changes = try connection.all(ChangeStatements.since, [.integer(sequence), .integer(Int64(limit))]) {
            try Change($0)
        }
        // A follower within a pruned range has missed a part of it. A follower before the range receives its entry.
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

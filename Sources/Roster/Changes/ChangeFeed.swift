import Foundation
import RosterStore

/// The change feed: everything that changed in a directory, in order.
///
/// An administrator sees every entry. Any other caller who may read the directory sees a part of the feed, by the rights at
/// the moment of reading:
/// - The creation, modification and deletion of users and roles. ``Change/before`` and ``Change/after`` have only the
///   attributes that the caller may read of that user or role at present, and of a deleted one only the attributes for
///   everyone who is signed in. The present readers of an attribute also read its earlier values. An administrator who
///   widens the readers, or declares the name of a removed attribute again, therefore reveals the history of the attribute.
///   Identifiers of provisioning clients are left out.
/// - ``Change/actor``, but only in entries about the caller's own changes.
/// - Entries about pruned ranges.
///
/// Such a caller sees no entries about sign-ins, attributes, backends and keys, and none about modifications of which the
/// caller may read nothing. Gaps between the numbers are normal for these callers. The REST interface `/changes` is for
/// administrators only.
///
/// Entries stay for the life of the file unless a ``Retention`` is set or `compact(through:)` removes the oldest.
/// Entries about sign-ins stay for 180 days by default.
///
/// ```swift
/// for try await change in directory.unrestricted.changes.follow(since: 0) { … }
/// ```
public struct ChangeFeed: Sendable {
    let view: DirectoryView
    /// Whether the feed refuses every caller who is not an administrator.
    private var isForAdministrators = false

    init(view: DirectoryView) { self.view = view }

    /// The same feed, which refuses every caller who is not an administrator.
    package var forAdministrators: ChangeFeed {
        var feed = self
        feed.isForAdministrators = true
        return feed
    }

    /// The number of the latest change; 0 if there is none. The caller may not see that change.
    public func lastSequence() throws -> Int64 {
        try view.read(ReadLastSequence(isForAdministrators: isForAdministrators))
    }
    /// The number of the latest change, as the synchronous form does.
    public func lastSequence() async throws -> Int64 {
        try await view.read(ReadLastSequence(isForAdministrators: isForAdministrators))
    }

    /// Lists the changes after a known one, oldest first.
    ///
    /// - Parameters:
    ///   - sequence: The number of the last known change; 0 for none.
    ///   - limit: The largest number of changes to return, 1 to 10,000. A shorter result has reached the end.
    /// - Throws: `changesCompacted` if the next change was removed (the message names the first available one);
    ///   `notFound` if the number was never assigned, as after a restore; `notPermitted` for callers who may not read the
    ///   directory.
    public func since(_ sequence: Int64, limit: Int = 1_000) throws -> [Change] {
        var list = ChangeList(since: sequence, limit: limit)
        while let (start, count) = list.next {
            try list.add(view.read(ReadChanges(since: start, limit: count, isForAdministrators: isForAdministrators)))
        }
        return list.changes
    }

    /// Lists the changes after a known one, as the synchronous form does.
    public func since(_ sequence: Int64, limit: Int = 1_000) async throws -> [Change] {
        var list = ChangeList(since: sequence, limit: limit)
        while let (start, count) = list.next { try list.add(await page(since: start, limit: count)) }
        return list.changes
    }

    /// Reads a limited number of entries, so that a caller who may see few of them does not occupy a reader for long.
    fileprivate func page(since sequence: Int64, limit: Int) async throws -> ChangePage {
        try await view.read(ReadChanges(since: sequence, limit: limit, isForAdministrators: isForAdministrators))
    }

    /// Removes the changes up to a number. Later changes keep their numbers.
    public func compact(through sequence: Int64) throws { _ = try view.change(CompactChanges(through: sequence)) }
    /// Removes the changes up to a number, as the synchronous form does.
    public func compact(through sequence: Int64) async throws {
        _ = try await view.change(CompactChanges(through: sequence))
    }

    /// Follows changes as they are made. The sequence ends when the directory is closed. It throws the errors of
    /// `since(_:limit:)`, and `CancellationError` after its task is cancelled.
    ///
    /// - Parameter sequence: The number of the last known change; nil to start with the next change.
    public func follow(since sequence: Int64? = nil) -> ChangeSequence {
        ChangeSequence(feed: self, start: sequence)
    }
}

/// The changes of one call of ``ChangeFeed/since(_:limit:)``, gathered from several pages.
private struct ChangeList {
    private let limit: Int
    private(set) var changes: [Change] = []
    /// The number after which the next page begins, and its size; nil at the end.
    private(set) var next: (start: Int64, count: Int)?

    init(since sequence: Int64, limit: Int) {
        self.limit = limit
        next = (sequence, limit)
    }

    mutating func add(_ page: ChangePage) throws {
        if let next { try page.checkProgress(from: next.start) }
        changes += page.changes
        next = page.isLast || changes.count >= limit ? nil : (page.through, limit - changes.count)
    }
}

/// An endless sequence of changes, starting after a known one. Each iterator reads independently, and holds at most one
/// page of changes, however slowly it is consumed.
public struct ChangeSequence: AsyncSequence, Sendable {
    let feed: ChangeFeed
    let start: Int64?

    /// Iterates over the changes.
    public struct AsyncIterator: AsyncIteratorProtocol {
        private let feed: ChangeFeed
        /// The number of the last change that was read, or why it is not known; nil until a server has told it.
        private var last: Result<Int64, any Error>?
        private var page: ArraySlice<Change> = []
        /// Whether the last page reached the end of the feed.
        private var isAtEnd = false
        /// Whether a page was read, so that the server is known to be the right one.
        private var hasRead = false
        private let signal: ChangeSignal

        init(feed: ChangeFeed, start: Int64?) {
            self.feed = feed
            signal = ChangeSignal(of: feed.view)
            // Without a start, the sequence begins at the creation of the iterator. That of a server begins at the first call of
            // `next()`, because the thread must not wait for the network here.
            if let start {
                last = .success(start)
            } else if case .embedded = feed.view.source {
                last = Result { try feed.lastSequence() }
            }
        }

        /// Waits for the next change; returns nil once the directory is closed.
        public mutating func next() async throws -> Change? {
            while true {
                if let change = page.popFirst() { return change }
                if isAtEnd { try await signal.wait() }
                isAtEnd = false
                do {
                    let start: Int64
                    if let last { start = try last.get() } else { start = try await feed.lastSequence() }
                    let read = try await feed.page(since: start, limit: 1_000)
                    try read.checkProgress(from: start)
                    page = read.changes[...]
                    last = .success(read.through)
                    isAtEnd = read.isLast
                    hasRead = true
                } catch let error as DirectoryError where error.code == .closed {
                    return nil
                } catch let error as DirectoryError where signal.isOfServer && error.isTemporary && hasRead {
                    // The next page begins where the last one ended, so that nothing is missed or repeated.
                    try await signal.reconnect()
                }
            }
        }
    }

    /// Starts following.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(feed: feed, start: start) }
}

extension DirectoryError {
    /// Whether a loop over a server's answers goes on after the error.
    var isTemporary: Bool { code == .unreachable || code == .tls || code == .overloaded }
}

extension ChangePage {
    /// Refuses the page of a server with which reading would go on for ever.
    fileprivate func checkProgress(from sequence: Int64) throws {
        guard through > sequence || isLast && through == sequence else { throw DirectoryError.badAnswer }
    }
}

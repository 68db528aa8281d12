import Dispatch
import Foundation
import RosterStore
import RosterText
import Synchronization

/// The state that the connections of a directory share.
final class ServerState: Sendable {
    /// The name of this process and directory in the marks of commits.
    let identifier = UUID().uuidString
    let address: ServerAddress
    private let downSince = Locked<ContinuousClock.Instant?>(nil)
    private let isClosed = Atomic<Bool>(false)
    /// The connection that cancels the statements of other connections.
    private let control = Locked<Connection?>(nil)
    private let queue = DispatchQueue(label: "roster.postgresql.cancel")

    init(_ address: ServerAddress) { self.address = address }

    // MARK: Connecting

    private let newestTimeline = Locked<Int64>(0)
    private let recent = Locked<[Int32]>([])
    /// The server's processes of the newest connections.
    var recentProcesses: [Int32] { recent.withLock { $0 } }

    /// Connects.
    ///
    /// - Throws: `StoreError` `unreachable`, also for a server that a standby has replaced: that server takes changes again after a
    ///   restart, and would answer without the changes of its successor.
    func connect() throws -> Link {
        let link = try Link(address)
        recent.withLock { $0 = [link.backend.process] + $0.prefix(63) }
        try check(link)
        return link
    }

    /// Connects. Waits while a standby may be taking over, unless this process has not reached any server yet.
    ///
    /// - Parameter ending: Ends the waiting when the store is closed.
    func connect(until ending: Ending) throws -> Link {
        let end = ContinuousClock.now + Self.patience
        while true {
            do {
                return try connect()
            } catch let error as StoreError where error.kind == .unreachable {
                let wasReached = newestTimeline.withLock { $0 > 0 }
                guard wasReached, .now < end, !ending.hasCome, mayTryAgain(after: nil) else { throw error }
            }
        }
    }

    /// Refuses a server whose timeline is older than one that this process has seen.
    func check(_ link: Link) throws {
        let (newest, isNew) = newestTimeline.withLock { newest in
            let isNew = newest > 0 && link.timeline > newest
            newest = max(newest, link.timeline)
            return (newest, isNew)
        }
        if isNew { tell(.replaced) }
        guard address.isReplica || link.timeline == newest else {
            throw StoreError(
                .unreachable, "\(address.name) leads to a server that a standby has replaced.",
                advice:
                    "Stop that server, and make a standby of it. If the database was moved on purpose, restart this program."
            )
        }
    }

    // MARK: Loss

    /// For how long a transaction waits while the server cannot be reached, so that a standby can take over.
    static let patience = Duration.seconds(10)
    /// For how long a commit waits whose outcome is not known.
    static let patienceOfCommit = Duration.seconds(30)

    private let listener = Locked<(@Sendable (DatabaseServer.Event) -> Void)?>(nil)

    /// Sets the function that is called when the server is lost, reached again, or replaced by a standby.
    func watch(_ tell: @escaping @Sendable (DatabaseServer.Event) -> Void) { listener.withLock { $0 = tell } }

    private func tell(_ event: DatabaseServer.Event) { listener.withLock { $0 }?(event) }

    // MARK: Revision

    private let lastRevision = Locked<Int64?>(nil)
    /// The revision at the last transaction; nil before the first one. The number differs from the numbers of another timeline, which
    /// may have another vocabulary after as many changes.
    var revision: Int64? { lastRevision.withLock { $0 } }

    func adopt(revision new: Int64) { lastRevision.withLock { $0 = new } }

    func isReached() {
        let wasLost = downSince.withLock { since in
            defer { since = nil }
            return since != nil
        }
        if wasLost { tell(.reached) }
    }

    /// Waits a moment after a failure.
    ///
    /// - Parameter link: The lost link; nil if there was none yet. A link that has answered before was perhaps closed while it was idle,
    ///   long after the server was reached last, so that one attempt follows at once in any case.
    /// - Returns: Whether to try again: false if the server has not been reached for long.
    func mayTryAgain(after link: Link?) -> Bool {
        // The primary answers in place of a replica.
        guard !address.isReplica else { return false }
        if let link, link.hasAnswered {
            link.hasAnswered = false
            return true
        }
        let now = ContinuousClock.now
        let (since, isFirst) = downSince.withLock { known in
            let since = known ?? now
            defer { known = since }
            return (since, known == nil)
        }
        if isFirst { tell(.lost) }
        guard now - since < Self.patience else { return false }
        if now > since { Self.pause() }
        return true
    }

    /// Waits between two attempts to connect.
    static func pause() { Thread.sleep(forTimeInterval: 0.1) }

    // MARK: Cancelling

    /// Cancels the statement that a process of the server runs. The request goes over the control connection, because `PQcancel` of
    /// libpq 15 blocks and is not encrypted. Does nothing if the control connection leads to another server, where another process can
    /// have the same number.
    ///
    /// - Parameter done: Called when the request was delivered or has failed.
    func cancel(_ backend: Link.Backend, done: @escaping @Sendable () -> Void) {
        queue.async { [self] in
            defer { done() }
            // The connection may have been lost while it was idle.
            for _ in 0..<2 where !isClosed.load(ordering: .relaxed) {
                if (try? isSent(to: backend)) == true { return }
                control.withLock { $0 = nil }
            }
        }
    }

    /// Sends the request to cancel.
    ///
    /// - Returns: Whether the request went to the process's own server.
    private func isSent(to backend: Link.Backend) throws -> Bool {
        let connection = try opened()
        guard let engine = connection.engine as? PostgreSQLEngine,
            engine.link.backend.serverStart == backend.serverStart
        else { return false }
        return try connection.first(PostgreSQLStatements.cancel, [.integer(Int64(backend.process))]) { _ in true }
            == true
    }

    private func opened() throws -> Connection {
        if let known = control.withLock({ $0 }) { return known }
        let new = Connection(PostgreSQLEngine(address, self, try connect()), ending: nil)
        control.withLock { $0 = new }
        return new
    }

    /// Closes the control connection once the waiting cancellations are sent. Later cancellations do nothing.
    func close() {
        queue.async { [self] in
            isClosed.store(true, ordering: .relaxed)
            control.withLock { $0 = nil }
        }
    }
}

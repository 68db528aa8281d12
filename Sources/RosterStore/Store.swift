import Dispatch
package import Foundation
import Synchronization
import RosterText

/// Runs reads on the reader pool and changes through the writer.
public final class Store: Sendable {
    /// The location of a store.
    package enum Location: Sendable {
        case memory
        case file(String, readOnly: Bool)
        /// A file that is opened for writing only if a check of its structure finds no damage.
        case checkedFile(String)
        case server(DatabaseServer)
    }

    /// The server that keeps the directory; nil for a file and in memory.
    let server: DatabaseServer?
    package var isOnServer: Bool { server != nil }
    /// Answers searches in place of the server; nil if there is none.
    let replica: Replica?
    /// The file; nil in memory and on a server.
    package let file: DirectoryFile?
    /// The identity of the file when it was opened for writing; nil otherwise.
    let identity: DirectoryFile.Identity?
    let damage = Damage()
    let readers: ReaderPool
    let writer: Writer?
    /// Counts commits, so that readers can tell whether their snapshot is the newest.
    let commits = CommitCounter()
    let isInMemory: Bool
    /// Whether readers keep their snapshots. They do not if another process writes, or in memory.
    private let keepsSnapshots: Bool
    let followers = Locked<[UInt64: @Sendable () -> Void]>([:])
    let nextFollower = Atomic<UInt64>(0)
    /// The number of commits at the last wake-up of the followers.
    let lastWoken = Atomic<UInt64>(0)
    /// Wakes the followers at the commits of other processes, on a server.
    let watch = CommitWatch()
    /// Ends the work on all connections when the store is closed.
    let ending: Ending

    /// Converts the store's failures to the errors that its callers throw.
    let failure: @Sendable (StoreError) -> any Error
    let migrations: Migrations

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - location: A file or memory.
    ///   - mappedBytes: The number of bytes of the file that a reader may map into memory.
    ///   - now: The time recorded for migrations.
    ///   - migrations: The schema.
    ///   - image: The initial bytes of a store in memory.
    ///   - failure: Converts the store's failures to the errors that its callers throw.
    /// - Throws: ``StoreError`` if the file cannot be opened, or is foreign, newer, damaged or in use.
    package init(
        _ location: Location, mappedBytes: Int64, now: Date, migrations: Migrations, image: Data? = nil,
        failure: @escaping @Sendable (StoreError) -> any Error
    ) throws {
        self.failure = failure
        self.migrations = migrations
        let ending = Ending()
        self.ending = ending
        if case .memory = location { isInMemory = true } else { isInMemory = false }
        if case .server(let server) = location { self.server = server } else { server = nil }
        replica = server?.connectReplica.map { connect in Replica { try connect(ending) } }
        let engine = try EngineOpening(
            mappedBytes: mappedBytes, now: now, migrations: migrations, commits: commits, ending: ending, damage: damage
        ).open(location, image)
        (readers, writer, file) = (engine.readers, engine.writer, engine.file)
        (identity, keepsSnapshots) = (engine.identity, engine.keepsSnapshots)
    }

    /// The largest number of concurrent searches.
    package static let searchCount = max(4, ProcessInfo.processInfo.activeProcessorCount)
    /// The number of connections reserved for look-ups: two per processor, because a server's threads and Swift's
    /// threads both run look-ups.
    package static let lookUpCount = max(4, 2 * ProcessInfo.processInfo.activeProcessorCount)

    /// The number of connections on which look-ups share round trips: one per processor. More connections would share each round trip
    /// among fewer look-ups.
    package static let sharingCount = max(2, ProcessInfo.processInfo.activeProcessorCount)

    /// Whether this process can make changes.
    package var isWritable: Bool { writer != nil }

    // MARK: Reading

    /// Reads on the caller's thread.
    ///
    /// - Parameter once: Whether the body is expected to run one statement. On a server, the body may run again if it runs several.
    @inlinable
    public func read<Value>(
        for purpose: ReaderPool.Purpose = .lookUp, once: Bool = false, _ body: (Connection) throws -> Value
    ) throws -> Value {
        // Only this part is generic and specialised for each caller.
        var value: Value?
        try take(for: purpose, once: once) { value = try body($0) }
        guard let value else { throw closed }
        return value
    }

    @usableFromInline var closed: any Error { failure(ReaderPool.closed) }

    @usableFromInline
    func take(for purpose: ReaderPool.Purpose, once: Bool, _ body: (Connection) throws -> Void) throws {
        try translated {
            try checkMayRead()
            let connection = try readers.take(for: purpose)
            defer { readers.give(connection, after: purpose) }
            try perform(on: connection, for: purpose, once: once, body)
        }
    }

    /// Runs work, and converts its failures to the errors that the store's callers throw.
    func translated<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as StoreError {
            throw noted(error)
        }
    }

    /// Runs asynchronous work, and converts its failures.
    func translated<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as StoreError {
            throw noted(error)
        }
    }

    /// Notes damage, and converts a failure to the error that the store's callers throw.
    private func noted(_ error: StoreError) -> any Error {
        if file != nil, error.kind == .damaged || error.kind == .notADirectory { damage.note() }
        return failure(error)
    }

    /// A store in memory has one connection. A call from within its use must not wait for it.
    private func checkMayRead() throws {
        if isInMemory { try HeldWork.checkMayWait(for: ending) }
    }

    /// Reads without blocking the caller's thread. Cancelling the task ends the read.
    ///
    /// A look-up runs at once if a reader is free, because switching threads takes longer than the look-up.
    package func awaitRead<Value: Sendable>(
        for purpose: ReaderPool.Purpose, once: Bool = false, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        if purpose == .lookUp, server == nil, let connection = readers.takeIdle() {
            defer { readers.give(connection, after: purpose) }
            return try translated { try perform(on: connection, for: purpose, once: once, body) }
        }
        return try await awaitReader(for: purpose) { [self] connection, cancellation in
            defer { readers.give(connection, after: purpose) }
            try cancellation.run(on: connection)
            defer { cancellation.pause(on: connection) }
            return try perform(on: connection, for: purpose, once: once, body)
        }
    }

    /// Runs `body` on the caller's thread with one reader for all its look-ups; returns nil if no reader is free at
    /// once.
    package func lookUpAtOnce<Value>(_ body: () throws -> Value) rethrows -> Value? {
        // A server's answer takes longer than switching threads.
        server == nil ? try readers.withOneConnection(body) : nil
    }

    /// Runs `body` with one reader for all its reads, on a thread that may block, once a reader is free for the
    /// purpose.
    package func awaitReader<Value: Sendable>(
        for purpose: ReaderPool.Purpose, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await awaitReader(for: purpose) { [self] connection, cancellation in
            try readers.withOneConnection(connection, after: purpose) {
                try cancellation.run(on: connection)
                defer { cancellation.pause(on: connection) }
                return try body()
            }
        }
    }

    /// Runs a look-up with one reader for all its reads, on a thread that may block, once a reader is free. If several look-ups wait,
    /// they share one reader, one snapshot, and the round trip in which a server answers their expected reads.
    ///
    /// - Parameter reads: The reads that `body` is expected to make.
    package func awaitSharedReader<Value: Sendable>(
        expecting reads: [ExpectedRead], _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await awaitReader(for: .lookUp, sharedReads: reads) { connection, cancellation in
            try cancellation.run(on: connection)
            defer { cancellation.pause(on: connection) }
            return try body()
        }
    }

    private func awaitReader<Value: Sendable>(
        for purpose: ReaderPool.Purpose, sharedReads: [ExpectedRead]? = nil,
        _ body: @escaping @Sendable (Connection, Cancellation) throws -> Value
    ) async throws -> Value {
        try await translated {
            try checkMayRead()
            let cancellation = Cancellation()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    readers.request(for: purpose, sharedReads: sharedReads, cancellation: cancellation) { result in
                        continuation.resume(
                            with: result.flatMap { connection in Result { try body(connection, cancellation) } })
                    }
                }
            } onCancel: {
                cancellation.cancel()
            }
        }
    }

    @inline(__always)
    private func perform<Value>(
        on connection: Connection, for purpose: ReaderPool.Purpose, once: Bool, _ body: (Connection) throws -> Value
    ) throws -> Value {
        guard keepsSnapshots else {
            if isInMemory { return try HeldWork.holding(ending) { try connection.work(body) } }
            if replica != nil, purpose != .lookUp, connection.keeper == nil,
                let value = try readAtReplica(connection, body)
            {
                return value
            }
            return try performOnServer(connection, once: once, body)
        }
        let newest = commits.value
        if connection.snapshot != newest {
            connection.endSnapshot()
            try connection.run(StoreStatements.begin)
            // The first read takes the snapshot, so that it runs now.
            _ = try connection.first(StoreStatements.takeSnapshot) { _ in true }
            connection.snapshot = newest
            connection.settledSnapshot = commits.isStill(newest) ? newest : nil
        }
        do {
            return try connection.work(body)
        } catch {
            connection.endSnapshot()
            throw error
        }
    }

    /// The number of finished commits: of this process, or of all processes on a server, where each call asks the server unless
    /// the thread keeps a snapshot. If another process writes the file, or the server cannot be reached, each call returns a new
    /// number, so that nothing is cached.
    package var commitCount: UInt64 {
        if isOnServer, let number = try? read(once: true, { try $0.exactSnapshot() }) { return number }
        guard isOnServer || writer == nil else { return commits.value }
        return UInt64.max - unknownCounts.add(1, ordering: .relaxed).newValue
    }
    /// The number of commits that this process has finished. Commits of other processes on a server do not count.
    package var ownCommitCount: UInt64 { commits.value }
    private let unknownCounts = Atomic<UInt64>(0)

    deinit { writer?.close(waits: false) }
}

import Dispatch
package import Foundation
import Synchronization
import RosterText

/// The only door to SQLite: runs reads on the reader pool and changes through the writer.
public final class Store: Sendable {
    /// How a store is opened.
    package enum Location: Sendable {
        case memory
        case file(String, readOnly: Bool)
    }

    /// The file; nil in memory.
    package let file: DirectoryFile?
    let readers: ReaderPool
    let writer: Writer?
    /// Counts commits, so that readers know whether their snapshot is still the newest.
    let commits: CommitCounter
    /// Whether readers keep their snapshots: not where another process writes, nor in memory.
    private let keepsSnapshots: Bool
    let followers = Locked<[UInt64: @Sendable () -> Void]>([:])
    let nextFollower = Atomic<UInt64>(0)
    /// Ends the work on all connections when the store is closed.
    let ending: Ending

    /// Turns the store's failures into those that its callers throw.
    let failure: @Sendable (StoreError) -> any Error
    let migrations: Migrations

    /// Opens a store.
    ///
    /// - Parameters:
    ///   - location: Where it is.
    ///   - mappedBytes: How much of the file a reader may map into memory.
    ///   - now: The time of migrations.
    ///   - migrations: The schema.
    ///   - image: The bytes with which a store in memory begins.
    ///   - failure: Turns the store's failures into those that its callers throw.
    /// - Throws: ``StoreError`` where the file cannot be opened, is foreign, newer, damaged or in use.
    package init(
        _ location: Location, mappedBytes: Int64, now: Date, migrations: Migrations, image: Data? = nil,
        failure: @escaping @Sendable (StoreError) -> any Error
    ) throws {
        self.failure = failure
        self.migrations = migrations
        let commits = CommitCounter()
        self.commits = commits
        let ending = Ending()
        self.ending = ending
        switch location {
        case .memory:
            file = nil
            keepsSnapshots = false
            let connection = try Connection(
                path: ":memory:", mode: .init(isWriter: true, mappedBytes: 0), ending: ending)
            if let image { try connection.load(image) }
            try migrations.apply(on: connection, path: ":memory:", now: now)
            let readers = ReaderPool(maximum: 0, maximumSearches: 1) { throw ReaderPool.closed }
            readers.give(connection, after: .lookUp)
            self.readers = readers
            writer = Writer(
                withConnection: { body in
                    guard let connection = try? readers.take(for: .lookUp) else { return false }
                    body(connection)
                    readers.give(connection, after: .lookUp)
                    return true
                }, check: {}, willCommit: commits.begin, didCommit: commits.finish, aroundCheckpoint: { $0() },
                didClose: {})
        case .file(let given, readOnly: true):
            keepsSnapshots = false
            writer = nil
            let file = try DirectoryFile(at: given)
            self.file = file
            let path = file.path
            guard FileManager.default.fileExists(atPath: path) else {
                throw StoreError(
                    .fileNotFound, "There is no file '\(path)'.",
                    advice: "Check the path, or open it for writing to make one.")
            }
            try Self.checkHeader(of: path)
            try file.checkHasOneName()
            let mode = try Self.readingMode(of: path, mappedBytes: mappedBytes)
            readers = Self.pool { try Self.reader(path, mode, ending) }
            let connection = try Self.reader(path, mode, ending)
            guard try migrations.inspect(connection, path: path) == .version(migrations.steps.count) else {
                throw StoreError(
                    .readOnly, "'\(path)' has an older schema, and was opened for reading only.",
                    advice: "Open it for writing once.")
            }
            readers.give(connection, after: .lookUp)
        case .file(let given, readOnly: false):
            keepsSnapshots = true
            let file = try DirectoryFile(at: given)
            self.file = file
            let path = file.path
            try Self.checkHeader(of: path)
            try file.checkHasOneName()
            let lock = try FileLock(for: file)
            if FileManager.default.fileExists(atPath: path) {
                // Through a connection that only reads: one that may write copies the log into the file when it closes,
                // and it is not known yet whose file it is.
                let visitor = try Self.reader(path, .init(isWriter: false, mappedBytes: 0))
                _ = try migrations.inspect(visitor, path: path)
            }
            let connection = try Connection(
                path: path, mode: .init(isWriter: true, mappedBytes: mappedBytes), ending: ending)
            let identity = file.identity
            try connection.run(StoreStatements.useLog)
            try migrations.apply(on: connection, path: path, now: now)
            try connection.run(StoreStatements.usualCache)
            file.shareLog()
            try file.adoptKey()
            let mode = Connection.Mode(isWriter: false, mappedBytes: mappedBytes)
            let readers = Self.pool { try Self.reader(path, mode, ending) }
            self.readers = readers
            // The writer keeps the lock for as long as it has the connection: until it is closed.
            let owned = Locked<(connection: Connection, lock: FileLock)?>((connection, lock))
            writer = Writer(
                withConnection: { body in
                    guard let connection = owned.withLock({ $0?.connection }) else { return false }
                    body(connection)
                    return true
                }, check: { try file.check(isStill: identity) }, willCommit: commits.begin, didCommit: commits.finish,
                aroundCheckpoint: { checkpoint in readers.withoutIdleSnapshots(checkpoint) },
                didClose: {
                    // The connection goes first, the lock after it.
                    let lock = owned.withLock { owned in
                        defer { owned = nil }
                        return owned?.lock
                    }
                    withExtendedLifetime(lock) {}
                })
        }
    }

    /// How many searches run at a time.
    package static let searchCount = max(4, ProcessInfo.processInfo.activeProcessorCount)
    /// How many connections searches leave to look-ups: twice as many as there are processors, since a server's threads
    /// and Swift's both look things up.
    package static let lookUpCount = max(4, 2 * ProcessInfo.processInfo.activeProcessorCount)

    private static func pool(_ open: @escaping @Sendable () throws -> Connection) -> ReaderPool {
        ReaderPool(maximum: searchCount + lookUpCount, maximumSearches: searchCount, open: open)
    }

    private static func reader(_ path: String, _ mode: Connection.Mode, _ ending: Ending? = nil) throws -> Connection {
        let connection = try Connection(path: path, mode: mode, ending: ending)
        try connection.run(StoreStatements.readOnly)
        return connection
    }

    /// Reads one snapshot of a file of this version or an older one, such as a backup.
    package static func visit<Value>(
        _ path: String, _ migrations: Migrations, _ body: (Connection) throws -> Value
    ) throws -> Value {
        try checkHeader(of: path)
        // Without a log nobody writes to the file. Read as it is, nothing is made beside it.
        let hasLog = FileManager.default.fileExists(atPath: path + "-wal")
        let connection = try reader(path, .init(isWriter: false, mappedBytes: 0, isImmutable: !hasLog))
        guard case .version = try migrations.inspect(connection, path: path) else {
            throw StoreError(.notADirectory, "'\(path)' is empty.", advice: "Check the path.")
        }
        try connection.run(StoreStatements.begin)
        defer { connection.endSnapshot() }
        return try body(connection)
    }

    /// Whether changes are possible.
    package var isWritable: Bool { writer != nil }

    // MARK: Reading

    /// Reads on the caller's thread.
    @inlinable
    public func read<Value>(
        for purpose: ReaderPool.Purpose = .lookUp, _ body: (Connection) throws -> Value
    ) throws -> Value {
        // Of what is generic only this is compiled anew for each caller: the rest runs as it is.
        var value: Value?
        try take(for: purpose) { value = try body($0) }
        guard let value else { throw closed }
        return value
    }

    @usableFromInline var closed: any Error { failure(ReaderPool.closed) }

    @usableFromInline
    func take(for purpose: ReaderPool.Purpose, _ body: (Connection) throws -> Void) throws {
        try translated {
            try checkMayRead()
            let connection = try readers.take(for: purpose)
            defer { readers.give(connection, after: purpose) }
            try perform(on: connection, body)
        }
    }

    /// Runs work of the store's, and throws its failures as the store's callers expect them.
    func translated<Value>(_ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch let error as StoreError {
            throw failure(error)
        }
    }

    /// Does the same for work that waits.
    func translated<Value: Sendable>(_ work: @Sendable () async throws -> Value) async throws -> Value {
        do {
            return try await work()
        } catch let error as StoreError {
            throw failure(error)
        }
    }

    /// In memory there is one connection: whoever is called while it is in use must not wait for it.
    private func checkMayRead() throws {
        if file == nil { try HeldWork.checkMayWait(for: ending) }
    }

    /// Reads without occupying the caller's thread, cancellable by its task.
    ///
    /// A look-up runs at once where a reader is free, since going to another thread and back takes longer.
    package func awaitRead<Value: Sendable>(
        for purpose: ReaderPool.Purpose, _ body: @escaping @Sendable (Connection) throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        if purpose == .lookUp, let connection = readers.takeIdle() {
            defer { readers.give(connection, after: purpose) }
            return try translated { try perform(on: connection, body) }
        }
        return try await awaitReader(for: purpose) { [self] connection, cancellation in
            defer { readers.give(connection, after: purpose) }
            try cancellation.run(on: connection)
            defer { cancellation.pause(on: connection) }
            return try perform(on: connection, body)
        }
    }

    /// Runs `body`, whose look-ups all go to one reader, on the caller's thread; nil where no reader is free at once.
    package func lookUpAtOnce<Value>(_ body: () throws -> Value) rethrows -> Value? { try readers.keeping(body) }

    /// Runs `body`, whose reads all go to one reader, on a thread that may block, as soon as a reader is free for the
    /// purpose.
    package func awaitReader<Value: Sendable>(
        for purpose: ReaderPool.Purpose, _ body: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        try await awaitReader(for: purpose) { [self] connection, cancellation in
            try readers.keeping(connection, after: purpose) {
                try cancellation.run(on: connection)
                defer { cancellation.pause(on: connection) }
                return try body()
            }
        }
    }

    private func awaitReader<Value: Sendable>(
        for purpose: ReaderPool.Purpose, _ body: @escaping @Sendable (Connection, Cancellation) throws -> Value
    ) async throws -> Value {
        try await translated {
            try checkMayRead()
            let cancellation = Cancellation()
            return try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    readers.request(for: purpose, cancellation: cancellation) { result in
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
    private func perform<Value>(on connection: Connection, _ body: (Connection) throws -> Value) throws -> Value {
        guard keepsSnapshots else {
            if file == nil { return try HeldWork.holding(ending) { try connection.work(body) } }
            try connection.run(StoreStatements.begin)
            defer { connection.endSnapshot() }
            return try connection.work(body)
        }
        let newest = commits.value
        if connection.snapshot != newest {
            connection.endSnapshot()
            try connection.run(StoreStatements.begin)
            // The snapshot is taken by the first read, so that is done now.
            _ = try connection.first(StoreStatements.takeSnapshot) { _ in true }
            connection.snapshot = newest
            connection.exactSnapshot = commits.isStill(newest) ? newest : nil
        }
        do {
            return try connection.work(body)
        } catch {
            connection.endSnapshot()
            throw error
        }
    }

    /// A connection of one's own for long work such as a backup, with a snapshot that lasts as long as the work. The work
    /// may call the app, and the app the directory.
    package func readAlone<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        try translated { try readOnItsOwnConnection(body) }
    }

    private func readOnItsOwnConnection<Value>(_ body: (Connection) throws -> Value) throws -> Value {
        if ending.hasCome { throw ReaderPool.closed }
        let connection: Connection
        if let path = file?.path {
            connection = try Self.reader(path, try Self.readingMode(of: path, mappedBytes: 0), ending)
        } else {
            // The one connection is free again while the work goes on with a copy.
            let image = try read { try $0.image() }
            connection = try Connection(
                path: ":memory:", mode: .init(isWriter: true, mappedBytes: 0), ending: ending)
            try connection.load(image)
            try connection.run(StoreStatements.readOnly)
        }
        try connection.run(StoreStatements.begin)
        defer { connection.endSnapshot() }
        return try connection.work(body)
    }

    /// How many commits of this process are over. Where another process writes the file, each time another number: nothing
    /// that was found out may be taken to hold.
    package var commitCount: UInt64 {
        guard writer == nil else { return commits.value }
        commits.finish()
        return commits.value
    }

    deinit { writer?.close(waits: false) }
}

import Foundation
import RosterText

/// An engine that is open: its connections for reads and for changes.
struct OpenEngine {
    let readers: ReaderPool
    /// The writer; nil for a file that is open for reading only.
    let writer: Writer?
    /// The file; nil in memory and on a server.
    var file: DirectoryFile?
    /// The identity of the file when it was opened for writing; nil otherwise.
    var identity: DirectoryFile.Identity?
    /// Whether readers keep their snapshots. They do not if another process writes, or in memory.
    var keepsSnapshots = false
}

/// Opens the engine of a store.
struct EngineOpening {
    let mappedBytes: Int64
    let now: Date
    let migrations: Migrations
    let commits: CommitCounter
    let ending: Ending
    let damage: Damage

    /// - Parameter image: The initial bytes of a store in memory.
    func open(_ location: Store.Location, _ image: Data?) throws -> OpenEngine {
        switch location {
        case .memory: try memory(image)
        case .file(let path, readOnly: true): try fileForReading(path)
        case .file(let path, readOnly: false): try fileForWriting(path, checksStructure: false)
        case .checkedFile(let path): try fileForWriting(path, checksStructure: true)
        case .server(let server): try self.server(server)
        }
    }

    private func server(_ server: DatabaseServer) throws -> OpenEngine {
        let connection = try server.connect(ending)
        try migrations.apply(on: connection, path: server.name, now: now)
        let readers = pool(searches: 2 * Store.searchCount) { [ending] in try server.connect(ending) }
        let owned = Locked<Connection?>(connection)
        let writer = Writer(
            withConnection: { body in
                guard let connection = owned.withLock({ $0 }) else { return false }
                body(connection)
                return true
            }, check: {}, willCommit: commits.begin, didCommit: { [commits] _ in commits.finish() },
            aroundCheckpoint: { $0() },
            didClose: { owned.withLock { $0 = nil } })
        return OpenEngine(readers: readers, writer: writer)
    }

    private func memory(_ image: Data?) throws -> OpenEngine {
        let connection = try Connection(image: image, ending: ending)
        try migrations.apply(on: connection, path: ":memory:", now: now)
        let readers = ReaderPool(maximum: 0, maximumSearches: 1) { throw ReaderPool.closed }
        readers.give(connection, after: .lookUp)
        let writer = Writer(
            withConnection: { body in
                guard let connection = try? readers.take(for: .lookUp) else { return false }
                body(connection)
                readers.give(connection, after: .lookUp)
                return true
            }, check: {}, willCommit: commits.begin, didCommit: { [commits] _ in commits.finish() },
            aroundCheckpoint: { $0() },
            didClose: {})
        return OpenEngine(readers: readers, writer: writer)
    }

    private func fileForReading(_ given: String) throws -> OpenEngine {
        let file = try DirectoryFile(at: given)
        let path = file.path
        guard FileManager.default.fileExists(atPath: path) else {
            throw StoreError(
                .fileNotFound, "There is no file '\(path)'.",
                advice: "Check the path, or open it for writing to make one.")
        }
        try Store.checkHeader(of: path)
        try file.checkHasOneName()
        let mode = try Store.readingMode(of: path, mappedBytes: mappedBytes)
        let readers = pool { [ending] in try Store.reader(path, mode, ending) }
        let connection = try Store.reader(path, mode, ending)
        let finding = try migrations.inspect(connection, path: path)
        if finding == .empty { throw StoreError.emptyFile(path) }
        guard finding == .version(migrations.steps.count) else {
            throw StoreError(
                .readOnly, "'\(path)' has an older schema, and was opened for reading only.",
                advice: "Open it for writing once.")
        }
        readers.give(connection, after: .lookUp)
        return OpenEngine(readers: readers, writer: nil, file: file)
    }

    private func fileForWriting(_ given: String, checksStructure: Bool) throws -> OpenEngine {
        let file = try DirectoryFile(at: given)
        let path = file.path
        try Store.checkHeader(of: path)
        try file.checkHasOneName()
        let lock = try FileLock(for: file)
        let copy = CopyBeforeMigration(of: file)
        if FileManager.default.fileExists(atPath: path) {
            try prepareMigration(of: path, checksStructure: checksStructure, copy)
        }
        let connection = try Connection(
            path: path, mode: .init(isWriter: true, mappedBytes: mappedBytes), ending: ending)
        let identity = file.identity
        try connection.run(StoreStatements.useLog)
        try migrations.apply(on: connection, path: path, now: now)
        try connection.run(StoreStatements.usualCache)
        file.shareLog()
        try file.adoptKey()
        let mode = SQLiteEngine.Mode(isWriter: false, mappedBytes: mappedBytes)
        let readers = pool { [ending] in try Store.reader(path, mode, ending) }
        // The writer holds the lock until its connection is closed.
        let owned = Locked<(connection: Connection, lock: FileLock)?>((connection, lock))
        let writer = Writer(
            withConnection: { body in
                guard let connection = owned.withLock({ $0?.connection }) else { return false }
                body(connection)
                return true
            },
            check: { [damage] in
                try file.check(isStill: identity)
                try damage.check()
            }, willCommit: commits.begin,
            didCommit: { [commits] isCommitted in
                commits.finish()
                if isCommitted { copy.remove() }
            },
            aroundCheckpoint: { checkpoint in readers.withoutIdleSnapshots(checkpoint) },
            didClose: {
                // The connection must close before the lock is released.
                let lock = owned.withLock { owned in
                    defer { owned = nil }
                    return owned?.lock
                }
                withExtendedLifetime(lock) {}
            })
        return OpenEngine(readers: readers, writer: writer, file: file, identity: identity, keepsSnapshots: true)
    }

    /// Checks a file that is there, and copies the file if it has an older schema.
    private func prepareMigration(of path: String, checksStructure: Bool, _ copy: CopyBeforeMigration) throws {
        // The connection is read-only, because a writable one copies the log into the file when it closes, and the file may belong to
        // another program.
        let visitor = try Store.reader(path, .init(isWriter: false, mappedBytes: 0))
        let finding = try migrations.inspect(visitor, path: path)
        // Nothing else is read with this connection afterwards, because the end of the check's time can interrupt a statement.
        if checksStructure { try Store.checkStructure(of: path, on: visitor) }
        if case .version(let version) = finding, version < migrations.steps.count { try copy.make(migrations) }
    }

    /// - Parameter searches: The largest number of concurrent searches. On a server, searches spend much of their time on the way.
    private func pool(
        searches: Int = Store.searchCount, _ open: @escaping @Sendable () throws -> Connection
    ) -> ReaderPool {
        ReaderPool(
            maximum: searches + Store.lookUpCount, maximumSearches: searches, maximumSharing: Store.sharingCount,
            open: open)
    }
}

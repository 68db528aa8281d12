public import Foundation
package import RosterStore

/// A directory of users, roles and reporting lines, in a file, in memory or on a PostgreSQL server.
///
/// ```swift
/// let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
/// let people = directory.unrestricted.users
/// let ada = try people.user("ada", attributes: [.mail, .title])
/// let boss = try ada.manager()
/// ```
///
/// ``acting(as:)`` returns a view with the rights of a caller, which contains only what the caller may see and do. Use
/// ``unrestricted`` if your app checks permissions itself.
///
/// A directory can be used from any thread and task. Reads of a file never wait for writes. Concurrent changes share a commit. A
/// change that has returned survives a loss of power.
public final class Directory: Sendable {
    let core: DirectoryCore
    /// The key file of a directory on a server; nil if none was named.
    package let keyPath: String?
    private let lease: DirectoryLease
    private let sharedUnrestricted: EmbeddedView

    /// Opens the directory in a file, creates the file if it does not exist, and migrates it to the newest schema.
    ///
    /// One process owns a file for writing, by a lock that the system releases when the process ends. Other processes
    /// can open it for reading only.
    ///
    /// - Parameters:
    ///   - url: The file, or a symbolic link to it. The companions `-wal`, `-shm`, `-lock` and `-key` are beside the
    ///     file itself. A file with several hard links is refused.
    ///   - readOnly: Whether to open the file for reading only. Another process may write to it meanwhile.
    ///   - clock: Returns the current time.
    /// - Throws: ``DirectoryError`` `fileInUse` (the message names the owner), `fileNotFound` (also for a URL that is
    ///   no file URL), `notADirectory`, `newerFile`, `damaged`, `storageFailed`. A foreign or newer file stays
    ///   untouched.
    public convenience init(
        at url: URL, readOnly: Bool = false, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        try self.init(at: url, readOnly: readOnly, mappedBytes: 1 << 40, clock: clock)
    }

    /// - Parameter mappedBytes: The number of bytes of the file that a reader may map into memory. The system can
    ///   reclaim mapped pages, but monitoring counts them as the process's own, so a server maps none.
    package convenience init(at url: URL, readOnly: Bool, mappedBytes: Int64, clock: @escaping @Sendable () -> Date)
        throws
    {
        let path = try DirectoryError.translating { try DirectoryFile.path(of: url) }
        try self.init(at: .file(path, readOnly: readOnly), mappedBytes: mappedBytes, clock: clock)
    }

    private convenience init(
        at location: Store.Location, mappedBytes: Int64, clock: @escaping @Sendable () -> Date
    ) throws {
        let store = try Store(location, mappedBytes: mappedBytes, now: clock())
        self.init(core: try Self.core(of: store, clock))
    }

    /// Opens the directory that a database server keeps.
    package convenience init(
        on server: DatabaseServer, keyPath: String?, clock: @escaping @Sendable () -> Date
    ) throws {
        let store = try Store(.server(server), mappedBytes: 0, now: clock())
        self.init(core: try Self.core(of: store, clock), keyPath: keyPath)
    }

    /// Closes the store after a failure, so that the lock of its file is released before the error is thrown.
    private static func core(of store: Store, _ clock: @escaping @Sendable () -> Date) throws -> DirectoryCore {
        do {
            return try DirectoryCore(store: store, clock: clock)
        } catch {
            store.close()
            throw error
        }
    }

    /// Whether a database server keeps the directory.
    package var isOnServer: Bool { core.store.isOnServer }

    /// Opens the directory for a server, without mapping the file, so that the process's memory does not grow with the
    /// file. Before anything is written, a check of the file's structure looks for damage, for a second at most.
    package static func served(at url: URL) throws -> Directory {
        let path = try DirectoryError.translating { try DirectoryFile.path(of: url) }
        return try Directory(at: .checkedFile(path), mappedBytes: 0, clock: { Date() })
    }

    /// The directory's file if this process may write to it; nil for a directory in memory.
    package var file: DirectoryFile? { core.store.isWritable ? core.store.file : nil }

    /// The work of all statements so far, by which tests compare questions. No caller may use the directory meanwhile.
    package var work: StatementWork { core.store.work }

    /// Notes where this process serves the file, for the error `fileInUse` in other processes.
    package func noteServer(at address: String) {
        if let file { FileLock.note(server: address, for: file) }
    }

    init(core: DirectoryCore, keyPath: String? = nil) {
        self.core = core
        self.keyPath = keyPath
        lease = DirectoryLease(core.store)
        sharedUnrestricted = EmbeddedView(core: core, caller: .administrator("unrestricted"))
    }

    /// Makes an empty directory in memory. It lives until its last reference is released.
    public static func inMemory(clock: @escaping @Sendable () -> Date = { Date() }) throws -> Directory {
        try inMemory(image: nil, clock: clock)
    }

    /// The directory as bytes, for fast copies with ``inMemory(image:clock:)``.
    package func memoryImage() throws -> Data { try core.store.image() }

    /// Makes a directory in memory from the bytes of another one; an empty directory without bytes.
    package static func inMemory(image: Data?, clock: @escaping @Sendable () -> Date = { Date() }) throws -> Directory {
        let store = try Store(.memory, mappedBytes: 0, now: clock(), image: image)
        return Directory(core: try DirectoryCore(store: store, clock: clock))
    }

    /// These rates limit changes and sign-ins. A directory has no rates until an app sets them. A server sets ``DirectoryRates/served``
    /// when the server starts.
    public var rates: DirectoryRates {
        get { core.rates.rates }
        set { core.rates.rates = newValue }
    }

    /// The directory with the rights of a caller. All access goes through this view.
    public func acting(as caller: Caller) -> DirectoryView { acting(as: caller, by: .local) }

    /// The directory with the rights of a caller whose request has proved its presence in this way.
    ///
    /// - Parameter notes: Takes notes of filters that read everybody; nil if nobody wants to know.
    package func acting(as caller: Caller, by presence: Presence, notes: SearchNotes? = nil) -> DirectoryView {
        DirectoryView(
            shared: EmbeddedView(core: core, caller: caller, presence: presence, notes: notes), lease: lease)
    }

    /// The directory without permission checks, for an app that checks permissions itself. The change feed shows
    /// `unrestricted` as the actor.
    public var unrestricted: DirectoryView { DirectoryView(shared: sharedUnrestricted, lease: lease) }

    /// Closes the directory. Running, waiting and later calls fail with `closed`, and the sequences of followers end. A
    /// change whose commit has begun is completed; all other changes are dropped. A directory closes itself when it and
    /// all of its views are released; users and roles that were read do not keep it open.
    ///
    /// Returns when the file is closed. If a change is in an app's callback that itself closes the directory, or that
    /// does not return within ten seconds, the file is closed after the callback. On a server, a running statement of a change ends
    /// first.
    public func close() { core.store.close() }
}

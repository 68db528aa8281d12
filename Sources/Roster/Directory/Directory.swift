public import Foundation
package import RosterStore

/// A directory of users, roles and reporting lines, in a file or in memory.
///
/// ```swift
/// let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
/// let people = directory.unrestricted.users
/// let ada = try people.user("ada", attributes: ["mail", "title"])
/// let boss = try await ada.manager()
/// ```
///
/// Who asks matters: ``acting(as:)`` gives the view of a caller, which holds only what that caller may see and do.
/// An app that is its own gate takes ``unrestricted``.
///
/// A directory may be used from any thread and task. Reading never waits for writing; changes that are made at the
/// same time share a commit; a change that has returned survives the loss of power.
public final class Directory: Sendable {
    let core: DirectoryCore

    /// Opens the directory in a file, which is made where there is none, and brings it to the newest schema.
    ///
    /// One process owns a file for writing, by a lock that the system takes away when the process ends; others can open
    /// it for reading only.
    ///
    /// - Parameters:
    ///   - url: The file, or a symbolic link to it. The companions `-wal`, `-shm`, `-lock` and `-key` stand beside the file
    ///     itself. A file with several names (hard links) is refused.
    ///   - readOnly: Whether it is opened for reading only, which another process may be writing to meanwhile.
    ///   - clock: Where the time comes from.
    /// - Throws: ``DirectoryError`` `fileInUse` (which says who has it), `fileNotFound` (also for a URL that is no file URL),
    ///   `notADirectory`, `newerFile`, `damaged`, `storageFailed`. A file that is not ours, or newer, is not touched.
    public convenience init(
        at url: URL, readOnly: Bool = false, clock: @escaping @Sendable () -> Date = { Date() }
    ) throws {
        try self.init(at: url, readOnly: readOnly, mappedBytes: 1 << 40, clock: clock)
    }

    /// - Parameter mappedBytes: How much of the file a reader may map into memory. Mapped pages are the system's to
    ///   take back, but they count as the process's own where somebody looks: a server wants none.
    package init(at url: URL, readOnly: Bool, mappedBytes: Int64, clock: @escaping @Sendable () -> Date) throws {
        let path = try DirectoryError.translating { try DirectoryFile.path(of: url) }
        let store = try Store(.file(path, readOnly: readOnly), mappedBytes: mappedBytes, now: clock())
        core = try DirectoryCore(store: store, clock: clock)
    }

    /// Opens the directory of a server: without mapping the file, so that its memory does not grow with it.
    package static func served(at url: URL) throws -> Directory {
        try Directory(at: url, readOnly: false, mappedBytes: 0, clock: { Date() })
    }

    /// The directory's file, where this process may write to it; nil for a directory in memory.
    package var file: DirectoryFile? { core.store.isWritable ? core.store.file : nil }

    /// Where the key belongs that encrypts the directory's secrets; nil for a directory in memory.
    package var keyFile: URL? { file.map { URL(fileURLWithPath: $0.keyPath) } }

    init(core: DirectoryCore) { self.core = core }

    /// Makes an empty directory in memory. It ends with the last reference to it.
    public static func inMemory(clock: @escaping @Sendable () -> Date = { Date() }) throws -> Directory {
        try inMemory(image: nil, clock: clock)
    }

    /// The directory as a caller may see and change it. Every front end goes through here.
    public func acting(as caller: Caller) -> DirectoryView { DirectoryView(core: core, caller: caller) }

    /// The directory as a caller may see and change it who proved this much in a request.
    package func acting(as caller: Caller, by presence: Presence) -> DirectoryView {
        DirectoryView(core: core, caller: caller, presence: presence)
    }

    /// The directory without a gate, for an app that decides itself who may do what. The change feed shows such
    /// changes as made by `unrestricted`.
    public var unrestricted: DirectoryView { acting(as: .administrator("unrestricted")) }

    /// Closes the directory. Calls that run or wait end with `closed`, and so do later ones; the sequences of followers end.
    /// A change whose commit has begun is finished; of any other nothing is kept. A directory closes itself when it and all
    /// views and users of it are gone.
    ///
    /// Returns when the file is closed. Only where a change is within a callback of the app that does not return for ten
    /// seconds, or that itself closes the directory, the file is closed after the callback.
    public func close() { core.store.close() }
}

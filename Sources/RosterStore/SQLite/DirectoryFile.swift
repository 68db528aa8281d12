package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The location of a directory's file: its path without symbolic links. All companions (`-lock`, `-key`, `-wal`,
/// `-shm`) are named after this path, so that every symbolic link leads to the same lock and the same key.
package struct DirectoryFile: Sendable, Hashable {
    /// The path of the file without symbolic links.
    package let path: String
    /// The paths of the symbolic links that led to the file.
    private let links: [String]

    /// Resolves a path to the file. The file need not exist.
    ///
    /// - Throws: ``StoreError`` `fileNotFound` for a cycle of symbolic links.
    package init(at path: String) throws {
        var path = path
        var links: [String] = []
        while let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) {
            guard links.count < 40 else {
                throw StoreError(
                    .fileNotFound, "'\(links.first ?? path)' is a symbolic link that leads to no file.",
                    advice: "Name the file itself.")
            }
            links.append(path)
            path = target.hasPrefix("/") ? target : Self.folder(of: path) + "/" + target
        }
        self.links = links
        self.path =
            Self.resolved(path)
            ?? Self.resolved(Self.folder(of: path)).map { ($0 == "/" ? "" : $0) + "/" + Self.name(of: path) } ?? path
    }

    /// Resolves a URL to the file. The file need not exist.
    ///
    /// - Throws: ``StoreError`` `fileNotFound` unless the URL names a local file.
    package init(_ url: URL) throws { try self.init(at: try Self.path(of: url)) }

    /// The path of a file URL.
    package static func path(of url: URL) throws -> String {
        let host = url.host(percentEncoded: false)?.lowercased() ?? ""
        let path = url.path(percentEncoded: false)
        guard url.isFileURL, ["", "localhost"].contains(host), !path.isEmpty, !path.utf8.contains(0) else {
            // The message omits the URL, which may contain a password.
            let scheme = url.scheme.map { "A URL with the scheme '\($0)'" } ?? "A URL without a scheme"
            throw StoreError(
                .fileNotFound,
                url.isFileURL ? "The file URL names no file of this machine." : "\(scheme) names no file.",
                advice: "Give a file URL: URL(fileURLWithPath: \"company.db\").")
        }
        return url.path
    }

    private static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    private static func name(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
    }

    private static func resolved(_ path: String) -> String? {
        guard let found = realpath(path, nil) else { return nil }
        defer { free(found) }
        return String(cString: found)
    }

    // MARK: Which file it is

    /// The identity of a file, independent of its names.
    package struct Identity: Equatable {
        let device: UInt64
        let number: UInt64
    }

    /// The identity of the file at this path; nil if there is none.
    package var identity: Identity? {
        status.map { Identity(device: UInt64(truncatingIfNeeded: $0.st_dev), number: UInt64($0.st_ino)) }
    }

    private var status: stat? {
        var status = stat()
        return stat(path, &status) == 0 ? status : nil
    }

    /// Refuses a file with several hard links, because each name would have its own lock and its own log.
    package func checkHasOneName() throws {
        guard let status, status.st_mode & S_IFMT == S_IFREG, status.st_nlink > 1 else { return }
        throw StoreError(
            .storageFailed,
            "'\(path)' has \(status.st_nlink) names (hard links), and under each of them it would have another lock.",
            advice: "Remove the other names, or copy the file to a new one.")
    }

    /// Refuses a change after the file was deleted or replaced.
    package func check(isStill identity: Identity?) throws {
        let current = self.identity
        if current == identity { return }
        guard current != nil else {
            throw StoreError(
                .fileNotFound, "'\(path)' was deleted while it was open; the change was not kept.",
                advice: "Close the directory, restore a backup, and open it again.")
        }
        throw StoreError(
            .storageFailed, "'\(path)' was replaced by another file while it was open; the change was not kept.",
            advice: "Close the directory and open it again.")
    }

    // MARK: Companions

    /// The path of the lock.
    package var lockPath: String { path + "-lock" }
    /// The path where the key file belongs.
    package var keyPath: String { path + "-key" }

    /// The path of the existing key file: beside the file, or else beside a symbolic link to it, where earlier versions
    /// kept it; nil if there is none.
    package var foundKey: String? {
        ([path] + links).map { $0 + "-key" }.first { key in
            var status = stat()
            return lstat(key, &status) == 0
        }
    }

    /// Moves a key file that is beside a symbolic link to its place beside the directory's file.
    package func adoptKey() throws {
        guard let found = foundKey, found != keyPath, rename(found, keyPath) != 0 else { return }
        let reason = errno
        guard reason == EXDEV, let bytes = FileManager.default.contents(atPath: found) else {
            throw StoreError(
                .unusableKey,
                "The key file '\(found)' stands beside a symbolic link and cannot be moved: \(Self.text(reason)).",
                advice: "Move it to '\(keyPath)'.")
        }
        try replaceKey(with: try prepareKey(bytes))
        unlink(found)
    }

    /// Gives an open companion the owner and the group of the directory's file, so that a service can use files that
    /// root created.
    ///
    /// - Returns: Whether the companion now belongs to the file's owner.
    @discardableResult
    package func giveOwner(to descriptor: Int32) -> Bool {
        var own = stat()
        guard let status, fstat(descriptor, &own) == 0 else { return true }
        if own.st_uid == status.st_uid && own.st_gid == status.st_gid { return true }
        if fchown(descriptor, status.st_uid, status.st_gid) == 0 { return true }
        // Only root may change the owner, but any member of a group may set that group.
        _ = fchown(descriptor, uid_t.max, status.st_gid)
        return own.st_uid == status.st_uid
    }

    /// Gives a replacement file the owner, group and permissions of the directory's file.
    package func keepOwner(on partial: String) throws {
        guard let status else { return }
        let descriptor = open(partial, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, giveOwner(to: descriptor) else {
            throw StoreError(
                .storageFailed, "The file that replaces '\(path)' would not belong to the same owner.",
                advice: "Run this as the owner of the file, or as root.")
        }
        fchmod(descriptor, status.st_mode & 0o777)
    }

    /// Lets everyone with write access to the directory's file use its lock. Others get no read access either, because
    /// it would let them take the lock.
    package func shareLock(_ descriptor: Int32) {
        guard let status else { return }
        giveOwner(to: descriptor)
        let group = status.st_mode & S_IWGRP == 0 ? 0 : S_IRGRP | S_IWGRP
        let others = status.st_mode & S_IWOTH == 0 ? 0 : S_IROTH | S_IWOTH
        fchmod(descriptor, S_IRUSR | S_IWUSR | group | others)
    }

    /// Gives the log and its index to the file's owner if another user created them.
    package func shareLog() {
        for companion in [path + "-wal", path + "-shm"] {
            let descriptor = open(companion, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
            guard descriptor >= 0 else { continue }
            giveOwner(to: descriptor)
            close(descriptor)
        }
    }

    /// The path of the empty file whose modification time is the time of the last backup.
    private var backupMark: String { path + "-backup" }

    /// Records that the directory was backed up now. The backup of a file in a folder without write access is not recorded.
    package func noteBackup() {
        let descriptor = open(backupMark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        giveOwner(to: descriptor)
        futimens(descriptor, nil)
        close(descriptor)
    }

    // MARK: The key file

    /// Writes a new key file, with access for its owner only, to the disk. The file is not yet in use.
    ///
    /// - Returns: The path of the file for ``replaceKey(with:)`` or ``addKey(_:)``.
    package func prepareKey(_ bytes: Data) throws -> String { try Self.prepareKey(bytes, at: keyPath) }

    private static func prepareKey(_ bytes: Data, at keyPath: String) throws -> String {
        let temporary = "\(keyPath).partial-\(UUID().uuidString)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw keyFailure(keyPath, "cannot be made: \(text(errno))") }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: bytes)
            try file.synchronize()
            return temporary
        } catch {
            unlink(temporary)
            throw keyFailure(keyPath, "cannot be written")
        }
    }

    /// Installs a prepared key file if there is none. The first of two concurrent calls wins.
    package func addKey(_ temporary: String) throws {
        defer { unlink(temporary) }
        try giveOwner(toKey: temporary)
        try Self.install(temporary, at: keyPath)
    }

    /// Writes a key file that belongs to no directory's file, unless there is one. The first of two concurrent calls wins.
    package static func addKey(_ bytes: Data, at keyPath: String) throws {
        let temporary = try prepareKey(bytes, at: keyPath)
        defer { unlink(temporary) }
        try install(temporary, at: keyPath)
    }

    private static func install(_ temporary: String, at keyPath: String) throws {
        // A hard link never replaces a file. On a file system without hard links, renaming is the fallback.
        if link(temporary, keyPath) != 0, errno != EEXIST, rename(temporary, keyPath) != 0 {
            throw keyFailure(keyPath, "cannot be put in place: \(text(errno))")
        }
        flush(folder(of: keyPath))
    }

    /// Installs a prepared key file, and renames the existing one.
    ///
    /// - Returns: The name of the old key file; nil if there was none.
    @discardableResult
    package func replaceKey(with temporary: String) throws -> String? {
        do {
            try giveOwner(toKey: temporary)
            let old = try setKeyAside()
            guard rename(temporary, keyPath) == 0 else {
                throw Self.keyFailure(keyPath, "cannot be put in place: \(Self.text(errno))")
            }
            Self.flush(Self.folder(of: path))
            return old
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Renames the key file to a name that ends in `.old`, or `.old` and a number.
    ///
    /// - Returns: The new path; nil if there is no key file beside the directory's file.
    package func setKeyAside() throws -> String? { try Self.setKeyAside(at: keyPath) }

    /// Renames a key file, as the method of a directory's file does.
    package static func setKeyAside(at keyPath: String) throws -> String? {
        var status = stat()
        guard lstat(keyPath, &status) == 0 else { return nil }
        var aside = keyPath + ".old"
        var number = 2
        while lstat(aside, &status) == 0 {
            aside = "\(keyPath).old\(number)"
            number += 1
        }
        guard rename(keyPath, aside) == 0 else {
            throw keyFailure(keyPath, "cannot be renamed: \(text(errno))")
        }
        return aside
    }

    private func giveOwner(toKey temporary: String) throws {
        let descriptor = open(temporary, O_RDONLY | O_NOFOLLOW | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, giveOwner(to: descriptor) else {
            throw Self.keyFailure(
                keyPath, "would not belong to the owner of '\(path)'", advice: "Run this as the owner.")
        }
    }

    private static func keyFailure(
        _ path: String, _ problem: String, advice: String = "Check the folder's permissions, and the space on the disk."
    ) -> StoreError {
        StoreError(.unusableKey, "The key file '\(path)' \(problem).", advice: advice)
    }

    private static func text(_ number: Int32) -> String { String(cString: strerror(number)) }

    /// Flushes a file, or the names in a folder, to the disk.
    package static func flush(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

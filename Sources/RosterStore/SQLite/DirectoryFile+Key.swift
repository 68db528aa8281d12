package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The key file beside the directory's file.
extension DirectoryFile {
    /// Moves a key file that is beside a symbolic link to its place beside the directory's file.
    package func adoptKey() throws {
        guard let found = foundKey, found != keyPath, rename(found, keyPath) != 0 else { return }
        let reason = errno
        guard reason == EXDEV, let bytes = FileManager.default.contents(atPath: found) else {
            throw StoreError(
                .unusableKey,
                "The key file '\(found)' is beside a symbolic link and cannot be moved: \(Self.text(reason)).",
                advice: "Move it to '\(keyPath)'.")
        }
        try replaceKey(with: try prepareKey(bytes))
        unlink(found)
    }

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

    /// Where the key of a restored backup is until the backup has replaced the directory's file. If the restore is interrupted there,
    /// the key that opens the directory's secrets is one of the two.
    package var restoredKeyPath: String { keyPath + ".restored" }

    /// Writes the key of a backup to ``restoredKeyPath``.
    package func prepareRestoredKey(_ bytes: Data) throws -> String {
        let temporary = try prepareKey(bytes)
        do {
            try giveOwner(toKey: temporary)
            guard rename(temporary, restoredKeyPath) == 0 else {
                throw Self.keyFailure(restoredKeyPath, "cannot be put in place: \(Self.text(errno))")
            }
        } catch {
            unlink(temporary)
            throw error
        }
        Self.flush(Self.folder(of: path))
        return restoredKeyPath
    }

    /// Installs a prepared key file and keeps the existing key file under another name. A key file exists at ``keyPath`` at each moment,
    /// except on a file system without hard links.
    ///
    /// - Returns: The name of the old key file; nil if there was none.
    @discardableResult
    package func replaceKey(with prepared: String) throws -> String? {
        var status = stat()
        var old: String?
        do {
            try giveOwner(toKey: prepared)
            if lstat(keyPath, &status) == 0 {
                let free = Self.freeName(for: keyPath)
                // A file system without hard links leaves no other way than to rename the old key file first.
                guard link(keyPath, free) == 0 || rename(keyPath, free) == 0 else {
                    throw Self.keyFailure(keyPath, "cannot be renamed: \(Self.text(errno))")
                }
                old = free
            }
            guard rename(prepared, keyPath) == 0 else {
                throw Self.keyFailure(keyPath, "cannot be put in place: \(Self.text(errno))")
            }
            Self.flush(Self.folder(of: path))
            return old
        } catch {
            if let old { if lstat(keyPath, &status) == 0 { unlink(old) } else { rename(old, keyPath) } }
            if prepared != restoredKeyPath { unlink(prepared) }
            throw error
        }
    }

    /// Renames the key file. The new name ends in `.old`, or in `.old` and a number if that name is in use.
    ///
    /// - Returns: The new path; nil if there is no key file beside the directory's file.
    package func setKeyAside() throws -> String? { try Self.setKeyAside(at: keyPath) }

    /// Renames the key file at a path, as ``setKeyAside()`` does.
    package static func setKeyAside(at keyPath: String) throws -> String? {
        var status = stat()
        guard lstat(keyPath, &status) == 0 else { return nil }
        let free = freeName(for: keyPath)
        guard rename(keyPath, free) == 0 else {
            throw keyFailure(keyPath, "cannot be renamed: \(text(errno))")
        }
        return free
    }

    /// A name for a file that another replaces: with `.old`, or `.old` and a number, at its end.
    static func freeName(for path: String) -> String {
        var status = stat()
        var name = path + ".old"
        var number = 2
        while lstat(name, &status) == 0 {
            name = "\(path).old\(number)"
            number += 1
        }
        return name
    }

    private func giveOwner(toKey temporary: String) throws {
        guard giveOwner(toFileAt: temporary) else {
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
}

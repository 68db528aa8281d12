import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Owners and permissions of the files beside the directory's file.
///
/// None of these methods opens the directory's file, its log or the log's index: POSIX drops all locks of a process on a file when the
/// process closes any descriptor of the file, and other processes would then take over the log of a running server.
extension DirectoryFile {
    /// Gives a file the owner and the group of the directory's file, so that a service can use files that root created. A symbolic
    /// link, and a file with several names, keeps its owner.
    ///
    /// - Returns: Whether the file now belongs to the owner of the directory's file.
    @discardableResult
    func giveOwner(toFileAt path: String) -> Bool {
        guard let status else { return true }
        return Self.inFolder(of: path) { folder, name in
            var own = stat()
            guard fstatat(folder, name, &own, AT_SYMLINK_NOFOLLOW) == 0, own.st_mode & S_IFMT == S_IFREG else {
                return false
            }
            if own.st_uid == status.st_uid && own.st_gid == status.st_gid { return true }
            if own.st_nlink > 1 { return own.st_uid == status.st_uid }
            if fchownat(folder, name, status.st_uid, status.st_gid, AT_SYMLINK_NOFOLLOW) == 0 { return true }
            // Only root may change the owner, but any member of a group may set that group.
            _ = fchownat(folder, name, uid_t.max, status.st_gid, AT_SYMLINK_NOFOLLOW)
            return own.st_uid == status.st_uid
        } ?? false
    }

    /// Gives a replacement file the owner, group and permissions of the directory's file.
    package func keepOwner(on partial: String) throws {
        guard let status else { return }
        guard giveOwner(toFileAt: partial) else {
            throw StoreError(
                .storageFailed, "The file that replaces '\(path)' would not belong to the same owner.",
                advice: "Run this as the owner of the file, or as root.")
        }
        _ = Self.inFolder(of: partial) { fchmodat($0, $1, status.st_mode & 0o777, AT_SYMLINK_NOFOLLOW) }
    }

    /// Lets everyone with write access to the directory's file use its lock. Others get no read access either, because
    /// it would let them take the lock.
    package func shareLock(_ descriptor: Int32) {
        guard let status else { return }
        giveOwner(toFileAt: lockPath)
        let group = status.st_mode & S_IWGRP == 0 ? 0 : S_IRGRP | S_IWGRP
        let others = status.st_mode & S_IWOTH == 0 ? 0 : S_IROTH | S_IWOTH
        fchmod(descriptor, S_IRUSR | S_IWUSR | group | others)
    }

    /// Gives the log and its index to the file's owner if another user created them.
    package func shareLog() {
        for companion in [path + "-wal", path + "-shm"] { giveOwner(toFileAt: companion) }
    }

    /// Runs `body` with a descriptor of the folder of a file, and the name of the file in it; returns nil if the folder is not there.
    private static func inFolder<Value>(of path: String, _ body: (Int32, String) -> Value) -> Value? {
        let descriptor = open(folder(of: path), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        return body(descriptor, name(of: path))
    }

    /// The path of the empty file whose modification time is the time of the last backup.
    private var backupMark: String { path + "-backup" }

    /// Records that the directory was backed up now. The backup of a file in a folder without write access is not recorded.
    package func noteBackup() {
        let descriptor = open(backupMark, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        giveOwner(toFileAt: backupMark)
        futimens(descriptor, nil)
        close(descriptor)
    }
}

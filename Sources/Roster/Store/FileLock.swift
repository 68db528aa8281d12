import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Says that this process owns a file for writing. The operating system takes the lock away when the process dies.
final class FileLock: Sendable {
    private let descriptor: Int32

    /// - Throws: ``DirectoryError`` `fileInUse`, which says who has the lock.
    init(for path: String) throws {
        let lockPath = path + "-lock"
        let descriptor = open(lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let folderIsMissing = errno == ENOENT || errno == ENOTDIR
            throw DirectoryError(
                folderIsMissing ? .fileNotFound : .readOnly,
                "'\(lockPath)' cannot be made: \(String(cString: strerror(errno))).",
                advice: folderIsMissing
                    ? "Make the folder first."
                    : "Check the folder's permissions, or open the directory for reading only.")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            var buffer = [UInt8](repeating: 0, count: 256)
            let count = max(0, read(descriptor, &buffer, buffer.count))
            close(descriptor)
            let holder = String(decoding: buffer.prefix(count), as: UTF8.self).trimmingCharacters(in: .newlines)
            throw DirectoryError(
                .fileInUse, "'\(path)' is open for writing in \(holder.isEmpty ? "another process" : holder).",
                advice: "Close it there, or open the directory for reading only.")
        }
        let holder = "process \(ProcessInfo.processInfo.processIdentifier) (\(ProcessInfo.processInfo.processName))\n"
        let bytes = Array(holder.utf8)
        // The text is for people only: the lock holds without it, on a full disk too.
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, bytes, bytes.count, 0) }
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }
}

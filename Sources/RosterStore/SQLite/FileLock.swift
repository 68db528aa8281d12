import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A lock that marks this process as the owner of a file for writing. The operating system releases it when the process
/// ends.
package final class FileLock: Sendable {
    private let descriptor: Int32

    /// - Parameter lock: Locks an open file; returns a nonzero value and sets `errno` on failure.
    /// - Throws: ``StoreError`` `fileInUse` with the owner of the lock; `fileNotFound`, `readOnly` or `storageFailed`
    ///   if no lock can be created.
    package init(for file: DirectoryFile, lock: (Int32) -> Int32 = { flock($0, LOCK_EX | LOCK_NB) }) throws {
        let descriptor = open(file.lockPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.cannotBeMade(file.lockPath, errno) }
        while lock(descriptor) != 0 {
            let reason = errno
            if reason == EINTR { continue }
            defer { close(descriptor) }
            throw reason == EWOULDBLOCK
                ? StoreError(
                    .fileInUse, "'\(file.path)' is open for writing in \(Self.holder(descriptor)).",
                    advice: "Close it there, or open the directory for reading only.")
                : StoreError(
                    .storageFailed, "'\(file.lockPath)' cannot be locked: \(String(cString: strerror(reason))).",
                    advice: "Keep the directory on a file system that has locks, such as a local disk.")
        }
        file.shareLock(descriptor)
        Self.write(Self.process + "\n", to: descriptor)
        self.descriptor = descriptor
    }

    private static var process: String {
        "process \(ProcessInfo.processInfo.processIdentifier) (\(ProcessInfo.processInfo.processName))"
    }

    /// Notes in the lock of a file, which this process holds, at which address the process serves the file. Other processes tell
    /// it in their error `fileInUse`.
    package static func note(server address: String, for file: DirectoryFile) {
        let descriptor = open(file.lockPath, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        write("\(process), which serves \(address)\n", to: descriptor)
    }

    private static func write(_ holder: String, to descriptor: Int32) {
        let bytes = Array(holder.utf8)
        // The text is only for people. The lock is valid without it, for example on a full disk.
        if ftruncate(descriptor, 0) == 0 { _ = pwrite(descriptor, bytes, bytes.count, 0) }
    }

    private static func holder(_ descriptor: Int32) -> String {
        var buffer = [UInt8](repeating: 0, count: 256)
        let count = max(0, read(descriptor, &buffer, buffer.count))
        let text = String(decoding: buffer.prefix(count), as: UTF8.self).trimmingCharacters(in: .newlines)
        return text.isEmpty ? "another process" : text
    }

    private static func cannotBeMade(_ path: String, _ reason: Int32) -> StoreError {
        let message = "'\(path)' cannot be created: \(String(cString: strerror(reason)))."
        return switch reason {
        case ENOENT, ENOTDIR: StoreError(.fileNotFound, message, advice: "Create the folder first.")
        case EACCES, EPERM, EROFS:
            StoreError(
                .readOnly, message,
                advice: "Check the folder's permissions, or open the directory for reading only.")
        default: StoreError(.storageFailed, message, advice: "Check the disk, and how many files are open.")
        }
    }

    deinit {
        // A program that this process is starting has the descriptor for a moment too, and would keep the lock.
        _ = flock(descriptor, LOCK_UN)
        close(descriptor)
    }
}

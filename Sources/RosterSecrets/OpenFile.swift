import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A regular file that is open for reading.
///
/// As long as a file is open, the system gives its number to no other file. So equal numbers mean the same file, even if
/// another process replaces the file several times within one tick of the clock.
final class OpenFile: Sendable {
    private struct Stamp: Equatable {
        let device: dev_t
        let number: ino_t
        let size: off_t
        let seconds: Int
        let nanoseconds: Int

        init(_ status: stat) {
            device = status.st_dev
            number = status.st_ino
            size = status.st_size
            #if canImport(Darwin)
                let time = status.st_mtimespec
            #else
                let time = status.st_mtim
            #endif
            seconds = time.tv_sec
            nanoseconds = time.tv_nsec
        }
    }

    private let descriptor: Int32
    private let stamp: Stamp
    private let path: String

    /// Opens a file.
    ///
    /// - Returns: nil if there is no file at the path.
    /// - Throws: ``SecureStoreError`` `unreadableStore` if the file cannot be opened, or is a folder, a pipe or a device.
    init?(at path: String) throws {
        // Without O_NONBLOCK, opening a pipe would wait for a writer.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw SecureStoreError.unreadable(path, systemFailure)
        }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw SecureStoreError.unreadable(path, "it is not a regular file")
        }
        self.descriptor = descriptor
        stamp = Stamp(status)
        self.path = path
    }

    /// Writes a file, which only the owner can read, and puts the file in the place of another one. After a crash, either
    /// is there, whole. The caller holds a lock.
    ///
    /// - Throws: ``SecureStoreError`` `storageFailed`, also if a symbolic link is in the place: whoever made the link would choose the file
    ///   that is written, or cut the store off from the file at the link's end.
    convenience init(placing bytes: [UInt8], at path: String) throws {
        var status = stat()
        if lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFLNK { throw SecureStoreError.link(path) }
        let temporary = path + ".new"
        // A process that was killed while writing leaves this file.
        unlink(temporary)
        try self.init(making: temporary, bytes)
        guard rename(temporary, path) == 0 else {
            let problem = systemFailure
            unlink(temporary)
            throw SecureStoreError.notWritten(path, problem)
        }
        Self.flushFolder(of: path)
    }

    /// Writes a new file and waits until the file is on the disk.
    private init(making path: String, _ bytes: [UInt8]) throws {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SecureStoreError.notWritten(path, systemFailure) }
        var written = 0
        var status = stat()
        while written < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            written += count
        }
        guard written == bytes.count, fsync(descriptor) == 0, fstat(descriptor, &status) == 0 else {
            let problem = systemFailure
            close(descriptor)
            unlink(path)
            throw SecureStoreError.notWritten(path, problem)
        }
        self.descriptor = descriptor
        stamp = Stamp(status)
        self.path = path
    }

    deinit { close(descriptor) }

    /// All bytes of the file; nil if there are more than the limit.
    func bytes(atMost limit: Int) throws -> [UInt8]? {
        guard stamp.size <= limit else { return nil }
        var read = 0
        let size = Int(stamp.size)
        var bytes = [UInt8](repeating: 0, count: size)
        while read < size {
            let count = bytes.withUnsafeMutableBytes {
                pread(descriptor, $0.baseAddress?.advanced(by: read), size - read, off_t(read))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                throw SecureStoreError.unreadable(path, count < 0 ? systemFailure : "it became shorter")
            }
            read += count
        }
        return bytes
    }

    /// Whether only the owner can read and write the file, and the owner is the user of this process. Root may use any owner's.
    var isPrivate: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & 0o077 == 0
            && (status.st_uid == geteuid() || geteuid() == 0)
    }

    /// Whether this file is at the path, unaltered.
    func isStill(at path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && Stamp(status) == stamp
    }

    /// Waits until the names in a file's folder are on the disk.
    private static func flushFolder(of path: String) {
        let folder = open((path as NSString).deletingLastPathComponent, O_RDONLY | O_CLOEXEC)
        guard folder >= 0 else { return }
        // Some file systems cannot do this; they write names in order.
        fsync(folder)
        close(folder)
    }

    /// The path with no symbolic link among its folders. A link in the place of the file itself stays, and is never written through.
    static func resolved(_ path: String) throws -> String {
        let folder = (path as NSString).deletingLastPathComponent
        guard let real = realpath(folder.isEmpty ? "." : folder, nil) else {
            throw SecureStoreError.unreadable(path, "its folder does not exist")
        }
        defer { free(real) }
        let name = (path as NSString).lastPathComponent
        return name == "/" ? path : (String(cString: real) as NSString).appendingPathComponent(name)
    }
}

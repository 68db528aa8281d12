package import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

extension DirectoryFile {
    /// The size of the file in bytes, without its log; nil if there is no file.
    package var size: Int64? { Self.status(path)?.size }
    /// The size of the write-ahead log in bytes; nil if there is none.
    package var logSize: Int64? { Self.status(path + "-wal")?.size }
    /// The time of the last backup; nil if none was recorded.
    package var lastBackup: Date? { Self.status(path + "-backup")?.modified }

    private static func status(_ path: String) -> (size: Int64, modified: Date)? {
        guard let found = try? FileManager.default.attributesOfItem(atPath: path) else { return nil }
        return ((found[.size] as? NSNumber)?.int64Value ?? 0, found[.modificationDate] as? Date ?? .distantPast)
    }

    /// The free bytes of the disk that users other than root may fill; nil if the system does not say.
    package var freeSpace: Int64? {
        var status = statvfs()
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        guard statvfs(folder, &status) == 0 else { return nil }
        let (bytes, isTooLarge) = UInt64(status.f_bavail).multipliedReportingOverflow(by: UInt64(status.f_frsize))
        return isTooLarge ? .max : Int64(clamping: bytes)
    }

    /// Writes some kilobytes to a file beside the directory's, to the disk, and removes that file.
    ///
    /// - Returns: The system's error number; nil if everything was written.
    package func probe() -> Int32? {
        let probe = path + "-probe"
        let descriptor = open(probe, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return errno }
        defer {
            close(descriptor)
            unlink(probe)
        }
        let block = [UInt8](repeating: 0, count: 4_096)
        let count = write(descriptor, block, block.count)
        if count < 0 { return errno }
        guard count == block.count else { return ENOSPC }
        return fsync(descriptor) == 0 ? nil : errno
    }
}

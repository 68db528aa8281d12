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
    let links: [String]

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

    static func folder(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return slash == path.startIndex ? "/" : String(path[..<slash])
    }

    static func name(of path: String) -> String {
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

    var status: stat? {
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

    // MARK: The disk

    /// Creates a missing file with access for its owner only, because it contains password hashes. SQLite gives its
    /// companions the same permissions. If this fails, opening the file reports the error.
    static func make(_ path: String) {
        // Closing a descriptor of an existing file would release this process's locks on the file.
        guard !FileManager.default.fileExists(atPath: path) else { return }
        let descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// Flushes a file, or the names in a folder, to the disk.
    package static func flush(_ path: String) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
    }
}

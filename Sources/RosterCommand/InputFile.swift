import Foundation
import Roster

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file to read: a regular file, a pipe such as `<(…)` or `/dev/stdin`, or standard input if the path is `-`.
enum InputFile {
    /// Reads up to a number of bytes; returns nil if the file cannot be read. Maps a regular file into memory.
    ///
    /// - Throws: `CancellationError` if Ctrl-C interrupts the wait for a pipe or for standard input.
    static func read(_ path: String, upTo most: Int = .max) throws -> Data? {
        guard path != "-" else { return try read(STDIN_FILENO, upTo: most) }
        // Without the flag, the wait for the writer of a named pipe could not be interrupted.
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else { return nil }
        if status.st_mode & S_IFMT == S_IFREG, most == .max {
            return try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        }
        return try read(descriptor, upTo: most)
    }

    /// Reads a seed.
    ///
    /// - Throws: ``DirectoryError``; `CancellationError`.
    static func seed(_ path: String) throws -> Seed {
        guard let data = try read(path) else {
            throw DirectoryError(.fileNotFound, "The seed '\(path)' cannot be read.", advice: "Check the path.")
        }
        return try Seed(json: data, name: name(of: path))
    }

    /// What messages call a file.
    static func name(of path: String) -> String {
        path == "-" ? "standard input" : URL(fileURLWithPath: path).lastPathComponent
    }

    private static func read(_ descriptor: Int32, upTo most: Int) throws -> Data? {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while data.count < most {
            // The signal does not interrupt a blocking read, because other code handles it. So this polls.
            var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&waiting, 1, 100) > 0
            try Task.checkCancellation()
            guard isReady else { continue }
            let count = systemRead(descriptor, &buffer, min(buffer.count, most - data.count))
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR || errno == EAGAIN { continue }
                return nil
            }
            data += buffer.prefix(count)
        }
        return data
    }

    /// The next byte of standard input; nil at the end. Waits for the byte.
    static func nextByte() -> UInt8? {
        var byte: [UInt8] = [0]
        while true {
            let count = systemRead(STDIN_FILENO, &byte, 1)
            if count < 0, errno == EINTR { continue }
            return count == 1 ? byte[0] : nil
        }
    }

    private static func systemRead(_ descriptor: Int32, _ buffer: inout [UInt8], _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.read(descriptor, &buffer, count)
        #else
            Darwin.read(descriptor, &buffer, count)
        #endif
    }
}

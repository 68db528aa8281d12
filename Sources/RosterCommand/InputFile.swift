import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file that a command reads, or standard input where its path is `-`.
enum InputFile {
    /// What stands in it, up to a number of bytes; nil where it cannot be read.
    ///
    /// - Throws: `CancellationError` where Ctrl-C ends the waiting for a program that writes nothing more.
    static func read(_ path: String, upTo most: Int = .max) throws -> Data? {
        guard path == "-" else {
            guard let file = FileHandle(forReadingAtPath: path) else { return nil }
            return try? file.read(upToCount: most) ?? Data()
        }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while data.count < most {
            // A read that waits is not interrupted by the signal, which others handle.
            var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&waiting, 1, 100) > 0
            try Task.checkCancellation()
            guard isReady else { continue }
            let count = systemRead(&buffer, min(buffer.count, most - data.count))
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                return nil
            }
            data += buffer.prefix(count)
        }
        return data
    }

    private static func systemRead(_ buffer: inout [UInt8], _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.read(STDIN_FILENO, &buffer, count)
        #else
            Darwin.read(STDIN_FILENO, &buffer, count)
        #endif
    }
}

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A file to read, or standard input if the path is `-`.
enum InputFile {
    /// Reads up to a number of bytes; returns nil if the file cannot be read.
    ///
    /// - Throws: `CancellationError` if Ctrl-C interrupts the wait for standard input.
    static func read(_ path: String, upTo most: Int = .max) throws -> Data? {
        guard path == "-" else {
            guard let file = FileHandle(forReadingAtPath: path) else { return nil }
            return try? file.read(upToCount: most) ?? Data()
        }
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while data.count < most {
            // The signal does not interrupt a blocking read, because other code handles it. So this polls.
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

    /// The next byte of standard input; nil at the end. Waits for the byte.
    static func nextByte() -> UInt8? {
        var byte: [UInt8] = [0]
        while true {
            let count = systemRead(&byte, 1)
            if count < 0, errno == EINTR { continue }
            return count == 1 ? byte[0] : nil
        }
    }

    private static func systemRead(_ buffer: inout [UInt8], _ count: Int) -> Int {
        #if canImport(Glibc)
            Glibc.read(STDIN_FILENO, &buffer, count)
        #else
            Darwin.read(STDIN_FILENO, &buffer, count)
        #endif
    }
}

import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Writes results to standard output and everything else to standard error.
enum Terminal {
    static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    static let errorsAreTerminal = isatty(STDERR_FILENO) == 1

    /// The number of columns of the terminal.
    static var width: Int { width(of: STDOUT_FILENO) }

    static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Results that are not yet written, because one system call per line would dominate the run time.
    private static let waiting = Mutex(Data())

    /// Writes text, at the latest when the command ends or writes a note.
    static func write(_ text: String) { write(Data(text.utf8)) }

    static func write(_ data: Data) {
        let full = waiting.withLock { waiting in
            waiting.append(data)
            return waiting.count >= 1 << 16
        }
        if full { flush() }
    }

    /// Writes the buffered text. Ends the program quietly if the reader has closed the pipe, as in `roster export |
    /// head`.
    static func flush() {
        let data = waiting.withLock { waiting in
            defer { waiting = Data() }
            return waiting
        }
        guard !data.isEmpty, let error = write(data, to: STDOUT_FILENO) else { return }
        if error != EPIPE {
            _ = write(Data("roster: The output cannot be written: \(systemMessage(error)).\n".utf8), to: STDERR_FILENO)
        }
        Network.close()
        OpenDirectories.close()
        exit(error == EPIPE ? 0 : 1)
    }

    /// Writes an error message. Control characters in it are replaced, because it may quote a file.
    static func complain(_ message: String) { note("roster: " + safe(message)) }

    /// Writes a message that is not a result.
    static func note(_ message: String) {
        flush()
        _ = write(Data((message + "\n").utf8), to: STDERR_FILENO)
    }

    /// The system's text for an error number.
    static func systemMessage(_ error: Int32) -> String { String(cString: strerror(error)) }

    /// Writes all bytes; returns the error number if that fails.
    static func write(_ data: Data, to descriptor: Int32) -> Int32? {
        data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, rest)
                if count < 0 {
                    if errno == EINTR { continue }
                    return errno
                }
                rest = rest.dropFirst(count)
            }
            return nil
        }
    }

    private static func systemWrite(_ descriptor: Int32, _ bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        let buffer = UnsafeRawBufferPointer(rebasing: bytes)
        #if canImport(Glibc)
            return Glibc.write(descriptor, buffer.baseAddress, buffer.count)
        #else
            return Darwin.write(descriptor, buffer.baseAddress, buffer.count)
        #endif
    }

    /// Replaces characters that could control a terminal, break a line or change the text's direction.
    static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isUnsafe) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { isUnsafe($0) ? " " : $0 }))
    }

    private static func isUnsafe(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }
}

/// The progress of a command that takes more than two seconds, shown only on a terminal: what it does, how much of it is done, and how
/// long the rest takes.
final class Progress: Sendable {
    private let label: String
    /// The number at the end; nil if nobody knows it.
    private let total: Int?
    /// The unit of numbers without a total.
    private let unit: String
    private let start = ContinuousClock.now
    private let nextShown = Mutex(ContinuousClock.now + .seconds(2))

    init(_ label: String, total: Int) {
        (self.label, unit) = (label, "")
        self.total = max(total, 1)
    }

    /// Progress without a known end.
    init(_ label: String, unit: String) { (self.label, self.unit, total) = (label, unit, nil) }

    func show(_ done: Int) {
        guard Terminal.errorsAreTerminal else { return }
        let now = ContinuousClock.now
        let isDue = nextShown.withLock { next in
            guard now >= next else { return false }
            next = now + .milliseconds(100)
            return true
        }
        guard isDue else { return }
        guard let total else {
            _ = Terminal.write(Data("\r\(label) \(done) \(unit) ".utf8), to: STDERR_FILENO)
            return
        }
        let share = min(1, Double(done) / Double(total))
        // A bar that exceeds the line would leave a copy behind at each update.
        let seconds = Double((now - start).components.seconds)
        let rest = share > 0.01 ? ", \(Int(seconds / share * (1 - share)) + 1) s left" : ""
        let length = max(0, min(30, Terminal.width(of: STDERR_FILENO) - label.count - rest.count - 9))
        let filled = Int(share * Double(length))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: length - filled)
        _ = Terminal.write(Data("\r\(label) \(bar) \(Int(share * 100)) %\(rest) \u{1B}[K".utf8), to: STDERR_FILENO)
    }

    /// Removes the bar.
    func finish() {
        guard Terminal.errorsAreTerminal else { return }
        _ = Terminal.write(Data("\r\u{1B}[K".utf8), to: STDERR_FILENO)
    }
}

import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where the command writes: results to standard output, everything else to standard error.
enum Terminal {
    static let outputIsTerminal = isatty(STDOUT_FILENO) == 1
    static let errorsAreTerminal = isatty(STDERR_FILENO) == 1

    /// How many columns the terminal has.
    static var width: Int { width(of: STDOUT_FILENO) }

    static func width(of descriptor: Int32) -> Int {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Results that are not written yet: a call of the system for each line would take longer than all the rest.
    private static let waiting = Mutex(Data())

    /// Writes text as it is, at the latest when the command ends or says something else.
    static func write(_ text: String) { write(Data(text.utf8)) }

    static func write(_ data: Data) {
        let full = waiting.withLock { waiting in
            waiting.append(data)
            return waiting.count >= 1 << 16
        }
        if full { flush() }
    }

    /// Writes what waits. Ends the program quietly where nobody reads any more, as in `roster export | head`.
    static func flush() {
        let data = waiting.withLock { waiting in
            defer { waiting = Data() }
            return waiting
        }
        guard !data.isEmpty, let error = write(data, to: STDOUT_FILENO) else { return }
        if error != EPIPE {
            _ = write(Data("roster: The output cannot be written: \(systemMessage(error)).\n".utf8), to: STDERR_FILENO)
        }
        OpenDirectories.close()
        exit(error == EPIPE ? 0 : 1)
    }

    /// Says what went wrong. What the message quotes may come from a file, and is kept from driving the terminal.
    static func complain(_ message: String) { note("roster: " + safe(message)) }

    /// Tells something that is not a result.
    static func note(_ message: String) {
        flush()
        _ = write(Data((message + "\n").utf8), to: STDERR_FILENO)
    }

    /// What the system says about an error of its own.
    static func systemMessage(_ error: Int32) -> String { String(cString: strerror(error)) }

    /// Writes all of it; returns the error that stopped it.
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

    /// Text without the characters that could drive a terminal, break a line or turn its direction round.
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

/// A bar that shows how far long work is; only on a terminal.
final class Progress: Sendable {
    private let label: String
    private let total: Int
    private let lastShown = Mutex(ContinuousClock.now - .seconds(1))

    init(_ label: String, total: Int) {
        self.label = label
        self.total = max(total, 1)
    }

    func show(_ done: Int) {
        guard Terminal.errorsAreTerminal else { return }
        let isDue = lastShown.withLock { last in
            let now = ContinuousClock.now
            guard done >= total || now - last > .milliseconds(100) else { return false }
            last = now
            return true
        }
        guard isDue else { return }
        let share = min(1, Double(done) / Double(total))
        // A bar that does not fit into a line would leave one behind each time.
        let length = max(0, min(30, Terminal.width(of: STDERR_FILENO) - label.count - 9))
        let filled = Int(share * Double(length))
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: length - filled)
        _ = Terminal.write(Data("\r\(label) \(bar) \(Int(share * 100)) % ".utf8), to: STDERR_FILENO)
    }

    /// Takes the bar away.
    func finish() {
        guard Terminal.errorsAreTerminal else { return }
        _ = Terminal.write(Data("\r\u{1B}[K".utf8), to: STDERR_FILENO)
    }
}

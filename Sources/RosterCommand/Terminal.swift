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
    static var width: Int {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }

    /// Writes text as it is. Ends the program quietly where nobody reads any more, as in `roster export | head`.
    static func write(_ text: String) { write(Data(text.utf8)) }

    static func write(_ data: Data) { write(data, to: STDOUT_FILENO) }

    static func complain(_ message: String) { write(Data("roster: \(message)\n".utf8), to: STDERR_FILENO) }

    /// Tells something that is not a result.
    static func note(_ message: String) { write(Data((message + "\n").utf8), to: STDERR_FILENO) }

    static func write(_ data: Data, to descriptor: Int32) {
        data.withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = systemWrite(descriptor, rest)
                if count < 0 {
                    if errno == EINTR { continue }
                    exit(errno == EPIPE ? 0 : 1)
                }
                rest = rest.dropFirst(count)
            }
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

    /// Text without the control characters that could drive a terminal.
    static func safe(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return text }
        return String(
            String.UnicodeScalarView(text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : $0 }))
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
        let filled = Int(share * 30)
        let bar = String(repeating: "█", count: filled) + String(repeating: "░", count: 30 - filled)
        Terminal.write(Data("\r\(label) \(bar) \(Int(share * 100)) % ".utf8), to: STDERR_FILENO)
    }

    /// Takes the bar away.
    func finish() {
        guard Terminal.errorsAreTerminal else { return }
        Terminal.write(Data("\r\u{1B}[K".utf8), to: STDERR_FILENO)
    }
}

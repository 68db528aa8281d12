import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Asks the user. The question goes to standard error, and the answer is the next line of standard input.
enum Prompt {
    /// The longest answer in bytes.
    private static let longest = 1 << 16

    /// Asks for something that the terminal does not show.
    ///
    /// - Throws: `CancellationError` if Ctrl-C interrupts the wait; `UsageError` without an answer.
    static func secret(_ question: String) throws -> String {
        var settings = termios()
        let isTerminal = tcgetattr(STDIN_FILENO, &settings) == 0
        let usual = settings
        if isTerminal {
            settings.c_lflag &= ~tcflag_t(ECHO)
            // Before the question, so that an answer that is typed or pasted at once is neither shown nor lost.
            tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
        }
        _ = Terminal.write(Data((Terminal.safe(question) + ": ").utf8), to: STDERR_FILENO)
        defer {
            if isTerminal {
                var usual = usual
                tcsetattr(STDIN_FILENO, TCSADRAIN, &usual)
            }
            _ = Terminal.write(Data("\n".utf8), to: STDERR_FILENO)
        }
        let answer = String(decoding: try line(), as: UTF8.self)
        guard !answer.isEmpty else { throw UsageError("The question '\(question)' got no answer.") }
        return answer
    }

    /// Reads bytes one by one, because later questions need what follows the line.
    private static func line() throws -> [UInt8] {
        var line: [UInt8] = []
        while line.count < longest {
            // The signal does not interrupt a blocking read, because other code handles it. So this polls.
            var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            let isReady = poll(&waiting, 1, 100) > 0
            try Task.checkCancellation()
            guard isReady else { continue }
            guard let byte = InputFile.nextByte(), byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
        }
        if line.last == UInt8(ascii: "\r") { line.removeLast() }
        return line
    }
}

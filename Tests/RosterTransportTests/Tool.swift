import Foundation

/// Runs programs of the system.
enum Tool {
    struct Failure: Error { let text: String }

    /// What a program writes.
    @discardableResult
    static func run(_ path: String, _ arguments: String...) throws -> [UInt8] {
        let (process, output) = (Process(), Pipe())
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw Failure(text: arguments.joined(separator: " ")) }
        return Array(bytes)
    }
}

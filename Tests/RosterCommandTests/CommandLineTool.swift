import Foundation
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Runs the built command as a user does.
struct CommandLineTool {
    struct Outcome {
        let code: Int32
        let output: String
        let errors: String
    }

    static let package = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    /// Beside the bundle of the tests, whichever folder they were built in.
    static let executable: URL = {
        let beside = URL(fileURLWithPath: CommandLine.arguments.first ?? "").deletingLastPathComponent()
            .appendingPathComponent("roster")
        let usual = package.appendingPathComponent(".build/debug/roster")
        return FileManager.default.isExecutableFile(atPath: beside.path) ? beside : usual
    }()

    /// Where it runs.
    let folder: URL

    func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    func start(
        _ arguments: [String], _ output: Any, _ errors: Any, _ environment: [String: String] = [:],
        input: Any = FileHandle.nullDevice
    ) throws -> Process {
        let process = Process()
        process.executableURL = Self.executable
        process.arguments = arguments
        process.currentDirectoryURL = folder
        var all = ProcessInfo.processInfo.environment
        all["ROSTER_DATABASE"] = nil
        process.environment = all.merging(environment) { $1 }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        return process
    }

    func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Outcome {
        try run(arguments, environment: environment)
    }

    func run(_ arguments: [String], environment: [String: String] = [:]) throws -> Outcome {
        // Files, not pipes: whoever fills a pipe that nobody empties waits for ever.
        let files = ["stdout", "stderr"].map { folder.appendingPathComponent("\($0)-\(UUID())") }
        for file in files { _ = FileManager.default.createFile(atPath: file.path, contents: nil) }
        defer { for file in files { try? FileManager.default.removeItem(at: file) } }
        let process = try start(
            arguments, try FileHandle(forWritingTo: files[0]), try FileHandle(forWritingTo: files[1]), environment)
        process.waitUntilExit()
        return Outcome(
            code: process.terminationStatus, output: try String(contentsOf: files[0], encoding: .utf8),
            errors: try String(contentsOf: files[1], encoding: .utf8))
    }

    /// Runs what must go well; returns what it wrote to standard output.
    @discardableResult
    func succeed(_ arguments: String...) throws -> String {
        let outcome = try run(arguments)
        #expect(outcome.code == 0, "\(arguments): \(outcome.errors)")
        return outcome.output
    }
}

/// A folder of its own for what a test makes.
func withTool(_ body: (CommandLineTool) throws -> Void) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("command-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try body(CommandLineTool(folder: folder))
}

/// The small company in `company.db`.
func withCompany(_ body: (CommandLineTool) throws -> Void) throws {
    try withTool { tool in
        let seed = CommandLineTool.package.appendingPathComponent("Seeds/company.json").path
        try tool.succeed("seed", "--database", "company.db", seed)
        try body(tool)
    }
}

/// What JSON text means.
func json(_ text: String) throws -> [[String: Any]] {
    try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]])
}

/// A terminal, as far as a program can tell.
final class PseudoTerminal {
    private let master: Int32
    private var other: FileHandle?

    init(columns: UInt16) throws {
        var descriptors: (ours: Int32, theirs: Int32) = (-1, -1)
        try #require(openpty(&descriptors.ours, &descriptors.theirs, nil, nil, nil) == 0)
        master = descriptors.ours
        var size = winsize(ws_row: 24, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
        try #require(ioctl(descriptors.theirs, UInt(TIOCSWINSZ), &size) == 0)
        other = FileHandle(fileDescriptor: descriptors.theirs, closeOnDealloc: true)
    }

    deinit { close(master) }

    /// The end that a program gets; ours of it is closed once the program has it.
    func handOver(_ start: (FileHandle) throws -> Process) throws -> Process {
        let end = try #require(other)
        let process = try start(end)
        try end.close()
        other = nil
        return process
    }

    /// What appears, up to a text, or to the end of the program.
    func read(until text: String? = nil) -> String {
        var shown: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = readSome(&buffer)
            if count <= 0 { break }
            shown += buffer.prefix(count)
            if let text, String(decoding: shown, as: UTF8.self).contains(text) { break }
        }
        return String(decoding: shown, as: UTF8.self).replacingOccurrences(of: "\r\n", with: "\n")
    }

    /// Types a text, as a user does.
    func type(_ text: String) {
        let bytes = Array(text.utf8)
        #if canImport(Glibc)
            _ = Glibc.write(master, bytes, bytes.count)
        #else
            _ = Darwin.write(master, bytes, bytes.count)
        #endif
    }

    private func readSome(_ buffer: inout [UInt8]) -> Int {
        #if canImport(Glibc)
            Glibc.read(master, &buffer, buffer.count)
        #else
            Darwin.read(master, &buffer, buffer.count)
        #endif
    }
}

import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A failure of the storm itself, or a program that could not do what its step needs.
struct StormError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// A program that has ended.
struct Ended {
    /// The exit code, or minus the number of the signal that ended the program.
    let status: Int32
    let output: String
    let errors: String

    var isSuccess: Bool { status == 0 }
    var problem: String {
        let text = (errors + output).trimmingCharacters(in: .whitespacesAndNewlines)
        return "exit code \(status): \(text.suffix(300))"
    }
}

/// A program that runs.
final class RunningProgram {
    let process: Process
    private let files: [URL]
    private let keepsFiles: Bool

    /// - Parameter log: A file for the errors, which is appended to and kept; nil for one of the program's own.
    init(
        _ path: String, _ arguments: [String], in folder: URL, environment: [String: String] = [:], log: URL? = nil
    ) throws {
        let output = folder.appendingPathComponent("output-\(UUID())")
        files = [output, log ?? folder.appendingPathComponent("errors-\(UUID())")]
        keepsFiles = log != nil
        process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.currentDirectoryURL = folder
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        let handles = try files.map { url in
            let descriptor = open(url.path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else { throw StormError("'\(url.path)' cannot be made") }
            return FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        }
        process.standardOutput = handles[0]
        process.standardError = handles[1]
        process.standardInput = FileHandle.nullDevice
        try process.run()
    }

    deinit {
        if process.isRunning { signal(SIGKILL) }
        try? FileManager.default.removeItem(at: files[0])
        if !keepsFiles { try? FileManager.default.removeItem(at: files[1]) }
    }

    var isRunning: Bool { process.isRunning }
    var output: String { (try? String(contentsOf: files[0], encoding: .utf8)) ?? "" }
    var errors: String {
        let data = (try? Data(contentsOf: files[1])) ?? Data()
        return String(decoding: data.suffix(20_000), as: UTF8.self)
    }

    func signal(_ number: Int32) { kill(process.processIdentifier, number) }

    /// Waits for the end; ends the program after this time.
    func end(within seconds: Double = 120) -> Ended {
        let end = ContinuousClock.now + .seconds(seconds)
        while process.isRunning, ContinuousClock.now < end { usleep(5_000) }
        let isLate = process.isRunning
        if isLate { signal(SIGKILL) }
        process.waitUntilExit()
        let status =
            process.terminationReason == .uncaughtSignal ? -process.terminationStatus : process.terminationStatus
        return Ended(
            status: status, output: output, errors: isLate ? "not ended after \(seconds) s. " + errors : errors)
    }

    /// Waits until the output has a text.
    func wait(for text: String, within seconds: Double = 60) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            if output.contains(text) { return true }
            if !process.isRunning { return output.contains(text) }
            usleep(5_000)
        }
        return false
    }
}

/// The path of a program that the system has.
func systemProgram(_ name: String) throws -> String {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":")
    guard let folder = folders.first(where: { access("\($0)/\(name)", X_OK) == 0 }) else {
        throw StormError("the program '\(name)' is needed")
    }
    return "\(folder)/\(name)"
}

/// A port of this machine that nobody uses.
func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, size) == 0 && getsockname(descriptor, $0, &size) == 0
        }
    }
    guard isBound else { throw StormError("no port is free") }
    return UInt16(bigEndian: address.sin_port)
}

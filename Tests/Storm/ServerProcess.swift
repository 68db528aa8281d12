import Foundation
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// `roster serve` at a port of its own, which can be started again.
final class ServerProcess: @unchecked Sendable {
    // Unchecked: the step that runs alone starts and stops the server; others read what the lock guards.
    private let running = Locked<RunningProgram?>(nil)
    let port: UInt16
    private let ldapPort: UInt16
    let log: URL
    private let program: String
    private let arguments: [String]
    private let folder: URL
    private let judge: Judge
    /// Whether the server may end, because a step ends it or takes from it what it cannot live without.
    private let mayEnd = Locked(true)

    init(_ program: String, _ arguments: [String], in folder: URL, _ judge: Judge) throws {
        (self.program, self.arguments, self.folder, self.judge) = (program, arguments, folder, judge)
        (port, ldapPort) = (try freePort(), try freePort())
        log = folder.appendingPathComponent("server-\(port).log")
    }

    /// The server's address, without the scheme.
    var place: String { "127.0.0.1:\(port)" }
    /// The address for LDAP, without the scheme.
    var ldapPlace: String { "127.0.0.1:\(ldapPort)" }
    var processIdentifier: pid_t { running.withLock { $0?.process.processIdentifier ?? -1 } }
    var isRunning: Bool { running.withLock { $0?.isRunning ?? false } }

    /// Starts the server, and waits until it serves.
    func start(_ more: [String] = [], environment: [String: String]) throws {
        // Through `env`, because libfaketime sets a variable when it is first loaded, and a Swift program that moves its
        // environment so early no longer finds its arguments.
        let server = try RunningProgram(
            systemProgram("env"),
            [program, "serve", "--listen", place, "--ldap", "ldap://" + ldapPlace] + arguments + more, in: folder,
            environment: environment, log: log)
        guard server.wait(for: "Roster serves ") else {
            let end = server.isRunning ? "no start within 60 s" : "its end: \(server.end().problem)"
            throw StormError("the server, expected a start, found \(end)")
        }
        running.withLock { $0 = server }
        mayEnd.withLock { $0 = false }
    }

    /// Ends the server by a signal; returns how the server ended.
    @discardableResult
    func stop(_ number: Int32 = SIGKILL) -> Int32? {
        mayEnd.withLock { $0 = true }
        let server = running.withLock { server in
            defer { server = nil }
            return server
        }
        guard let server else { return nil }
        server.signal(SIGCONT)
        server.signal(number)
        let ended = server.end(within: 30)
        if number == SIGTERM, ended.status != 0 {
            judge.report("the end of the server by SIGTERM", expected: "exit code 0", found: ended.problem)
        }
        return ended.status
    }

    func signal(_ number: Int32) { running.withLock { $0?.signal(number) } }

    /// Allows the server to end for the time of a step that takes from it what it cannot live without.
    func allowEnd() { mayEnd.withLock { $0 = true } }

    /// Ends the time in which the server may end.
    func expectToRun() { mayEnd.withLock { $0 = false } }

    /// Reports the server if it has ended by itself.
    ///
    /// - Returns: Whether it has.
    func reportsEnd() -> Bool {
        guard !isRunning else { return false }
        guard !mayEnd.withLock({ $0 }) else { return true }
        let ended = running.withLock { server in
            defer { server = nil }
            return server?.end()
        }
        if let ended {
            judge.report("the server", expected: "to go on", found: "its end, \(Self.words(for: ended.status))")
        }
        mayEnd.withLock { $0 = true }
        return true
    }

    private static func words(for status: Int32) -> String {
        status < 0 ? "by signal \(-status)" : "with exit code \(status)"
    }

    /// Limits a resource of the running server.
    func limit(_ resource: String, _ value: String) throws {
        let ended = try RunningProgram(
            systemProgram("prlimit"), ["--pid", "\(processIdentifier)", "--\(resource)=\(value):"], in: folder
        ).end(within: 10)
        guard ended.isSuccess || !isRunning else { throw StormError("prlimit: \(ended.problem)") }
    }

    /// The soft limit of open descriptors.
    var descriptorLimit: String {
        let text = (try? String(contentsOfFile: "/proc/\(processIdentifier)/limits", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("Max open files") } ?? ""
        return line.split(separator: " ").dropFirst(3).first.map(String.init) ?? "1024"
    }

    /// A number from the status of the process, such as `VmSize`.
    func figure(_ name: String) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(processIdentifier)/status", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix(name + ":") } ?? ""
        return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) } ?? 0
    }

    /// The number of open descriptors.
    var descriptors: Int {
        ((try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(processIdentifier)/fd")) ?? []).count
    }
}

import Foundation
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Two PostgreSQL servers of the storm's own, a primary and a standby that it waits for, with a database.
final class Pair: Sendable {
    private struct Node {
        let name: String
        let port: UInt16
    }
    /// The primary and its standby, which change places.
    private let nodes: Locked<[Node]>
    private let running = Locked<[String: RunningProgram]>([:])
    private let folder: URL
    private let programs: String
    /// The address of the database at whichever server is the primary.
    let address: String

    init() throws {
        let shared = URL(fileURLWithPath: access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp")
        folder = shared.appendingPathComponent("roster-storm-pair-\(UUID().uuidString.prefix(8))")
        let all = "/usr/lib/postgresql"
        guard let version = try? FileManager.default.contentsOfDirectory(atPath: all).max() else {
            throw StormError("Debian's package postgresql is needed")
        }
        programs = "\(all)/\(version)/bin"
        let made = [Node(name: "a", port: try freePort()), Node(name: "b", port: try freePort())]
        nodes = Locked(made)
        address =
            "postgresql://roster@127.0.0.1:\(made[0].port),127.0.0.1:\(made[1].port)/company?connect_timeout=2"
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if getuid() == 0, let user = getpwnam("postgres") {
            chown(folder.path, user.pointee.pw_uid, user.pointee.pw_gid)
        }
        try run(
            "initdb", "-D", path(primary), "-U", "roster", "-A", "trust", "--encoding=UTF8", "--locale=C.UTF-8",
            "--no-sync")
        try configure(primary)
        try start(primary)
        try sql("CREATE DATABASE company", in: "postgres")
        try follow()
    }

    private var primary: Node { nodes.withLock { $0[0] } }
    private var standby: Node { nodes.withLock { $0[1] } }
    private func path(_ node: Node) -> String { folder.appendingPathComponent(node.name).path }

    // MARK: Programs

    /// Runs a program of PostgreSQL, which refuses to run as root.
    @discardableResult
    func run(_ name: String, _ arguments: String...) throws -> String {
        let ended = try start(name, arguments).end(within: 60)
        guard ended.isSuccess else { throw StormError("\(name): \(ended.problem)") }
        return ended.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private func start(_ name: String, _ arguments: [String]) throws -> RunningProgram {
        let program = "\(programs)/\(name)"
        let environment = ["LC_ALL": "C.UTF-8"]
        guard getuid() == 0 else { return try RunningProgram(program, arguments, in: folder, environment: environment) }
        return try RunningProgram(
            systemProgram("setpriv"),
            ["--reuid=postgres", "--regid=postgres", "--init-groups", program] + arguments, in: folder,
            environment: environment)
    }

    /// Runs statements at the primary.
    @discardableResult
    func sql(_ text: String, in database: String = "company") throws -> String {
        try run(
            "psql", "-qAt", "-h", "127.0.0.1", "-p", "\(primary.port)", "-U", "roster", database, "-c", text)
    }

    /// Copies the database with PostgreSQL's own tool.
    func dump() throws -> String {
        try run("pg_dump", "-h", "127.0.0.1", "-p", "\(primary.port)", "-U", "roster", "company")
    }

    // MARK: Servers

    private func configure(_ node: Node) throws {
        let settings =
            "listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\nport = \(node.port)\nmax_connections = 120\n"
            + "wal_keep_size = '256MB'\nfsync = off\nfull_page_writes = off\n"
            // A killed server leaves nothing outside its folder.
            + "dynamic_shared_memory_type = mmap\n"
        try append(settings, to: path(node) + "/postgresql.conf")
    }

    private func append(_ text: String, to file: String) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: file))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data(text.utf8))
        try handle.close()
    }

    private func start(_ node: Node) throws {
        let server = try start("postgres", ["-D", path(node)])
        running.withLock { $0[node.name] = server }
        for _ in 0..<600 {
            let asked = try start("pg_isready", ["-q", "-h", "127.0.0.1", "-p", "\(node.port)"]).end(within: 20)
            if asked.isSuccess { return }
            guard server.isRunning else { break }
            usleep(50_000)
        }
        throw StormError("PostgreSQL does not start: \(server.end(within: 0).problem)")
    }

    /// Ends a server as a loss of power does, and its processes with it.
    private func end(_ node: Node) {
        guard let server = running.withLock({ $0.removeValue(forKey: node.name) }) else { return }
        let number = server.process.processIdentifier
        let listed = try? RunningProgram(systemProgram("pgrep"), ["-P", "\(number)"], in: folder).end()
        server.signal(SIGKILL)
        for child in (listed?.output ?? "").split(separator: "\n").compactMap({ pid_t($0) }) { kill(child, SIGKILL) }
        _ = server.end(within: 20)
    }

    func killPrimary() { end(primary) }
    func killStandby() { end(standby) }
    func startStandby() throws { try start(standby) }

    /// Restarts the primary, which ends all connections.
    func restartPrimary() throws {
        let node = primary
        let server = running.withLock { $0.removeValue(forKey: node.name) }
        server?.signal(SIGINT)
        _ = server?.end(within: 30)
        try start(node)
    }

    /// Makes the standby the primary, which waits for no standby until it has one.
    func promote() throws {
        try append("synchronous_standby_names = ''\n", to: path(standby) + "/postgresql.auto.conf")
        try run("pg_ctl", "-D", path(standby), "-w", "promote")
        nodes.withLock { $0.swapAt(0, 1) }
        try sql("SELECT pg_reload_conf()")
    }

    /// Makes a new standby that the primary waits for.
    func follow() throws {
        try? FileManager.default.removeItem(atPath: path(standby))
        try run(
            "pg_basebackup", "-D", path(standby), "-R", "-c", "fast", "--no-sync", "-d",
            "host=127.0.0.1 port=\(primary.port) user=roster application_name=standby")
        try configure(standby)
        try start(standby)
        try sql("ALTER SYSTEM SET synchronous_standby_names = '*'", in: "postgres")
        try sql("SELECT pg_reload_conf()", in: "postgres")
        try waitForStandby()
    }

    /// Waits until the primary waits for its standby.
    func waitForStandby() throws {
        for _ in 0..<300 {
            let count = try sql("SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'", in: "postgres")
            if count == "1" { return }
            usleep(100_000)
        }
        throw StormError("the standby does not become synchronous")
    }

    func stop() {
        end(primary)
        end(standby)
        try? FileManager.default.removeItem(at: folder)
    }
}

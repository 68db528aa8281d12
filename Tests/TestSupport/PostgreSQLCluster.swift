package import Foundation
package import Roster
import RosterPostgreSQL
import RosterText

#if canImport(Glibc)
    import Glibc
#endif

/// A PostgreSQL server of the tests' own, in a temporary folder, without TCP. It starts at its first use and ends with the process.
///
/// Needs Debian's package `postgresql`.
package final class PostgreSQLCluster: Sendable {
    /// The cluster; nil unless the environment asks for tests on PostgreSQL.
    package static let shared: PostgreSQLCluster? =
        ProcessInfo.processInfo.environment["ROSTER_TEST_ENGINE"] == "postgresql" ? start("") : nil
    /// A cluster whose settings a test may change; nil unless the environment asks for tests on PostgreSQL.
    package static let second: PostgreSQLCluster? = shared == nil ? nil : start("-second")

    /// The time at which templates are filled, that of the fixtures.
    private static let moment = Date(timeIntervalSince1970: 1_767_258_000)
    package let folder: URL
    private let templates = Templates()

    private init(_ folder: URL) { self.folder = folder }

    private static func start(_ suffix: String) -> PostgreSQLCluster? {
        // In memory where the system has such a folder: a database is made of hundreds of files.
        let memory = URL(fileURLWithPath: "/dev/shm", isDirectory: true)
        let parent =
            FileManager.default.isWritableFile(atPath: memory.path) ? memory : FileManager.default.temporaryDirectory
        let folder = parent.appendingPathComponent("roster-postgresql-\(getpid())\(suffix)")
        let cluster = PostgreSQLCluster(folder)
        let log = cluster.run(
            """
            set -e
            bin=$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)
            \(Self.asOrdinaryUser)
            mkdir -p '\(folder.path)'
            if [ -n "$as" ]; then chown postgres '\(folder.path)'; fi
            cd '\(folder.path)'
            $as $bin/initdb -D data -U roster -A trust --encoding=UTF8 --locale=C.UTF-8 --no-sync
            $as tee -a data/postgresql.conf <<END
            listen_addresses = ''
            unix_socket_directories = '\(folder.path)'
            max_connections = 500
            fsync = off
            synchronous_commit = off
            full_page_writes = off
            log_min_error_statement = error
            END
            $as $bin/pg_ctl -D data -l "${ROSTER_TEST_LOG:-log}" -w start
            """)
        guard log.status == 0 else {
            print("PostgreSQL could not be started: \(log.output)")
            return nil
        }
        let isFirst = foldersToRemove.withLock { folders in
            folders.append(folder.path)
            return folders.count == 1
        }
        if isFirst { atexit { PostgreSQLCluster.stop() } }
        return cluster
    }

    private static func stop() {
        for path in foldersToRemove.withLock({ $0 }) {
            for data in ["standby", "data"] {
                let text = (try? String(contentsOfFile: path + "/\(data)/postmaster.pid", encoding: .utf8)) ?? ""
                if let number = text.split(separator: "\n").first.flatMap({ pid_t($0) }) { kill(number, SIGQUIT) }
            }
            try? FileManager.default.removeItem(atPath: path)
        }
    }

    /// The folder of PostgreSQL's programs, for the shell. (Debian's `psql` in the path is a slow script around the program.)
    private static let programs = "$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)"

    /// The address of a database in the cluster.
    package func address(_ database: String, as role: String = "roster") -> String {
        "postgresql://\(role)@/\(database)?host=\(folder.path)"
    }

    /// The address of a database in the cluster, by a port of this machine that leads to it.
    package func address(_ database: String, by port: UInt16) -> String {
        "postgresql://roster@127.0.0.1:\(port)/\(database)"
    }

    /// The socket of the cluster.
    package var socketPath: String { folder.path + "/.s.PGSQL.5432" }

    /// Runs a script of the shell. (Foundation's `Process` would wait for the server, which a script leaves behind.)
    private func run(_ script: String) -> (status: Int32, output: String) {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID()).sh").path
        defer { for end in ["", ".out"] { try? FileManager.default.removeItem(atPath: file + end) } }
        guard (try? script.write(toFile: file, atomically: false, encoding: .utf8)) != nil else { return (-1, "") }
        let status = system("bash '\(file)' > '\(file).out' 2>&1 < /dev/null")
        return (status, (try? String(contentsOfFile: file + ".out", encoding: .utf8)) ?? "")
    }

    private func psql(_ statement: String) -> (status: Int32, output: String) {
        run(
            "$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)/psql -qAt -h '\(folder.path)' -U roster -v ON_ERROR_STOP=1 postgres -c \"\(statement)\""
        )
    }

    // MARK: Standby

    /// Makes a standby of the whole cluster, which copies without being waited for.
    package func makeStandby() throws {
        try check(
            run(
                """
                set -e
                cd '\(folder.path)'
                \(Self.asOrdinaryUser)
                $as \(Self.programs)/pg_basebackup -D standby -R -c fast --no-sync -d 'host=\(folder.path) user=roster'
                """))
        try startStandby()
    }

    package func startStandby() throws { try check(controlStandby("-o '-p 5433' -l standby-log -w start")) }

    /// Ends the standby without a shutdown, as a loss of power does.
    package func stopStandby() { _ = controlStandby("-m immediate stop") }

    /// Makes the standby a server that can be written, with a history of its own from now on.
    package func promoteStandby() throws { try check(controlStandby("-w promote")) }

    private func controlStandby(_ words: String) -> (status: Int32, output: String) {
        run(
            """
            cd '\(folder.path)'
            \(Self.asOrdinaryUser)
            $as \(Self.programs)/pg_ctl -D standby \(words)
            """)
    }

    /// Sets `as` of the shell to the words that run a program as an ordinary user, because PostgreSQL's refuse root.
    private static let asOrdinaryUser =
        "as=; if [ \"$(id -u)\" = 0 ]; then as='setpriv --reuid=postgres --regid=postgres --init-groups'; fi"

    /// The address of a database at the standby.
    package func standbyAddress(_ database: String) -> String { address(database) + "&port=5433" }

    /// Runs a statement at the standby.
    package func atStandby(_ statement: String) throws {
        try check(
            run("\(Self.programs)/psql -qAt -h '\(folder.path)' -p 5433 -U roster postgres -c \"\(statement)\""))
    }

    // MARK: Databases

    /// A database that was filled once and is copied for each test.
    private final class Templates: @unchecked Sendable {
        // Unchecked: the lock guards the names.
        let lock = NSLock()
        var made: Set<String> = []
        var count = 0
    }

    /// Makes a database like the template of this name, which `fill` fills at its first use.
    package func makeDatabase(
        like template: String = "empty", fill: (Directory) throws -> Void = { _ in }
    ) throws -> String {
        templates.lock.lock()
        defer { templates.lock.unlock() }
        if !templates.made.contains(template) {
            try check(psql("CREATE DATABASE template_\(template)"))
            let directory = try Directory(connectedTo: address("template_\(template)"), clock: { Self.moment })
            try fill(directory)
            directory.close()
            try check(
                psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'template_\(template)'"))
            templates.made.insert(template)
        }
        templates.count += 1
        let name = "test_\(templates.count)"
        try check(psql("CREATE DATABASE \(name) TEMPLATE template_\(template) STRATEGY file_copy"))
        return name
    }

    /// Makes a database without tables.
    package func makeBareDatabase() throws -> String {
        templates.lock.lock()
        defer { templates.lock.unlock() }
        templates.count += 1
        try check(psql("CREATE DATABASE test_\(templates.count)"))
        return "test_\(templates.count)"
    }

    /// Waits until a database has no connection. A commit of a killed process can come until then.
    package func waitForEndOfConnections(of database: String) {
        waitUntil {
            psql("SELECT count(*) FROM pg_stat_activity WHERE datname = '\(database)'").output == "0\n"
        }
    }

    /// Ends all connections of a database, as a restart of the server does.
    package func endConnections(of database: String) {
        _ = psql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '\(database)'")
    }

    /// The output of a script of psql, with its errors.
    package func output(of script: String, in database: String) throws -> String {
        let file = folder.appendingPathComponent("\(UUID()).sql")
        defer { try? FileManager.default.removeItem(at: file) }
        try script.write(to: file, atomically: false, encoding: .utf8)
        return run("\(Self.programs)/psql -q -h '\(folder.path)' -U roster -f '\(file.path)' \(database)").output
    }

    /// The number that a query of psql answers.
    package func number(_ query: String, in database: String) throws -> Int {
        let text = try output(of: "\\pset format unaligned\n\\t\n\(query);", in: database)
        let line = text.split(separator: "\n").last { !$0.isEmpty }.map(String.init) ?? ""
        guard let number = Int(line) else { throw ClusterError(message: text) }
        return number
    }

    /// All that a database has, as text.
    package func dump(_ database: String) throws -> Data {
        let result = run(
            "$(ls -d /usr/lib/postgresql/*/bin | sort -V | tail -1)/pg_dump -h '\(folder.path)' -U roster \(database)")
        try check(result)
        return Data(result.output.utf8)
    }

    package func drop(_ database: String) { _ = psql("DROP DATABASE IF EXISTS \(database) WITH (FORCE)") }

    private func check(_ result: (status: Int32, output: String)) throws {
        guard result.status == 0 else { throw ClusterError(message: result.output) }
    }
}

private let foldersToRemove = Locked<[String]>([])

/// A failure of the tests' own PostgreSQL server.
package struct ClusterError: Error { package let message: String }

import Foundation
import Roster
import RosterPostgreSQL
import Testing
import TestSupport

@Suite("The program with a database", .enabled(if: PostgreSQLCluster.shared != nil), .timeLimit(.minutes(2)))
struct CommandTests {
    private struct Outcome {
        let code: Int32
        let text: String
    }

    /// Runs the program, and gives its output with its errors.
    private func run(_ words: String...) async throws -> Outcome {
        let program = try builtProgram("roster")
        return try await onThread {
            let process = Process()
            process.executableURL = program
            process.arguments = words
            let pipe = Pipe()
            (process.standardOutput, process.standardError) = (pipe, pipe)
            try process.run()
            let data = pipe.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Outcome(code: process.terminationStatus, text: String(decoding: data, as: UTF8.self))
        }
    }

    @Test("A lost key file is replaced by 'roster key reset', and only the new one is accepted then")
    func resetsKey() async throws {
        try await withDatabase { cluster, database, folder in
            let (key, other) = (folder.path + "/key", folder.path + "/other")
            let place = ["--database", cluster.address(database), "--master-key"]
            let without = try await run("key", "rotate", place[0], place[1])
            #expect(without.code == 1 && without.text.contains("--master-key"), "\(without)")
            #expect(try await run("key", "rotate", place[0], place[1], place[2], key).code == 0)
            let right = try await run("key", "reset", place[0], place[1], place[2], key, "--confirm")
            #expect(right.code == 1 && right.text.contains("nothing is lost"), "\(right)")
            try FileManager.default.moveItem(atPath: key, toPath: other)
            let lost = try await run("key", "rotate", place[0], place[1], place[2], key)
            #expect(lost.code == 1 && lost.text.contains("roster key reset"), "\(lost)")
            let asked = try await run("key", "reset", place[0], place[1], place[2], key)
            #expect(asked.code == 2 && asked.text.contains("signing keys that would be gone: 1"), "\(asked)")
            #expect(!FileManager.default.fileExists(atPath: key))
            try String(repeating: "ab", count: 32).write(toFile: key, atomically: false, encoding: .utf8)
            let done = try await run("key", "reset", place[0], place[1], place[2], key, "--confirm")
            #expect(done.code == 0 && done.text.contains("signing keys that are gone: 1"), "\(done)")
            #expect(done.text.contains("each machine"))
            #expect(FileManager.default.fileExists(atPath: key + ".old"))
            #expect(try await run("key", "rotate", place[0], place[1], place[2], key).code == 0)
            let old = try await run("key", "rotate", place[0], place[1], place[2], other)
            #expect(old.code == 1 && old.text.contains("does not fit"), "\(old)")
        }
    }

    @Test("'roster migrate' makes the tables, and a file takes no replica")
    func migrates() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeBareDatabase()
        defer { cluster.drop(database) }
        let made = try await run("migrate", "--database", cluster.address(database))
        #expect(made.code == 0 && made.text == "The tables are those of this version.\n", "\(made)")
        #expect(try cluster.output(of: "SELECT max(number) FROM head;", in: database).contains("0"))
        #expect(try await run("check", "--database", cluster.address(database)).code == 0)
        let refused = try await run(
            "serve", "--database", "/nonexistent/c.db", "--replica", cluster.address(database))
        #expect(refused.code == 2 && refused.text.contains("--replica"), "\(refused)")
    }

    @Test("A server that takes no changes is refused with the advice to name the primary")
    func readOnlyServer() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeBareDatabase()
        defer { cluster.drop(database) }
        _ = try cluster.output(of: "ALTER DATABASE \(database) SET default_transaction_read_only = on;", in: database)
        let refused = try await run("migrate", "--database", cluster.address(database))
        #expect(refused.code == 1 && refused.text.contains("Name the primary"), "\(refused)")
    }

    @Test("A database with tables of another program is refused, and stays as it is")
    func foreignDatabase() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeBareDatabase()
        defer { cluster.drop(database) }
        _ = try cluster.output(of: "CREATE TABLE other (id int);", in: database)
        let refused = try await run("migrate", "--database", cluster.address(database))
        #expect(refused.code == 1 && refused.text.contains("another program"), "\(refused)")
        #expect(
            try cluster.output(of: "SELECT count(*) FROM pg_tables WHERE schemaname = 'public';", in: database)
                .contains(" 1"))
    }

    @Test("'roster serve' without a key file fills no database")
    func servesWithKey() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        defer { cluster.drop(database) }
        let refused = try await run("serve", "--database", cluster.address(database), "--listen", "127.0.0.1:0")
        #expect(refused.code == 1 && refused.text.contains("--master-key"), "\(refused)")
        #expect(!refused.text.contains("password"))
        #expect(try cluster.output(of: "SELECT count(*) FROM users;", in: database).contains(" 0"))
    }

    @Test("'roster copy' refuses a database that has a directory, whatever key file belongs to it")
    func copiesIntoEmptyDatabaseOnly() async throws {
        try await withDatabase { cluster, database, folder in
            let file = folder.path + "/company.db"
            let address = cluster.address(database)
            for directory in [
                try Directory(at: URL(fileURLWithPath: file)), try Directory(connectedTo: address),
            ] {
                try await directory.unrestricted.users.create("ada")
                directory.close()
            }
            #expect(try await run("key", "rotate", "--database", file).code == 0)
            let other = try await run("key", "rotate", "--database", address, "--master-key", folder.path + "/key")
            #expect(other.code == 0, "\(other)")
            let refused = try await run("copy", "--database", file, "--to", address)
            #expect(refused.code == 1 && refused.text.contains("has a directory already"), "\(refused)")
        }
    }

    @Test("'roster copy' tells if another process has the file open")
    func copiesOpenFile() async throws {
        try await withDatabase { cluster, database, folder in
            let file = folder.appendingPathComponent("company.db")
            let directory = try Directory(at: file)
            try await directory.unrestricted.users.create("ada")
            let copied = try await run("copy", "--database", file.path, "--to", cluster.address(database))
            #expect(copied.code == 0 && copied.text.contains("Another process has"), "\(copied)")
            directory.close()
            let other = folder.path + "/other.db"
            let alone = try await run("copy", "--database", file.path, "--to", other)
            #expect(alone.code == 0 && !alone.text.contains("Another process has"), "\(alone)")
        }
    }

    @Test("An error of a database server names no command that checks files")
    func advisesForServers() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        defer { cluster.drop(database) }
        _ = try cluster.output(of: "CREATE ROLE \(database)_guest LOGIN;", in: database)
        defer { _ = try? cluster.output(of: "DROP ROLE \(database)_guest;", in: database) }
        let refused = try await run("check", "--database", cluster.address(database, as: database + "_guest"))
        #expect(refused.code == 1 && refused.text.contains("Grant the role"), "\(refused)")
        #expect(!refused.text.contains("roster check"))
    }
}

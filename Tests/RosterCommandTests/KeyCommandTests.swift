import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("The key file on the command line", .timeLimit(.minutes(5)))
struct KeyCommandTests {
    /// A directory `c.db` that has been served, with a second factor of its administrator; and the administrator's password.
    private func withServed(_ body: (CommandLineTool, String) async throws -> Void) async throws {
        try await withTool { (tool: CommandLineTool) async throws in
            let server = try RunningServer(tool, "--database", "c.db")
            let password = try #require(server.password)
            let questions =
                #"{"questions": [{"question": "First street?", "answer": "Rue de la Paix"}, "#
                + #"{"question": "First teacher?", "answer": "Aunt Zoë"}]}"#
            let answer = try await server.client.ask(
                server.client.request(
                    "PUT", "/mobile/platform/users/~/challenge-questions", user: "admin:\(password)", body: questions))
            #expect([200, 201, 204].contains(answer.status), "\(answer)")
            #expect(server.stop() == 0)
            try await body(tool, password)
        }
    }

    private func content(_ tool: CommandLineTool) throws -> [String: Data] {
        var content: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
        where name.hasPrefix("c.db") && !name.hasSuffix("-shm") {
            content[name] = try Data(contentsOf: URL(fileURLWithPath: tool.path(name)))
        }
        return content
    }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    private func text(_ path: String) throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test(
        "A server whose key file is lost does not start and changes nothing; a reset tells what is gone, and it starts")
    func reset() async throws {
        try await withServed { tool, password in
            for damage in ["missing", "empty", "short", "other"] {
                try? FileManager.default.removeItem(atPath: tool.path("c.db-key"))
                let texts = ["empty": "", "short": "abc", "other": String(repeating: "ab", count: 32)]
                if let text = texts[damage] {
                    try text.write(toFile: tool.path("c.db-key"), atomically: false, encoding: .utf8)
                }
                // As it is when a file was copied alone.
                for companion in ["-lock", "-wal", "-shm"] {
                    try? FileManager.default.removeItem(atPath: tool.path("c.db" + companion))
                }
                let before = try content(tool)
                let seed = CommandLineTool.package.appendingPathComponent("Seeds/company.json").path
                let refused = try tool.run("serve", "--database", "c.db", "--seed", seed, "--listen", "127.0.0.1:0")
                #expect(refused.code == 1 && refused.output.isEmpty)
                #expect(refused.errors.contains("c.db-key") && refused.errors.contains("roster key reset"))
                #expect(try content(tool) == before, "\(damage)")
            }
            let asked = try tool.run("key", "reset", "--database", "c.db")
            #expect(asked.code == 2 && asked.errors.contains("--confirm"))
            #expect(asked.output.contains("second factors that would be gone: 1"))
            #expect(try text(tool.path("c.db-key")) == String(repeating: "ab", count: 32))
            let done = try tool.succeed("key", "reset", "--database", "c.db", "--confirm")
            #expect(done.contains("signing keys that are gone: 1"))
            #expect(done.contains("\n  admin\n") && done.contains("reset-second-factor"))
            #expect(try text(tool.path("c.db-key.old")) == String(repeating: "ab", count: 32))
            #expect(try mode(tool.path("c.db-key")) == 0o600)
            let again = try tool.run("key", "reset", "--database", "c.db", "--confirm")
            #expect(again.code == 1 && again.errors.contains("nothing is lost"))

            let alone = try await RunningServer.status(of: "admin:\(password)", tool, "c.db")
            #expect(alone == 401, "the password alone does not do")
            try tool.succeed("user", "reset-second-factor", "--database", "c.db", "admin")
            #expect(try await RunningServer.status(of: "admin:\(password)", tool, "c.db") == 200)
        }
    }

    @Test("A backup takes the key along as a file of its own, a restore puts it back, and both can leave it out")
    func backups() async throws {
        try await withServed { tool, _ in
            let key = try text(tool.path("c.db-key"))
            #expect(try tool.succeed("backup", "c.db", "copy.db").contains("copy.db-key"))
            #expect(try text(tool.path("copy.db-key")) == key)
            #expect(try mode(tool.path("copy.db-key")) == 0o600)
            try tool.succeed("backup", "c.db", "bare.db", "--without-key")
            #expect(!FileManager.default.fileExists(atPath: tool.path("bare.db-key")))
            try "x".write(toFile: tool.path("taken.db-key"), atomically: false, encoding: .utf8)
            #expect(try tool.run("backup", "c.db", "taken.db").code == 1)
            #expect(!FileManager.default.fileExists(atPath: tool.path("taken.db")))

            try tool.succeed("restore", "copy.db", "new.db")
            #expect(try text(tool.path("new.db-key")) == key)
            #expect(try mode(tool.path("new.db-key")) == 0o600)
            let server = try RunningServer(tool, "--database", "new.db")
            server.stop()

            try tool.succeed("restore", "bare.db", "c.db", "--replace")
            #expect(try text(tool.path("c.db-key")) == key, "the key that is there fits")
        }
    }

    @Test(
        "A restore without the right key is refused before anything is changed; another key that is there is kept aside"
    )
    func otherKeys() async throws {
        try await withServed { tool, _ in
            let key = try text(tool.path("c.db-key"))
            try tool.succeed("backup", "c.db", "copy.db")
            try tool.succeed("backup", "c.db", "bare.db", "--without-key")
            let other = String(repeating: "cd", count: 32) + "\n"
            try other.write(toFile: tool.path("c.db-key"), atomically: false, encoding: .utf8)
            let before = try content(tool)

            let failed = try tool.run("backup", "c.db", "third.db")
            #expect(failed.code == 1 && failed.errors.contains("--without-key"))
            #expect(!FileManager.default.fileExists(atPath: tool.path("third.db")))
            let refused = try tool.run("restore", "bare.db", "c.db", "--replace")
            #expect(refused.code == 1 && refused.errors.contains("--without-key"))
            #expect(try content(tool) == before)
            let present = try tool.run("restore", "copy.db", "c.db")
            #expect(present.code == 1 && present.errors.contains("--replace"))
            #expect(try content(tool) == before)

            let done = try tool.succeed("restore", "copy.db", "c.db", "--replace")
            #expect(done.contains("c.db-key.old"))
            #expect(try text(tool.path("c.db-key")) == key)
            #expect(try text(tool.path("c.db-key.old")) == other)
            let bare = try tool.run("restore", "bare.db", "none.db", "--without-key")
            #expect(bare.code == 0 && bare.errors.contains("roster key reset"), "\(bare)")
        }
    }

    @Test(
        "What root makes beside a service's file belongs to the service",
        .enabled(if: geteuid() == 0, "only root can make files for somebody else"))
    func owner() throws {
        try withCompany { tool in
            for companion in ["-lock", "-wal", "-shm"] {
                try? FileManager.default.removeItem(atPath: tool.path("company.db" + companion))
            }
            try #require(chown(tool.path("company.db"), 12_345, 23_456) == 0)
            try tool.succeed("backend", "create", "--database", "company.db", "--name", "shop")
            for companion in ["", "-lock", "-key"] {
                var status = stat()
                try #require(stat(tool.path("company.db" + companion), &status) == 0)
                #expect(status.st_uid == 12_345 && status.st_gid == 23_456, "\(companion)")
            }
        }
    }

    @Test("A copy of a file has its key file beside it, and replaces nothing")
    func copies() async throws {
        try await withServed { tool, _ in
            let copied = try tool.run("copy", "--database", "c.db", "--to", "d.db")
            #expect(copied.code == 0, "\(copied)")
            #expect(copied.output.contains("second_factor") && copied.output.contains("The key is in 'd.db-key'."))
            #expect(try text(tool.path("d.db-key")) == text(tool.path("c.db-key")))
            #expect(try mode(tool.path("d.db-key")) == 0o600)
            #expect(try tool.run("check", "d.db").code == 0)
            let again = try tool.run("copy", "--database", "c.db", "--to", "d.db")
            #expect(again.code == 1 && again.errors.contains("There is a file"), "\(again)")
            let server = try RunningServer(tool, "--database", "d.db")
            #expect(server.stop() == 0)
            #expect(try tool.run("copy", "--database", "c.db").code == 2)
        }
    }
}

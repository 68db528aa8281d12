import Foundation
import Testing

@Suite("What a call that is wrong is told", .timeLimit(.minutes(2)))
struct WrongCallTests {
    @Test("A wrong word of the call has exit code 2 and names what is wrong with what, and nothing is made")
    func wrongWords() throws {
        try withTool { tool in
            try tool.succeed("user", "create", "--database", "d.db", "ada")
            let calls: [(says: [String], arguments: [String])] = [
                (
                    ["password", "roster user password", "--password-file"],
                    ["user", "create", "eve", "password=hunter2!"]
                ),
                (["password", "roster user password"], ["user", "modify", "ada", "password=hunter2!"]),
                (["'mail'", "ada@example.com", "notamail"], ["user", "create", "eve", "mail=notamail"]),
                (["'mail'"], ["user", "modify", "ada", "mail=a@b@c"]),
                (["'emails'"], ["user", "modify", "ada", "emails+=nobody"]),
                (["'hireDate'", "2026-01-31", "yesterday"], ["user", "create", "eve", "hireDate=yesterday"]),
                (["'dateOfBirth'"], ["user", "modify", "ada", "dateOfBirth=1999-02-30"]),
                (["character 11", "value"], ["search", "surname sw"]),
                (["character 6", "expected ')'"], ["search", "(sn=*"]),
                (["character 1", "nosuch"], ["role", "search", "nosuch eq \"a\""]),
                (["is not a name"], ["user", "create", "  "]), (["10000"], ["search", "--page-size", "100000"]),
                (["not a cursor"], ["search", "--cursor", "x"]), (["attribute"], ["attribute", "declare", "bad name"]),
            ]
            for (says, arguments) in calls {
                let outcome = try tool.run(arguments, environment: ["ROSTER_DATABASE": "d.db"])
                #expect(outcome.code == 2, "\(arguments): \(outcome.errors)")
                for text in says { #expect(outcome.errors.contains(text), "\(arguments): \(outcome.errors)") }
                #expect(!outcome.errors.contains("hunter2"), "a secret is not shown again")
                #expect(outcome.output.isEmpty)
            }
            #expect(try tool.succeed("search", "--database", "d.db", "--count") == "1\n")
        }
    }

    @Test("A password in the address of a database on the command line is told on standard error, and not shown")
    func passwordInAddress() throws {
        try withTool { tool in
            try tool.succeed("user", "create", "--database", "d.db", "ada")
            let secret = "postgresql://roster:hunter2@127.0.0.1:1/company"
            let parameter = "postgres://127.0.0.1:1/company?connect_timeout=1&pass%77ord=hunter2"
            for (address, isTold) in [
                (secret, true), (parameter, true), ("postgresql://roster@127.0.0.1:1/company", false),
                ("postgresql:///company?host=/nowhere&port=1", false),
            ] {
                for call in [
                    ["search", "--database", address], ["search", "--database=" + address],
                    ["copy", "--database", "d.db", "--to", address], ["serve", "--database", address],
                    ["serve", "--database", "postgresql://127.0.0.1:1/company", "--replica", address],
                    ["migrate", "--database", address],
                ] {
                    let outcome = try tool.run(call)
                    #expect(outcome.code != 0 && !outcome.errors.contains("hunter2"), "\(outcome.errors)")
                    #expect(outcome.errors.contains("warning: The address") == isTold, "\(call): \(outcome.errors)")
                }
            }
            let quiet = try tool.run(["search"], environment: ["ROSTER_DATABASE": secret])
            #expect(!quiet.errors.contains("warning"), "nobody else can read the environment")
        }
    }

    @Test("An error of the library is shown with the option or the command that helps")
    func hints() throws {
        try withTool { tool in
            try "Title\nLead\n".write(toFile: tool.path("p.csv"), atomically: true, encoding: .utf8)
            let calls: [(says: String, arguments: [String])] = [
                ("--allow-plain-http", ["serve", "--in-memory", "--listen", "0.0.0.0:0"]),
                ("--test-provider", ["serve", "--in-memory", "--listen", "0.0.0.0:0", "--test-provider"]),
                ("--map uid=", ["import", "--database", "d.db", "p.csv"]),
            ]
            for (says, arguments) in calls {
                let outcome = try tool.run(arguments)
                #expect(outcome.code != 0 && outcome.errors.contains(says), "\(outcome)")
            }
        }
    }

    @Test("An address of another database is refused, and is not taken for a file")
    func otherDatabase() throws {
        try withTool { tool in
            try tool.succeed("user", "create", "--database", "d.db", "ada")
            for address in [
                "mysql://root:hunter2@db/company", "jdbc:postgresql://db/company", "https://id.example.com",
            ] {
                for arguments in [["check", "--database", address], ["copy", "--database", "d.db", "--to", address]] {
                    let outcome = try tool.run(arguments)
                    #expect(outcome.code == 2 && outcome.errors.contains("postgresql://"), "\(outcome.errors)")
                    #expect(!outcome.errors.contains("hunter2"))
                }
            }
            let files = try FileManager.default.contentsOfDirectory(atPath: tool.path(""))
            #expect(files.allSatisfy { $0.hasPrefix("d.db") }, "\(files)")
        }
    }

    @Test("The address of a database in the place of a file is refused with what to do")
    func addressAsFile() throws {
        try withTool { tool in
            try tool.succeed("user", "create", "--database", "d.db", "ada")
            let address = "postgresql://roster:hunter2@db/company"
            for (arguments, advice) in [
                (["check", address], "--database"), (["backup", address, "copy.db"], "pg_dump"),
                (["backup", "d.db", address], "pg_dump"), (["restore", address, "d.db"], "pg_dump"),
                (["restore", "d.db", address], "pg_dump"),
            ] {
                let outcome = try tool.run(arguments)
                #expect(outcome.code == 2 && outcome.errors.contains(advice), "\(arguments): \(outcome.errors)")
                #expect(!outcome.errors.contains("hunter2"))
            }
        }
    }

    @Test("A backend is made for a purpose, and an unknown purpose or a missing address is told with what to give")
    func purposes() throws {
        try withTool { tool in
            try tool.succeed("user", "create", "--database", "d.db", "ada")
            let create = ["backend", "create", "--database", "d.db", "--name"]
            let made = try tool.run(create + ["phone", "--for", "app"])
            #expect(made.code == 0, "\(made.errors)")
            let shown = try tool.succeed("backend", "show", "--database", "d.db", "phone")
            #expect(shown.contains("\"public\":true") && shown.contains("offline_access directory"), "\(shown)")
            for (purpose, advice) in [("phone", "app, web, service or device"), ("web", "redirect_uris")] {
                let outcome = try tool.run(create + ["other", "--for", purpose])
                #expect(outcome.code != 0 && outcome.errors.contains(advice), "\(outcome.errors)")
            }
        }
    }

    @Test("A seed may have passwords in plain text, which are stored as hashes; an import refuses them")
    func plainPasswords() throws {
        try withTool { tool in
            let seed = #"{"people": [{"uid": "ada", "password": "a staple of horses"}]}"#
            try seed.write(toFile: tool.path("s.json"), atomically: true, encoding: .utf8)
            let refused = try tool.run("import", "--database", "d.db", "--format", "json", "s.json")
            #expect(refused.code != 0 && refused.errors.contains("takes a hash"), "\(refused)")
            try tool.succeed("seed", "--database", "d.db", "s.json")
            for name in ["d.db", "d.db-wal"] {
                let data = (try? Data(contentsOf: URL(fileURLWithPath: tool.path(name)))) ?? Data()
                #expect(data.range(of: Data("staple".utf8)) == nil)
            }
            let again = try tool.succeed("seed", "--database", "d.db", "s.json")
            #expect(again.contains("1 unchanged") || again.contains("unchanged"), "\(again)")
        }
    }

    @Test("What a directory refuses has exit code 1, and what is right is taken")
    func refused() throws {
        try withTool { tool in
            try tool.succeed(
                "user", "create", "--database", "d.db", "ada", "mail=ada@example.com", "hireDate=2026-01-31",
                "dateOfBirth=1815-12-10", "activeStartDate=2026-01-31T09:00:00Z", "password=$6$abc$def")
            #expect(try tool.run("user", "create", "--database", "d.db", "ada").code == 1)
            #expect(try tool.run("user", "show", "--database", "d.db", "nobody").code == 1)
            try "short\n".write(toFile: tool.path("p"), atomically: true, encoding: .utf8)
            #expect(try tool.run("user", "password", "--database", "d.db", "--password-file", "p", "ada").code == 1)
        }
    }

    @Test("An import reads standard input, and its exit code and last line tell what was skipped")
    func importing() throws {
        try withTool { tool in
            func run(_ text: String, _ options: String...) throws -> (code: Int32, last: String?, errors: String) {
                let files = ["in", "out", "err"].map { tool.path($0) }
                for file in files { _ = FileManager.default.createFile(atPath: file, contents: Data()) }
                try Data(text.utf8).write(to: URL(fileURLWithPath: files[0]))
                let process = try tool.start(
                    ["import", "--database", "d.db", "-"] + options,
                    try #require(FileHandle(forWritingAtPath: files[1])),
                    try #require(FileHandle(forWritingAtPath: files[2])),
                    input: try #require(FileHandle(forReadingAtPath: files[0])))
                process.waitUntilExit()
                let output = try String(contentsOfFile: files[1], encoding: .utf8)
                return (
                    process.terminationStatus, output.split(separator: "\n").last.map(String.init),
                    try String(contentsOfFile: files[2], encoding: .utf8)
                )
            }
            let unknown = try run("uid\nada\n")
            #expect(unknown.code == 2 && unknown.errors.contains("--format"))
            let whole = try run("uid,title\nada,Countess\nbob,Sir\n", "--format", "csv")
            #expect(whole.code == 0 && whole.last == "rows left out: 0, imported in part: 0")
            let partly = try run("uid,manager\ncid,ada\n,ada\ndee,ghost\n", "--format", "csv", "--skip-bad-rows")
            #expect(partly.code == 3 && partly.last == "rows left out: 1, imported in part: 1", "\(partly)")
            #expect(partly.errors.contains("standard input, line 3"))
            let stopped = try run("uid,manager\neve,ghost\n", "--format", "csv")
            #expect(stopped.code == 1 && stopped.last == nil)
            #expect(try tool.succeed("search", "--database", "d.db", "--count") == "4\n")
        }
    }
}

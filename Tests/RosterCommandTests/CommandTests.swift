import Foundation
import Testing

@Suite("The command line")
struct CommandTests {
    @Test("The small company's chart is drawn as people draw it")
    func chart() throws {
        try withCompany { tool in
            let result = try tool.run("org", "--database", "company.db", "akira.suzuki")
            #expect(
                result.output == """
                    鈴木 明, Director Sales Asia [akira.suzuki]
                    └── 加藤 大輔, Team Lead Japan [daisuke.kato]
                        └── 高橋 さくら, Account Manager [sakura.takahashi]

                    """)
            let up = try tool.run("org", "--database", "company.db", "daisuke.kato", "--up")
            #expect(up.output.hasPrefix("Ilse Brandt, Chief Executive [ilse.brandt]\n└── Maria Müller"))
            let cut = try tool.run("org", "--database", "company.db", "--depth", "1")
            #expect(cut.output.contains("│   └── … 18 more below"), "\(cut.output)")
        }
    }

    @Test("A search answers as a table, as JSON and as CSV")
    func search() throws {
        try withCompany { tool in
            let arguments = [
                "search", "--database", "company.db", "surname sw \"Mü\"", "--attributes", "uid,mail", "--page-size",
                "20",
            ]
            func search(_ format: String) throws -> CommandLineTool.Outcome {
                try tool.run(arguments + ["--format", format])
            }
            let json =
                try JSONSerialization.jsonObject(with: Data(try search("json").output.utf8)) as? [[String: String]]
            #expect(json?.compactMap { $0["uid"] } == ["maria.mueller", "emma.mueller", "joerg.muench"])
            #expect(try search("csv").output.hasPrefix("uid,mail\r\nmaria.mueller,maria.mueller@nordwind.example\r\n"))
            #expect(try search("table").output.contains("maria.mueller  maria.mueller@nordwind.example"))
            #expect(try tool.run("search", "--database", "company.db", "--count").output == "40\n")
            #expect(
                try tool.run("search", "--database", "company.db", "(&(sn=Mü*)(c=DE))", "--attributes", "uid").code == 0
            )
        }
    }

    @Test("Users and roles are created, changed, shown and deleted")
    func usersAndRoles() throws {
        try withTool { tool in
            func roster(_ arguments: String..., expecting code: Int32 = 0) throws -> String {
                let result = try tool.run(arguments, environment: ["ROSTER_DATABASE": "d.db"])
                #expect(result.code == code, "\(arguments): \(result.errors)")
                return result.output + result.errors
            }
            _ = try roster("user", "create", "ada", "mail=ada@example.com")
            _ = try roster("user", "create", "bob", "manager=ada", "title=Builder")
            #expect(try roster("user", "show", "bob").contains("Builder"))
            #expect(try roster("user", "manager", "bob").contains("ada"))
            #expect(try roster("user", "reportees", "ada").contains("bob"))
            #expect(try roster("user", "chain", "bob").contains("ada"))
            _ = try roster("user", "modify", "bob", "title=", "sn=Baumeister")
            #expect(try !roster("user", "show", "bob").contains("Builder"))
            #expect(
                try roster("user", "modify", "ada", "manager=bob", expecting: 1).contains("would report to themselves"))
            _ = try roster("role", "create", "staff")
            _ = try roster("role", "add", "staff", "bob")
            #expect(try roster("role", "members", "staff").contains("bob"))
            #expect(try roster("role", "show", "staff").contains("bob"))
            _ = try roster("role", "remove", "staff", "bob")
            #expect(try roster("role", "remove", "staff", "bob", expecting: 1).contains("not a direct member"))
            _ = try roster("role", "modify", "staff", "description=All")
            _ = try roster("role", "delete", "staff")
            #expect(try roster("user", "delete", "ada", expecting: 1).contains("has reportees"))
            _ = try roster("user", "delete", "ada", "--reportees", "leave")
        }
    }

    @Test("A wrong call exits with 2 and says what to do, a failed one with 1")
    func wrongCalls() throws {
        try withCompany { tool in
            let wrong: [(code: Int32, says: String, outcome: CommandLineTool.Outcome)] = [
                (2, "There is no command 'serch'", try tool.run("serch")),
                (
                    2, "Did you mean --attributes?",
                    try tool.run("search", "--database", "company.db", "--atributes", "uid")
                ),
                (2, "There is no file", try tool.run("search", "--database", "nosuch.db")),
                (2, "Give --database FILE", try tool.run("search", "title pr")),
                (2, "needs a whole number", try tool.run("search", "--database", "company.db", "--page-size", "many")),
                (
                    2, "needs one of table, json, csv",
                    try tool.run("search", "--database", "company.db", "--format", "xml")
                ),
                (
                    2, "There is no attribute 'nosuch'",
                    try tool.run("user", "modify", "--database", "company.db", "kenji.sato", "nosuch=1")
                ),
                (
                    2, "character 9 of the filter",
                    try tool.run("search", "--database", "company.db", "surname xx \"a\"")
                ),
                (1, "There is no user 'ghost'", try tool.run("user", "show", "--database", "company.db", "ghost")),
                (
                    1, "There is no key 'nosuch'",
                    try tool.run("key", "remove", "--database", "company.db", "nosuch")
                ),
                (1, "cannot be read", try tool.run("seed", "--database", "new.db", "nosuch.json")),
                (
                    1, "not a directory file",
                    try tool.run("check", CommandLineTool.package.appendingPathComponent("Package.swift").path)
                ),
            ]
            for (code, says, outcome) in wrong {
                #expect(outcome.code == code, "\(says): \(outcome.errors)")
                #expect(outcome.errors.hasPrefix("roster: "), "\(outcome.errors)")
                #expect(outcome.errors.contains(says), "\(outcome.errors)")
                #expect(outcome.output.isEmpty)
            }
            #expect(!FileManager.default.fileExists(atPath: tool.folder.appendingPathComponent("new.db").path))
        }
    }

    @Test("Every command has a help with an example")
    func help() throws {
        try withTool { tool in
            let overview = try tool.run("--help").output
            let commands = overview.split(separator: "\n").filter { $0.hasPrefix("  ") && !$0.contains("--") }
                .compactMap { $0.dropFirst(2).components(separatedBy: "  ").first }
            #expect(commands.count >= 25)
            for command in commands {
                let help = try tool.run(command.split(separator: " ").map(String.init) + ["--help"])
                #expect(help.code == 0)
                #expect(help.output.contains("Example:\n  roster \(command) "), "\(command): \(help.output)")
            }
        }
    }

    @Test("Backup, check and restore give back what was there")
    func maintenance() throws {
        try withCompany { tool in
            let before = try tool.run("export", "--database", "company.db").output
            #expect(try tool.run("backup", "company.db", "copy.db").code == 0)
            #expect(try tool.run("check", "copy.db").output == "'copy.db' is in order.\n")
            #expect(try tool.run("user", "delete", "--database", "company.db", "lena.vogel").code == 0)
            #expect(try tool.run("restore", "copy.db", "company.db").code == 1)
            #expect(try tool.run("restore", "copy.db", "company.db", "--replace").code == 0)
            #expect(try tool.run("export", "--database", "company.db").output == before)
        }
    }
}

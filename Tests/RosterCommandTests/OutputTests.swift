import Foundation
import Testing

@Suite("What the command line shows")
struct OutputTests {
    /// Three levels, two at the top, one account disabled.
    private func withThreeLevels(_ body: (CommandLineTool) throws -> Void) throws {
        try withTool { tool in
            let people = """
                uid,commonName,title,manager,active
                ada,Ada Lovelace,Countess,,true
                bob,Bob,Builder,ada,true
                sato,佐藤 健司,Engineer,bob,false
                eve,Eve,Engineer,bob,true
                cid,Cid,,ada,true
                zoe,Zoe,Visitor,,true

                """
            try people.write(toFile: tool.path("people.csv"), atomically: true, encoding: .utf8)
            try tool.succeed("import", "--database", "d.db", "people.csv")
            try body(tool)
        }
    }

    /// What appears on a terminal of a width.
    private func show(_ tool: CommandLineTool, columns: UInt16, _ arguments: String...) throws -> String {
        let terminal = try PseudoTerminal(columns: columns)
        let process = try terminal.handOver { try tool.start(arguments, $0, FileHandle.nullDevice) }
        let shown = terminal.read()
        process.waitUntilExit()
        return shown
    }

    @Test("The chart of an organisation has branches, ends, uids and what is below the depth asked for")
    func chart() throws {
        try withThreeLevels { tool throws in
            #expect(
                try tool.succeed("org", "--database", "d.db") == """
                    Ada Lovelace, Countess [ada]
                    ├── Bob, Builder [bob]
                    │   ├── 佐藤 健司, Engineer [sato] (disabled)
                    │   └── Eve, Engineer [eve]
                    └── Cid [cid]
                    Zoe, Visitor [zoe]

                    """)
            #expect(
                try tool.succeed("org", "--database", "d.db", "ada", "--depth", "1") == """
                    Ada Lovelace, Countess [ada]
                    ├── Bob, Builder [bob]
                    │   └── … 2 more below
                    └── Cid [cid]

                    """)
            #expect(
                try tool.succeed("org", "--database", "d.db", "--up", "sato") == """
                    Ada Lovelace, Countess [ada]
                    └── Bob, Builder [bob]
                        └── 佐藤 健司, Engineer [sato] (disabled)

                    """)
        }
    }

    @Test("On a narrow terminal, a chart's lines are cut before the uid, and none breaks")
    func narrowChart() throws {
        try withThreeLevels { tool throws in
            #expect(
                try show(tool, columns: 22, "org", "--database", "d.db", "ada", "--depth", "1") == """
                    Ada Lovelace, C… [ada]
                    ├── Bob, Builder [bob]
                    │   └── … 2 more below
                    └── Cid [cid]

                    """)
        }
    }

    @Test("Tables align characters of two columns, and fit into a narrow terminal")
    func tables() throws {
        try withThreeLevels { tool throws in
            let arguments = ["search", "--database", "d.db", "title eq \"Engineer\"", "--attributes", "commonName,uid"]
            #expect(
                try tool.run(arguments).output == """
                    commonName  uid
                    ──────────  ────
                    佐藤 健司   sato
                    Eve         eve

                    """)
            #expect(
                try show(
                    tool, columns: 14, "user", "chain", "--database", "d.db", "eve", "--attributes", "uid,commonName")
                        == """
                        uid  commonNa…
                        ───  ─────────
                        bob  Bob
                        ada  Ada Love…

                        """)
        }
    }

    @Test("Managers and roles are shown by name, and lists as lists in JSON")
    func names() throws {
        try withCompany { tool in
            let found = try json(
                tool.succeed(
                    "search", "--database", "company.db", "uid eq \"maria.mueller\"", "--attributes",
                    "manager,memberOf",
                    "--format", "json"))
            #expect(found.first?["manager"] as? String == "ilse.brandt")
            #expect(found.first?["memberOf"] as? [String] == ["everyone", "sales", "leadership"])
        }
    }

    @Test("CSV quotes what has to be, and guards what a spreadsheet would run where one is meant")
    func csv() throws {
        try withTool { tool in
            try tool.succeed("user", "create", "--database", "d.db", "ada", "title=a, \"b\"", "mobile=+49 30")
            let call = ["search", "--database", "d.db", "--attributes", "uid,title,mobile", "--format", "csv"]
            #expect(try tool.run(call).output == "uid,title,mobile\r\nada,\"a, \"\"b\"\"\",+49 30\r\n")
            #expect(
                try tool.run(call + ["--spreadsheet"]).output
                    == "uid,title,mobile\r\nada,\"a, \"\"b\"\"\",'+49 30\r\n")
        }
    }

    @Test("What drives a terminal does not get there from a directory or from an error")
    func controlCharacters() throws {
        try withTool { tool in
            try tool.succeed("user", "create", "--database", "d.db", "ada", "title=\u{1B}[2J\u{202E}x")
            #expect(try !tool.succeed("user", "show", "--database", "d.db", "ada").contains("\u{1B}"))
            #expect(try !tool.succeed("org", "--database", "d.db").contains("\u{202E}"))
            let wrong = try tool.run("user", "show", "--database", "d.db", "\u{1B}[2J")
            #expect(wrong.code == 1)
            #expect(!wrong.errors.contains("\u{1B}"))
        }
    }

    @Test("People are found by words, the best first, and a filter besides is refused")
    func matching() throws {
        try withCompany { tool in
            let call = ["search", "--database", "company.db", "--attributes", "uid", "--format", "csv"]
            #expect(try tool.run(call + ["--matching", "Okafor, gr"]).output == "uid\r\ngrace.okafor\r\n")
            #expect(
                try tool.run(call + ["--matching", "nordwind", "--page-size", "3"]).output.split(separator: "\r\n")
                    .count == 4)
            let nobody = try tool.run("search", "--database", "company.db", "--matching", "qqqzz")
            #expect(nobody.code == 0 && nobody.errors.contains("No user was found."))
            #expect(try tool.run(call + ["--matching", "grace", "uid pr"]).code == 2)
            for option in [["--count"], ["--sort", "uid"], ["--page", "2"], ["--explain"], ["--cursor", "x"]] {
                #expect(try tool.run(call + ["--matching", "grace"] + option).code == 2, "\(option)")
            }
        }
    }

    @Test("Pages lead to one another by their cursors, in every format")
    func pages() throws {
        try withCompany { tool in
            var seen: [String] = []
            var cursor: [String] = []
            repeat {
                let page = try tool.run(
                    [
                        "search", "--database", "company.db", "--attributes", "uid", "--sort", "surname", "--page-size",
                        "15",
                    ]
                        + ["--format", "json"] + cursor)
                #expect(page.code == 0, "\(page.errors)")
                seen += try json(page.output).compactMap { $0["uid"] as? String }
                let next = page.errors.firstRange(of: "--cursor ").map { page.errors[$0.upperBound...] }
                cursor = next.map { ["--cursor", $0.trimmingCharacters(in: .whitespacesAndNewlines)] } ?? []
            } while !cursor.isEmpty
            #expect(seen.count == 40)
            #expect(Set(seen).count == 40)
        }
    }
}

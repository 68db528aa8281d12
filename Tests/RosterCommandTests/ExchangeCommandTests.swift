import Foundation
import Testing

@Suite("Files on the command line")
struct ExchangeCommandTests {
    @Test("An import maps columns, skips bad rows, and tells each of them with its line")
    func messyImport() throws {
        try withTool { tool in
            let posts = """
                Post,Name,Job Title,Unit,Reports to Senior Post
                P1,Ada,Permanent Secretary,Office,XX
                P2,"Bob, Sir",Director,Border,P1
                P2,Bob again,Director,Border,P1
                P3,Cid,Head,Border,P9

                """
            try posts.write(toFile: tool.path("posts.csv"), atomically: true, encoding: .utf8)
            let arguments = [
                "import", "--database", "m.db", "--map", "uid=Post", "--map", "commonName=Name", "--map",
                "title=Job Title",
                "--map", "department=Unit", "--map", "manager=Reports to Senior Post", "--no-manager", "XX",
                "posts.csv",
            ]
            let refused = try tool.run(arguments)
            #expect(refused.code == 1)
            #expect(refused.errors.contains("posts.csv, line 4"), "\(refused.errors)")
            let taken = try tool.run(arguments + ["--skip-bad-rows"])
            #expect(taken.code == 3)
            #expect(
                taken.output == "users: 3 created, 0 changed, 0 unchanged\nrows left out: 1, imported in part: 1\n")
            #expect(taken.errors.contains("line 4: 'P2' is in an earlier row already. (row left out)"))
            #expect(taken.errors.contains("line 5: "))
            #expect(taken.errors.contains("(imported without it)"))
            #expect(
                try tool.succeed("org", "--database", "m.db", "P1", "--depth", "3")
                    == "Ada, Permanent Secretary [P1]\n└── Bob, Sir, Director [P2]\n")
        }
    }

    @Test("An export is imported again and gives the same export", arguments: ["json", "csv", "ldif"])
    func roundTrip(format: String) throws {
        try withCompany { tool in
            let file = "out.\(format)"
            try tool.succeed("export", "--database", "company.db", "--format", format, "--output", file)
            let written = try String(contentsOfFile: tool.path(file), encoding: .utf8)
            #expect(try tool.succeed("export", "--database", "company.db", "--format", format) == written)
            if format != "json" {
                // CSV and LDIF have no place for declarations.
                let seed = "{\"attributes\": \(try Self.declarations(tool))}"
                try seed.write(toFile: tool.path("own.json"), atomically: true, encoding: .utf8)
                try tool.succeed("seed", "--database", "new.db", "own.json")
            }
            try tool.succeed("import", "--database", "new.db", "--grant-roles", file)
            #expect(try tool.succeed("export", "--database", "new.db", "--format", format) == written)
        }
    }

    @Test("Values leave as CSV as they are; for a spreadsheet formulas are escaped")
    func spreadsheet() throws {
        try withTool { tool in
            try tool.succeed(
                "user", "create", "--database", "d.db", "ada", "telephoneNumber=+49 30 1", "title==1+1", "nickName='x")
            func search(_ more: String...) throws -> String {
                try tool.run(
                    ["search", "--database", "d.db", "uid pr", "--attributes", "telephoneNumber,title,nickName"]
                        + ["--format", "csv"] + more
                ).output
            }
            #expect(try search() == "telephoneNumber,title,nickName\r\n+49 30 1,=1+1,'x\r\n")
            #expect(try search("--spreadsheet") == "telephoneNumber,title,nickName\r\n'+49 30 1,'=1+1,'x\r\n")
            try tool.succeed("export", "--database", "d.db", "--format", "csv", "--output", "plain.csv")
            try tool.succeed(
                "export", "--database", "d.db", "--format", "csv", "--spreadsheet", "--output", "sheet.csv")
            let sheet = try String(contentsOfFile: tool.path("sheet.csv"), encoding: .utf8)
            #expect(sheet.contains("'=1+1"))
            try tool.succeed("import", "--database", "plain.db", "plain.csv")
            try tool.succeed("import", "--database", "sheet.db", "--spreadsheet", "sheet.csv")
            let original = try tool.succeed("export", "--database", "d.db")
            for copy in ["plain.db", "sheet.db"] {
                #expect(try tool.succeed("export", "--database", copy) == original, "\(copy)")
            }
        }
    }

    @Test("A column of roles gives none unless that is asked for, and the import says so")
    func grants() throws {
        try withTool { tool in
            try "uid,memberOf\nada,staff\n".write(toFile: tool.path("p.csv"), atomically: true, encoding: .utf8)
            let plain = try tool.run("import", "--database", "d.db", "p.csv")
            #expect(plain.code == 3)
            #expect(plain.errors.contains("memberOf") && plain.errors.contains("--grant-roles"), "\(plain.errors)")
            #expect(try tool.succeed("user", "roles", "--database", "d.db", "ada").isEmpty)
            try tool.succeed("import", "--database", "d.db", "--grant-roles", "p.csv")
            #expect(try tool.succeed("user", "roles", "--database", "d.db", "ada").contains("staff"))
        }
    }

    @Test("Readers, retention and erasing are set and done on the command line")
    func privacy() throws {
        try withTool { tool in
            func roster(_ arguments: String...) throws -> CommandLineTool.Outcome {
                try tool.run(arguments, environment: ["ROSTER_DATABASE": tool.path("d.db")])
            }
            #expect(try roster("user", "create", "ada", "mobile=+49 170 1", "dateOfBirth=1990-04-17").code == 0)
            let set = try roster("attribute", "set", "mobile", "--readers", "signedIn")
            #expect(set.output == "mobile: read by signedIn, written by person\n")
            #expect(try roster("export").output.contains("\"readers\": \"signedIn\""))
            #expect(try roster("attribute", "set", "password", "--readers", "signedIn").code == 1)
            #expect(try roster("attribute", "set", "mobile", "--readers", "everyone").code == 2)
            #expect(try roster("attribute", "set", "mobile", "--reset").output.contains("managers"))
            #expect(try roster("retention").output == "changes: for ever\nsign-ins: 180 days\n")
            let kept = try roster("retention", "--changes", "30", "--sign-ins", "ever", "--apply")
            #expect(kept.output == "changes: 30 days\nsign-ins: for ever\nremoved: 0\n")
            #expect(try roster("retention", "--changes", "0").code == 2)
            #expect(try roster("user", "erase", "ada").code == 1, "the user is still there")
            #expect(try roster("user", "delete", "ada").code == 0)
            #expect(try roster("changes", "--format", "json").output.contains("1990-04-17"))
            #expect(try roster("user", "erase", "ada").output == "entries emptied: 2\n")
            #expect(try !roster("changes", "--format", "json").output.contains("1990-04-17"))
            #expect(try roster("user", "create", "bob", "dateOfBirth=1991-05-18").code == 0)
            #expect(try roster("user", "delete", "bob", "--erase").output == "deleted and erased bob\n")
            let file = try Data(contentsOf: URL(fileURLWithPath: tool.path("d.db")))
            for secret in ["1990-04-17", "1991-05-18", "+49 170 1"] {
                #expect(file.range(of: Data(secret.utf8)) == nil, "\(secret)")
            }
        }
    }

    private static func declarations(_ tool: CommandLineTool) throws -> String {
        let all = try JSONSerialization.jsonObject(with: Data(tool.succeed("export", "--database", "company.db").utf8))
        let attributes = try #require((all as? [String: Any])?["attributes"])
        return String(decoding: try JSONSerialization.data(withJSONObject: attributes), as: UTF8.self)
    }

    @Test("An export never replaces the directory itself, and leaves no half of a file")
    func exportTargets() throws {
        try withCompany { tool in
            for file in ["company.db", "./company.db-wal", "company.db-lock"] {
                let outcome = try tool.run("export", "--database", "company.db", "--output", file)
                #expect(outcome.code == 2)
                #expect(outcome.errors.contains("is the directory itself"), "\(outcome.errors)")
            }
            #expect(try tool.run("export", "--database", "company.db", "--output", "nosuch/x").code == 1)
            let full = try tool.run("export", "--database", "company.db", "--output", "/dev/full")
            #expect(full.code == 1)
            #expect(full.errors.contains("cannot be written"))
            let left = try FileManager.default.contentsOfDirectory(atPath: tool.folder.path)
            #expect(!left.contains { $0.contains(".partial") })
            #expect(try tool.succeed("search", "--database", "company.db", "--count") == "40\n")
        }
    }

    @Test("What a command makes is for its owner only; a file that it replaces keeps its mode")
    func modes() throws {
        try withCompany { tool in
            func mode(_ name: String) throws -> Int {
                try #require(
                    try FileManager.default.attributesOfItem(atPath: tool.path(name))[.posixPermissions] as? Int)
            }
            try tool.succeed("export", "--database", "company.db", "--output", "out.json")
            try tool.succeed("backup", "company.db", "copy.db")
            try tool.succeed("restore", "copy.db", "new.db")
            for name in ["company.db", "out.json", "copy.db", "new.db"] { #expect(try mode(name) == 0o600, "\(name)") }
            for name in ["new.db", "out.json"] {
                try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: tool.path(name))
            }
            try tool.succeed("export", "--database", "company.db", "--output", "out.json")
            try tool.succeed("restore", "copy.db", "new.db", "--replace")
            for name in ["new.db", "out.json"] { #expect(try mode(name) == 0o640, "\(name)") }
        }
    }

    @Test("Output that cannot be written is an error that says so")
    func fullDisk() throws {
        try withCompany { tool in
            let errors = Pipe()
            let full = try #require(FileHandle(forWritingAtPath: "/dev/full"))
            let process = try tool.start(["export", "--database", "company.db"], full, errors)
            try errors.fileHandleForWriting.close()
            let said = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            #expect(process.terminationStatus == 1)
            #expect(said.contains("No space left on device"), "\(said)")
        }
    }

    @Test("After a command the file alone is the whole directory")
    func fileAlone() throws {
        try withCompany { tool in
            try FileManager.default.copyItem(atPath: tool.path("company.db"), toPath: tool.path("alone.db"))
            #expect(try tool.succeed("search", "--database", "alone.db", "--count") == "40\n")
        }
    }

    @Test("A backup does not replace a file, and a restore only where it is told to")
    func restoring() throws {
        try withCompany { tool in
            try tool.succeed("backup", "company.db", "copy.db")
            #expect(try tool.run("backup", "company.db", "copy.db").code == 1)
            let refused = try tool.run("restore", "copy.db", "company.db")
            #expect(refused.code == 1)
            #expect(refused.errors.contains("Add --replace"))
            #expect(
                try tool.succeed("restore", "copy.db", "new.db").contains(
                    "All sessions and the tokens of apps have ended"))
            #expect(try tool.succeed("search", "--database", "new.db", "--count") == "40\n")
        }
    }

    @Test(
        "An import to a server that refuses the connection says that nothing was sent", arguments: [[], ["--dry-run"]])
    func refusedConnection(options: [String]) throws {
        try withTool { tool in
            try Data("token".utf8).write(to: URL(fileURLWithPath: tool.path("token")))
            try Data("uid\nada\n".utf8).write(to: URL(fileURLWithPath: tool.path("people.csv")))
            // Nothing listens at the port of the discard service.
            let outcome = try tool.run(
                ["import", "--server", "http://127.0.0.1:9", "--token-file", "token", "people.csv"] + options)
            #expect(outcome.code != 0)
            #expect(
                outcome.errors.contains("Nothing was sent, so the server has imported no row."), "\(outcome.errors)")
            #expect(!outcome.errors.contains("may have imported"), "\(outcome.errors)")
        }
    }
}

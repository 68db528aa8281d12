import Foundation
import Testing

@Suite("Calls of the command line")
struct CallTests {
    @Test("The directory may come from the environment, and an option's value after an equals sign")
    func waysToSay() throws {
        try withCompany { tool in
            let environment = ["ROSTER_DATABASE": tool.path("company.db")]
            #expect(try tool.run("search", "--count", environment: environment).output == "40\n")
            #expect(try tool.succeed("search", "--database=company.db", "--count") == "40\n")
            try tool.succeed("user", "create", "--database", "company.db", "--", "--x")
            #expect(try tool.succeed("user", "show", "--database", "company.db", "--", "--x").contains("--x"))
        }
    }

    @Test("Help is shown for all, for a family and for one command, wherever it is asked for")
    func help() throws {
        try withTool { tool throws in
            #expect(try tool.succeed("help", "search") == tool.succeed("search", "--help"))
            #expect(try tool.succeed("help", "user", "show") == tool.succeed("user", "show", "x", "-h"))
            #expect(try tool.succeed("user", "--help").contains("roster user show --database company.db ada"))
            #expect(try tool.run().code == 2)
        }
    }

    @Test("The version names the program and the schema of its files, as the article about compatibility does")
    func version() throws {
        try withTool { tool throws in
            let version = try tool.succeed("--version")
            let schema = CommandLineTool.package.appendingPathComponent("Schema/sqlite")
            let steps = try FileManager.default.contentsOfDirectory(atPath: schema.path).filter { $0.hasPrefix("0") }
            #expect(version.wholeMatch(of: #/roster \d+\.\d+\.\d+ \(file schema (\d+)\)\n/#)?.1 == "\(steps.count)")
            #expect(try tool.succeed("version") == version)
            let article = CommandLineTool.package.appendingPathComponent("Sources/Roster/Roster.docc/Compatibility.md")
            #expect(try String(contentsOf: article, encoding: .utf8).contains("```text\n\(version)```"))
        }
    }

    @Test("What is misspelt is answered with what was meant")
    func misspelt() throws {
        try withCompany { tool in
            let calls: [(says: String, arguments: [String])] = [
                ("Did you mean 'search'?", ["serch"]), ("Did you mean 'user'?", ["usr", "show"]),
                ("Did you mean 'user show'?", ["user", "shw"]),
                ("Did you mean --format?", ["search", "--database", "company.db", "--fromat", "json"]),
                ("Did you mean 'title'?", ["user", "modify", "--database", "company.db", "kenji.sato", "titel=x"]),
                ("Did you mean 'title'?", ["search", "--database", "company.db", "--sort", "titel"]),
                ("no option -f", ["search", "--database", "company.db", "-f", "json"]),
                ("--database needs a value", ["search", "--database", "--count"]),
                ("--count takes no value", ["search", "--count=yes"]),
                ("needs --sort", ["search", "--database", "company.db", "--descending"]),
                ("not both", ["search", "--database", "company.db", "--page", "2", "--cursor", "x"]),
                ("one word too many", ["search", "--database", "company.db", "title", "pr"]),
                ("--map is for CSV and LDIF", ["import", "--database", "company.db", "--map", "uid=a", "x.json"]),
            ]
            for (says, arguments) in calls {
                let outcome = try tool.run(arguments)
                #expect(outcome.code == 2, "\(arguments): \(outcome.errors)")
                #expect(outcome.errors.contains(says), "\(outcome.errors)")
                #expect(outcome.output.isEmpty)
            }
        }
    }

    @Test(
        "A filter that looks like LDAP is read as LDAP, any other as SCIM",
        arguments: [
            "(sn=Mü*)", "( | (sn=Müller)(sn=Münch) )", "(&(sn=Mü*)(c=DE))", "(surname sw \"Mü\")",
            "(surname sw \"Mü\" and not (surname eq \"a=b\"))",
        ])
    func filterLanguages(filter: String) throws {
        try withCompany { tool throws in
            #expect(try tool.succeed("search", "--database", "company.db", filter, "--count") == "3\n")
        }
    }

    @Test("Values that are parts, numbers, times and lists are taken from the command line")
    func values() throws {
        try withTool { tool in
            try tool.succeed("attribute", "declare", "--database", "d.db", "badge", "--type", "integer")
            try tool.succeed("attribute", "declare", "--database", "d.db", "since", "--type", "time")
            try tool.succeed("attribute", "declare", "--database", "d.db", "langs", "--multi-valued")
            try tool.succeed(
                "user", "create", "--database", "d.db", "ada", "badge=7", "since=2026-01-31T09:00:00Z", "langs=en",
                "langs=fr",
                "addresses={\"country\": \"GB\", \"type\": \"work\"}", "surname=Lovelace")
            let shown = try json(tool.succeed("user", "show", "--database", "d.db", "ada", "--format", "json"))
            #expect(shown.first?["badge"] as? Int == 7)
            #expect(shown.first?["since"] as? String == "2026-01-31T09:00:00Z")
            #expect(shown.first?["langs"] as? [String] == ["en", "fr"])
            #expect((shown.first?["addresses"] as? [[String: String]])?.first?["country"] == "GB")
            #expect(shown.first?["familyName"] as? String == "Lovelace")
            for wrong in ["badge=x", "since=soon", "addresses={", "langs"] {
                #expect(try tool.run("user", "modify", "--database", "d.db", "ada", wrong).code == 2)
            }
            try tool.succeed("user", "modify", "--database", "d.db", "ada", "langs-=en", "langs+=de", "badge=")
            let after = try json(tool.succeed("user", "show", "--database", "d.db", "ada", "--format", "json"))
            #expect(after.first?["langs"] as? [String] == ["fr", "de"])
            #expect(after.first?["badge"] == nil)
        }
    }

    @Test("A change that expects an older version is refused")
    func versions() throws {
        try withTool { tool in
            try tool.succeed("user", "create", "--database", "d.db", "ada")
            try tool.succeed("user", "modify", "--database", "d.db", "ada", "title=x", "--if-version", "1")
            #expect(try tool.run("user", "delete", "--database", "d.db", "ada", "--if-version", "1").code == 1)
            try tool.succeed("role", "create", "--database", "d.db", "staff")
            #expect(
                try tool.run("role", "modify", "--database", "d.db", "staff", "description=x", "--if-version", "7").code
                    == 1)
            #expect(try tool.run("role", "delete", "--database", "d.db", "staff", "--if-version", "7").code == 1)
            #expect(try tool.succeed("role", "power", "--database", "d.db", "staff") == "none\n")
            try tool.succeed("role", "power", "--database", "d.db", "staff", "help-desk")
            #expect(try tool.succeed("role", "power", "--database", "d.db", "staff") == "help-desk\n")
            #expect(try tool.succeed("role", "show", "--database", "d.db", "staff").contains("help-desk"))
            try tool.succeed("role", "power", "--database", "d.db", "staff", "none")
            #expect(try tool.succeed("role", "power", "--database", "d.db", "staff") == "none\n")
            for power in ["administrator", "king"] {
                #expect(try tool.run("role", "power", "--database", "d.db", "staff", power).code != 0)
            }
            try tool.succeed("role", "delete", "--database", "d.db", "staff", "--if-version", "3")
        }
    }

    @Test("Roles are nested, searched, owned, and their members shown directly or through others")
    func roles() throws {
        try withTool { tool in
            func role(_ words: String...) throws -> String {
                let outcome = try tool.run(["role"] + words, environment: ["ROSTER_DATABASE": "d.db"])
                #expect(outcome.code == 0, "\(words): \(outcome.errors)")
                return outcome.output
            }
            try tool.succeed("user", "create", "--database", "d.db", "ada")
            try tool.succeed("user", "create", "--database", "d.db", "bob")
            _ = try role("create", "staff", "description=Everyone")
            _ = try role("create", "top")
            _ = try role("add", "staff", "ada", "bob")
            _ = try role("add", "top", "staff", "--role")
            _ = try role("add", "top", "bob", "--owner")
            #expect(try role("members", "top", "--attributes", "uid", "--format", "csv") == "uid\r\nada\r\nbob\r\n")
            #expect(try role("members", "top", "--direct").isEmpty)
            #expect(try role("members", "top", "--owner", "--attributes", "uid", "--format", "csv") == "uid\r\nbob\r\n")
            #expect(try json(role("search", "description eq \"everyone\"", "--format", "json")).count == 1)
            #expect(try json(role("list", "--format", "json")).count == 2)
            #expect(try json(role("search", "(cn=st*)", "--format", "json")).count == 1)
            #expect(try json(role("search", "name eq \"nosuch\"", "--format", "json")).isEmpty)
            let wrong = try tool.run("role", "create", "--database", "d.db", "x", "description+=y")
            #expect(wrong.code == 2)
        }
    }

    @Test("Changes are shown after a number, and where more of them are")
    func changes() throws {
        try withTool { tool in
            for name in ["ada", "bob", "cid"] { try tool.succeed("user", "create", "--database", "d.db", name) }
            let page = try tool.run("changes", "--database", "d.db", "--limit", "2", "--format", "json")
            #expect(try json(page.output).compactMap { $0["name"] as? String } == ["ada", "bob"])
            #expect(page.errors == "There are more: add --since 2\n")
            let rest = try tool.run("changes", "--database", "d.db", "--since", "2", "--format", "csv")
            #expect(rest.output.split(separator: "\r\n").count == 2)
            #expect(rest.errors.isEmpty)
        }
    }
}

import Foundation
import Testing

/// `roster serve` with a copy of `company.db`, and an administrator's token in `token`.
private struct Both {
    let tool: CommandLineTool
    let server: RunningServer

    var words: [String] { ["--server", server.url.absoluteString, "--token-file", "token"] }

    func atServer(_ command: [String]) throws -> CommandLineTool.Outcome { try tool.run(command + words) }

    func onFile(_ command: [String]) throws -> CommandLineTool.Outcome {
        try tool.run(command + ["--database", "company.db"])
    }
}

private func withBoth(_ body: (Both) async throws -> Void) async throws {
    try await withTool { tool in
        try tool.succeed("seed", "--database", "company.db", ServeTests.seed)
        let token = try tool.succeed(
            "token", "create", "--database", "company.db", "--name", "ops", "--role", "administrator")
        try token.write(toFile: tool.path("token"), atomically: true, encoding: .utf8)
        try "correct-horse-battery-9\n".write(toFile: tool.path("password"), atomically: true, encoding: .utf8)
        // Starting adds the first administrator and the key, so that both files must have had a start.
        let first = try RunningServer(tool, "--database", "company.db", "--admin-password-file", "password")
        // Both files then have the same last use of the token.
        let used = first.client.request("GET", "/admin/keys", token: token.trimmingCharacters(in: .newlines))
        #expect(try await first.client.ask(used).status == 200)
        #expect(first.stop() == 0)
        for name in ["company.db", "company.db-key"] {
            try FileManager.default.copyItem(
                atPath: tool.path(name), toPath: tool.path(name.replacing("company", with: "served")))
        }
        let server = try RunningServer(tool, "--database", "served.db")
        try await body(Both(tool: tool, server: server))
        #expect(server.stop() == 0)
    }
}

/// The text without what each directory makes by chance: identifiers, secrets and moments.
private func comparable(_ text: String) -> String {
    text.replacing(#/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/#, with: "MOMENT")
        .replacing(#/roster_[A-Za-z0-9_-]+|\b[a-z0-9]{25}\b|\b[A-Za-z0-9_-]{43}\b|\b[0-9a-f]{32}\b/#, with: "SECRET")
        .replacing(#/\b[0-9a-z]{11}\b/#, with: "IDENTIFIER").replacing(#/ {2,}|─+/#, with: " ")
        .replacing(#/--cursor \S+/#, with: "CURSOR")
}

@Suite("--server")
struct ServerOptionTests {
    private static let columns = [
        "--map", "uid=Login", "--map", "givenName=First name", "--map", "hireDate=Hired", "--map", "manager=Boss",
        "--manager-by", "mail", "--date-format", "DD.MM.YYYY", "--no-manager", "none",
    ]
    private static let commands: [[String]] = [
        ["search", "--count"], ["search", "title pr", "--attributes", "uid,title"], ["search", "bad filter("],
        ["search", "--page-size", "5", "--sort", "uid", "--format", "json"], ["user", "show", "kenji.sato"],
        ["user", "show", "nobody"], ["user", "manager", "kenji.sato"], ["user", "reportees", "kenji.sato"],
        ["user", "chain", "kenji.sato"], ["user", "roles", "kenji.sato", "--format", "csv"], ["org"],
        ["org", "kenji.sato", "--up"], ["role", "list"], ["role", "show", "sales"],
        ["role", "search", "name sw \"m\""],
        ["attribute", "list"], ["attribute", "declare", "shoe", "--type", "integer"],
        ["attribute", "declare", "shoe", "--type", "string"], ["attribute", "widen", "shoe", "--type", "decimal"],
        ["attribute", "rules", "shoe", "--minimum", "20"], ["attribute", "set", "shoe", "--readers", "managers"],
        ["attribute", "rename", "shoe", "shoeSize"], ["attribute", "index", "shoeSize", "--remove"],
        ["user", "create", "zoe", "givenName=Zoe", "familyName=Zed", "shoeSize=38"],
        ["user", "create", "zoe"], ["user", "modify", "zoe", "title=Boss", "manager=kenji.sato"],
        ["user", "modify", "zoe", "title=Chief", "--if-version", "1"], ["user", "modify", "zoe", "shoeSize=3"],
        ["role", "create", "testers", "displayName=Testers"], ["role", "modify", "testers", "description=Who test"],
        ["role", "add", "testers", "zoe"], ["role", "members", "testers"], ["role", "power", "testers", "help-desk"],
        ["role", "power", "testers"], ["role", "remove", "testers", "zoe"], ["role", "delete", "testers"],
        ["role", "delete", "testers"], ["attribute", "undeclare", "shoeSize"],
        ["attribute", "undeclare", "shoeSize", "--remove-values"],
        ["user", "password", "zoe", "--password-file", "password"], ["user", "made", "zoe"],
        ["app-password", "create", "zoe", "--name", "mail", "--for", "ldap", "--days", "30"],
        ["app-password", "create", "zoe", "--name", "Mail", "--for", "scim"],
        ["app-password", "create", "zoe", "--name", "x", "--for", "ldap", "--networks", "no network"],
        ["app-password", "list", "zoe"], ["user", "made", "zoe"],
        ["app-password", "revoke", "zoe", "--name", "mail"], ["app-password", "revoke", "zoe", "--name", "mail"],
        ["user", "reset-second-factor", "zoe"], ["user", "reset-second-factor", "nobody"],
        ["user", "reset-second-factor", "zoe", "--kind", "app"], ["user", "second-factors", "zoe"],
        ["user", "second-factors", "nobody"], ["user", "role-changes", "emma.mueller"],
        ["user", "role-changes", "emma.mueller", "--format", "csv", "--last", "1"], ["user", "role-changes", "nobody"],
        ["branding"], ["branding", "--name", "Nordwind", "--color", "#1F5fbf"], ["branding", "--color", "red"],
        ["branding", "--name", "", "--format", "json"], ["branding", "--logo", "company.db"],
        ["view", "set", "Leads", "q=lead&sort=title"], ["view", "set", "Heads", "q=x", "--former", "Leads"],
        ["view", "set", "Bad", "a b"], ["view", "list"], ["view", "delete", "Leads"], ["view", "delete", "Heads"],
        ["backend", "create", "--name", "shop"], ["backend", "create", "--name", "shop"], ["backend", "list"],
        ["backend", "show", "shop"], ["backend", "set", "shop", "--settings", "shop.json"],
        ["backend", "users", "shop"], ["backend", "users", "nothing"], ["backend", "users", "shop", "--last", "0"],
        ["backend", "show", "shop", "--version", "1.0"], ["backend", "secret", "shop"], ["backend", "delete", "shop"],
        ["backend", "show", "shop"], ["token", "create", "--name", "meter", "--role", "monitoring", "--days", "3"],
        ["token", "list"], ["token", "revoke", "--name", "meter"], ["token", "revoke", "--name", "meter"],
        ["key", "rotate", "--algorithm", "RS256"], ["key", "list"], ["key", "remove", "nothing"], ["retention"],
        ["retention", "--changes", "400", "--sign-ins", "ever", "--apply"],
        ["user", "delete", "zoe", "--erase"], ["user", "delete", "zoe"], ["user", "erase", "nobody"],
        ["changes", "--limit", "20"], ["changes", "--limit", "0"], ["export"], ["export", "--format", "csv"],
        ["export", "--format", "ldif", "--base-dn", "dc=example,dc=com"],
        ["export", "--format", "csv", "--base-dn", "dc=x"],
        ["seed", ServeTests.seed], ["seed", "wrong.json"],
        ["import", "hr.csv", "--dry-run"] + columns, ["import", "hr.csv"] + columns,
        ["import", "hr.csv", "--report", "json"] + columns, ["import", "wrong.csv"] + columns,
        ["import", "wrong.csv", "--skip-bad-rows"] + columns, ["import", "hr.csv", "--disable-missing"] + columns,
        ["import", "hr.csv", "--disable-missing", "--scope", "department eq \"Sales\"", "--all-or-nothing"] + columns,
        [
            "import", "hr.csv", "--disable-missing", "--scope", "department eq \"Sales\"", "--disable-at-most", "50",
        ] + columns,
    ]

    @Test("A command at a server has the output and the exit code that it has on a file")
    func same() async throws {
        try await withBoth { both in
            try #"{"scope": "openid", "grant_types": ["client_credentials"]}"#
                .write(toFile: both.tool.path("shop.json"), atomically: true, encoding: .utf8)
            try #"{"people": [{"uid": ""}]}"#
                .write(toFile: both.tool.path("wrong.json"), atomically: true, encoding: .utf8)
            let people = "Login;First name;Hired;Boss\nzoe;Zoë;1.3.2024;kenji.sato@nordwind.example\n"
            try people.write(toFile: both.tool.path("hr.csv"), atomically: true, encoding: .utf8)
            try (people + "max;Max;31.2.2024;none\n")
                .write(toFile: both.tool.path("wrong.csv"), atomically: true, encoding: .utf8)
            for command in Self.commands {
                let (there, here) = (try both.atServer(command), try both.onFile(command))
                #expect(there.code == here.code, "\(command): \(there.errors) and not \(here.errors)")
                #expect(comparable(there.output) == comparable(here.output), "\(command)")
                #expect(comparable(there.errors) == comparable(here.errors), "\(command)")
            }
        }
    }

    @Test("A file of more than 32 MiB goes to the server in parts, and is imported as a whole")
    func largeFile() async throws {
        try await withBoth { both in
            let note = String(repeating: "x", count: 1 << 20)
            let rows = (1...34).map { "large\($0),\(note),\($0 == 1 ? "large34" : "")\n" }
            try ("uid,Note,Boss\n" + rows.joined())
                .write(toFile: both.tool.path("large.csv"), atomically: true, encoding: .utf8)
            let outcome = try both.atServer(["import", "large.csv", "--skip", "Note", "--map", "manager=Boss"])
            #expect(outcome.code == 0 && outcome.output.contains("34 created"), "\(outcome)")
            let manager = try both.atServer(["user", "manager", "large1"])
            #expect(manager.output.contains("large34"), "\(manager)")
        }
    }

    @Test("The change feed names the system's user who ran a command on a file, and the caller of a server")
    func actors() async throws {
        try await withBoth { both in
            for outcome in [try both.atServer(["user", "create", "new"]), try both.onFile(["user", "create", "new"])] {
                #expect(outcome.code == 0, "\(outcome.errors)")
            }
            func actor(_ outcome: CommandLineTool.Outcome) throws -> String? {
                try json(outcome.output).last { $0["name"] as? String == "new" }?["actor"] as? String
            }
            #expect(try actor(both.atServer(["changes", "--format", "json"])) == "ops")
            #expect(try actor(both.onFile(["changes", "--format", "json"])) == "cli:\(NSUserName())")
        }
    }

    @Test("The error for a file that a server has open names the call that works")
    func inUse() async throws {
        try await withBoth { both in
            let refused = try both.tool.run("user", "create", "--database", "served.db", "new")
            #expect(refused.code == 1)
            let call = try #require(
                refused.errors.firstMatch(of: #/Ask that server: roster (.*) --token-file FILE/#)?.1,
                "\(refused.errors)")
            let words = call.split(separator: " ").map(String.init)
            #expect(try both.tool.run(words + ["--token-file", "token", "new"]).code == 0)
            #expect(try both.tool.run("user", "show", "--database", "served.db", "new").code == 0)
        }
    }

    @Test("A wrong address, a wrong token and options that do not go together are told, and change nothing")
    func refused() async throws {
        try await withBoth { both in
            let address = both.server.url.absoluteString
            try "roster_wrong\n".write(toFile: both.tool.path("wrong"), atomically: true, encoding: .utf8)
            for (words, code, text) in [
                (["--server", address], 2, "--token-file FILE, or --store FILE"),
                (["--server", address, "--token-file", "missing"], 2, "cannot be read"),
                (["--server", address, "--token-file", "wrong"], 1, "Check the name and the password, or the token"),
                (["--server", address, "--token-file", "token", "--store", "x"], 2, "not both"),
                (["--server", address, "--token-file", "token", "--database", "company.db"], 2, "not both"),
                (["--server", address, "--store", "missing"], 2, "roster client sign-in"),
                (["--server", "nonsense", "--token-file", "token"], 2, "needs a URL"),
                (["--server", "http://127.0.0.1:1", "--token-file", "token"], 1, "refused the connection"),
                (["--server", "http://example.com", "--token-file", "token"], 1, "https"),
                (["--token-file", "token"], 2, "--token-file needs --server"), ([], 2, "or --server URL"),
            ] {
                let outcome = try both.tool.run(["user", "create", "new"] + words)
                #expect(outcome.code == code && outcome.errors.contains(text), "\(words): \(outcome.errors)")
            }
            #expect(try both.atServer(["user", "show", "new"]).code == 1)
        }
    }

    @Test("A large seed is taken from an administrator; of everybody else, no more than other requests")
    func large() async throws {
        try await withBoth { both in
            let people = (0..<20_000).map {
                #"{"uid": "person\#($0)", "familyName": "\#(String(repeating: "x", count: 40))"}"#
            }
            let seed = #"{"people": [\#(people.joined(separator: ","))]}"#
            try seed.write(toFile: both.tool.path("large.json"), atomically: true, encoding: .utf8)
            #expect(seed.utf8.count > 1 << 20)
            let client = both.server.client
            let monitor = try both.tool.succeed(
                "token", "create", "--server", both.server.url.absoluteString, "--token-file", "token", "--name",
                "meter",
                "--role", "monitoring"
            ).trimmingCharacters(in: .newlines)
            for token in [nil, "roster_wrong", monitor] {
                let status = try await client.ask(client.request("POST", "/admin/seed", token: token, body: seed))
                    .status
                #expect(status == 413)
            }
            let taken = try both.atServer(["seed", "large.json"])
            #expect(taken.output.hasPrefix("users: 20000 created"), "\(taken.errors)")
            #expect(try both.atServer(["search", "--count"]).output == "20041\n")
        }
    }
}

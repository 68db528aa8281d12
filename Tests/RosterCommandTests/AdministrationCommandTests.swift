import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("What the console shows, on the command line", .timeLimit(.minutes(5)))
struct AdministrationCommandTests {
    @Test(
        "The changes of a user's roles are shown in their order, also those of deleted roles, and --last takes the end")
    func roleChanges() throws {
        try withTool { tool in
            func run(_ words: String...) throws { try #require(tool.run(words + ["--database", "d.db"]).code == 0) }
            try run("user", "create", "ada")
            try run("role", "create", "staff")
            try run("role", "add", "staff", "ada")
            try run("role", "add", "staff", "ada", "--owner")
            try run("role", "remove", "staff", "ada")
            try run("role", "delete", "staff")
            func changes(_ words: String...) throws -> [[String: Any]] {
                let shown = try tool.run(
                    ["user", "role-changes", "ada", "--database", "d.db", "--format", "json"] + words)
                return try json(shown.output)
            }
            let all = try changes()
            #expect(
                all.map { "\($0["kind"] ?? "") \($0["relation"] ?? "") \($0["role"] ?? "")" } == [
                    "added member staff", "added owner staff", "removed member staff", "removed owner staff",
                ])
            #expect(all.map { $0["role_deleted"] as? Bool } == [nil, nil, nil, true])
            #expect(all.allSatisfy { $0["actor"] as? String == "cli:\(NSUserName())" })
            let last = try changes("--last", "2")
            #expect(last.map { $0["sequence"] as? Int } == all.suffix(2).map { $0["sequence"] as? Int })
            // A page has 200 changes.
            let roles = (0..<202).map { #"{"name": "role\#($0)", "members": ["ada"]}"# }.joined(separator: ",")
            try #"{"roles": [\#(roles)]}"#.write(toFile: tool.path("roles.json"), atomically: true, encoding: .utf8)
            try run("seed", "roles.json")
            #expect(try changes("--last", "1000").count == 206)
            #expect(try changes().count == 100)
            try run("user", "create", "bob")
            let none = try tool.run("user", "role-changes", "--database", "d.db", "bob")
            #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("no change of the roles"))
        }
    }

    @Test(
        "The second factors of a user are listed without their secrets, and one of them is removed, by the help desk too"
    )
    func secondFactors() async throws {
        try await withTool { (tool: CommandLineTool) async throws in
            try tool.succeed("seed", "--database", "d.db", ServeTests.seed)
            for (name, password) in [("emma.mueller", "Harbour-Lantern-47"), ("haruka.ito", "Copper-Meadow-81")] {
                try password.write(toFile: tool.path("password"), atomically: true, encoding: .utf8)
                try tool.succeed("user", "password", "--database", "d.db", "--password-file", "password", name)
            }
            try tool.succeed("role", "create", "--database", "d.db", "helpers")
            try tool.succeed("role", "add", "--database", "d.db", "helpers", "haruka.ito")
            try tool.succeed("role", "power", "--database", "d.db", "helpers", "help-desk")
            let none = try tool.run("user", "second-factors", "--database", "d.db", "emma.mueller")
            #expect(none.code == 0 && none.output.isEmpty && none.errors.contains("has no second factor"))
            #expect(!FileManager.default.fileExists(atPath: tool.path("d.db-key")), "a list makes no key file")

            let settings = #"{"trusted": true, "grant_types": ["password"], "scope": "\#(Self.scope)"}"#
            try settings.write(toFile: tool.path("desk.json"), atomically: true, encoding: .utf8)
            let made = try tool.succeed(
                "backend", "create", "--database", "d.db", "--name", "desk", "--settings", "desk.json")
            let id = String(try #require(made.firstMatch(of: #/client_id +(\S+)/#)?.1))
            let secret = String(try #require(made.firstMatch(of: #/client_secret +(\S+)/#)?.1))
            try secret.write(toFile: tool.path("secret"), atomically: true, encoding: .utf8)
            let server = try RunningServer(tool, "--database", "d.db")
            func setQuestions() async throws {
                let questions =
                    #"{"questions": [{"question": "First street?", "answer": "Rue de la Paix"}, "#
                    + #"{"question": "First teacher?", "answer": "Aunt Zoë"}]}"#
                let answer = try await server.client.ask(
                    server.client.request(
                        "PUT", "/mobile/platform/users/~/challenge-questions", user: "emma.mueller:Harbour-Lantern-47",
                        body: questions))
                #expect(answer.status == 204, "\(answer)")
            }
            try await setQuestions()
            let words = ["--server", server.url.absoluteString, "--store", "desk.secrets"]
            let signIn = try tool.run(
                ["client", "sign-in"] + words + [
                    "--client-id", id, "--client-secret-file", "secret", "--scope", Self.scope, "--user", "haruka.ito",
                    "--password-file", "password",
                ])
            #expect(signIn.code == 0, "\(signIn.errors)")
            let listed = try tool.run(["user", "second-factors", "emma.mueller", "--format", "json"] + words)
            try #require(listed.code == 0, "\(listed)")
            #expect(try json(listed.output).first?["questions"] as? Int == 2)
            #expect(!listed.output.contains("street"))
            let wrong = try tool.run(["user", "reset-second-factor", "emma.mueller", "--kind", "app"] + words)
            #expect(wrong.code == 1 && wrong.errors.contains("has no second factor of the kind app"), "\(wrong)")
            let removed = try tool.run(["user", "reset-second-factor", "emma.mueller", "--kind", "questions"] + words)
            #expect(removed.code == 0, "\(removed)")
            try await setQuestions()
            #expect(server.stop() == 0)

            func onFile(_ words: String...) throws -> CommandLineTool.Outcome {
                try tool.run(["user"] + words + ["emma.mueller", "--database", "d.db"])
            }
            #expect(
                try json(onFile("second-factors", "--format", "json").output).first?["kind"] as? String == "questions")
            #expect(try onFile("reset-second-factor", "--kind", "app").code == 1)
            #expect(try onFile("reset-second-factor", "--kind", "phone").code == 2)
            #expect(try onFile("reset-second-factor", "--kind", "questions").code == 0)
            #expect(try onFile("second-factors", "--format", "json").output == "[]\n")
        }
    }

    private static let scope = "openid directory directory:manage"

    @Test("Whoever uses a backend is listed with the time, on a file and at a server")
    func users() async throws {
        try await withTool { (tool: CommandLineTool) async throws in
            try tool.succeed("seed", "--database", "d.db", ServeTests.seed)
            try "Harbour-Lantern-47".write(toFile: tool.path("password"), atomically: true, encoding: .utf8)
            let settings =
                #"{"public": true, "grant_types": ["password", "refresh_token"], "scope": "\#(Self.offline)"}"#
            try settings.write(toFile: tool.path("shop.json"), atomically: true, encoding: .utf8)
            let made = try tool.succeed(
                "backend", "create", "--database", "d.db", "--name", "shop", "--settings", "shop.json")
            let id = String(try #require(made.firstMatch(of: #/client_id +(\S+)/#)?.1))
            let names = ["emma.mueller", "tom.evans", "kenji.sato"]
            for name in names {
                try tool.succeed("user", "password", "--database", "d.db", "--password-file", "password", name)
            }
            let token = try tool.succeed(
                "token", "create", "--database", "d.db", "--name", "ops", "--role", "administrator")
            try token.write(toFile: tool.path("token"), atomically: true, encoding: .utf8)
            let server = try RunningServer(tool, "--database", "d.db")
            let address = server.url.absoluteString
            for name in names {
                let signIn = try tool.run(
                    "client", "sign-in", "--server", address, "--store", name, "--client-id", id, "--scope",
                    Self.offline, "--user", name, "--password-file", "password")
                #expect(signIn.code == 0, "\(signIn.errors)")
            }
            let users = ["backend", "users", "shop", "--format", "json"]
            let there = try tool.run(users + ["--server", address, "--token-file", "token"])
            #expect(server.stop() == 0)
            let here = try tool.run(users + ["--database", "d.db"])
            #expect(here.output == there.output, "\(there.errors)")
            let rows = try json(here.output)
            #expect(Set(rows.map { $0["name"] as? String }).count == 3 && rows.count == 3)
            #expect(rows.allSatisfy { $0["tokens"] as? Bool == true && $0["used"] is String }, "\(rows)")
            let last = try tool.run(users + ["--database", "d.db", "--last", "2"])
            #expect(try json(last.output).count == 2)
        }
    }

    private static let offline = "openid offline_access"

    @Test("The organization's name, colour and logo are set and removed, and what is wrong changes nothing")
    func branding() throws {
        try withTool { tool in
            _ = try tool.run("user", "create", "--database", "d.db", "ada")
            func branding(_ words: String...) throws -> CommandLineTool.Outcome {
                try tool.run(["branding", "--database", "d.db", "--format", "json"] + words)
            }
            func shown() throws -> [String: String] { try json(branding().output).first as? [String: String] ?? [:] }
            #expect(try shown() == [:])
            // A PNG of 16 by 16 pixels, as far as its size is read.
            var picture: [UInt8] = [
                0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52,
            ]
            picture += [0, 0, 0, 16, 0, 0, 0, 16, 8, 6] + [UInt8](repeating: 0, count: 30)
            try Data(picture).write(to: URL(fileURLWithPath: tool.path("logo.png")))
            #expect(try branding("--name", "Nordwind", "--color", "#1F5FBF", "--logo", "logo.png").code == 0)
            let all = try shown()
            #expect(all["name"] == "Nordwind" && all["color"] == "#1f5fbf")
            #expect(all["logo"]?.hasPrefix("branding/logo?tag=") == true)
            for (words, code) in [
                (["--color", "red", "--name", "x"], 1), (["--logo", "d.db"], 1), (["--logo", "no"], 2),
            ] {
                let refused = try tool.run(["branding", "--database", "d.db"] + words)
                #expect(refused.code == code && !refused.errors.isEmpty, "\(words): \(refused)")
            }
            #expect(try shown() == all)
            #expect(try branding("--logo", "", "--name", "").code == 0)
            #expect(try shown() == ["color": "#1f5fbf"])
        }
    }

    @Test("Views are saved, renamed, listed and deleted")
    func views() throws {
        try withTool { tool in
            _ = try tool.run("user", "create", "--database", "d.db", "ada")
            func view(_ words: String...) throws -> CommandLineTool.Outcome {
                try tool.run(["view"] + words + ["--database", "d.db"])
            }
            #expect(try view("set", "Leads", "q=lead&sort=title").code == 0)
            #expect(try view("set", "All leads", "q=lead", "--former", "Leads").code == 0)
            #expect(try view("set", "New", "q=new").code == 0)
            #expect(try view("set", "Bad", "a b").code == 1)
            let shown = try json(view("list", "--format", "json").output) as? [[String: String]]
            #expect(shown == [["name": "All leads", "state": "q=lead"], ["name": "New", "state": "q=new"]])
            #expect(try view("delete", "New").code == 0)
            #expect(try view("delete", "New").code == 1)
        }
    }

    @Test("Settings are stored, listed and deleted, and what is wrong changes nothing")
    func settings() throws {
        try withTool { tool in
            _ = try tool.run("user", "create", "--database", "d.db", "ada")
            func setting(_ words: String...) throws -> CommandLineTool.Outcome {
                try tool.run(["setting"] + words + ["--database", "d.db"])
            }
            func stored() throws -> [String: Bool?] {
                let all = try json(setting("list", "policies", "--format", "json").output)
                let own = all.filter { $0["source"] as? String == "directory" && $0["has_secret"] as? Bool == false }
                return Dictionary(
                    own.map { ($0["name"] as? String ?? "", ($0["value"] as? [String: Bool])?["value"]) }
                ) { $1 }
            }
            #expect(try stored().isEmpty)
            for (name, text) in [("good", #"{"value": false}"#), ("bad", #"{"value": "no"}"#), ("none", "x")] {
                try text.write(toFile: tool.path(name), atomically: true, encoding: .utf8)
            }
            #expect(try setting("set", "policies", "allow_bare_basic", "--json", "good").code == 0)
            let origin = #"{"value": "no origin"}"#
            try origin.write(toFile: tool.path("origin"), atomically: true, encoding: .utf8)
            let wrong: [([String], Int32)] = [
                (["set", "policies", "allow_bare_basic", "--json", "bad"], 1),
                (["set", "policies", "allow_bare_basic", "--json", "none"], 1),
                (["set", "policies", "unknown", "--json", "good"], 1), (["set", "others", "x", "--json", "good"], 2),
                (["set", "policies", "Security_AllowOrigin", "--json", "origin"], 1),
                (["set", "policies", "allow_bare_basic"], 2), (["delete", "policies", "token_settings"], 1),
            ]
            for (words, code) in wrong {
                let refused = try tool.run(["setting"] + words + ["--database", "d.db"])
                #expect(refused.code == code && !refused.errors.isEmpty, "\(words): \(refused)")
            }
            #expect(try stored() == ["allow_bare_basic": false])
            #expect(try setting("delete", "policies", "allow_bare_basic").code == 0)
            #expect(try stored().isEmpty)
        }
    }

    @Test("The sessions and devices of a user are listed, and signing out is recorded in the change feed")
    func sessions() throws {
        try withTool { tool in
            _ = try tool.run("user", "create", "--database", "d.db", "ada")
            func user(_ words: String...) throws -> CommandLineTool.Outcome {
                try tool.run(["user"] + words + ["--database", "d.db"])
            }
            #expect(try user("sessions", "ada", "--format", "json").output == "[]\n")
            #expect(try user("devices", "ada", "--format", "json").output == "[]\n")
            #expect(try user("end-session", "ada", "--session", "none").code == 1)
            #expect(try user("end-session", "ada").code == 2)
            #expect(try user("end-device", "ada", "--device", "none").code == 1)
            #expect(try user("sign-out", "ada").output == "ada is signed out everywhere.\n")
            #expect(try user("sign-out", "nobody").code == 1)
            let changes = try tool.run("changes", "--database", "d.db", "--of", "ada", "--format", "json").output
            #expect(changes.contains("sign-out"))
        }
    }
}

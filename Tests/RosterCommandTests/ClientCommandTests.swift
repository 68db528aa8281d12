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

/// `roster serve` with an app that is registered there, and the tool of somebody who tries the app.
private struct TriedApp {
    static let password = "correct-horse-battery-9"
    static let scope = "openid profile offline_access directory"

    let tool: CommandLineTool
    let server: RunningServer
    let clientID: String

    var common: [String] { ["--server", server.url.absoluteString, "--store", "app.secrets"] }

    /// Runs `roster client …`.
    func run(_ command: String, _ words: String...) throws -> CommandLineTool.Outcome {
        try tool.run(["client", command] + common + words)
    }

    /// Runs what must go well; returns what it wrote to standard output.
    @discardableResult
    func succeed(_ command: String, _ words: String...) throws -> String {
        let outcome = try tool.run(["client", command] + common + words)
        #expect(outcome.code == 0, "\(command) \(words): \(outcome.errors)")
        return outcome.output
    }

    @discardableResult
    func signIn(_ words: String..., scope: String = scope) throws -> CommandLineTool.Outcome {
        try tool.run(["client", "sign-in"] + common + ["--client-id", clientID, "--scope", scope] + words)
    }

    /// A browser that signs in as the administrator, and allows what is asked.
    func browser() throws -> String {
        let script = """
            page=$(curl -s -c jar -b jar "$1")
            for form in 'username=admin&password=\(Self.password)' 'decision=allow'; do
              request=$(printf %s "$page" | sed -n 's/.*name="request" value="\\([^"]*\\)".*/\\1/p' | head -n 1)
              page=$(curl -s -L -c jar -b jar -d "$form" --data-urlencode "request=$request" "${1%%\\?*}")
            done
            case $page in *"close this window"*) ;; *) echo "$page"; exit 1 ;; esac

            """
        try script.write(toFile: tool.path("browser.sh"), atomically: true, encoding: .utf8)
        return "sh browser.sh"
    }
}

private func withTriedApp(_ body: (TriedApp) async throws -> Void) async throws {
    try await withTool { tool in
        try tool.succeed("seed", "--database", "company.db", ServeTests.seed)
        try (TriedApp.password + "\n").write(toFile: tool.path("password"), atomically: true, encoding: .utf8)
        let settings = """
            {"redirect_uris": ["http://127.0.0.1/callback"], "public": true, "consent": true, "scope": "\(TriedApp.scope)",
             "grant_types": ["authorization_code", "refresh_token", "password",
                             "urn:ietf:params:oauth:grant-type:device_code"]}
            """
        try settings.write(toFile: tool.path("shop.json"), atomically: true, encoding: .utf8)
        let made = try tool.succeed(
            "backend", "create", "--database", "company.db", "--name", "shop", "--settings", "shop.json")
        let id = try #require(made.firstMatch(of: #/client_id +(\S+)/#)?.1)
        let server = try RunningServer(tool, "--database", "company.db", "--admin-password-file", "password")
        try await body(TriedApp(tool: tool, server: server, clientID: String(id)))
        #expect(server.stop() == 0)
    }
}

@Suite("roster client", .serialized)
struct ClientCommandTests {
    @Test("A browser signs in, a token is printed, and the directory is shown as from a file")
    func browser() async throws {
        try await withTriedApp { app in
            let done = try app.signIn("--browser", try app.browser(), "--json")
            #expect(done.code == 0, "\(done.errors)")
            #expect(try json(done.output).first?["user"] as? String == "admin")
            let token = try app.succeed("token")
            #expect(token.split(separator: "\n").count == 1 && token.split(separator: ".").count == 3)
            #expect(try app.succeed("call", "GET", "/scim/v2/Me").contains("\"userName\""))
            let status = try await app.server.client.ask(
                app.server.client.request("GET", "/scim/v2/Me", token: token.trimmingCharacters(in: .newlines))
            ).status
            #expect(status == 200)
            for (remote, local) in [
                (["users", "emma.mueller"], ["user", "show", "emma.mueller"]),
                (["users", "--filter", "surname sw \"Mü\""], ["search", "surname sw \"Mü\""]),
                (["users", "--filter", "(sn=Mü*)", "--json"], ["search", "(sn=Mü*)", "--format", "json"]),
                (
                    ["users", "--sort", "uid", "--page-size", "5", "--format", "csv"],
                    ["search", "--sort", "uid", "--page-size", "5", "--format", "csv"]
                ),
                (["users", "--count"], ["search", "--count"]),
                (["roles", "sales"], ["role", "show", "sales"]),
                (["roles", "--filter", "name sw \"m\""], ["role", "list", "name sw \"m\""]),
                (["changes", "--limit", "20", "--json"], ["changes", "--limit", "20", "--format", "json"]),
            ] {
                let shown = try app.tool.run(["client", remote[0]] + app.common + remote.dropFirst())
                let words = local[0] == "user" || local[0] == "role" ? 2 : 1
                let expected = try app.tool.run(
                    Array(local.prefix(words)) + ["--database", "company.db"] + local.dropFirst(words))
                #expect(shown.code == 0 && shown.output == expected.output, "\(remote): \(shown.errors)")
            }
            let out = try app.succeed("sign-out")
            #expect(out.hasPrefix("Signed out.") && out.contains("The server has ended the tokens."), "\(out)")
            #expect(out.contains("/oauth2/logout?") && !out.contains("id_token_hint"))
            #expect(try app.run("token").code == 1)
            #expect(try app.succeed("sign-out") == "Nobody was signed in.\n")
        }
    }

    @Test("Without a command for the browser the URL is shown, and a command that fails ends the sign-in")
    func noBrowser() async throws {
        try await withTriedApp { app in
            let failed = try app.signIn("--browser", "echo no display >&2; false")
            #expect(failed.code == 1 && failed.errors.contains("The command of --browser ended with status 1."))
            let errors = Pipe()
            let process = try app.tool.start(
                ["client", "sign-in"] + app.common + ["--client-id", app.clientID], FileHandle.nullDevice, errors)
            try errors.fileHandleForWriting.close()
            var said = Data()
            while !String(decoding: said, as: UTF8.self).contains("code_challenge") {
                let more = errors.fileHandleForReading.availableData
                if more.isEmpty { break }
                said += more
            }
            #expect(
                String(decoding: said, as: UTF8.self).contains("\n\(app.server.url.absoluteString)/oauth2/authorize?"))
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
            let last = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            #expect(last.hasSuffix("roster: interrupted\n"), "\(last)")
            let wrong = try app.run("token")
            #expect(wrong.code == 1 && wrong.errors.contains("Sign in with 'roster client sign-in'."))
        }
    }

    @Test("A password signs in, and challenge questions are asked; nothing of the answers is shown")
    func password() async throws {
        try await withTriedApp { app in
            #expect(try app.signIn("--user", "admin", "--password-file", "password").code == 0)
            try app.succeed("token")
            let wrong = try app.signIn("--user", "admin", "--password-file", "shop.json")
            #expect(wrong.code == 1 && wrong.errors.contains("is wrong") && !wrong.errors.contains("redirect_uris"))
            let body =
                #"{"questions": [{"question": "First street?", "answer": "Main Road"}, {"question": "First pet?", "answer": "Rex the dog"}]}"#
            let asked = try await app.server.client.ask(
                app.server.client.request(
                    "PUT", "/mobile/platform/users/~/challenge-questions", user: "admin:\(TriedApp.password)",
                    body: body))
            #expect(asked.status < 300)
            let terminal = try PseudoTerminal(columns: 80)
            let process = try terminal.handOver { end in
                try app.tool.start(
                    ["client", "sign-in"] + app.common + ["--client-id", app.clientID, "--user", "admin"], end, end,
                    input: end)
            }
            #expect(terminal.read(until: "Password of admin: ").contains("Password of admin: "))
            terminal.type(TriedApp.password + "\n")
            #expect(!terminal.read(until: "First street?: ").contains(TriedApp.password))
            terminal.type("Main Road\n")
            #expect(terminal.read(until: "First pet?: ").contains("First pet?: "))
            terminal.type("Rex the dog\n")
            let said = terminal.read()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0 && !said.contains("Rex the dog"), "\(said)")
            #expect(said.contains("user") && said.contains("admin"))
        }
    }

    @Test("A device is signed in when the user approves its code")
    func device() async throws {
        try await withTriedApp { app in
            _ = try app.browser()
            // The browser's script ends with an error, because the page of a device leads to no app.
            let script = "sh browser.sh \"$(sed -n 's/^or open //p' \"$1\")\" >/dev/null; true\n"
            try script.write(toFile: app.tool.path("approve.sh"), atomically: true, encoding: .utf8)
            let log = app.tool.path("device.log")
            _ = FileManager.default.createFile(atPath: log, contents: nil)
            let process = try app.tool.start(
                ["client", "sign-in"] + app.common + ["--client-id", app.clientID, "--device"], FileHandle.nullDevice,
                try FileHandle(forWritingTo: URL(fileURLWithPath: log)))
            let end = ContinuousClock.now + .seconds(30)
            while try !String(contentsOfFile: log, encoding: .utf8).contains("or open "), ContinuousClock.now < end {
                usleep(10_000)
            }
            #expect(try String(contentsOfFile: log, encoding: .utf8).contains("/oauth2/device and type the code "))
            let approval = Process()
            approval.executableURL = URL(fileURLWithPath: "/bin/sh")
            approval.arguments = ["approve.sh", log]
            approval.currentDirectoryURL = app.tool.folder
            try approval.run()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
            try app.succeed("token")
        }
    }

    @Test("The token goes to the server only, and failures of calls have an exit code")
    func calls() async throws {
        try await withTriedApp { app in
            #expect(try app.signIn("--user", "admin", "--password-file", "password").code == 0)
            let url = app.server.url.absoluteString
            #expect(try app.succeed("call", "GET", url + "/scim/v2/Me?attributes=userName").contains("admin"))
            let body = #"{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "ada"}"#
            try body.write(toFile: app.tool.path("body.json"), atomically: true, encoding: .utf8)
            #expect(try app.succeed("call", "POST", "/scim/v2/Users", "--body", "body.json").contains("\"ada\""))
            #expect(try app.run("call", "POST", "/scim/v2/Users", "--body", "body.json").code == 1)
            let missing = try app.run("call", "GET", "/scim/v2/Users/nobody")
            #expect(missing.code == 1 && missing.output.contains("404"))
            #expect(missing.errors == "roster: The server answered with the status 404.\n")
            let port = app.server.url.port ?? 0
            for other in [
                "https://example.com/", "http://127.0.0.1:1/", "https://127.0.0.1:\(port)/", "//example.com/x", "me",
                "http://127.0.0.1:\(port)@example.com/", "http://u@127.0.0.1:\(port)/", "file:///etc/passwd",
                "http://localhost:\(port)/", "http://127.0.0.1:\(port)\\@example.com/",
            ] {
                let refused = try app.run("call", "GET", other)
                #expect(refused.code == 2 && refused.output.isEmpty, "\(other): \(refused.errors)")
            }
            #expect(try app.run("call", "get", "/").code == 2)
        }
    }

    @Test("Another user's rights, a missing scope, and a server that is away are explained")
    func failures() async throws {
        try await withTriedApp { app in
            #expect(
                try app.signIn("--user", "admin", "--password-file", "password", scope: "openid offline_access").code
                    == 0)
            let narrow = try app.run("users")
            #expect(narrow.code == 1 && narrow.errors.contains("'directory'") && narrow.errors.contains("--scope"))
            #expect(try app.signIn("--user", "admin", "--password-file", "password").code == 0)
            #expect(try app.run("users", "nobody").code == 1)
            #expect(try app.run("users", "--filter", "surname xx").code == 2)
            #expect(try app.run("users", "ada", "--filter", "active eq true").code == 2)
            #expect(try app.run("users", "--json", "--format", "csv").code == 2)
            let token = try app.succeed("token")
            app.server.stop()
            #expect(try app.succeed("token") == token, "a valid token needs no server")
            let away = try app.run("users")
            #expect(away.code == 1 && !away.errors.contains(token.prefix(20)), "\(away.errors)")
            let out = try app.succeed("sign-out", "--json")
            let report = try #require(try json(out).first)
            #expect(report["wasSignedIn"] as? Bool == true && report["tokensToRevoke"] as? Int == 1, "\(out)")
        }
    }

    @Test("Following shows a change of another client at once, and ends with Ctrl-C")
    func following() async throws {
        try await withTriedApp { app in
            #expect(try app.signIn("--user", "admin", "--password-file", "password").code == 0)
            let last = try #require(
                try json(app.succeed("changes", "--limit", "10000", "--json")).last?["sequence"] as? Int)
            let output = Pipe()
            let process = try app.tool.start(
                ["client", "changes"] + app.common + ["--since", "\(last)", "--follow", "--json"], output,
                FileHandle.nullDevice)
            let body = #"{"schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"], "userName": "ada"}"#
            let made = try await app.server.client.ask(
                app.server.client.request("POST", "/scim/v2/Users", user: "admin:\(TriedApp.password)", body: body))
            #expect(made.status == 201)
            var lines = Data()
            while !String(decoding: lines, as: UTF8.self).contains("\"name\": \"ada\"") {
                let more = output.fileHandleForReading.availableData
                if more.isEmpty { break }
                lines += more
            }
            #expect(String(decoding: lines, as: UTF8.self).contains("\"kind\": \"created\""))
            process.interrupt()
            process.waitUntilExit()
            #expect(process.terminationStatus == 130)
        }
    }

    @Test("The store opens with its key file or its passphrase, and with nothing else")
    func keys() async throws {
        try await withTriedApp { app in
            let words = ["--user", "admin", "--password-file", "password"]
            let sign = { (more: [String]) in
                try app.tool.run(
                    ["client", "sign-in"] + app.common + ["--client-id", app.clientID] + words + more)
            }
            #expect(try sign([]).code == 0)
            let mode = try FileManager.default.attributesOfItem(atPath: app.tool.path("app.secrets.key"))[
                .posixPermissions]
            #expect(mode as? Int == 0o600)
            #expect(try app.run("token", "--key-file", "app.secrets.key").code == 0)
            try FileManager.default.moveItem(atPath: app.tool.path("app.secrets.key"), toPath: app.tool.path("moved"))
            let lost = try app.run("token")
            #expect(lost.code == 1 && lost.errors.contains("--key-file"), "\(lost.errors)")
            #expect(try app.run("token", "--key-file", "moved").code == 0)
            for name in ["app.secrets", "moved"] { try FileManager.default.removeItem(atPath: app.tool.path(name)) }
            #expect(try app.run("token").code == 2)
            try "a passphrase\n".write(toFile: app.tool.path("phrase"), atomically: true, encoding: .utf8)
            #expect(try sign(["--passphrase-file", "phrase"]).code == 0)
            #expect(try app.run("token", "--passphrase-file", "phrase").code == 0)
            let wrong = try app.run("token", "--passphrase-file", "password")
            #expect(wrong.code == 1 && wrong.errors.contains("another passphrase"), "\(wrong.errors)")
            #expect(!wrong.errors.contains(TriedApp.password))
            #expect(try app.run("token", "--passphrase-file", "phrase", "--key-file", "k").code == 2)
        }
    }

    @Test("Calls that lack something say what")
    func wrongCalls() throws {
        try withTool { tool throws in
            for (says, arguments) in [
                ("Which server?", ["client", "token"]), ("Which store?", ["client", "token", "--server", "https://x"]),
                ("no store", ["client", "token", "--server", "https://x", "--store", "none"]),
                ("--server needs a URL", ["client", "token", "--server", "ftp://x", "--store", "none"]),
                ("Which app?", ["client", "sign-in", "--server", "https://x", "--store", "s"]),
                (
                    "not an https URL",
                    ["client", "sign-in", "--server", "http://example.com", "--store", "s", "--client-id", "a"]
                ),
                ("Give one of", ["client", "sign-in", "--client-id", "a", "--device", "--user", "x"]),
                ("Did you mean 'client token'?", ["client", "tokn"]),
            ] {
                let outcome = try tool.run(arguments)
                #expect(outcome.code == 2 && outcome.output.isEmpty, "\(arguments): \(outcome.errors)")
                #expect(outcome.errors.contains(says), "\(outcome.errors)")
            }
            for command in ["sign-in", "token", "call", "users", "roles", "changes", "sign-out"] {
                #expect(try tool.succeed("help", "client", command).contains("--store FILE"))
                #expect(try tool.succeed("--help").contains("client \(command) "))
            }
        }
    }
}

import Foundation
import Synchronization
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif
#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("roster serve", .serialized)
struct ServeTests {
    static let seed = CommandLineTool.package.appendingPathComponent("Seeds/company.json").path
    static let people = "/oic_rest/rest/userprofile/people"

    @Test("The first start serves the seed, and shows a password that works; strangers get nothing")
    func firstStart() async throws {
        try await withTool { tool in
            let server = try RunningServer(tool, "--database", "company.db", "--seed", Self.seed)
            let password = try #require(server.password)
            #expect(server.welcome.contains("curl -u 'admin:\(password)' '\(server.url)/scim/v2/Users?count=3'"))
            let found = try await server.client.ask(
                server.client.request("GET", "/scim/v2/Users?count=3", user: "admin:\(password)"))
            #expect(found.status == 200)
            #expect(found.body["totalResults"] as? Int == 41, "forty of the seed, and the administrator")
            let kenji = try await server.client.ask(
                server.client.request("GET", Self.people + "/kenji.sato", user: "admin:\(password)"))
            #expect(kenji.body["title"] as? String == "Head of Engineering")
            for path in [
                "/scim/v2/Users", Self.people, "/metrics", "/mobile/platform/users/~", Self.people + "/changes",
            ] {
                #expect(try await server.client.ask(server.client.request("GET", path)).status == 401, "\(path)")
            }
            #expect(
                try await server.client.ask(server.client.request("GET", "/scim/v2/Users", user: "admin:wrong")).status
                    == 401)
            #expect(try await server.client.ask(server.client.request("GET", "/healthz")).status == 200)
            #expect(server.stop() == 0)
            let log = try server.logText()
            #expect(log.contains(#""who":"admin""#) && log.contains(#""path":"/scim/v2/Users""#))
            #expect(!log.contains(password) && !log.contains("count=3"))
        }
    }

    @Test("With --no-bare-basic a password needs a backend, and --apis says what may be called without one")
    func withoutBackends() async throws {
        try await withTool { tool in
            try Data(#"{"apis": {"mobile": {}}}"#.utf8).write(to: tool.folder.appendingPathComponent("apis.json"))
            try Data("a long enough secret\n".utf8).write(to: tool.folder.appendingPathComponent("pw"))
            let user = "admin:a long enough secret"
            var server = try RunningServer(tool, "--in-memory", "--admin-password-file", "pw", "--apis", "apis.json")
            for (path, status) in [("/scim/v2/Users", 403), ("/mobile/platform/users/~", 200)] {
                let request = server.client.request("GET", path, user: user)
                #expect(try await server.client.ask(request).status == status, "\(path)")
            }
            #expect(server.stop() == 0)
            server = try RunningServer(tool, "--in-memory", "--admin-password-file", "pw", "--no-bare-basic")
            let request = server.client.request("GET", "/mobile/platform/users/~", user: user)
            #expect(try await server.client.ask(request).status == 401)
            #expect(server.stop() == 0)
            #expect(try tool.run(["serve", "--in-memory", "--apis", "nosuch.json"]).code != 0)
        }
    }

    @Test("A later start shows no password, loads no seed over what has changed, and takes the old password")
    func laterStart() async throws {
        try await withTool { tool in
            try Data("a long enough secret\n".utf8).write(to: tool.folder.appendingPathComponent("pw"))
            let user = "admin:a long enough secret"
            var server = try RunningServer(
                tool, "--database", "c.db", "--seed", Self.seed, "--admin-password-file", "pw")
            #expect(server.password == nil, "it was given")
            let change = server.client.request(
                "PUT", Self.people + "/kenji.sato", user: user, body: #"{"title":"Chief Engineer"}"#)
            #expect(try await server.client.ask(change).status == 200)
            #expect(server.stop(SIGINT) == 0)
            server = try RunningServer(
                tool, "--database", "c.db", "--seed", Self.seed, "--admin-password-file", "pw")
            #expect(server.password == nil)
            let kenji = try await server.client.ask(
                server.client.request("GET", Self.people + "/kenji.sato", user: user))
            #expect(kenji.body["title"] as? String == "Chief Engineer")
            server.stop()
            #expect(try server.logText().contains("seed was not loaded"))
            #expect(try server.logText().contains("the password of --admin-password-file was not set"))
        }
    }

    @Test("Two servers cannot open one file, and the second says who has it")
    func oneServerOneFile() throws {
        try withTool { tool in
            let server = try RunningServer(tool, "--database", "c.db")
            let second = try tool.run("serve", "--database", "c.db", "--listen", "127.0.0.1:0")
            #expect(second.code == 1)
            #expect(second.errors.contains("\(server.process.processIdentifier)"), "\(second.errors)")
            #expect(server.stop() == 0)
        }
    }

    @Test("A first start that finds its address taken makes no directory, and a later one shows the password")
    func addressTaken() async throws {
        try await withTool { tool in
            let unread = try tool.run("serve", "--database", "other.db", "--issuers", "nosuch.json")
            #expect(unread.code == 1 && unread.output.isEmpty, "nobody is made before the arguments are read")
            let server = try RunningServer(tool, "--database", "c.db")
            let address = try #require(server.url.absoluteString.split(separator: "/").last.map(String.init))
            let failed = try tool.run("serve", "--database", "other.db", "--listen", address)
            #expect(failed.code == 1 && failed.output.isEmpty)
            #expect(!FileManager.default.fileExists(atPath: tool.path("other.db")))
            let later = try RunningServer(tool, "--database", "other.db")
            let password = try #require(later.password)
            later.stop()
            server.stop()
            #expect(try await RunningServer.status(of: "admin:\(password)", tool, "other.db") == 200)
        }
    }

    @Test("A stop by SIGTERM fails no request")
    func gracefulStop() async throws {
        try await withTool { tool in
            let server = try RunningServer(tool, "--in-memory", "--seed", Self.seed)
            let user = "admin:\(try #require(server.password))"
            let request = server.client.request("GET", "/scim/v2/Users?count=20", user: user)
            #expect(try await server.client.ask(request).status == 200)
            let isStopping = Flag()
            let identifier = server.process.processIdentifier
            let (answered, failed) = try await withThrowingTaskGroup(of: (Int, Int).self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        let session = URLSession(configuration: .ephemeral)
                        var (answered, failed) = (0, 0)
                        while true {
                            let wasStopping = isStopping.isUp
                            do {
                                let (_, response) = try await session.data(for: request)
                                if (response as? HTTPURLResponse)?.statusCode == 200 {
                                    answered += 1
                                } else {
                                    failed += 1
                                }
                            } catch let error as URLError where error.code == .cannotConnectToHost && wasStopping {
                                return (answered, failed)
                            } catch {
                                // Whoever asks when the server is gone has not failed for its sake.
                                if !wasStopping { failed += 1 }
                                return (answered, failed)
                            }
                        }
                    }
                }
                try await Task.sleep(for: .milliseconds(500))
                isStopping.raise()
                kill(identifier, SIGTERM)
                return try await group.reduce((0, 0)) { ($0.0 + $1.0, $0.1 + $1.1) }
            }
            #expect(answered > 0)
            #expect(failed == 0)
            server.process.waitUntilExit()
            #expect(server.process.terminationStatus == 0)
        }
    }

    @Test("Signals of tools that rotate logs do not end the server", arguments: [SIGUSR1, SIGUSR2])
    func otherSignals(signal: Int32) async throws {
        try await withTool { tool in
            let server = try RunningServer(tool, "--in-memory")
            defer { server.stop() }
            kill(server.process.processIdentifier, signal)
            try await Task.sleep(for: .milliseconds(200))
            #expect(try await server.client.ask(server.client.request("GET", "/healthz")).status == 200)
        }
    }

    @Test("A server tells the time of --keep-alive, for which it keeps connections")
    func keepAlive() async throws {
        try await withTool { tool in
            let server = try RunningServer(tool, "--in-memory", "--keep-alive", "2")
            defer { server.stop() }
            let (_, response) = try await URLSession.shared.data(for: server.client.request("GET", "/healthz"))
            #expect((response as? HTTPURLResponse)?.value(forHTTPHeaderField: "Keep-Alive") == "timeout=2")
        }
    }

    @Test("A server that is killed in the middle of writes has lost nothing that it acknowledged")
    func killed() async throws {
        try await withTool { tool in
            try Data("a long enough secret\n".utf8).write(to: tool.folder.appendingPathComponent("pw"))
            let user = "admin:a long enough secret"
            let server = try RunningServer(tool, "--database", "c.db", "--admin-password-file", "pw", "--quiet")
            let acknowledged = Names()
            let (client, identifier) = (server.client, server.process.processIdentifier)
            await withTaskGroup(of: Void.self) { group in
                for writer in 0..<8 {
                    group.addTask {
                        for number in 0... {
                            let name = "user-\(writer)-\(number)"
                            let request = client.request("POST", Self.people, user: user, body: #"{"uid":"\#(name)"}"#)
                            guard let answer = try? await client.ask(request), answer.status == 201 else { return }
                            acknowledged.add(name)
                        }
                    }
                }
                group.addTask {
                    while acknowledged.all.count < 200 { try? await Task.sleep(for: .milliseconds(1)) }
                    kill(identifier, SIGKILL)
                }
            }
            let names = acknowledged.all
            #expect(names.count >= 200)
            let again = try RunningServer(tool, "--database", "c.db")
            for name in names {
                let answer = try await again.client.ask(
                    again.client.request("GET", Self.people + "/" + name, user: user))
                #expect(answer.status == 200, "\(name) was acknowledged")
            }
            again.stop()
            try tool.succeed("check", "c.db")
        }
    }

    @Test("A token is shown once, works for its program until it is revoked, and is listed without itself")
    func tokens() async throws {
        try await withTool { tool in
            try tool.succeed("seed", "--database", "c.db", Self.seed)
            let token = try tool.succeed(
                "token", "create", "--database", "c.db", "--name", "hr", "--role", "provisioning"
            )
            .trimmingCharacters(in: .whitespacesAndNewlines)
            #expect(token.hasPrefix("roster_"))
            let list = try tool.succeed("token", "list", "--database", "c.db", "--format", "json")
            #expect(list.contains("provisioning") && !list.contains(token))
            var server = try RunningServer(tool, "--database", "c.db")
            let created = server.client.request(
                "POST", "/scim/v2/Users", token: token, body: #"{"userName":"new.hire","externalId":"42"}"#)
            #expect(try await server.client.ask(created).status == 201)
            #expect(try await server.client.ask(server.client.request("GET", "/metrics", token: token)).status == 403)
            server.stop()
            try tool.succeed("token", "revoke", "--database", "c.db", "--name", "hr")
            server = try RunningServer(tool, "--database", "c.db")
            #expect(
                try await server.client.ask(server.client.request("GET", "/scim/v2/Users", token: token)).status == 401)
            server.stop()
            let file = try Data(contentsOf: tool.folder.appendingPathComponent("c.db"))
            #expect(file.range(of: Data(token.utf8)) == nil, "only its digest is kept")
        }
    }

    @Test("What a deleted administrator made is told of, shown by name and ended, and a server in memory ends tokens")
    func made() async throws {
        try await withTool { tool in
            try tool.succeed("seed", "--database", "c.db", Self.seed)
            var server = try RunningServer(tool, "--database", "c.db")
            var admin = "admin:" + (try #require(server.password))
            let body = #"{"name": "left", "role": "administrator"}"#
            let token = try await server.client.ask(
                server.client.request("POST", "/admin/tokens", user: admin, body: body))
            #expect(token.status == 201)
            server.stop()
            try tool.succeed("user", "create", "--database", "c.db", "successor")
            try tool.succeed("role", "add", "--database", "c.db", "administrators", "successor")
            let deleted = try tool.succeed("user", "delete", "--database", "c.db", "admin")
            #expect(deleted.contains("deleted admin"))
            let shown = try tool.succeed("user", "made", "--database", "c.db", "admin", "--format", "json")
            #expect(shown.contains(#""name": "left""#) && shown.contains(#""maker": "admin""#))
            try tool.succeed("user", "made", "--database", "c.db", "admin", "--end")
            #expect(try tool.succeed("token", "list", "--database", "c.db", "--format", "json") == "[]\n")

            server = try RunningServer(tool, "--in-memory", "--seed", Self.seed)
            admin = "admin:" + (try #require(server.password))
            let made = try await server.client.ask(
                server.client.request("POST", "/admin/tokens", user: admin, body: body))
            #expect(made.status == 201)
            let list = try await server.client.ask(server.client.request("GET", "/admin/tokens", user: admin))
            #expect(list.status == 200)
            #expect(
                try await server.client.ask(server.client.request("DELETE", "/admin/tokens/left", user: admin)).status
                    == 204)
            server.stop()
        }
    }

    @Test("A password is set from a file, never from the command line, and refused where it is too easy to guess")
    func passwords() async throws {
        try await withTool { tool in
            try tool.succeed("seed", "--database", "c.db", Self.seed)
            try Data("correct horse battery\n".utf8).write(to: tool.folder.appendingPathComponent("good"))
            try Data("password1\n".utf8).write(to: tool.folder.appendingPathComponent("bad"))
            let refusal = try tool.run("user", "password", "--database", "c.db", "--password-file", "bad", "kenji.sato")
            #expect(refusal.code == 1 && refusal.errors.contains("common"))
            try tool.succeed("user", "password", "--database", "c.db", "--password-file", "good", "kenji.sato")
            let server = try RunningServer(tool, "--database", "c.db")
            let me = server.client.request("GET", "/scim/v2/Me", user: "Kenji.Sato:correct horse battery")
            #expect(try await server.client.ask(me).body["userName"] as? String == "kenji.sato")
            server.stop()
        }
    }

    @Test("Behind a proxy the log tells its clients apart, once the proxy is named; until then the start says so")
    func behindProxy() async throws {
        try withTool { tool in
            let url = "https://id.example.com"
            var server = try RunningServer(tool, "--in-memory", "--public-url", url)
            server.stop()
            #expect(try server.logText().contains("--trusted-proxy 127.0.0.1"))
            server = try RunningServer(tool, "--in-memory", "--public-url", url, "--trusted-proxy", "127.0.0.1")
            server.stop()
            #expect(try !server.logText().contains("--trusted-proxy"))
        }
        try await withTool { tool in
            let server = try RunningServer(tool, "--in-memory", "--trusted-proxy", "10.0.0.2, 127.0.0.1")
            var request = server.client.request("GET", "/healthz")
            request.setValue("198.51.100.1, 203.0.113.9, 10.0.0.2", forHTTPHeaderField: "X-Forwarded-For")
            #expect(try await server.client.ask(request).status == 200)
            server.stop()
            #expect(try server.logText().contains(#""from":"203.0.113.9""#))
        }
    }

    @Test(
        "What cannot be served is told before anything is made",
        arguments: [
            (["--listen", "0.0.0.0:0"], "--certificate"), (["--listen", "nowhere"], "nowhere"),
            (["--listen", "127.0.0.1:99999"], "99999"), (["--certificate", "c.pem"], "--key"),
            (["--certificate", "no.pem", "--key", "no.pem"], "no.pem"), (["--seed", "no.json"], "no.json"),
            (["--trusted-proxy", "127.0.0.1,proxy"], "proxy"),
            (["--in-memory", "--database", "c.db"], "--in-memory"), (["--admin-password-file", "no"], "no"),
            (["--public-url", "ftp://id.example.com"], "--public-url"), (["--public-url", "https://"], "--public-url"),
            (["--public-url", "id.example.com"], "--public-url"),
        ])
    func refused(arguments: [String], said: String) throws {
        try withTool { tool in
            let place = arguments.contains("--in-memory") ? [] : ["--in-memory"]
            let outcome = try tool.run(["serve"] + place + arguments)
            #expect(outcome.code != 0)
            #expect(outcome.errors.contains(said), "\(outcome.errors)")
            #expect(outcome.output == "", "nothing was promised")
            #expect(!FileManager.default.fileExists(atPath: tool.path("c.db")))
        }
    }

    private final class Flag: Sendable {
        private let state = Atomic(false)
        var isUp: Bool { state.load(ordering: .sequentiallyConsistent) }
        func raise() { state.store(true, ordering: .sequentiallyConsistent) }
    }

    private final class Names: Sendable {
        private let names = Mutex<[String]>([])
        var all: [String] { names.withLock { $0 } }
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }
}

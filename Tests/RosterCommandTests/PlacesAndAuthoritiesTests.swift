import Foundation
import TestSupport
import Testing

@Suite("Sockets of the system, and authorities of a company")
struct PlacesAndAuthoritiesTests {
    private func run(_ program: String, _ arguments: String..., in tool: CommandLineTool) throws -> String {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.currentDirectoryURL = tool.folder
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return String(decoding: data, as: UTF8.self)
    }

    @Test("A server at a Unix socket answers a proxy on this machine")
    func unixSocket() async throws {
        try await withTool { tool in
            let server = try RunningServer(
                tool, "--database", "company.db", "--public-url", "https://id.example.com", "--socket-mode", "600",
                listen: "unix:" + tool.path("s"))
            let attributes = try FileManager.default.attributesOfItem(atPath: tool.path("s"))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let answer = try await onThread {
                try run(
                    "/usr/bin/curl", "-s", "--unix-socket", tool.path("s"), "-H", "Host: id.example.com",
                    "http://localhost/readyz", in: tool)
            }
            #expect(answer.contains("ready"))
            #expect(server.stop() == 0)
        }
    }

    @Test(
        "A server serves at the socket that systemd hands over",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-socket-activate")))
    func systemdSocket() async throws {
        try await withTool { tool in
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/systemd-socket-activate")
            process.arguments = [
                "-l", tool.path("s"), CommandLineTool.executable.path, "serve", "--database", tool.path("company.db"),
                "--listen", "systemd", "--public-url", "https://id.example.com",
            ]
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            try process.run()
            defer {
                process.terminate()
                process.waitUntilExit()
            }
            let answer = try await onThread {
                try run(
                    "/usr/bin/curl", "-s", "--retry", "50", "--retry-all-errors", "--retry-delay", "1", "--unix-socket",
                    tool.path("s"), "-H", "Host: id.example.com", "http://localhost/healthz", in: tool)
            }
            #expect(answer == "ok\n")
        }
    }

    @Test("A command trusts a company's own authority by --ca-file or ROSTER_CA_FILE, and names the option otherwise")
    func authorities() async throws {
        try await withTool { tool in
            _ = try run(
                "/usr/bin/openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "own.key", "-out",
                "own.pem", "-days", "1", "-subj", "/CN=own", "-addext", "subjectAltName=IP:127.0.0.1", in: tool)
            try tool.succeed("seed", "--database", "company.db", ServeTests.seed)
            let token = try tool.succeed(
                "token", "create", "--database", "company.db", "--name", "ops", "--role", "administrator")
            try token.write(toFile: tool.path("token"), atomically: true, encoding: .utf8)
            let server = try RunningServer(
                tool, "--database", "company.db", "--certificate", "own.pem", "--key", "own.key")
            let call = ["search", "--count", "--server", server.url.absoluteString, "--token-file", "token"]
            let refused = try await onThread { try tool.run(call) }
            #expect(refused.code == 1 && refused.errors.contains("--ca-file"), "\(refused)")
            let accepted = try await onThread { try tool.run(call + ["--ca-file", "own.pem"]) }
            #expect(accepted.code == 0, "\(accepted)")
            let known = try await onThread { try tool.run(call, environment: ["ROSTER_CA_FILE": "own.pem"]) }
            #expect(known.code == 0, "\(known)")
            let wrong = try await onThread { try tool.run(call + ["--ca-file", "own.key"]) }
            #expect(wrong.code == 2 && wrong.errors.contains("--ca-file"), "\(wrong)")
            #expect(server.stop() == 0)
        }
    }
}

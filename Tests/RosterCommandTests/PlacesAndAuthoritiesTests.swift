import Foundation
import TestSupport
import Testing

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

@Suite("Sockets of the system, and authorities of a company", .serialized)
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

    /// The answer of a server at a Unix socket, with its head.
    private func answer(of path: String, to target: String) throws -> String {
        let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array(path.utf8)) }
        let isConnected = withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        try #require(isConnected)
        let request = Array("GET \(target) HTTP/1.1\r\nHost: id.example.com\r\nConnection: close\r\n\r\n".utf8)
        try #require(write(descriptor, request, request.count) == request.count)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes += buffer.prefix(count)
        }
    }

    @Test("A server at a Unix socket answers a proxy on this machine")
    func unixSocket() async throws {
        try await withTool { tool in
            let server = try RunningServer(
                tool, "--database", "company.db", "--public-url", "https://id.example.com", "--socket-mode", "600",
                listen: "unix:" + tool.path("s"))
            let attributes = try FileManager.default.attributesOfItem(atPath: tool.path("s"))
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let shown = try await onThread { () throws -> String in
                try answer(of: tool.path("s"), to: "/readyz")
            }
            #expect(shown.contains("ready"))
            #expect(server.stop() == 0)
        }
    }

    @Test(
        "A server serves at the socket that systemd hands over",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/systemd-socket-activate")))
    func systemdSocket() async throws {
        try await withTool { tool in
            let server = try spawned(
                "/usr/bin/systemd-socket-activate", "-l", tool.path("s"), CommandLineTool.executable.path, "serve",
                "--database", tool.path("company.db"), "--listen", "systemd", "--public-url", "https://id.example.com")
            defer {
                kill(server, SIGTERM)
                waitpid(server, nil, 0)
            }
            let shown = try await onThread { () throws -> String in
                while !FileManager.default.fileExists(atPath: tool.path("s")) { usleep(10_000) }
                return try answer(of: tool.path("s"), to: "/healthz")
            }
            #expect(shown.hasSuffix("\r\n\r\nok\n"))
        }
    }

    /// Starts a program whose output goes nowhere. Foundation would take a program for ended that puts another socket in the place of
    /// Foundation's own, and would see no other program end until that one has.
    private func spawned(_ words: String...) throws -> pid_t {
        let arguments = (["/bin/sh", "-c", "exec \"$@\" >/dev/null 2>&1", "sh"] + words).map { strdup($0) }
        let environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") }
        defer { for text in arguments + environment { free(text) } }
        var process: pid_t = 0
        try #require(posix_spawn(&process, "/bin/sh", nil, nil, arguments + [nil], environment + [nil]) == 0)
        return process
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

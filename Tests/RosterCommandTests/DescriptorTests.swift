import Foundation
import Testing

@Suite("Descriptors of a running server", .enabled(if: FileManager.default.fileExists(atPath: "/proc/self/fdinfo")))
struct DescriptorTests {
    @Test("None stays open in a program that the process would become")
    func closeOnExec() async throws {
        try await withTool { tool in
            let server = try RunningServer(tool, "--database", "c.db")
            #expect(try await server.client.ask(server.client.request("GET", "/healthz")).status == 200)
            let process = "/proc/\(server.process.processIdentifier)"
            let folder = process + "/fdinfo"
            // A child inherits sockets of the process that runs the tests. The server's own TCP sockets have its port.
            let ownSockets = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8).matches(
                of: #/^\s*\d+: [0-9A-F]{8}:([0-9A-F]{4})(?:\s+\S+){7}\s+(\d+)/#.anchorsMatchLineEndings()
            ).filter { Int($0.1, radix: 16) == server.url.port }.map { "socket:[\($0.2)]" }
            var seen = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) where (Int(name) ?? 0) > 2 {
                // One that was closed meanwhile is nobody's.
                guard let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8),
                    let match = text.firstMatch(of: #/flags:\s+(\d+)/#), let flags = Int(match.1, radix: 8)
                else { continue }
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/fd/\(name)")
                guard target.hasPrefix("anon_inode:") || target.contains("/c.db") || ownSockets.contains(target) else {
                    continue
                }
                seen += 1
                // O_CLOEXEC
                #expect(flags & 0o2000000 != 0, "\(name) of \(target): \(text)")
            }
            #expect(seen > 3)
            server.stop()
        }
    }
}

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
            // The process that runs the tests watches the server through a Unix socket, which the server inherits.
            let unixSockets = try String(contentsOfFile: "/proc/net/unix", encoding: .utf8).matches(
                of: #/^\S+(?:\s+\S+){5}\s+(\d+)/#.anchorsMatchLineEndings()
            ).map { "socket:[\($0.1)]" }
            var seen = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) where (Int(name) ?? 0) > 2 {
                // One that was closed meanwhile is nobody's.
                guard let text = try? String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8),
                    let match = text.firstMatch(of: #/flags:\s+(\d+)/#), let flags = Int(match.1, radix: 8)
                else { continue }
                // Others are of the process that runs the tests.
                let target = try FileManager.default.destinationOfSymbolicLink(atPath: "\(process)/fd/\(name)")
                guard target.hasPrefix("socket:") || target.hasPrefix("anon_inode:") || target.contains("/c.db"),
                    !unixSockets.contains(target)
                else { continue }
                seen += 1
                // O_CLOEXEC
                #expect(flags & 0o2000000 != 0, "\(name) of \(target): \(text)")
            }
            #expect(seen > 3)
            server.stop()
        }
    }
}

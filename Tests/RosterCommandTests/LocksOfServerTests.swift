import Foundation
import Testing

@Suite(
    "Locks of a running server", .enabled(if: FileManager.default.fileExists(atPath: "/proc/locks")))
struct LocksOfServerTests {
    /// The locks of a process, each with the number of the file and the range.
    private func locks(of process: Int32, on files: [String]) throws -> Set<String> {
        let numbers = try files.map { path in
            try #require(FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int)
        }
        return Set(
            try String(contentsOfFile: "/proc/locks", encoding: .utf8).split(separator: "\n").compactMap { line in
                let words = line.split(separator: " ")
                guard words.count == 8, words[4] == "\(process)", let colon = words[5].lastIndex(of: ":"),
                    numbers.contains(Int(words[5][words[5].index(after: colon)...]) ?? 0)
                else { return nil }
                // Locks of single reads come and go. The byte 128 of the index and the range of the file stay.
                let range = "\(words[6])-\(words[7])"
                return ["128-128", "1073741826-1073742335"].contains(range) ? "\(words[1]) \(range)" : nil
            })
    }

    @Test(
        "No command that opens the file of a running server releases a lock of the server, and none writes into the file"
    )
    func locksAreKept() async throws {
        try await withTool { tool in
            let seed = CommandLineTool.package.appendingPathComponent("Seeds/company.json").path
            let server = try RunningServer(tool, "--database", "c.db", "--seed", seed)
            #expect(try await server.client.ask(server.client.request("GET", "/readyz")).status == 200)
            let files = [tool.path("c.db"), tool.path("c.db-shm")]
            let held = try locks(of: server.process.processIdentifier, on: files)
            #expect(held.count == 2, "\(held)")
            let calls: [[String]] = [
                ["search", "--database", "c.db", "uid pr"], ["backup", "c.db", "copy.db"],
                ["restore", "copy.db", "c.db", "--replace"], ["restore", "copy.db", "other.db"],
                ["export", "--database", "c.db", "--format", "csv"], ["check", "--database", "c.db"],
                ["org", "--database", "c.db"], ["changes", "--database", "c.db"],
                ["key", "list", "--database", "c.db"],
                ["seed", "--database", "c.db", seed], ["migrate", "--database", "c.db"],
                ["copy", "--database", "c.db", "--to", "new.db"], ["user", "create", "x", "--database", "c.db"],
                ["serve", "--database", "c.db", "--listen", "127.0.0.1:0"],
            ]
            for call in calls {
                let outcome = try tool.run(call)
                #expect([0, 1, 2].contains(outcome.code), "\(call): \(outcome.errors)")
                #expect(try locks(of: server.process.processIdentifier, on: files) == held, "\(call)")
            }
            #expect(server.stop() == 0)
        }
    }
}

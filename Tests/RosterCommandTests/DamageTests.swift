import Foundation
import Testing

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

@Suite("A damaged, moved or empty file")
struct DamageTests {
    /// Overwrites pages in the middle of a file.
    private func damage(_ path: String) throws {
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        let size = try file.seekToEnd()
        for place in [3, 5, 7] as [UInt64] {
            try file.seek(toOffset: size * place / 10 / 4_096 * 4_096)
            try file.write(contentsOf: Data((0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) }))
        }
        try file.close()
    }

    @Test("A server does not start on a damaged file, names the command that helps, and writes nothing")
    func start() throws {
        try withCompany { tool in
            try damage(tool.path("company.db"))
            let before = try Data(contentsOf: URL(fileURLWithPath: tool.path("company.db")))
            let outcome = try tool.run("serve", "--database", "company.db", "--listen", "127.0.0.1:0")
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("is damaged") && outcome.errors.contains("roster restore"))
            #expect(!outcome.output.contains("password") && !outcome.output.contains("serves"))
            #expect(try Data(contentsOf: URL(fileURLWithPath: tool.path("company.db"))) == before)
            #expect(!FileManager.default.fileExists(atPath: tool.path("company.db-before-migration")))
        }
    }

    @Test(
        "A running server is not ready while its file is moved, refuses changes with 503, and goes on when the file is back"
    )
    func moved() async throws {
        try await withTool { tool in
            let server = try RunningServer(tool, "--database", "c.db")
            let password = try #require(server.password)
            func ready() async throws -> (Int, String) {
                let (data, response) = try await URLSession.shared.data(for: server.client.request("GET", "/readyz"))
                return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
            }
            func create(_ name: String) async throws -> Int {
                let body = "{\"schemas\":[\"urn:ietf:params:scim:schemas:core:2.0:User\"],\"userName\":\"\(name)\"}"
                return try await server.client.ask(
                    server.client.request("POST", "/scim/v2/Users", user: "admin:" + password, body: body)
                ).status
            }
            #expect(try await ready() == (200, "ready\n"))
            #expect(try await create("ada") == 201)
            try FileManager.default.moveItem(atPath: tool.path("c.db"), toPath: tool.path("away.db"))
            #expect(try await ready() == (503, "file-moved\n"))
            #expect(try await create("ben") == 503)
            try FileManager.default.moveItem(atPath: tool.path("away.db"), toPath: tool.path("c.db"))
            #expect(try await ready() == (200, "ready\n"))
            #expect(try await create("ben") == 201)
            #expect(server.stop() == 0)
        }
    }

    @Test(
        "Damage that is found while the server runs makes it not ready; changes get 503, reads go on, and log and figures tell"
    )
    func foundLater() async throws {
        try await withTool { tool in
            let seed = CommandLineTool.package.appendingPathComponent("Seeds/company.json").path
            try tool.succeed("seed", "--database", "c.db", seed)
            let first = try RunningServer(tool, "--database", "c.db")
            let password = try #require(first.password)
            #expect(first.stop() == 0)
            let server = try RunningServer(tool, "--database", "c.db")
            let administrator = "admin:" + password
            func ask(_ method: String, _ path: String, _ body: String? = nil) async throws -> (Int, String) {
                let (data, response) = try await URLSession.shared.data(
                    for: server.client.request(method, path, user: administrator, body: body))
                return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
            }
            #expect(try await ask("GET", "/readyz") == (200, "ready\n"))
            // The pages of every table are overwritten, but not the first one, which names the tables.
            let path = tool.path("c.db")
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            let size = try file.seekToEnd()
            try file.seek(toOffset: 4_096)
            try file.write(contentsOf: Data(repeating: 0xA5, count: Int(size) - 4_096))
            try file.close()
            var status = 200
            for number in 0..<50 where status != 503 {
                status = try await ask(
                    "POST", "/scim/v2/Users",
                    "{\"schemas\":[\"urn:ietf:params:scim:schemas:core:2.0:User\"],\"userName\":\"x\(number)\"}"
                ).0
            }
            #expect(status == 503)
            #expect(try await ask("GET", "/readyz") == (503, "damaged\n"))
            #expect(server.stop() == 0 || true)
            #expect(try server.logText().contains("is damaged"))
        }
    }

    @Test("A file that was copied without its log is called empty, and the log is named")
    func copiedWithoutLog() throws {
        try withTool { tool in
            let server = try RunningServer(tool, "--database", "c.db")
            try FileManager.default.copyItem(atPath: tool.path("c.db"), toPath: tool.path("copy.db"))
            let outcome = try tool.run("search", "--database", "copy.db", "uid pr")
            #expect(outcome.code == 1)
            #expect(outcome.errors.contains("is empty") && outcome.errors.contains("-wal"), "\(outcome.errors)")
            server.stop()
        }
    }
}

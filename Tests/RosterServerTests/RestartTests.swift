import Foundation
import Roster
import RosterServer
import Testing

@Suite("Starting a server again", .timeLimit(.minutes(1)))
struct RestartTests {
    private func status(_ target: String, at address: String) async throws -> Int {
        let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
        let request = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        return try await RawClient(port: port).ask(request).status
    }

    @Test("A server that was stopped starts again and is ready; one that runs is not started twice")
    func restarts() async throws {
        let directory = try Directory.inMemory()
        let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
        for _ in 0..<3 {
            let address = try server.start()
            #expect(throws: DirectoryServer.Failure.self) { try server.start() }
            #expect(try await status("/readyz", at: address) == 200)
            #expect(try await status("/scim/v2/Users", at: address) == 401)
            await server.stop(timeout: .seconds(2))
            await #expect(throws: (any Error).self) { try await status("/readyz", at: address) }
        }
    }

    @Test("A start that fails after it has listened listens no more, and the next one may use the address")
    func failedStart() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appendingPathComponent("company.db")
        let directory = try Directory(at: file)
        defer { directory.close() }
        let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
        let first = try server.start()
        await server.stop(timeout: .seconds(2))
        let aside = folder.appendingPathComponent("aside")
        try FileManager.default.moveItem(atPath: file.path + "-key", toPath: aside.path)
        let error = #expect(throws: DirectoryError.self) { try server.start() }
        #expect(error?.code == .unusableKey)
        try FileManager.default.moveItem(atPath: aside.path, toPath: file.path + "-key")
        let address = try server.start()
        #expect(try await status("/readyz", at: address) == 200)
        #expect(!first.isEmpty)
        await server.stop(timeout: .seconds(2))
    }
}

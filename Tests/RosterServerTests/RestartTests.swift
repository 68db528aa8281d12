import Foundation
import Roster
import RosterREST
import RosterServer
import RosterText
import Testing
import TestSupport

@Suite("Starting a server again", .timeLimit(.minutes(1)))
struct RestartTests {
    private func status(_ target: String, at address: String) async throws -> Int {
        let port = try #require(address.split(separator: ":").last.flatMap { UInt16($0) })
        let request = "GET \(target) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: close\r\n\r\n"
        return try await RawClient(port: port).ask(request).status
    }

    /// Runs `body` with a directory in a file and a server of it that is not started yet.
    private func withServed(_ body: (URL, Directory, DirectoryServer) async throws -> Void) async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("company.db")
            let directory = try Directory(at: file)
            defer { directory.close() }
            try await body(file, directory, DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0")))
        }
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
        try await withServed { file, directory, server in
            let first = try server.start()
            await server.stop(timeout: .seconds(2))
            let aside = file.path + "-aside"
            try FileManager.default.moveItem(atPath: file.path + "-key", toPath: aside)
            let error = #expect(throws: DirectoryError.self) { try server.start() }
            #expect(error?.code == .unusableKey)
            try FileManager.default.moveItem(atPath: aside, toPath: file.path + "-key")
            let address = try server.start()
            #expect(try await status("/readyz", at: address) == 200)
            #expect(!first.isEmpty)
            await server.stop(timeout: .seconds(2))
        }
    }

    @Test("The port of a start that fails is free as soon as the error is thrown")
    func failedStartReleasesItsPort() async throws {
        try await withServed { file, directory, first in
            let port = try #require(try first.start().split(separator: ":").last)
            await first.stop(timeout: .seconds(2))
            try FileManager.default.removeItem(atPath: file.path + "-key")
            for _ in 0..<3 {
                let failing = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:\(port)"))
                #expect(throws: DirectoryError.self) { try failing.start() }
                let other = try DirectoryServer(
                    try Directory.inMemory(), configuration: .init(listen: "127.0.0.1:\(port)"))
                #expect(try await status("/readyz", at: try other.start()) == 200)
                await other.stop(timeout: .seconds(2))
            }
        }
    }

    @Test("A service that is mounted in a foreign server forgets what has ended, as ours does")
    func mountedServiceTidiesUp() async throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let now = Locked(start)
        let directory = try Directory.inMemory(clock: { now.withLock { $0 } })
        let feed = directory.unrestricted.changes
        try await directory.unrestricted.users.create("ada")
        try await feed.setRetention(Retention(changes: 30))
        now.withLock { $0 = start.addingTimeInterval(60 * 86_400) }
        let service = try RESTService(serving: directory, at: "https://id.example.com")
        let end = ContinuousClock.now + .seconds(20)
        var isForgotten = false
        while !isForgotten, .now < end {
            try await Task.sleep(for: .milliseconds(20))
            do {
                isForgotten = try await !feed.since(0).contains { $0.kind == .created }
            } catch let error as DirectoryError where error.code == .changesCompacted {
                isForgotten = true
            }
        }
        #expect(isForgotten, "the change is older than the feed keeps changes")
        #expect(await service.respond(to: HTTPRequest("GET", "/healthz")).status == 200)
    }
}

import Foundation
import Synchronization
import TestSupport
import Testing

import RosterTransport

@Suite("Many requests", .timeLimit(.minutes(5)))
struct LoadTests {
    private static func echo() throws -> SocketServer {
        try SocketServer { peer in
            while let request = peer.request() { peer.send(SocketServer.answer(request.line)) }
        }
    }

    @Test("200 requests at once each get their own answer, over no more connections than allowed")
    func parallel() async throws {
        let (server, transport) = (try Self.echo(), Transport())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let answer = try await transport.send(TransportRequest("GET", "\(server.url)/\(number)"))
                    #expect(answer.body == Array("GET /\(number) HTTP/1.1".utf8))
                }
            }
            try await group.waitForAll()
        }
        #expect(server.connections <= 16)
    }

    @Test("A request that waits for a connection ends at its deadline or with its task")
    func queued() async throws {
        let server = try SocketServer { peer in
            guard peer.request() != nil else { return }
            peer.waitForClose()
        }
        var settings = TransportSettings()
        settings.connectionsPerHost = 1
        let transport = Transport(settings)
        let occupying = Task { try await transport.send(TransportRequest("GET", server.url)) }
        var request = TransportRequest("GET", server.url)
        request.deadline = .milliseconds(500)
        let queued = request
        let tasks = (0..<20).map { _ in Task { try await transport.send(queued) } }
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .timedOut)
        }
        #expect(server.connections <= 2)
        occupying.cancel()
        await #expect(throws: CancellationError.self) { try await occupying.value }
    }

    @Test("Synchronous calls return even if they occupy every thread of Swift's pool")
    func synchronous() async throws {
        let (server, transport) = (try Self.echo(), Transport())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask {
                    let answer = try transport.sendAndWait(TransportRequest("GET", "\(server.url)/\(number)"))
                    #expect(answer.body == Array("GET /\(number) HTTP/1.1".utf8))
                }
            }
            try await group.waitForAll()
        }
        let error = #expect(throws: TransportError.self) {
            try transport.sendAndWait(TransportRequest("GET", "http://127.0.0.1:1/"))
        }
        #expect(error?.code == .refused)
    }

    /// The open descriptors and the resident bytes of this process.
    private func resources() throws -> (descriptors: Int, bytes: Int) {
        let pages = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
        return (
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count,
            (pages.count > 1 ? Int(pages[1]) ?? 0 : 0) * 4_096
        )
    }

    @Test("10,000 requests, and 2,000 cancelled ones, leave no descriptors and no memory behind")
    func leaks() async throws {
        let (server, transport) = (try Self.echo(), Transport())
        let silent = try SocketServer { peer in
            guard peer.request() != nil else { return }
            peer.waitForClose()
        }
        func round(_ requests: Int, _ cancelled: Int) async throws {
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<requests / 8 { _ = try await transport.send(TransportRequest("GET", server.url)) }
                        for _ in 0..<cancelled / 8 {
                            let task = Task { try await transport.send(TransportRequest("GET", silent.url)) }
                            for _ in 0..<20 { await Task.yield() }
                            task.cancel()
                            _ = await task.result
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
        try await round(1_000, 200)
        let before = try resources()
        try await round(10_000, 2_000)
        let after = try resources()
        // Other tests run beside this one; a leak of each request or cancellation would be far larger.
        #expect(after.descriptors - before.descriptors < 500)
        #expect(after.bytes - before.bytes < 100 << 20)
    }
}

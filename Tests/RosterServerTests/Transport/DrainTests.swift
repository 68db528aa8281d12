import Foundation
import RosterREST
import RosterServer
import Synchronization
import Testing
import TestSupport

@Suite("Ending a server")
struct DrainTests {
    static func later(_ time: Duration) -> @Sendable (HTTPRequest) -> HTTPAnswer {
        { request in
            .later {
                try? await Task.sleep(for: time)
                return describe(request)
            }
        }
    }

    /// Sends one request after the other, until a response says that the connection closes; an error where one fails.
    static func askUntilClosed(
        _ served: ServerUnderTest, _ target: String, counting answered: LimitTests.Attempts
    ) async throws {
        let connection = try served.client()
        while true {
            let response = try await connection.ask("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            guard response.body == "GET \(target) [Host=a] " else { throw NoResponse(received: response.body) }
            _ = answered.next()
            if response.closes { return }
        }
    }

    @Test("No request fails on connections that are in use while a server ends", arguments: [true, false])
    func busyClients(isLater: Bool) async throws {
        try await serving(handler: isLater ? Self.later(.milliseconds(5)) : Self.atOnce) {
            try await Self.endUnderLoad($0)
        }
    }

    static let atOnce: @Sendable (HTTPRequest) -> HTTPAnswer = { .now(describe($0)) }

    static func endUnderLoad(_ served: ServerUnderTest) async throws {
        let answered = LimitTests.Attempts()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for client in 0..<16 {
                group.addTask { try await Self.askUntilClosed(served, "/\(client)", counting: answered) }
            }
            await served.eventually("all clients are at work") { answered.count > 100 }
            await served.server.drain(timeout: .seconds(10))
            try await group.waitForAll()
        }
        #expect(served.server.statistics.connections == 0)
        #expect(throws: NoConnection.self) { _ = try served.client() }
    }

    @Test("A request that comes on an idle connection shortly after the end began is answered")
    func idleClient() async throws {
        try await serving { served in
            let client = try served.client()
            let other = try served.client()
            #expect(try await client.ask(get).closes == false)
            async let end: Void = served.server.drain(timeout: .seconds(10))
            var response = try await client.ask(get)
            while !response.closes { response = try await client.ask(get) }
            // A new client, who does not know, is still served while the grace lasts. One that is idle is closed.
            if let late = try? served.client() { #expect(try await late.ask(get).closes) }
            #expect(try await other.closes())
            await end
        }
    }

    @Test("What is being worked on is awaited, and cancelled when the time is over")
    func work() async throws {
        try await serving(handler: Self.later(.milliseconds(600))) { served in
            let client = try served.client()
            try await client.send(get)
            await served.eventually("in flight") { served.server.statistics.requestsInFlight == 1 }
            await served.server.drain(timeout: .seconds(10))
            let response = try await client.response()
            #expect(response.body == "GET / [Host=a] ")
            #expect(response.closes)
        }
        try await serving(handler: Self.later(.seconds(60))) { served in
            let client = try served.client()
            try await client.send(get)
            await served.eventually("in flight") { served.server.statistics.requestsInFlight == 1 }
            let begin = ContinuousClock.now
            await served.server.drain(timeout: .milliseconds(300))
            #expect(begin.duration(to: .now) < .seconds(30))
            #expect(try await client.closes())
        }
    }

    @Test("A stream ends properly, so that its client finds another server")
    func stream() async throws {
        let (stream, pieces) = AsyncStream<[UInt8]>.makeStream()
        try await serving(handler: { _ in .now(HTTPResponse(200, body: .stream(stream))) }) { served in
            let client = try served.client()
            try await client.send(get)
            pieces.yield(Array("one".utf8))
            _ = try await client.read(through: "one\r\n")
            await served.server.drain(timeout: .seconds(10))
            #expect(try await client.read(through: "0\r\n\r\n") == "0\r\n\r\n")
        }
    }

    @Test("Half a request does not keep a server from ending")
    func half() async throws {
        try await serving { served in
            let client = try served.client()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhal")
            await served.eventually("in flight") { served.server.statistics.requestsInFlight == 1 }
            await served.server.drain(timeout: .milliseconds(300))
            #expect(served.server.statistics.connections == 0)
            #expect(try await client.closes())
        }
    }

    @Test("A server that does not run ends at once, any number of times")
    func twice() async throws {
        let server = try HTTPServer(
            listening: HTTPServer.Listener("127.0.0.1:0"), handler: { _ in .now(HTTPResponse(200)) },
            failure: { status, _ in HTTPResponse(status) })
        await server.drain(timeout: .seconds(1))
        _ = try server.start()
        #expect(throws: HTTPServerError.alreadyStarted) { try server.start() }
        await server.drain(timeout: .seconds(1))
        await server.drain(timeout: .seconds(1))
        #expect(throws: HTTPServerError.alreadyStarted) { try server.start() }
    }
}

import Foundation
import RosterREST
import RosterServer
import Testing
import TestSupport

@Suite("How long a client may take")
struct DeadlineTests {
    static let short: HTTPServer.Limits = {
        var limits = HTTPServer.Limits()
        limits.headerDeadline = .seconds(1)
        limits.bodyDeadline = .seconds(1)
        limits.idle = .seconds(1)
        limits.sendDeadline = .seconds(1)
        return limits
    }()

    /// Sends a text again and again until the server closes, as a client that pretends to be slow; how long it could.
    ///
    /// A thread of its own measures the time, since a task may wait for a thread beside tests that compute.
    static func trickle(_ client: RawClient, _ text: String) async throws -> Duration {
        try await onThread {
            let begin = ContinuousClock.now
            while begin.duration(to: .now) < .seconds(20), client.sendNow(Array(text.utf8)) {
                Thread.sleep(forTimeInterval: 0.02)
            }
            return begin.duration(to: .now)
        }
    }

    @Test("A head that comes byte by byte ends at its deadline, and others are served meanwhile")
    func slowHead() async throws {
        try await serving(Self.short) { served in
            let slow = try (0..<20).map { _ in try served.client() }
            for client in slow { try await client.send("GET / HTTP/1.1\r\nHost: a\r\nX: ") }
            async let time = Self.trickle(slow[0], "x")
            for _ in 0..<50 { #expect(try await served.ask(get).status == 200) }
            let slowness = try await time
            #expect(slowness < .seconds(20))
            await served.eventually("all are closed") { served.server.statistics.connections == 0 }
            // On a busy machine one of the others may have been late as well.
            #expect(served.server.statistics.late >= 20)
        }
    }

    @Test(
        "A body that comes byte by byte ends at its deadline",
        arguments: [
            ("Content-Length: 100000", "x"), ("Transfer-Encoding: chunked", "1\r\nx\r\n"),
        ])
    func slowBody(field: String, piece: String) async throws {
        try await serving(Self.short) { served in
            let client = try served.client()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\n\(field)\r\n\r\n")
            #expect(try await Self.trickle(client, piece) < .seconds(20))
            #expect(served.server.statistics.late == 1)
        }
    }

    @Test("A connection on which nothing happens is closed", arguments: ["", get])
    func idle(request: String) async throws {
        try await serving(Self.short) { served in
            let client = try served.client()
            if !request.isEmpty { #expect(try await client.ask(request).status == 200) }
            #expect(try await client.closes())
            #expect(served.server.statistics.late == 1)
        }
    }

    @Test("A client that does not read its response is closed")
    func slowReader() async throws {
        let body = [UInt8](repeating: 0, count: 16 << 20)
        try await serving(Self.short, handler: { _ in .now(HTTPResponse(200, body: .bytes(body))) }) { served in
            let client = try served.client()
            client.readLittle()
            try await client.send(get)
            await served.eventually("the connection is closed") { served.server.statistics.late == 1 }
            await served.eventually("nothing is in flight") { served.server.statistics.requestsInFlight == 0 }
        }
    }

    @Test("Work and streams may take longer than every deadline")
    func slowAnswers() async throws {
        try await serving(
            Self.short,
            handler: { request in
                .later {
                    try? await Task.sleep(for: .seconds(2))
                    if request.target == "/work" { return HTTPResponse(204) }
                    let (stream, pieces) = AsyncStream<[UInt8]>.makeStream()
                    Task {
                        try? await Task.sleep(for: .seconds(2))
                        pieces.yield(Array("late".utf8))
                        pieces.finish()
                    }
                    return HTTPResponse(200, body: .stream(stream))
                }
            }
        ) { served in
            // A connection for each request: between two requests the test may wait so long for a thread that the
            // connection counts as idle.
            let (work, stream) = (try served.client(), try served.client())
            work.sendNow(Array("GET /work HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
            stream.sendNow(Array("GET /stream HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n".utf8))
            #expect(try await work.response().status == 204)
            #expect(try await stream.read(through: "\r\n0\r\n\r\n").hasSuffix("4\r\nlate\r\n0\r\n\r\n"))
            #expect(served.server.statistics.late == 0)
        }
    }
}

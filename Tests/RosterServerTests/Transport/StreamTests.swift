import Foundation
import RosterREST
import RosterText
import RosterServer
import Testing
import TestSupport

@Suite("Responses in pieces")
struct StreamTests {
    @Test("A document that fails half-way ends its connection without the end of the body", arguments: [false, true])
    func document(isWhole: Bool) async throws {
        try await serving(handler: { _ in
            let pieces = Locked(["first,", "second"])
            let stream = AsyncThrowingStream<[UInt8], any Error>(unfolding: {
                let piece = pieces.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                if piece == nil, !isWhole { throw CancellationError() }
                return piece.map { Array($0.utf8) }
            })
            return .now(HTTPResponse(200, body: .document(stream)))
        }) { served in
            let client = try served.client()
            try await client.send("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            let text = try #require(try await client.all())
            #expect(text.contains("first,"))
            #expect(text.hasSuffix("\r\n0\r\n\r\n") == isWhole)
        }
    }

    @Test("A document that fails leaves no connection behind while older connections rest")
    func failedDocumentLeavesNothing() async throws {
        try await serving(handler: { request in
            if request.target == "/" { return .now(text("whole")) }
            return .now(
                HTTPResponse(200, body: .document(AsyncThrowingStream(unfolding: { throw CancellationError() }))))
        }) { served in
            var resting: [RawClient] = []
            for _ in 0..<8 {
                resting.append(try served.client())
                #expect(try await resting[resting.count - 1].ask(get).status == 200)
            }
            for _ in 0..<20 {
                let client = try served.client()
                try await client.send("GET /fails HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await client.all()
            }
            await served.eventually("Only the resting connections are left.") {
                served.server.statistics.connections == 8
            }
            #expect(resting.count == 8)
        }
    }

    static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test("Each piece arrives when it is made, and the connection goes on after the last")
    func pieces() async throws {
        let (stream, pieces) = AsyncStream<[UInt8]>.makeStream()
        try await serving(handler: { request in
            .now(
                request.target == "/"
                    ? describe(request)
                    : HTTPResponse(200, headers: ["Content-Type": "text/event-stream"], body: .stream(stream)))
        }) { served in
            let client = try served.client()
            try await client.send("GET /events HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try await client.read(through: "\r\n\r\n")
            #expect(head.contains("Transfer-Encoding: chunked"))
            for number in 0..<20 {
                pieces.yield(Self.bytes("data: \(number)\n\n"))
                #expect(try await client.read(through: "\n\n\r\n").hasSuffix("data: \(number)\n\n\r\n"))
            }
            let large = String(repeating: "x", count: 100_000)
            pieces.yield([])
            pieces.yield(Self.bytes(large))
            pieces.finish()
            let rest = try await client.read(through: "\r\n0\r\n\r\n")
            #expect(rest.count { $0 == "x" } == large.count)
            #expect(try await client.ask(get).status == 200)
        }
    }

    @Test("The producer ends when a client goes away, between two pieces or amid many", arguments: [true, false])
    func clientGone(isSilent: Bool) async throws {
        let (ended, report) = AsyncStream<Void>.makeStream()
        try await serving(handler: { _ in
            .now(
                HTTPResponse(
                    200,
                    body: .stream(
                        AsyncStream { pieces in
                            let task = Task {
                                pieces.yield(Self.bytes("first"))
                                while !isSilent, !Task.isCancelled {
                                    pieces.yield(Self.bytes("again"))
                                    try? await Task.sleep(for: .milliseconds(1))
                                }
                            }
                            pieces.onTermination = { _ in
                                task.cancel()
                                report.yield()
                            }
                        })))
        }) { served in
            var client: RawClient? = try served.client()
            try await client?.send(get)
            _ = try await client?.read(through: "first")
            client = nil
            for await _ in ended { break }
            await served.eventually("the connection is closed") { served.server.statistics.connections == 0 }
        }
    }

    @Test("A client that reads nothing holds one piece of a stream, not all, and is closed")
    func slowReader() async throws {
        let taken = LimitTests.Attempts()
        try await serving(
            DeadlineTests.short,
            handler: { _ in
                .now(
                    HTTPResponse(
                        200,
                        body: .stream(
                            AsyncStream(unfolding: {
                                _ = taken.next()
                                return [UInt8](repeating: 0x78, count: 1 << 20)
                            }))))
            }
        ) { served in
            let client = try served.client()
            client.readLittle()
            try await client.send(get)
            await served.eventually("the connection is closed") { served.server.statistics.late == 1 }
            #expect(taken.count < 20)
        }
    }

    @Test("HEAD starts no stream")
    func head() async throws {
        let (ended, report) = AsyncStream<Void>.makeStream()
        try await serving(handler: { request in
            if request.target == "/" { return .now(describe(request)) }
            let (stream, pieces) = AsyncStream<[UInt8]>.makeStream()
            pieces.onTermination = { _ in report.yield() }
            pieces.yield(Self.bytes("first"))
            return .now(HTTPResponse(200, body: .stream(stream)))
        }) { served in
            let client = try served.client()
            try await client.send("HEAD /events HTTP/1.1\r\nHost: a\r\n\r\n")
            let response = try await client.response(toHead: true)
            #expect(response.status == 200)
            #expect(response.closes)
            #expect(try await client.closes())
            for await _ in ended { break }
        }
    }
}

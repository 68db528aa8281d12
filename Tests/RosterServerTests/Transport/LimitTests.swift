import Foundation
import RosterREST
import RosterText
import Synchronization
import Testing
import TestSupport

@testable import RosterServer

#if canImport(Glibc)
    import Glibc
#endif

@Suite("What a client may take")
struct LimitTests {
    static func limits(_ change: (inout HTTPServer.Limits) -> Void) -> HTTPServer.Limits {
        var limits = HTTPServer.Limits()
        change(&limits)
        return limits
    }

    @Test("A body of the allowed size is taken, a longer one refused before it is sent")
    func announcedBody() async throws {
        try await serving(Self.limits { $0.bodyBytes = 1000 }) { served in
            let body = String(repeating: "x", count: 1000)
            let taken = try await served.ask("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n\(body)")
            #expect(taken.body.hasSuffix(body))
            let client = try served.client()
            let refused = try await client.ask(
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 1001\r\nExpect: 100-continue\r\n\r\n")
            #expect(refused.status == 413)
            #expect(refused.body == "The body is too long")
            #expect(try await client.closes())
            #expect(served.server.statistics.refused == 1)
        }
    }

    @Test(
        "A large body is taken once its caller is known and may send it, and refused as others are if not",
        arguments: [false, true], ["", "Expect: 100-continue\r\n"])
    func lateDecision(isChunked: Bool, field: String) async throws {
        let body = String(repeating: "x", count: 50_000)
        let length = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: \(body.utf8.count)"
        let text = isChunked ? "c350\r\n\(body)\r\n0\r\n\r\n" : body
        for isAllowed in [true, false] {
            let gate = Gate()
            try await serving(
                Self.limits { $0.bodyBytes = 1000 },
                largeBody: { head in
                    .later {
                        try? await onThread { gate.pass() }
                        var request = head
                        request.headers.add("X-Admitted", "yes")
                        return isAllowed ? .admitted(bytes: 100_000, request) : .refused
                    }
                }
            ) { served in
                let client = try served.client()
                try await client.send("PUT / HTTP/1.1\r\nHost: a\r\n\(field)\(length)\r\n\r\n")
                try await client.send(text)
                gate.open()
                var answer = try await client.response()
                if answer.status == 100 { answer = try await client.response() }
                #expect(answer.status == (isAllowed ? 200 : 413))
                #expect(answer.body.hasSuffix("X-Admitted=yes] " + body) == isAllowed)
                #expect(served.server.statistics.refused == (isAllowed ? 0 : 1))
            }
        }
    }

    @Test("A client that goes while its large body is decided on ends the decision, and keeps nothing")
    func goneDuringDecision() async throws {
        let isCancelled = Locked(false)
        try await serving(
            Self.limits { $0.bodyBytes = 1000 },
            largeBody: { _ in
                .later {
                    let (stream, continuation) = AsyncStream<Void>.makeStream()
                    for await _ in stream {}
                    continuation.finish()
                    isCancelled.withLock { $0 = Task.isCancelled }
                    return .refused
                }
            }
        ) { served in
            let client = try served.client()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5000\r\n\r\n")
            await served.eventually("the request has come") { served.server.statistics.requestsInFlight == 1 }
            client.finishSending()
            await served.eventually("the decision has ended") { isCancelled.withLock { $0 } }
        }
    }

    @Test("A body in chunks that exceeds the limit is refused, and ends the connection")
    func chunkedBody() async throws {
        try await serving(Self.limits { $0.bodyBytes = 1000 }) { served in
            let client = try served.client()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = "64\r\n" + String(repeating: "x", count: 100) + "\r\n"
            try await client.send(String(repeating: chunk, count: 11))
            #expect(try await client.response().status == 413)
            #expect(try await client.closes())
            #expect(served.server.statistics.refused == 1)
        }
    }

    @Test("A flood of tiny chunks with long extensions is refused")
    func chunkFlood() async throws {
        try await serving { served in
            let client = try served.client()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("1;\(String(repeating: "a", count: 1000))\r\nx\r\n".utf8)
            _ = try await onThread { (0..<10_000).first { _ in !client.sendNow(chunk) } }
            #expect(try await client.response().status == 413)
            #expect(served.server.statistics.refused == 1)
        }
    }

    @Test("An extension of a chunk that no memory holds is the client's mistake, not the server's")
    func chunkExtension() async throws {
        try await serving { served in
            let client = try served.client()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            try await client.send("5;a=\(String(repeating: "x", count: 900_000))\r\nhello\r\n0\r\n\r\n")
            #expect(try await client.response().status == 413)
            #expect(try await client.closes())
        }
    }

    @Test(
        "A client that reads only after it has sent everything gets the refusal",
        arguments: [
            ("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000\r\n\r\n", 413),
            ("PUT / HTTP/1.1\r\nHost: a\r\nExpect: tea\r\nContent-Length: 8000000\r\n\r\n", 417),
            ("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n7a1200\r\n", 413),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: ", 431), ("GET /", 414),
        ])
    func stillSending(head: String, status: Int) async throws {
        try await serving { served in
            let client = try served.client()
            try await client.send(head)
            let body = [UInt8](repeating: UInt8(ascii: "x"), count: 8_000_000)
            #expect(try await onThread { client.sendNow(body) })
            #expect(try await client.response().status == status)
            #expect(try await client.closes())
        }
    }

    @Test("A refused client that sends on without end is closed after some seconds")
    func endless() async throws {
        try await serving { served in
            let client = try served.client()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 8000000000\r\n\r\n")
            let time = try await DeadlineTests.trickle(client, "x")
            #expect(time > .seconds(1) && time < .seconds(15))
        }
    }

    @Test(
        "A target or head that is too long is refused",
        arguments: [
            ("GET /\(String(repeating: "x", count: 40_000)) HTTP/1.1\r\nHost: a\r\n\r\n", 414),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n", 431),
            ("GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 10_000))\r\n", 431),
            ("GET / HTTP/1.1\r\nHost: a\r\nCookie: \(String(repeating: "a;", count: 7_000))\r\n\r\n", 431),
        ])
    func head(bytes: String, status: Int) async throws {
        try await serving { served in
            let client = try served.client()
            try await client.send(bytes)
            #expect(try await client.response().status == status)
            #expect(try await client.closes())
            #expect(try await served.ask(get).status == 200)
        }
    }

    @Test("A long query of many parameters is the handler's business")
    func longQuery() async throws {
        try await serving { served in
            let query = String(repeating: "a&", count: 7_000)
            let response = try await served.ask("GET /?\(query) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(response.body == "GET /?\(query) [Host=a] ")
        }
    }

    @Test("One address holds so many connections, of which its oldest idle one gives way to another")
    func perAddress() async throws {
        try await serving(Self.limits { $0.connectionsPerAddress = 3 }) { served in
            let stranger = try served.client(from: "127.0.0.2")
            #expect(try await stranger.ask(get).status == 200)
            let clients = try (0..<3).map { _ in try served.client() }
            for client in clients { #expect(try await client.ask(get).status == 200) }
            #expect(try await served.ask(get).status == 200)
            #expect(try await clients[0].closes())
            for client in clients[1...] + [stranger] { #expect(try await client.ask(get).status == 200) }
        }
    }

    @Test("An address whose connections are all at work gets another when one of them is done")
    func perAddressAtWork() async throws {
        let gate = AsyncGate()
        try await serving(Self.limits { $0.connectionsPerAddress = 2 }, handler: PlaceTests.handler(gate)) { served in
            let working = try (0..<2).map { _ in try served.client() }
            for client in working { try await client.send(PlaceTests.slow) }
            await served.eventually("both are at work") { served.server.statistics.requestsInFlight == 2 }
            #expect(try await served.client().closes())
            gate.open()
            for client in working { #expect(try await client.response().body == "slow") }
            #expect(try await served.ask(get).status == 200)
        }
    }

    @Test(
        "A process without descriptors left goes on, and accepts when there are some again",
        arguments: [EMFILE, ENFILE, ENOMEM])
    func exhausted(error: Int32) async throws {
        let attempts = Attempts()
        let accept: Acceptor.Accept = { listener, address in
            attempts.next() <= 3 ? (-1, error) : Acceptor.systemAccept(listener, &address)
        }
        try await serving(accept: accept) { served in
            let response = try await served.ask(get)
            #expect(response.status == 200)
            // A loop that did not wait would have tried a million times.
            #expect(attempts.count < 1_000)
        }
    }

    final class Attempts: Sendable {
        private let made = Atomic(0)
        var count: Int { made.load(ordering: .relaxed) }
        func next() -> Int { made.add(1, ordering: .relaxed).newValue }
    }
}

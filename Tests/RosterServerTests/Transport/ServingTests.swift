import Foundation
import RosterREST
import RosterServer
import Testing
import TestSupport

@Suite("Serving requests")
struct ServingTests {
    @Test("The handler sees target, fields and body as they were sent, and who sent them")
    func request() async throws {
        try await serving(handler: { request in
            let fields = request.headers.fields.map { "\($0.name)=\($0.value)" }
            #expect(fields == ["Host=a", "X=1", "x=2", "Content-Length=3"])
            #expect(request.target == "/a%2Fb//c;d=%00?q=a+b%20c&q=&q")
            #expect(request.method == "PATCH")
            #expect(request.body == Array("a\0b".utf8))
            #expect(request.clientAddress == "127.0.0.1")
            #expect(request.isConfidential)
            return .now(HTTPResponse(200))
        }) { served in
            let response = try await served.ask(
                "PATCH /a%2Fb//c;d=%00?q=a+b%20c&q=&q HTTP/1.1\r\nHost: a\r\nX: 1\r\nx: 2\r\nContent-Length: 3\r\n\r\na\0b"
            )
            #expect(response.status == 200)
        }
    }

    @Test("Many requests use one connection, one after the other or all at once")
    func keepAlive() async throws {
        try await serving { served in
            let client = try served.client()
            for number in 0..<100 {
                let response = try await client.ask("GET /\(number) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(response.body == "GET /\(number) [Host=a] ")
                #expect(!response.closes)
                #expect(response.field("Keep-Alive") == "timeout=75")
            }
            let many = (0..<100).map { "POST /\($0) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi" }.joined()
            try await client.send(many)
            for number in 0..<100 {
                let response = try await client.response()
                #expect(response.body == "POST /\(number) [Host=a|Content-Length=2] hi")
            }
            #expect(served.server.statistics.connections == 1)
        }
    }

    @Test("A client that asks for it is closed after the response")
    func closing() async throws {
        try await serving { served in
            for head in ["GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "GET / HTTP/1.0\r\n\r\n"] {
                let client = try served.client()
                let response = try await client.ask(head)
                #expect(response.closes && response.field("Keep-Alive") == nil)
                #expect(try await client.closes())
            }
        }
    }

    @Test("HEAD gets the length without the body, 204 and 304 have no body")
    func bodiless() async throws {
        try await serving(handler: { .now(text("hello", status: Int($0.target.dropFirst()) ?? 0)) }) { served in
            let client = try served.client()
            try await client.send("HEAD /200 HTTP/1.1\r\nHost: a\r\n\r\n")
            let head = try await client.response(toHead: true)
            #expect(head.field("Content-Length") == "5")
            #expect(head.field("Date")?.hasSuffix("GMT") == true)
            let empty = try await client.ask("GET /204 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(empty.status == 204)
            #expect(empty.field("Content-Length") == nil)
            #expect(try await client.ask("GET /304 HTTP/1.1\r\nHost: a\r\n\r\n").status == 304)
            // A body after one of them would stand before this response.
            #expect(try await client.ask("GET /200 HTTP/1.1\r\nHost: a\r\n\r\n").body == "hello")
        }
    }

    @Test(
        "A response that cannot be sent becomes a 500 and is counted",
        arguments: [
            HTTPResponse(200, headers: ["Location": "/a\r\nSet-Cookie: b"]), HTTPResponse(200, headers: ["X": "a\nb"]),
            HTTPResponse(200, headers: ["X": "a\0b"]), HTTPResponse(200, headers: ["X\r\nY": "a"]),
            HTTPResponse(200, headers: ["": "a"]), HTTPResponse(200, headers: ["X:": "a"]), HTTPResponse(99),
            HTTPResponse(1000),
        ])
    func unsendable(response: HTTPResponse) async throws {
        try await serving(handler: { _ in .now(response) }) { served in
            let answer = try await served.ask(get)
            #expect(answer.status == 500)
            #expect(!answer.head.contains("Cookie"))
            #expect(served.server.statistics.unsendable == 1)
        }
    }

    @Test("Fields of the transfer are the server's own, whatever a response says")
    func transferFields() async throws {
        let fields: HTTPHeaders = [
            "content-length": "99", "Transfer-Encoding": "chunked", "Connection": "close", "Date": "x", "ETag": "\"ü\"",
        ]
        try await serving(handler: { _ in .now(HTTPResponse(200, headers: fields, body: .bytes([0x61]))) }) { served in
            let client = try served.client()
            for _ in 0..<2 {
                let response = try await client.ask(get)
                #expect(response.field("Content-Length") == "1")
                #expect(response.field("ETag") == "\"ü\"")
                #expect(response.field("Date") != "x")
                #expect(!response.closes)
                #expect(response.body == "a")
            }
        }
    }

    @Test("A client that waits for leave to send its body gets it")
    func expectation() async throws {
        try await serving { served in
            let client = try served.client()
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await client.read(through: "\r\n\r\n").hasPrefix("HTTP/1.1 100"))
            #expect(try await client.ask("hi").body.hasSuffix("] hi"))
        }
    }

    @Test("Work that takes its time is awaited, on many connections at once, without holding a thread")
    func later() async throws {
        try await serving(handler: { request in
            .later {
                try? await Task.sleep(for: .milliseconds(20))
                return describe(request)
            }
        }) { served in
            await withTaskGroup(of: Bool.self) { group in
                for client in 0..<32 {
                    group.addTask {
                        guard let connection = try? served.client() else { return false }
                        for number in 0..<10 {
                            let target = "/\(client)/\(number)"
                            let response = try? await connection.ask("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                            if response?.body != "GET \(target) [Host=a] " { return false }
                        }
                        return true
                    }
                }
                for await isRight in group { #expect(isRight) }
            }
        }
    }

    @Test("A client that sends no more after its request is answered and closed")
    func halfClosed() async throws {
        try await serving { served in
            for _ in 0..<50 {
                let client = try served.client()
                let isClosed = try await onThread {
                    client.sendNow(Array(get.utf8))
                    client.finishSending()
                    let response = try client.responseNow()
                    return response.status == 200 && client.closesNow(within: 10)
                }
                #expect(isClosed)
            }
        }
    }

    @Test("Work is cancelled when its client goes away")
    func clientGone() async throws {
        let (gone, report) = AsyncStream<Bool>.makeStream()
        try await serving(handler: { _ in
            .later {
                try? await Task.sleep(for: .seconds(60))
                report.yield(Task.isCancelled)
                return HTTPResponse(200)
            }
        }) { served in
            var client: RawClient? = try served.client()
            try await client?.send(get)
            await served.eventually("the request is in flight") { served.server.statistics.requestsInFlight == 1 }
            client = nil
            #expect(await gone.first { _ in true } == true)
            await served.eventually("the connection is closed") { served.server.statistics.connections == 0 }
        }
    }

    @Test("A large response arrives whole")
    func largeResponse() async throws {
        let body = [UInt8](repeating: 0x78, count: 4 << 20)
        try await serving(handler: { _ in .now(HTTPResponse(200, body: .bytes(body))) }) { served in
            let client = try served.client()
            #expect(try await client.ask(get).body.utf8.count == body.count)
            #expect(try await client.ask(get).status == 200)
        }
    }

    @Test("A client that goes away amid a response harms nobody")
    func goneWhileSending() async throws {
        let body = [UInt8](repeating: 0x78, count: 4 << 20)
        try await serving(handler: { _ in .now(HTTPResponse(200, body: .bytes(body))) }) { served in
            for _ in 0..<20 {
                let client = try served.client()
                try await client.send(get)
                _ = try await client.read(through: "\r\n\r\n")
            }
            #expect(try await served.ask(get).status == 200)
        }
    }
}

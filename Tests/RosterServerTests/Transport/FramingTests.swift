import Foundation
import RosterREST
import RosterServer
import Testing
import TestSupport

@Suite("Nothing is smuggled between chunks, and an error is one response", .timeLimit(.minutes(2)))
struct FramingTests {
    static func chunked(_ body: String) -> String { StrictnessTests.post("Transfer-Encoding: chunked\r\n", body: body) }

    @Test(
        "The connection ends after a body in chunks, however they were framed: what stands behind is no request",
        arguments: [
            "2\r\nhi\r\n0\r\n\r\n", "2\nhi\n0\n\n", "2\nhi\r\n0\r\n\r\n", "2;a\nhi\r\n0\r\n\r\n", "2\r\nhi\n0\r\n\r\n",
            "2\0\r\nhi\r\n0\r\n\r\n", "2\0\nhi\r\n0\r\n\r\n", "2;\0\r\nhi\r\n0\r\n\r\n",
            "2;a=\"\n0\r\n\r\n\"\r\nhi\r\n0\r\n\r\n",
            "2;a=b\r\nhi\r\n0\r\n\r\n", "2\r\nhi\r\n0\r\nX: y\r\n\r\n", "2\r\nhi\r\n0\r\nX: y\n\n",
            "2\r\nhi\r\n0\r\nX: y\0\n\r\n",
            "2\r\nhi\r\n0\r\nContent-Length: 5\r\n\r\n", "2\r\r\nhi\r\n0\r\n\r\n", "zz\r\nhi\r\n0\r\n\r\n",
            "-1\r\nhi\r\n0\r\n\r\n",
        ])
    func ends(body: String) async throws {
        try await serving(handler: { request in
            if request.method == "GET" { Issue.record("Smuggled: \(request.target)") }
            return .now(text("taken"))
        }) { served in
            let client = try served.client()
            try await client.send(Self.chunked(body) + get)
            let all = try #require(try await client.all(), "it was not closed")
            #expect(all.ranges(of: "HTTP/1.1 ").count == 1, "\(all)")
            #expect(all.lowercased().contains("connection: close"))
        }
    }

    static let refused = [
        StrictnessTests.post("Content-Length: x\r\n", body: "hello"),
        StrictnessTests.post("Content-Length: -5\r\n", body: "hello"),
        StrictnessTests.post("Content-Length:\r\n", body: "hello"),
        StrictnessTests.post("Content-Length: 99999999999999999999999\r\n"),
        StrictnessTests.post("Content-Length: 99999999\r\n"),
        "GET / HTTP/1.1\r\nHost: a\r\nCookie: \(String(repeating: "a;", count: 7_000))\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 40_000))\r\n\r\n",
        "GET /\(String(repeating: "x", count: 40_000)) HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /\r\nHost: a\r\n\r\n", "GET / http/1.1\r\nHost: a\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n", chunked("zz\r\n"), chunked("2\r\nhiXX0\r\n\r\n"),
        chunked("2\r\nhi\r\n0\r\nbad trailer\r\n\r\n"),
    ]

    /// What a client makes of everything that was sent: the status and the body, where it is exactly one response.
    static func single(_ sent: String) -> (status: Int, body: String)? {
        guard let end = sent.firstRange(of: "\r\n\r\n") else { return nil }
        let head = Response(status: 0, head: String(sent[..<end.lowerBound]), body: "")
        let body = String(sent[end.upperBound...])
        guard let status = head.head.split(separator: " ").dropFirst().first.flatMap({ Int($0) }), head.closes,
            head.field("Content-Length").flatMap(Int.init) == body.utf8.count, !body.contains("HTTP/1.1")
        else { return nil }
        return (status, body)
    }

    @Test("What is refused gets one response, and the connection ends with it", arguments: refused)
    func oneResponse(bytes: String) async throws {
        try await serving { served in
            let client = try served.client()
            // The server may close before all is sent, and the system may then drop its response.
            try await client.send(bytes.utf8.count > 30_000 ? bytes : bytes + get)
            let all = try #require(try await client.all(), "it was not closed")
            if !all.isEmpty {
                let single = try #require(Self.single(all), "\(all)")
                #expect((400...505).contains(single.status))
            }
            #expect(try await served.ask(get).status == 200)
        }
    }

    @Test("A bad length after a good request on the same connection is refused once as well")
    func second() async throws {
        try await serving { served in
            let client = try served.client()
            #expect(try await client.ask(get).status == 200)
            try await client.send("PUT / HTTP/1.1\r\nHost: a\r\n")
            try await client.send("Content-Length: 1x\r\n\r\nhello" + get)
            let all = try #require(try await client.all())
            #expect(Self.single(all)?.status == 400, "\(all)")
            #expect(served.server.statistics.refused == 1)
        }
    }

    @Test("A bad length is refused once over TLS too")
    func overTLS() async throws {
        try await withFolder { folder in
            try await TLSTests.makeCertificate("one", in: folder)
            try await serving(tls: TLSTests.files("one", in: folder)) { served in
                let answer = try await TLSTests.run(
                    "curl",
                    [
                        "-sk", "-i", "--max-time", "20", "-H", "Content-Length: x", "-X", "POST",
                        "https://127.0.0.1:\(served.port)/",
                    ], in: folder)
                #expect(answer.ranges(of: "HTTP/1.1").count == 1, "\(answer)")
                #expect(answer.hasPrefix("HTTP/1.1 400 "))
            }
        }
    }
}

import Foundation
import RosterREST
import RosterServer
import Testing
import TestSupport

@Suite("What is not clearly one request")
struct StrictnessTests {
    struct Attack: Sendable, CustomTestStringConvertible {
        let name: String
        let bytes: String
        let status: Set<Int>

        init(_ name: String, _ bytes: String, _ status: Int...) {
            self.name = name
            self.bytes = bytes
            self.status = Set(status)
        }
        var testDescription: String { name }
    }

    static let host = "Host: a\r\n"
    static func post(_ fields: String, body: String = "") -> String { "POST / HTTP/1.1\r\n\(host)\(fields)\r\n\(body)" }

    static func marks(_ count: Int) -> String { String(repeating: "\u{301}", count: count) }

    static let framing = [
        Attack(
            "two kinds of length", post("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n", body: "0\r\n\r\n"), 400),
        Attack(
            "two kinds of length, the other way round",
            post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", body: "0\r\n\r\n"), 400),
        Attack("two lengths", post("Content-Length: 5\r\nContent-Length: 6\r\n", body: "hello"), 400),
        Attack("the same length twice", post("Content-Length: 5\r\nContent-Length: 5\r\n", body: "hello"), 400),
        Attack("a list of lengths", post("Content-Length: 5, 5\r\n", body: "hello"), 400),
        Attack("a signed length", post("Content-Length: +5\r\n", body: "hello"), 400),
        Attack("a negative length", post("Content-Length: -5\r\n", body: "hello"), 400),
        Attack("a hexadecimal length", post("Content-Length: 0x5\r\n", body: "hello"), 400),
        Attack("an empty length", post("Content-Length:\r\n", body: "hello"), 400),
        Attack("a length beyond 64 bits", post("Content-Length: 99999999999999999999999\r\n"), 400, 413),
        Attack("chunked, identity", post("Transfer-Encoding: chunked, identity\r\n", body: "0\r\n\r\n"), 400),
        Attack("gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n", body: "0\r\n\r\n"), 400),
        Attack("identity as a transfer encoding", post("Transfer-Encoding: identity\r\n", body: "hello"), 400),
        Attack(
            "chunked twice", post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", body: "0\r\n\r\n"),
            400),
        Attack("a tabulator after chunked", post("Transfer-Encoding:\u{B}chunked\r\n", body: "0\r\n\r\n"), 400),
        Attack("chunks in HTTP/1.0", "POST / HTTP/1.0\r\n\(host)Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        Attack("a malformed chunk size", post("Transfer-Encoding: chunked\r\n", body: "5g\r\nhello\r\n0\r\n\r\n"), 400),
        Attack("a signed chunk size", post("Transfer-Encoding: chunked\r\n", body: "+5\r\nhello\r\n0\r\n\r\n"), 400),
        Attack(
            "a chunk size beyond 64 bits", post("Transfer-Encoding: chunked\r\n", body: "fffffffffffffffff\r\n"), 400,
            413),
        Attack(
            "a chunk longer than it says", post("Transfer-Encoding: chunked\r\n", body: "3\r\nhello\r\n0\r\n\r\n"), 400),
        Attack(
            "an endless chunk extension",
            post("Transfer-Encoding: chunked\r\n", body: "5;a=" + String(repeating: "x", count: 100_000)), 400, 413, 500
        ),
    ]

    static let heads = [
        Attack("a space before the colon", post("Transfer-Encoding : chunked\r\n", body: "0\r\n\r\n"), 400),
        Attack("a bare LF after the request line", "GET / HTTP/1.1\nHost: a\r\n\r\n", 400),
        Attack("a bare LF after a field", "GET / HTTP/1.1\r\nHost: a\nX: b\r\n\r\n", 400),
        Attack("a bare LF after the last field", "GET / HTTP/1.1\r\nX: b\r\nHost: a\n\r\n", 400),
        Attack("a bare LF at the end of the head", "GET / HTTP/1.1\r\nHost: a\r\n\n", 400),
        Attack("bare LFs only", "GET / HTTP/1.1\nHost: a\n\n", 400),
        Attack("a folded field", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n c\r\n\r\n", 400),
        Attack("a folded field of white space", "GET / HTTP/1.1\r\nHost: a\r\nX: b\r\n \r\n\r\n", 400),
        Attack("a fold after the last field", "GET / HTTP/1.1\r\nHost: a\r\n\tb\r\n\r\n", 400),
        Attack("a fold before the first field", "GET / HTTP/1.1\r\n Host: a\r\n\r\n", 400),
        Attack("a zero byte in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\0c\r\n\r\n", 400),
        Attack("a zero byte in a name", "GET / HTTP/1.1\r\nHost: a\r\nX\0Y: b\r\n\r\n", 400),
        Attack("a control character in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\u{1}c\r\n\r\n", 400),
        Attack("a bare CR in a value", "GET / HTTP/1.1\r\nHost: a\r\nX: b\rY: c\r\n\r\n", 400),
        Attack("a field without a colon", "GET / HTTP/1.1\r\nHost: a\r\nX\r\n\r\n", 400),
        Attack("a field without a name", "GET / HTTP/1.1\r\nHost: a\r\n: b\r\n\r\n", 400),
        Attack("no host", "GET / HTTP/1.1\r\nX: a\r\n\r\n", 400),
        Attack("no field at all", "GET / HTTP/1.1\r\n\r\n", 400),
        Attack("two hosts", "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", 400),
        Attack("an empty host", "GET / HTTP/1.1\r\nHost:\r\n\r\n", 400),
        Attack("a host with a path", "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n", 400),
        Attack("endless combining marks", "GET / HTTP/1.1\r\nHost: a\r\nX: a\(marks(7_000))\r\n\r\n", 400),
        Attack(
            "endless combining marks of two kinds",
            "GET / HTTP/1.1\r\nHost: a\r\nX: a\(String(repeating: "\u{301}\u{316}", count: 129))\r\n\r\n", 400),
        Attack("an unknown expectation", post("Content-Length: 1\r\nExpect: tea\r\n"), 417),
        Attack("a compressed body", post("Content-Length: 1\r\nContent-Encoding: gzip\r\n", body: "a"), 415),
    ]

    static let lines = [
        Attack("a target of another scheme", "GET ftp://a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("an absolute target without a host", "GET http:///b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("an absolute target with a user", "GET http://u@a/ HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("an absolute target without Host", "GET http://a/ HTTP/1.1\r\nX: a\r\n\r\n", 400),
        Attack("an authority as the target", "CONNECT a:80 HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("an asterisk for GET", "GET * HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("a space in the target", "GET /a b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("two spaces before the target", "GET  / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("two spaces after the target", "GET /  HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("a space after the version", "GET / HTTP/1.1 \r\nHost: a\r\n\r\n", 400),
        Attack("a zero byte in the target", "GET /a\0b HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("a zero byte in the query", "GET /a?b\0c HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("a control character in the target", "GET /a\u{7F} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("a bare CR in the target", "GET /a\r HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("letters beyond ASCII in the target", "GET /\u{E9} HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("a method that is no word", "G(T / HTTP/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("no version", "GET /\r\nHost: a\r\n\r\n", 400),
        Attack("a version in small letters", "GET / http/1.1\r\nHost: a\r\n\r\n", 400),
        Attack("HTTP/2.0", "GET / HTTP/2.0\r\nHost: a\r\n\r\n", 505),
        Attack("HTTP/0.9", "GET / HTTP/0.9\r\nHost: a\r\n\r\n", 505),
        Attack("HTTP/11", "GET / HTTP/11\r\nHost: a\r\n\r\n", 400),
    ]

    @Test("Refused, never handled, and the connection closed", arguments: framing + heads + lines)
    func refused(attack: Attack) async throws {
        try await serving(handler: { request in
            Issue.record("Handled: \(request)")
            return .now(describe(request))
        }) { served in
            let client = try served.client()
            try await client.send(attack.bytes)
            let response = try await client.response()
            #expect(attack.status.contains(response.status), "\(response.head)")
            #expect(response.closes)
            #expect(try await client.closes())
        }
    }

    @Test(
        "What looks odd but is allowed is handled",
        arguments: [
            ("GET / HTTP/1.1\r\nHost: a\r\nX:b\r\n\r\n", "GET / [Host=a|X=b] "),
            ("GET / HTTP/1.1\r\nHost: a\r\nX: \t b c \t\r\n\r\n", "GET / [Host=a|X=b c] "),
            ("GET / HTTP/1.1\r\nHost: a\r\nX:\r\nX: \r\n\r\n", "GET / [Host=a|X=|X=] "),
            ("\r\n\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n", "GET / [Host=a] "),
            ("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * [Host=a] "),
            ("get /? HTTP/1.1\r\nhost: [::1]:80\r\n\r\n", "get /? [host=[::1]:80] "),
            ("GET / HTTP/1.0\r\n\r\n", "GET / [] "),
            ("GET / HTTP/1.2\r\nHost: a\r\n\r\n", "GET / [Host=a] "),
            ("GET http://b:80/c?d HTTP/1.1\r\nX: y\r\nHost: a\r\n\r\n", "GET /c?d [Host=b:80|X=y] "),
            ("GET HTTPS://b HTTP/1.1\r\nHost: a\r\n\r\n", "GET / [Host=b] "),
            ("GET http://b?c=/d HTTP/1.1\r\nHost: a\r\n\r\n", "GET /?c=/d [Host=b] "),
            ("OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n", "OPTIONS * [Host=b] "),
            (
                "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n2;a=b\r\nhi\r\n0\r\nTrailer: x\r\n\r\n",
                "PUT / [Host=a|Transfer-Encoding=Chunked] hi"
            ),
            (
                "PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 002\r\nContent-Encoding: identity\r\n\r\nhi",
                "PUT / [Host=a|Content-Length=002|Content-Encoding=identity] hi"
            ),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nUser-Agent: Bücher/1 \u{301}\r\nCookie: name=Алиса\r\n\r\n",
                "GET / [Host=a|User-Agent=Bücher/1 \u{301}|Cookie=name=Алиса] "
            ),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nX: a\(marks(256))\r\n\r\n", "GET / [Host=a|X=a\(marks(256))] "
            ),
            (
                "GET / HTTP/1.1\r\nHost: a\r\nCookie: a=b; c=\"d\"\r\nCookie: e\r\n\r\n",
                "GET / [Host=a|Cookie=a=b; c=\"d\"|Cookie=e] "
            ),
        ])
    func allowed(bytes: String, expected: String) async throws {
        try await serving { served in
            let response = try await served.ask(bytes)
            #expect(response.status == 200)
            #expect(response.body == expected)
        }
    }

    @Test("A zero byte in the place of a CR ends a line as the CR would, and nothing else changes")
    func zeroLineEnd() async throws {
        try await serving { served in
            let client = try served.client()
            try await client.send("GET / HTTP/1.1\r\nHost: a\0\nX: b\r\n\0\n" + get)
            #expect(try await client.response().body == "GET / [Host=a|X=b] ")
            #expect(try await client.response().body == "GET / [Host=a] ")
        }
    }

    @Test("Heads of any size within the limit are read whole", arguments: [10, 100, 1_000, 5_000, 12_000])
    func largeHeads(size: Int) async throws {
        try await serving { served in
            let client = try served.client()
            let value = String(repeating: "x", count: size)
            for _ in 0..<3 {
                let response = try await client.ask(
                    "GET /\(value.prefix(3000)) HTTP/1.1\r\nHost: a\r\nA: \(value)\r\nB: b\r\n\r\n")
                #expect(response.status == 200)
                #expect(response.body.hasSuffix("A=\(value)|B=b] "))
            }
        }
    }

}

import Foundation
import Synchronization
import TestSupport
import Testing

import RosterTransport

@Suite("Requests and answers", .timeLimit(.minutes(2)))
struct SendTests {
    private static func echo() throws -> SocketServer {
        try SocketServer { peer in
            while let request = peer.request() {
                peer.send(
                    SocketServer.answer(request.head + "|" + request.body, headers: "X-Twice: 1\r\nx-twice:  2 \r\n"))
            }
        }
    }

    private func head(_ request: TransportRequest) async throws -> String {
        let transport = Transport()
        defer { transport.close() }
        return String(decoding: try await transport.send(request).body, as: UTF8.self)
    }

    @Test("A request arrives with its method, target, fields and body, and the answer with its fields in order")
    func whole() async throws {
        let (server, transport) = (try Self.echo(), Transport())
        var request = TransportRequest(
            "PATCH", server.url + "/a/../b%20c?d=%2F#part", headers: ["X-One": "1", "x-empty": "", "Accept": "a/b"])
        request.body = Array("body".utf8)
        let answer = try await transport.send(request)
        let text = String(decoding: answer.body, as: UTF8.self)
        #expect(answer.status == 200 && answer.headers.values(of: "X-TWICE") == ["1", "2"])
        #expect(text.hasPrefix("PATCH /a/../b%20c?d=%2F HTTP/1.1\r\n") && text.hasSuffix("\r\n\r\n|body"))
        for line in ["X-One: 1", "x-empty:", "Accept: a/b", "User-Agent: Roster", "Content-Length: 4"] {
            #expect(text.contains("\r\n\(line)\r\n"), "\(line)")
        }
        for name in ["Content-Type", "Expect", "Cookie", "Authorization", "Upgrade"] {
            #expect(!text.contains("\r\n\(name):"), "\(name)")
        }
    }

    @Test(
        "Each method is sent as it is, and a POST without a body has the length 0",
        arguments: [
            "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "REPORT",
        ])
    func methods(method: String) async throws {
        let transport = Transport()
        let lines = Mutex<[String]>([])
        let recorder = try SocketServer { peer in
            while let request = peer.request() {
                lines.withLock { $0.append("\(request.line), \(request.field("Content-Length") ?? "none")") }
                peer.send("HTTP/1.1 204 No Content\r\n\r\n")
            }
        }
        let answer = try await transport.send(TransportRequest(method, recorder.url + "/"))
        let length = ["POST", "PUT", "PATCH"].contains(method) ? "0" : "none"
        #expect(answer.status == 204 && lines.withLock { $0 } == ["\(method) / HTTP/1.1, \(length)"])
    }

    @Test("A large body arrives whole, without a wait for 100 Continue")
    func largeBody() async throws {
        let server = try Self.echo()
        var request = TransportRequest("POST", server.url)
        request.body = [UInt8](repeating: UInt8(ascii: "x"), count: 3_000_000)
        let text = try await head(request)
        #expect(text.utf8.count > 3_000_000 && !text.contains("Expect:"))
    }

    @Test("Redirects are answers, and nobody else gets the token")
    func redirects() async throws {
        let other = try Self.echo()
        for status in [301, 302, 303, 307, 308] {
            let server = try SocketServer(
                answering: SocketServer.answer("", "\(status) Moved", headers: "Location: \(other.url)/\r\n"))
            let request = TransportRequest("POST", server.url, headers: ["Authorization": "Bearer secret"], body: [1])
            let answer = try await Transport().send(request)
            #expect(answer.status == status && answer.headers["location"] == other.url + "/")
        }
        #expect(other.connections == 0)
    }

    @Test(
        "401 is an answer, whichever schemes it names",
        arguments: ["Basic realm=\"x\"", "Bearer, Basic", "Negotiate", "Digest x"])
    func challenges(scheme: String) async throws {
        let server = try SocketServer(
            answering: SocketServer.answer("no", "401 No", headers: "WWW-Authenticate: \(scheme)\r\n"))
        for authorization in [nil, "Basic eDp5"] {
            var request = TransportRequest("GET", server.url)
            request.headers["Authorization"] = authorization
            let answer = try await Transport().send(request)
            #expect(answer.status == 401 && answer.headers["www-authenticate"] == scheme)
        }
    }

    @Test("Cookies are not kept")
    func cookies() async throws {
        let cookies = Mutex<[String?]>([])
        let server = try SocketServer { peer in
            while let request = peer.request() {
                cookies.withLock { $0.append(request.field("Cookie")) }
                peer.send(SocketServer.answer("", headers: "Set-Cookie: a=b; Path=/\r\n"))
            }
        }
        let transport = Transport()
        for _ in 0..<3 { _ = try await transport.send(TransportRequest("GET", server.url)) }
        #expect(cookies.withLock { $0 } == [nil, nil, nil] && server.connections == 1)
    }

    @Test("A proxy gets requests to other machines, and none to this one")
    func proxies() async throws {
        let lines = Mutex<[String]>([])
        let proxy = try SocketServer { peer in
            while let request = peer.request() {
                lines.withLock { $0.append(request.line) }
                peer.send(SocketServer.answer("from the proxy"))
            }
        }
        var settings = TransportSettings()
        settings.proxy = proxy.url
        let transport = Transport(settings)
        var request = TransportRequest("GET", "http://roster.invalid/a")
        request.allowsPlainHTTP = true
        #expect(try await transport.send(request).body == Array("from the proxy".utf8))
        let server = try Self.echo()
        for host in ["127.0.0.1", "localhost"] {
            _ = try await transport.send(TransportRequest("GET", "http://\(host):\(server.port)/"))
        }
        #expect(lines.withLock { $0 } == ["GET http://roster.invalid/a HTTP/1.1"] && server.connections == 2)
    }

    @Test(
        "A GET is repeated if the kept connection is dead; a POST never is, and the error says that it may have arrived"
    )
    func staleConnections() async throws {
        let requests = Counter()
        // Each connection answers once, and ends when the second request comes.
        let server = try SocketServer { peer in
            guard peer.request() != nil else { return }
            peer.send(SocketServer.answer("first"))
            guard peer.request() != nil else { return }
            requests.add()
        }
        let transport = Transport()
        _ = try await transport.send(TransportRequest("GET", server.url))
        #expect(try await transport.send(TransportRequest("GET", server.url)).body == Array("first".utf8))
        #expect(requests.value == 1 && server.connections == 2)
        let error = await #expect(throws: TransportError.self) {
            try await transport.send(TransportRequest("POST", server.url, body: [1]))
        }
        #expect(error?.code == .interrupted && error?.mayHaveBeenSent == true)
        #expect(requests.value == 2 && server.connections == 2)
    }

    @Test("What cannot be sent is refused before anything is sent")
    func refused() async throws {
        let server = try Self.echo()
        let requests = [
            TransportRequest("get", server.url), TransportRequest("G\r\nET", server.url),
            TransportRequest("", server.url),
            TransportRequest("CONNECT", server.url),
            TransportRequest("GET", server.url, headers: ["A": "b\r\nC: d"]),
            TransportRequest("GET", server.url, headers: ["A:": "b"]),
            TransportRequest("GET", server.url, headers: ["": ""]),
            TransportRequest("GET", server.url, headers: ["A": "b\0"]),
            TransportRequest("POST", server.url, headers: ["Content-Length": "1"]),
            TransportRequest("POST", server.url, headers: ["Transfer-Encoding": "chunked"]),
            TransportRequest("GET", server.url, headers: ["Host": "b"]),
        ]
        for request in requests {
            let error = await #expect(throws: TransportError.self) { try await Transport().send(request) }
            #expect(error?.code == .badRequest && error?.mayHaveBeenSent == false, "\(request)")
        }
        #expect(server.connections == 0)
    }

    @Test(
        "Only https is taken, and http on this machine unless more is allowed",
        arguments: [
            "http://example.com/", "http://127.0.0.1.example.com/", "http://localhost.example.com/", "ftp://127.0.0.1/",
            "file:///etc/passwd", "https://", "https:///x", "x", "", "/x", "//127.0.0.1/", "https://user@127.0.0.1/",
            "https://:secret@127.0.0.1/", "http://127.0.0.1/a b", "http://127.0.0.1/\r\nX: y",
            "https://127.0.0.1:99999/",
            "http://127.0.0.1\\@example.com/", "http://[::ffff:8.8.8.8]/", "gopher://127.0.0.1/", "http://1.2.3.4/",
        ])
    func urls(url: String) async throws {
        let error = await #expect(throws: TransportError.self) {
            try await Transport().send(TransportRequest("GET", url))
        }
        #expect(error?.code == .badURL && error?.mayHaveBeenSent == false)
    }

    @Test("Errors, requests and answers show no secret, however they are printed")
    func noSecrets() async throws {
        let secret = "hunter2"
        var request = TransportRequest("POST", "https://no-such-host.invalid/a?code=\(secret)")
        request.headers["Authorization"] = "Bearer \(secret)"
        request.body = Array(secret.utf8)
        var settings = TransportSettings()
        settings.proxy = "http://a:\(secret)@127.0.0.1:1"
        settings.clientCertificate = .init(certificateFile: "a", keyFile: "b", passphrase: secret)
        let server = try SocketServer(answering: SocketServer.answer(secret, headers: "X-A: \(secret)\r\n"))
        let answer = try await Transport().send(TransportRequest("GET", server.url))
        let error = await #expect(throws: TransportError.self) { try await Transport(settings).send(request) }
        let values: [Any] = [request, request.headers, settings, answer, error as Any]
        for value in values {
            var dumped = ""
            dump(value, to: &dumped)
            #expect(!"\(value) \(String(reflecting: value)) \(dumped)".contains(secret), "\(dumped)")
        }
        #expect(TransportRequest("GET", "https://a:\(secret)@b/").description == "GET")
    }

    @Test("A failed connection is told apart, with advice, and cannot have been sent")
    func connections() async throws {
        let failed = await #expect(throws: TransportError.self) {
            try await Transport().send(TransportRequest("GET", "http://127.0.0.1:1/"))
        }
        #expect(failed?.code == .refused && failed?.mayHaveBeenSent == false)
        #expect(
            failed?.localizedDescription == "'127.0.0.1' refused the connection." && failed?.recoverySuggestion != nil)
        let unknown = await #expect(throws: TransportError.self) {
            try await Transport().send(TransportRequest("GET", "https://no-such-host.invalid/"))
        }
        #expect(unknown?.code == .hostNotFound && unknown?.mayHaveBeenSent == false)
    }
}

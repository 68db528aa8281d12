import Foundation
import Synchronization
import TestSupport
import Testing

import RosterTransport

@Suite("Bodies from files", .timeLimit(.minutes(2)))
struct BodyFileTests {
    /// A server that says the method, the length field and the FNV-1a hash of each body.
    private static func hashing() throws -> SocketServer {
        try SocketServer { peer in
            while let request = peer.request() {
                let method = request.line.prefix { $0 != " " }
                peer.send(
                    SocketServer.answer("\(method) \(request.field("Content-Length") ?? "none") \(hash(request.body))"))
            }
        }
    }

    private static func hash(_ text: String) -> UInt64 {
        text.utf8.reduce(14_695_981_039_346_656_037) { ($0 ^ UInt64($1)) &* 1_099_511_628_211 }
    }

    @Test("A file arrives whole, whatever its size and the form of the call are", arguments: ["POST", "PUT", "PATCH"])
    func whole(method: String) async throws {
        try await withFolder { folder in
            let (server, transport) = (try Self.hashing(), Transport())
            for size in [0, 1, 65_536, 5_000_001] {
                let text = String((0..<size).map { Character(UnicodeScalar(UInt8(ascii: "a") + UInt8($0 % 23))) })
                let file = folder.appendingPathComponent("body")
                try Data(text.utf8).write(to: file)
                var request = TransportRequest(method, server.url + "/", headers: ["Content-Type": "text/plain"])
                request.bodyFile = file
                let expected = "\(method) \(size) \(Self.hash(text))"
                let sent = request
                #expect(String(decoding: try await transport.send(sent).body, as: UTF8.self) == expected)
                let waited = try await onThread { try transport.sendAndWait(sent) }
                #expect(String(decoding: waited.body, as: UTF8.self) == expected)
                let stream = try await transport.stream(sent)
                #expect(String(decoding: try await stream.rest(upTo: 1_000), as: UTF8.self) == expected)
            }
        }
    }

    @Test("What cannot be a body is refused before anything is sent")
    func refused() async throws {
        try await withFolder { folder in
            let (server, transport) = (try Self.hashing(), Transport())
            let file = folder.appendingPathComponent("body")
            try Data("abc".utf8).write(to: file)
            var requests = [URL(string: "https://a.example/b"), folder, folder.appendingPathComponent("missing")].map {
                url in
                var request = TransportRequest("POST", server.url)
                request.bodyFile = url
                return request
            }
            var get = TransportRequest("GET", server.url)
            get.bodyFile = file
            var two = TransportRequest("POST", server.url, body: [1])
            two.bodyFile = file
            requests += [get, two]
            for request in requests {
                let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
                #expect(error?.code == .badRequest && error?.mayHaveBeenSent == false)
            }
            #expect(server.connections == 0)
        }
    }

    @Test("A file that becomes shorter while it is sent does not pass for the whole")
    func shorter() async throws {
        try await withFolder { folder in
            let (begun, gate) = (Gate(), Gate())
            let bodies = Mutex<[Int]>([])
            let server = try SocketServer { peer in
                begun.pass()
                gate.pass()
                if let request = peer.request() { bodies.withLock { $0.append(request.body.utf8.count) } }
            }
            begun.open()
            let file = folder.appendingPathComponent("body")
            try Data(count: 64 << 20).write(to: file)
            var request = TransportRequest("PUT", server.url)
            request.bodyFile = file
            let (transport, sent) = (Transport(), request)
            let task = Task { try await transport.send(sent) }
            _ = try await onThread { begun.waitForArrivals() }
            let handle = try FileHandle(forWritingTo: file)
            try handle.truncate(atOffset: 1)
            gate.open()
            await #expect(throws: TransportError.self) { _ = try await task.value }
            #expect(bodies.withLock { $0 }.isEmpty)
        }
    }
}

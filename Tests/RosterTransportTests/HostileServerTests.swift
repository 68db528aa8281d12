import Foundation
import TestSupport
import Testing

import RosterTransport

@Suite("Hostile and broken servers", .timeLimit(.minutes(3)))
struct HostileServerTests {
    /// Sends a GET, with limits that a test reaches soon.
    private func failure(_ server: SocketServer, deadline: Duration = .seconds(25)) async throws -> TransportError {
        var request = TransportRequest("GET", server.url)
        request.deadline = deadline
        request.maximumBodyBytes = 100_000
        let (sent, before) = (request, ContinuousClock.now)
        let error = try await #require(throws: TransportError.self) { try await Transport().send(sent) }
        #expect(ContinuousClock.now - before < .seconds(30))
        return error
    }

    @Test(
        "One that never answers, or drips, is given up at the deadline",
        arguments: [
            ("", ""), ("HTTP/1.1 200 OK\r\n", "X-A: b\r\n"), ("HTTP/1.1 200 OK\r\nX-A: ", "1"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n", "1"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\na\r\n"),
            ("HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Early Hints\r\n\r\n"),
        ])
    func drips(beginning: String, part: String) async throws {
        let ended = Counter()
        let server = try SocketServer { peer in
            guard peer.request() != nil else { return }
            peer.send(beginning)
            while !peer.waitForClose(300), peer.send(part) {}
            ended.add()
        }
        let error = try await failure(server, deadline: .seconds(2))
        #expect(error.code == .timedOut && error.mayHaveBeenSent)
        #expect(await ended.reaches(1))
    }

    @Test("One that does not even take the connection's request is given up at the deadline")
    func neverReads() async throws {
        let server = try SocketServer { $0.waitForNothing() }
        #expect(try await failure(server, deadline: .seconds(2)).code == .timedOut)
    }

    @Test(
        "Endless heads, interim answers and trailers are cut off",
        arguments: [
            ("HTTP/1.1 200 OK\r\n", "X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"),
            ("HTTP/1.1 200 OK\r\nX-A: ", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"),
            ("", "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n"),
            (
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n",
                "X-A: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\r\n"
            ),
        ])
    func endlessHeads(beginning: String, part: String) async throws {
        let server = try SocketServer { peer in
            guard peer.request() != nil, peer.send(beginning) else { return }
            let parts = String(repeating: part, count: 100)
            while peer.send(parts) {}
        }
        #expect(try await failure(server).code == .tooLarge)
    }

    @Test(
        "Bodies beyond the limit are cut off, whatever their length was said to be",
        arguments: [
            "Content-Length: 1000000000000\r\n", "", "Transfer-Encoding: chunked\r\n",
        ])
    func largeBodies(field: String) async throws {
        let server = try SocketServer { peer in
            guard peer.request() != nil, peer.send("HTTP/1.1 200 OK\r\n\(field)\r\n") else { return }
            let part = String(repeating: "x", count: 0x1_0000)
            let isChunked = field.hasPrefix("Transfer")
            while peer.send(isChunked ? "10000\r\n\(part)\r\n" : part) {}
        }
        let error = try await failure(server)
        #expect(error.code == .tooLarge && error.message.contains("100000 bytes"))
    }

    @Test("A body of exactly the limit is taken, and one byte more is not")
    func exactLimit() async throws {
        for (count, isTaken) in [(100_000, true), (100_001, false)] {
            let server = try SocketServer(answering: SocketServer.answer(String(repeating: "x", count: count)))
            var request = TransportRequest("GET", server.url)
            request.maximumBodyBytes = 100_000
            let answer = try? await Transport().send(request)
            #expect((answer?.body.count == count) == isTaken)
        }
    }

    @Test("A compressed body is unpacked, and one that unpacks beyond the limit is cut off")
    func compressed() async throws {
        for (count, isTaken) in [(90_000, true), (500_000_000, false)] {
            let packed = try Tool.run("/bin/sh", "-c", "head -c \(count) /dev/zero | gzip -c")
            let server = try SocketServer { peer in
                while peer.request() != nil {
                    peer.send("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(packed.count)\r\n\r\n")
                    peer.send(packed)
                }
            }
            if isTaken {
                #expect(try await Transport().send(TransportRequest("GET", server.url)).body.count == count)
            } else {
                #expect(try await failure(server).code == .tooLarge)
            }
        }
    }

    @Test(
        "A connection that ends early is an error that says that the request may have been executed",
        arguments: [
            "", "HTTP/1.1 200 OK\r\nContent-Le", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nxxx",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabcde\r\n",
        ])
    func endsEarly(text: String) async throws {
        for resets in [false, true] {
            let server = try SocketServer { peer in
                guard peer.request() != nil else { return }
                peer.send(text)
                if resets { peer.reset() }
            }
            let error = try await failure(server)
            #expect(error.code == .interrupted && error.mayHaveBeenSent)
        }
    }

    @Test(
        "What is not HTTP is an error, and nothing crashes",
        arguments: [
            "nonsense\r\n\r\n", "HTTP/1.1 999999999999 Large\r\n\r\n", "HTTP/9.9 200 OK\r\n\r\n", "\0\0\0\0",
            "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999999\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFFFF\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-5\r\nabc",
            "HTTP/1.1 700 x\r\nContent-Length: 0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "SSH-2.0-OpenSSH_9.2\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7FFFFFFFFFFFFFFF\r\nabc",
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "\u{16}\u{3}\u{1}\u{2}",
        ])
    func nonsense(text: String) async throws {
        let server = try SocketServer { peer in
            guard peer.request() != nil else { return }
            peer.send(text)
        }
        let error = try await failure(server)
        #expect([.badAnswer, .interrupted, .tooLarge].contains(error.code), "\(error)")
    }

    @Test("Interim answers are skipped, bare line feeds are read, and a body may be longer than its length")
    func tolerated() async throws {
        let answers = [
            "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nX-A: no\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            "HTTP/1.1 200 OK\nContent-Length: 2\n\nok", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2;a=b\r\nok\r\n0\r\nX-A: no\r\n\r\n",
            "HTTP/1.0 200 OK\r\n\r\nok",
        ]
        for text in answers {
            let server = try SocketServer { peer in
                guard peer.request() != nil else { return }
                peer.send(text)
            }
            let answer = try await Transport().send(TransportRequest("GET", server.url))
            #expect(answer.status == 200 && answer.body == Array("ok".utf8) && answer.headers["X-A"] == nil, "\(text)")
        }
    }

    @Test("Bytes beyond an answer's length are never taken for the next answer")
    func noSmuggling() async throws {
        let server = try SocketServer { peer in
            while peer.request() != nil {
                peer.send(SocketServer.answer("first") + SocketServer.answer("smuggled"))
            }
        }
        let transport = Transport()
        for _ in 0..<5 {
            #expect(try await transport.send(TransportRequest("GET", server.url)).body == Array("first".utf8))
        }
    }
}

import Foundation
import Synchronization
import TestSupport
import Testing

import RosterTransport

@Suite("Streams", .timeLimit(.minutes(3)))
struct StreamTests {
    private static let beginning = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

    @Test("The head, and each part of the body, is there before the next part is sent")
    func parts() async throws {
        let (turns, sent) = (Counter(), Counter())
        let server = try SocketServer { peer in
            guard peer.request() != nil else { return }
            peer.send(Self.beginning)
            for number in 1...5 {
                turns.waits(number)
                peer.send("data: \(number)\n\n")
                sent.add()
            }
        }
        let stream = try await Transport().stream(TransportRequest("GET", server.url))
        #expect(stream.status == 200 && stream.headers["content-type"] == "text/event-stream" && sent.value == 0)
        turns.add()
        var received: [String] = []
        for try await event in stream.events() {
            received.append(event.data)
            #expect(sent.value <= received.count)
            turns.add()
        }
        #expect(received == ["1", "2", "3", "4", "5"])
    }

    @Test("While nobody reads an endless body, the server waits, and little memory is used")
    func slowReader() async throws {
        let sent = Counter()
        let server = try SocketServer { peer in
            guard peer.request() != nil, peer.send("HTTP/1.1 200 OK\r\n\r\n") else { return }
            let part = [UInt8](repeating: 1, count: 1 << 20)
            while peer.send(part) { sent.add() }
        }
        let transport = Transport()
        let stream = try await transport.stream(TransportRequest("GET", server.url))
        // Other requests go on meanwhile.
        let other = try SocketServer(answering: SocketServer.answer("ok"))
        for _ in 0..<200 { _ = try await transport.send(TransportRequest("GET", other.url)) }
        // The buffers of the system hold some megabytes.
        #expect(sent.value < 30)
        var count = 0
        for try await part in stream {
            count += part.count
            if count > 50 << 20 { break }
        }
        #expect(sent.value >= 50)
    }

    @Test("A stream that nobody refers to any more is closed")
    func abandoned() async throws {
        let gone = Counter()
        let server = try SocketServer { peer in
            guard peer.request() != nil, peer.send(Self.beginning) else { return }
            peer.waitForClose()
            gone.add()
        }
        let transport = Transport()
        for _ in 0..<20 { _ = try await transport.stream(TransportRequest("GET", server.url)) }
        #expect(await gone.reaches(20))
    }

    @Test("Cancelling the task, or the stream, ends the reader with CancellationError and closes the connection")
    func cancelled() async throws {
        let (read, gone) = (Counter(), Counter())
        let server = try SocketServer { peer in
            guard peer.request() != nil, peer.send(Self.beginning + "data: 1\n\n") else { return }
            peer.waitForClose()
            gone.add()
        }
        let transport = Transport()
        for byTask in [true, false] {
            let stream = try await transport.stream(TransportRequest("GET", server.url))
            let before = read.value
            let task = Task { for try await _ in stream.events() { read.add() } }
            #expect(await read.reaches(before + 1))
            if byTask { task.cancel() } else { stream.cancel() }
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        #expect(await gone.reaches(2))
    }

    @Test("A stream ends at the silence limit, and one that keeps talking does not; the deadline counts until the head")
    func silence() async throws {
        let server = try SocketServer { peer in
            guard let request = peer.request() else { return }
            if request.line.contains("/never") {
                peer.waitForClose()
            } else {
                peer.send(Self.beginning)
                for _ in 0..<4 where !peer.waitForClose(600) { peer.send(": still here\n\n") }
                peer.waitForClose()
            }
        }
        var request = TransportRequest("GET", server.url + "/talks")
        request.deadline = .seconds(2)
        request.silenceTimeout = .seconds(2)
        let stream = try await Transport().stream(request)
        let lines = Counter()
        let error = await #expect(throws: TransportError.self) { for try await _ in stream.lines() { lines.add() } }
        #expect(error?.code == .timedOut && lines.value == 8)
        request.url = server.url + "/never"
        let never = request
        let head = await #expect(throws: TransportError.self) { try await Transport().stream(never) }
        #expect(head?.code == .timedOut)
    }

    @Test("A deadline and a silence limit of zero are none")
    func noLimits() async throws {
        let server = try SocketServer { peer in
            guard peer.request() != nil, !peer.waitForClose(600) else { return }
            peer.send(SocketServer.answer("late"))
        }
        var request = TransportRequest("GET", server.url)
        (request.deadline, request.silenceTimeout) = (.zero, .zero)
        #expect(try await Transport().send(request).body == Array("late".utf8))
        #expect(try await Transport().stream(request).rest(upTo: 10) == Array("late".utf8))
    }

    @Test("A body that ends early is an error after the parts that arrived")
    func interrupted() async throws {
        let server = try SocketServer { peer in
            guard peer.request() != nil else { return }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc")
        }
        let stream = try await Transport().stream(TransportRequest("GET", server.url))
        var bytes: [UInt8] = []
        let error = await #expect(throws: TransportError.self) { for try await part in stream { bytes += part } }
        #expect(bytes == Array("abc".utf8) && error?.code == .interrupted)
    }

    @Test("An error's body is read up to a limit, and a stream that is compressed unasked is refused")
    func errors() async throws {
        let server = try SocketServer(answering: SocketServer.answer("why", "403 No"))
        for (limit, isRead) in [(3, true), (2, false)] {
            let stream = try await Transport().stream(TransportRequest("GET", server.url))
            let body = try? await stream.rest(upTo: limit)
            #expect(stream.status == 403 && (body == Array("why".utf8)) == isRead)
        }
        let packed = try SocketServer(answering: SocketServer.answer("x", headers: "Content-Encoding: gzip\r\n"))
        let error = await #expect(throws: TransportError.self) {
            try await Transport().stream(TransportRequest("GET", packed.url))
        }
        #expect(error?.code == .badAnswer)
    }

    @Test("Lines end with LF, CR LF or CR, the last one with the body, and long ones are refused")
    func lines() async throws {
        let server = try SocketServer { peer in
            guard peer.request() != nil else { return }
            for part in ["HTTP/1.1 200 OK\r\n\r\n", "a\r", "\nb\n", "\r\rc\u{E9}", "d"] { peer.send(part) }
        }
        let stream = try await Transport().stream(TransportRequest("GET", server.url))
        var lines: [String] = []
        for try await line in stream.lines() { lines.append(line) }
        #expect(lines == ["a", "b", "", "", "c\u{E9}d"])
        let long = try SocketServer(answering: SocketServer.answer(String(repeating: "x", count: 2_000)))
        let longLines = try await Transport().stream(TransportRequest("GET", long.url)).lines(upTo: 1_000)
        let error = await #expect(throws: TransportError.self) { for try await _ in longLines {} }
        #expect(error?.code == .tooLarge)
    }

    @Test("An endless event is refused")
    func endlessEvent() async throws {
        let server = try SocketServer { peer in
            guard peer.request() != nil, peer.send(Self.beginning) else { return }
            while peer.send("data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n") {}
        }
        let stream = try await Transport().stream(TransportRequest("GET", server.url))
        let error = await #expect(throws: TransportError.self) { for try await _ in stream.events(upTo: 10_000) {} }
        #expect(error?.code == .tooLarge)
    }
}

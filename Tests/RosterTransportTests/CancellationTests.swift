import Foundation
import TestSupport
import Testing

import RosterTransport

@Suite("Cancelling and closing", .timeLimit(.minutes(3)))
struct CancellationTests {
    /// Takes connections and requests, sends a text, and counts the clients that went.
    private final class Patient: Sendable {
        let arrived = Counter()
        let gone = Counter()
        let server: SocketServer

        init(_ text: String) throws {
            let (arrived, gone) = (arrived, gone)
            server = try SocketServer { peer in
                guard peer.request() != nil else { return }
                peer.send(text)
                arrived.add()
                peer.waitForClose()
                gone.add()
            }
        }
    }

    private func isCancelled<Value>(_ task: Task<Value, any Error>) async -> Bool {
        do {
            _ = try await task.value
            return false
        } catch { return error is CancellationError }
    }

    @Test("A task that is cancelled already sends nothing")
    func before() async throws {
        let (patient, transport) = (try Patient(""), Transport())
        for _ in 0..<300 {
            let request = TransportRequest("GET", patient.server.url)
            let task = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await transport.send(request)
            }
            #expect(await isCancelled(task))
            #expect(throws: CancellationError.self) {
                withUnsafeCurrentTask { $0?.cancel() }
                _ = try transport.sendAndWait(request)
            }
        }
        #expect(patient.server.connections == 0)
    }

    @Test(
        "A task that waits for the head or for the body ends at once, and so does its connection",
        arguments: [
            "", "HTTP/1.1 200 OK\r\nX-A", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
        ])
    func waiting(text: String) async throws {
        let (patient, transport) = (try Patient(text), Transport())
        let request = TransportRequest("POST", patient.server.url, body: [1])
        let task = Task { try await transport.send(request) }
        #expect(await patient.arrived.reaches(1))
        let start = ContinuousClock.now
        task.cancel()
        #expect(await isCancelled(task))
        #expect(await patient.gone.reaches(1))
        #expect(ContinuousClock.now - start < .seconds(60))
    }

    @Test("A task that waits for the head of a stream ends at once, and so does its connection")
    func waitingForHead() async throws {
        let (patient, transport) = (try Patient("HTTP/1.1 200 OK\r\nX-A"), Transport())
        let request = TransportRequest("GET", patient.server.url)
        let task = Task { try await transport.stream(request) }
        #expect(await patient.arrived.reaches(1))
        task.cancel()
        #expect(await isCancelled(task))
        #expect(await patient.gone.reaches(1))
    }

    @Test("A task that connects ends at once")
    func connecting() async throws {
        // A listener whose queue is full does not answer, as a host behind a firewall.
        let listener = try FullListener()
        let transport = Transport()
        let request = TransportRequest("GET", "http://127.0.0.1:\(listener.port)")
        let tasks = (0..<20).map { _ in Task { try await transport.send(request) } }
        // An answer shows that the transport has begun the connections before.
        let server = try SocketServer(answering: SocketServer.answer("ok"))
        _ = try await transport.send(TransportRequest("GET", server.url))
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await isCancelled(task)) }
        var impatient = request
        impatient.connectTimeout = .milliseconds(200)
        let error = await #expect(throws: TransportError.self) { try await transport.send(impatient) }
        #expect(error?.code == .timedOut && error?.mayHaveBeenSent == false)
    }

    @Test("A cancellation after the end changes nothing")
    func afterwards() async throws {
        let (server, transport) = (try SocketServer(answering: SocketServer.answer("ok")), Transport())
        for _ in 0..<200 {
            let task = Task { try await transport.send(TransportRequest("GET", server.url)).body }
            #expect(try await task.value == Array("ok".utf8))
            task.cancel()
        }
        #expect(server.connections == 1)
    }

    @Test("100 tasks that wait are cancelled at once, and the transport works on")
    func many() async throws {
        let (patient, transport) = (try Patient(""), Transport(wide))
        let request = TransportRequest("GET", patient.server.url)
        let tasks = (0..<100).map { _ in Task { try await transport.send(request) } }
        #expect(await patient.arrived.reaches(100))
        for task in tasks { task.cancel() }
        for task in tasks { #expect(await isCancelled(task)) }
        #expect(await patient.gone.reaches(100))
        let server = try SocketServer(answering: SocketServer.answer("ok"))
        #expect(try await transport.send(TransportRequest("GET", server.url)).status == 200)
    }

    private var wide: TransportSettings {
        var settings = TransportSettings()
        settings.connectionsPerHost = 200
        return settings
    }

    @Test(
        "2,000 cancellations at random moments neither hang nor crash, and each task gets an answer or the cancellation"
    )
    func random() async throws {
        let server = try SocketServer { peer in
            while peer.request() != nil {
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
                peer.send("ok")
            }
        }
        let transport = Transport()
        let request = TransportRequest("GET", server.url)
        let (answers, cancellations) = (Counter(), Counter())
        await withTaskGroup(of: Void.self) { group in
            for worker in 0..<32 {
                group.addTask {
                    var random = SystemRandomNumberGenerator()
                    for round in 0..<63 {
                        let task = Task { try await transport.send(request) }
                        if (worker + round) % 2 == 0 {
                            for _ in 0..<Int.random(in: 0..<300, using: &random) { await Task.yield() }
                        }
                        task.cancel()
                        do {
                            _ = try await task.value
                            answers.add()
                        } catch is CancellationError {
                            cancellations.add()
                        } catch { Issue.record(error) }
                    }
                }
            }
        }
        #expect(answers.value + cancellations.value == 32 * 63 && cancellations.value > 0)
        #expect(try await transport.send(request).status == 200)
    }

    @Test("Closing ends waiting, queued, synchronous and streaming calls, and refuses later ones")
    func closing() async throws {
        let (patient, transport) = (try Patient("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nabc"), Transport())
        let request = TransportRequest("GET", patient.server.url)
        let stream = try await transport.stream(request)
        var tasks = (0..<30).map { _ in Task { _ = try await transport.send(request) } }
        tasks.append(
            Task {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    Thread.detachNewThread {
                        continuation.resume(with: Result { _ = try transport.sendAndWait(request) })
                    }
                }
            })
        tasks.append(Task { for try await _ in stream {} })
        #expect(await patient.arrived.reaches(16))
        transport.close()
        transport.close()
        for task in tasks {
            let error = await #expect(throws: TransportError.self) { try await task.value }
            #expect(error?.code == .closed)
        }
        #expect(await patient.gone.reaches(16))
        let later = await #expect(throws: TransportError.self) { try await transport.send(request) }
        #expect(later?.code == .closed && later?.mayHaveBeenSent == false)
        await #expect(throws: TransportError.self) { try await transport.stream(request) }
        #expect(throws: TransportError.self) { try transport.sendAndWait(request) }
    }

    @Test("A released transport closes its connections")
    func released() async throws {
        let gone = Counter()
        let server = try SocketServer { peer in
            while peer.request() != nil { peer.send(SocketServer.answer("ok")) }
            gone.add()
        }
        for _ in 0..<20 { _ = try await Transport().send(TransportRequest("GET", server.url)) }
        #expect(await gone.reaches(20))
    }
}

/// A listener that takes no further connection.
private final class FullListener: Sendable {
    let port: UInt16
    private let sockets: [Int32]

    init() throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var sockets = [listener]
        port = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                var length = socklen_t(MemoryLayout<sockaddr_in>.size)
                guard bind(listener, pointer, length) == 0, listen(listener, 0) == 0,
                    getsockname(listener, pointer, &length) == 0
                else { return 0 }
                for _ in 0..<4 {
                    let client = socket(
                        AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
                    connect(client, pointer, length)
                    sockets.append(client)
                }
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    UInt16(bigEndian: $0.pointee.sin_port)
                }
            }
        }
        self.sockets = sockets
        if port == 0 { throw CocoaError(.fileWriteUnknown) }
    }

    deinit { for socket in sockets { close(socket) } }
}

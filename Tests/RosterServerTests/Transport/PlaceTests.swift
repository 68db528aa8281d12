import Foundation
import RosterREST
import RosterText
import Testing
import TestSupport

@testable import RosterServer

#if canImport(Glibc)
    import Glibc
#endif

@Suite("Few addresses do not shut out the others", .timeLimit(.minutes(2)))
struct PlaceTests {
    static let limits = LimitTests.limits { $0.connections = 16 }

    /// A handler whose answers to `/slow` come when a gate opens.
    static func handler(_ gate: AsyncGate) -> @Sendable (HTTPRequest) -> HTTPAnswer {
        { request in
            guard request.target == "/slow" else { return .now(text("quick")) }
            return .later {
                await gate.pass()
                return text("slow")
            }
        }
    }

    static let slow = "GET /slow HTTP/1.1\r\nHost: a\r\n\r\n"

    @Test("When all places are taken, the oldest idle connection gives way to a new one")
    func oldestIdle() async throws {
        try await serving(LimitTests.limits { $0.connections = 2 }) { served in
            let (first, second) = (try served.client(), try served.client())
            for client in [second, first] { #expect(try await client.ask(get).status == 200) }
            // The second one was idle first.
            #expect(try await served.client().ask(get).status == 200)
            #expect(try await second.closes())
            #expect(try await first.ask(get).status == 200)
        }
    }

    @Test("A connection that has not finished its head gives way; one that is being answered does not")
    func unfinishedHead() async throws {
        let gate = AsyncGate()
        try await serving(LimitTests.limits { $0.connections = 2 }, handler: Self.handler(gate)) { served in
            let working = try served.client()
            try await working.send(Self.slow)
            let loris = try served.client()
            try await loris.send("GET / HTTP/1.1\r\nHost: a\r\nX:")
            await served.eventually("both have come") {
                served.server.statistics.requestsInFlight == 1 && served.server.statistics.connections == 2
            }
            // No figure shows when the server has read the unfinished head. Read later than the next connection comes, the
            // head would make that connection the oldest idle one.
            try await Task.sleep(for: .milliseconds(200))
            let other = try served.client()
            #expect(try await other.ask(get).body == "quick")
            #expect(try await loris.closes())
            try await other.send(Self.slow)
            await served.eventually("two are answered") { served.server.statistics.requestsInFlight == 2 }
            #expect(try await served.client().closes(), "nothing is idle")
            gate.open()
            #expect(try await working.response().body == "slow")
            #expect(try await other.response().body == "slow")
        }
    }

    /// Waits until the connections that gave way have ended: on a slow machine more than the limit could wait for that.
    private func settled(_ served: ServerUnderTest) async {
        await served.eventually("connections that gave way have ended") {
            served.server.statistics.connections <= Self.limits.connections
        }
    }

    @Test("Four addresses that hold all they can, idle, keep nobody out, and their own connections give way first")
    func idleHoard() async throws {
        try await serving(Self.limits) { served in
            let friend = try served.client(from: "127.0.0.9")
            #expect(try await friend.ask(get).status == 200)
            var hoard: [RawClient] = []
            for round in 0..<8 {
                for host in 2...5 {
                    let client = try served.client(from: "127.0.0.\(host)")
                    // Those of the last rounds have said nothing yet.
                    if round < 4 { _ = try? await client.ask(get) }
                    hoard.append(client)
                    await settled(served)
                }
            }
            for _ in 0..<20 {
                #expect(try await served.client(from: "127.0.0.8").ask(get).status == 200)
                await settled(served)
            }
            #expect(try await friend.ask(get).status == 200, "who holds one idle connection keeps it")
            #expect(hoard.count == 32)
        }
    }

    @Test("A burst of more connections than there are places shuts out nobody who comes behind it")
    func burst() async throws {
        let isOpen = Locked(false)
        let accept: Acceptor.Accept = { listener, address in
            isOpen.withLock { $0 } ? Acceptor.systemAccept(listener, &address) : (-1, EAGAIN)
        }
        try await serving(Self.limits, accept: accept) { served in
            let hoard = try (0..<60).map { try served.client(from: "127.0.0.\(2 + $0 % 10)") }
            let last = try served.client(from: "127.0.0.100")
            isOpen.withLock { $0 = true }
            #expect(try await last.ask(get).status == 200)
            #expect(hoard.count == 60)
        }
    }

    @Test("The last places are kept for addresses that hold few, though nothing is idle")
    func kept() async throws {
        let gate = AsyncGate()
        try await serving(LimitTests.limits { $0.connections = 80 }, handler: Self.handler(gate)) { served in
            var working: [RawClient] = []
            for number in 1...100 {
                let client = try served.client(from: "127.0.0.2")
                try await client.send(Self.slow)
                working.append(client)
                // One whose head is not read yet would give way to the next.
                await served.eventually("the hoarder has what it can get") {
                    served.server.statistics.requestsInFlight == min(number, 70)
                }
            }
            #expect(try await served.client(from: "127.0.0.3").ask(get).body == "quick")
            gate.open()
            #expect(working.count == 100)
        }
    }
}

/// A place where tasks wait until a test lets them go on.
final class AsyncGate: Sendable {
    private let stream: AsyncStream<Void>
    private let continuation: AsyncStream<Void>.Continuation

    init() { (stream, continuation) = AsyncStream.makeStream() }

    func pass() async { for await _ in stream {} }
    func open() { continuation.finish() }
}

import Foundation
import Roster
import Testing

@testable import Roster
@testable import RosterSignIn

@Suite("Hashes run a few at a time, on threads of their own", .timeLimit(.minutes(1)))
struct HashSlotsTests {
    /// Something that bodies wait for.
    final class Door: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func open(for count: Int) { for _ in 0..<count { semaphore.signal() } }
        func pass() { semaphore.wait() }
    }

    /// Waits until so many run and wait.
    static func until(_ slots: HashSlots, running: Int, waiting: Int) async {
        while slots.load != (running, waiting) { await Task.yield() }
    }

    @Test("A result comes back, and so does an error")
    func results() async throws {
        let slots = HashSlots()
        #expect(slots.slots >= 1 && slots.queueLimit == 64)
        #expect(try await slots.run { 42 } == 42)
        await #expect(throws: PasswordProblem.common) { try await slots.run { throw PasswordProblem.common } }
        #expect(slots.load == (0, 0))
    }

    @Test("No more run than there are slots, no more wait than may, and one more is refused at once")
    func overload() async throws {
        let slots = HashSlots(slots: 2, queueLimit: 3)
        let door = Door()
        let callers = (0..<5).map { number in
            Task {
                try await slots.run {
                    door.pass()
                    return number
                }
            }
        }
        await Self.until(slots, running: 2, waiting: 3)
        let problem = await #expect(throws: DirectoryError.self) { try await slots.run { 0 } }
        #expect(problem?.code == .overloaded)
        door.open(for: 5)
        for (number, caller) in callers.enumerated() { #expect(try await caller.value == number) }
        #expect(slots.load == (0, 0))
        #expect(try await slots.run { 7 } == 7, "and there is room again")
    }

    @Test("Who is cancelled while waiting leaves the queue, and the others get their turn")
    func cancellation() async throws {
        let slots = HashSlots(slots: 1, queueLimit: 2)
        let door = Door()
        let first = Task { try await slots.run { door.pass() } }
        await Self.until(slots, running: 1, waiting: 0)
        let second = Task { try await slots.run { 2 } }
        await Self.until(slots, running: 1, waiting: 1)
        let third = Task { try await slots.run { 3 } }
        await Self.until(slots, running: 1, waiting: 2)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(slots.load == (1, 1))
        let fourth = Task { try await slots.run { 4 } }
        await Self.until(slots, running: 1, waiting: 2)
        door.open(for: 1)
        try await first.value
        #expect(try await third.value == 3)
        #expect(try await fourth.value == 4)
        #expect(slots.load == (0, 0))
    }

    @Test("Who is cancelled before comes to nothing and takes no slot")
    func cancelledBefore() async throws {
        let slots = HashSlots(slots: 1, queueLimit: 0)
        let door = Door()
        let task = Task {
            while !Task.isCancelled { await Task.yield() }
            return try await slots.run { door.pass() }
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(slots.load == (0, 0))
    }

    @Test("Many callers that come and are cancelled leave nothing behind")
    func storm() async throws {
        let slots = HashSlots(slots: 3, queueLimit: 50)
        let running = Locked((now: 0, most: 0))
        let tasks = (0..<500).map { number in
            let task = Task {
                try await slots.run {
                    running.withLock {
                        $0.now += 1
                        $0.most = max($0.most, $0.now)
                    }
                    defer { running.withLock { $0.now -= 1 } }
                    _ = try PasswordHash.make("secret99", PasswordHashTests.cheap)
                }
            }
            if number % 3 == 0 { task.cancel() }
            return task
        }
        for task in tasks { _ = await task.result }
        #expect(slots.load == (0, 0))
        #expect((1...3).contains(running.withLock { $0.most }))
    }
}

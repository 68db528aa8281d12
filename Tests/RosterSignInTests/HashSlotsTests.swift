import Foundation
import RosterText
import Testing

@testable import Roster
import RosterSignIn

@Suite("Hashes run a few at a time, on threads of their own", .timeLimit(.minutes(1)))
struct HashSlotsTests {
    /// Something that bodies wait for.
    final class Door: Sendable {
        private let semaphore = DispatchSemaphore(value: 0)
        func open(for count: Int) { for _ in 0..<count { semaphore.signal() } }
        func pass() { semaphore.wait() }
    }

    static let ada = HashSlots.Share("ada")

    /// Waits until so many run and wait.
    static func until(_ slots: HashSlots, running: Int, waiting: Int) async {
        while slots.load != (running, waiting) { await Task.yield() }
    }

    @Test("A result comes back, and so does an error")
    func results() async throws {
        let slots = HashSlots()
        #expect(slots.slots >= 1 && slots.queueLimit == 64)
        #expect(try await slots.run(for: Self.ada) { 42 } == 42)
        await #expect(throws: PasswordProblem.common) {
            try await slots.run(for: Self.ada) { throw PasswordProblem.common }
        }
        #expect(slots.load == (0, 0))
    }

    @Test("No more run than there are slots, no more wait than may, and one more is refused at once")
    func overload() async throws {
        let slots = HashSlots(slots: 2, queueLimit: 3)
        let door = Door()
        let callers = (0..<5).map { number in
            Task {
                try await slots.run(for: Self.ada) {
                    door.pass()
                    return number
                }
            }
        }
        await Self.until(slots, running: 2, waiting: 3)
        let problem = await #expect(throws: DirectoryError.self) { try await slots.run(for: Self.ada) { 0 } }
        #expect(problem?.code == .overloaded)
        door.open(for: 5)
        for (number, caller) in callers.enumerated() { #expect(try await caller.value == number) }
        #expect(slots.load == (0, 0))
        #expect(try await slots.run(for: Self.ada) { 7 } == 7, "and there is room again")
    }

    @Test("Who is cancelled while waiting leaves the queue, and the others get their turn")
    func cancellation() async throws {
        let slots = HashSlots(slots: 1, queueLimit: 2)
        let door = Door()
        let first = Task { try await slots.run(for: Self.ada) { door.pass() } }
        await Self.until(slots, running: 1, waiting: 0)
        let second = Task { try await slots.run(for: Self.ada) { 2 } }
        await Self.until(slots, running: 1, waiting: 1)
        let third = Task { try await slots.run(for: Self.ada) { 3 } }
        await Self.until(slots, running: 1, waiting: 2)
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        #expect(slots.load == (1, 1))
        let fourth = Task { try await slots.run(for: Self.ada) { 4 } }
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
            return try await slots.run(for: Self.ada) { door.pass() }
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
                try await slots.run(for: Self.ada) {
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

    /// Lets those who wait in shares through one by one, and returns the shares in the order of their turns.
    private func turns(_ slots: HashSlots, _ shares: [HashSlots.Share]) async throws -> [HashSlots.Share] {
        let door = Door()
        let order = Locked<[HashSlots.Share]>([])
        let first = Task { try await slots.run(for: HashSlots.Share("first")) { door.pass() } }
        await Self.until(slots, running: 1, waiting: 0)
        var callers: [Task<Void, any Error>] = []
        for share in shares {
            callers.append(Task { try await slots.run(for: share) { order.withLock { $0.append(share) } } })
            await Self.until(slots, running: 1, waiting: callers.count)
        }
        door.open(for: 1)
        try await first.value
        for caller in callers { try await caller.value }
        return order.withLock { $0 }
    }

    @Test(
        "Shares take turns: whoever comes from a thirteenth address waits for one turn of each of twelve, not for all")
    func fairness() async throws {
        let attackers = (1...12).map { HashSlots.Share("127.0.0.\($0)") }
        let friend = HashSlots.Share("192.0.2.1")
        let order = try await turns(
            HashSlots(slots: 1), (0..<10).flatMap { _ in attackers } + [friend])
        #expect(order.count == 121)
        #expect(order.prefix(13).contains(friend), "\(order.firstIndex(of: friend) ?? -1)")
    }

    @Test("Every second turn is for those who have a place kept")
    func keptTurns() async throws {
        let crowd = (1...50).map { HashSlots.Share("127.0.0.\($0)") }
        let known = HashSlots.Share("ada", isKept: true)
        let order = try await turns(HashSlots(slots: 1), crowd + [known, known])
        #expect(order.indices.filter { order[$0] == known }.allSatisfy { $0 < 4 }, "\(order.prefix(5))")
    }

    @Test("A share has no more waiting than it may, and the largest one gives up a place to a smaller one")
    func places() async throws {
        let slots = HashSlots(slots: 1, queueLimit: 4)
        let door = Door()
        func ask(_ name: String, _ isKept: Bool = false) -> Task<Bool, any Error> {
            Task {
                try await slots.run(for: HashSlots.Share(name, isKept: isKept)) {
                    door.pass()
                    return true
                }
            }
        }
        var tasks = [ask("first")]
        await Self.until(slots, running: 1, waiting: 0)
        for host in 1...4 {
            for _ in 0..<4 {
                tasks.append(ask("127.0.0.\(host)"))
                await Self.until(slots, running: 1, waiting: tasks.count - 1)
            }
        }
        #expect(await Self.isRefused(ask("127.0.0.1")), "more than a share may have")
        // The newcomer takes the place of one of those that are many.
        let friend = ask("192.0.2.1")
        while slots.waiting("192.0.2.1") == 0 { await Task.yield() }
        let known = ask("ada", true)
        await Self.until(slots, running: 1, waiting: 17)
        door.open(for: 100)
        #expect(try await friend.value)
        #expect(try await known.value)
        var answers = 0
        for task in tasks { answers += (try? await task.value) == true ? 1 : 0 }
        #expect(answers == 16, "one of 17 gave way")
        #expect(slots.load == (0, 0))
    }

    private static func isRefused(_ task: Task<Bool, any Error>) async -> Bool {
        guard case .failure(let error) = await task.result else { return false }
        return (error as? DirectoryError)?.code == .overloaded
    }
}

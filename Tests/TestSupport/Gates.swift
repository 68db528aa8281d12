public import Foundation
import Synchronization

/// A clock that a test sets.
public final class SettableClock: Sendable {
    private let time: Mutex<Date>

    public init(_ time: Date = Date(timeIntervalSince1970: 1_800_000_000)) { self.time = Mutex(time) }

    public var now: Date { time.withLock { $0 } }
    public func advance(by seconds: TimeInterval) { time.withLock { $0 += seconds } }
}

/// A place where work stops until a test lets it go on. Both sides wait for a condition, and for a minute at most.
public final class Gate: Sendable {
    private let condition = NSCondition()
    private let state = Mutex((isOpen: false, arrived: 0))

    public init() {}

    /// Stops here until the gate is open.
    public func pass() {
        condition.lock()
        defer { condition.unlock() }
        state.withLock { $0.arrived += 1 }
        condition.broadcast()
        let end = Date() + 60
        while !state.withLock({ $0.isOpen }), condition.wait(until: end) {}
    }

    /// Waits until so many have arrived; false where they do not within a minute.
    @discardableResult
    public func waitForArrivals(_ count: Int = 1) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let end = Date() + 60
        while state.withLock({ $0.arrived }) < count {
            guard condition.wait(until: end) else { return state.withLock { $0.arrived } >= count }
        }
        return true
    }

    /// Lets everyone through, now and later.
    public func open() {
        condition.lock()
        defer { condition.unlock() }
        state.withLock { $0.isOpen = true }
        condition.broadcast()
    }
}

/// Values that several threads gather, and that a test waits for.
public final class Gathered<Element: Sendable>: Sendable {
    private let condition = NSCondition()
    private let elements = Mutex<[Element]>([])

    public init() {}

    public var all: [Element] { elements.withLock { $0 } }

    public func append(_ element: Element) {
        condition.lock()
        defer { condition.unlock() }
        elements.withLock { $0.append(element) }
        condition.broadcast()
    }

    /// Waits on the caller's thread until there are so many, for a minute at most, and returns what there is.
    public func wait(for count: Int) -> [Element] {
        condition.lock()
        defer { condition.unlock() }
        let end = Date() + 60
        while all.count < count, condition.wait(until: end) {}
        return all
    }
}

/// Waits on the caller's thread until something holds, for a minute at most.
@discardableResult
public func waitUntil(_ holds: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while !holds() {
        if ContinuousClock.now > end { return false }
        Thread.sleep(forTimeInterval: 0.0005)
    }
    return true
}

/// Runs blocking work on a thread of its own, so that a test does not hold up Swift's cooperative threads.
public func onThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}

/// Runs the body for each number at the same time, each on a thread of its own, and returns what they returned.
public func inParallel<Value: Sendable>(_ count: Int, _ body: @escaping @Sendable (Int) -> Value) async -> [Value] {
    await withTaskGroup(of: (Int, Value).self) { group in
        for number in 0..<count {
            group.addTask {
                await withCheckedContinuation { continuation in
                    Thread.detachNewThread { continuation.resume(returning: (number, body(number))) }
                }
            }
        }
        var values: [(Int, Value)] = []
        for await value in group { values.append(value) }
        return values.sorted { $0.0 < $1.0 }.map(\.1)
    }
}

/// Something that is so from a moment on.
public final class Flag: Sendable {
    private let state = Atomic<Bool>(false)
    public init() {}
    public var isRaised: Bool { state.load(ordering: .acquiring) }
    public func raise() { state.store(true, ordering: .releasing) }
}

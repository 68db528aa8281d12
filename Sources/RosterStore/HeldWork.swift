import RosterText
import Synchronization

/// Tells running work that its store was closed.
public final class Ending: Sendable {
    private struct Member: Sendable {
        weak var connection: Connection?
    }
    private let state = Atomic<Bool>(false)
    private let members = Locked<[Member]>([])
    private let endedWork = Locked(StatementWork())

    public init() {}

    package var hasCome: Bool { state.load(ordering: .acquiring) }

    /// Marks the store as closed, and interrupts the reads of the registered connections.
    package func come() {
        state.store(true, ordering: .releasing)
        for member in members.withLock({ $0 }) { member.connection?.engine.interruptRead() }
    }

    /// The work of the connections that have ended.
    var work: StatementWork { endedWork.withLock { $0 } }

    /// Keeps the work of a connection that ends.
    public func add(_ work: StatementWork) { endedWork.withLock { $0 = $0 + work } }

    /// Registers a connection, whose running read is interrupted when the store is closed.
    public func add(_ connection: Connection) {
        members.withLock { members in
            members.removeAll { $0.connection == nil }
            members.append(Member(connection: connection))
        }
    }
}

/// Work that calls an app's code while it holds the writer, or the only connection of a directory in memory. A call
/// from that code to the same store would wait forever, so it throws instead.
///
/// A task-local value marks the work, so that threads and tasks started by the app's code inherit the mark.
package final class HeldWork: Sendable {
    @TaskLocal package static var current: HeldWork?

    /// The store whose writer or connection is held.
    private let store: Ending
    private let outer: HeldWork?
    private let isOver = Atomic<Bool>(false)

    private init(_ store: Ending) {
        self.store = store
        outer = Self.current
    }

    /// Runs work that holds a store.
    package static func holding<Value>(_ store: Ending, _ body: () throws -> Value) rethrows -> Value {
        let work = HeldWork(store)
        defer { work.isOver.store(true, ordering: .releasing) }
        return try $current.withValue(work) { try body() }
    }

    /// Whether the caller runs within work that holds the store.
    package static func holds(_ store: Ending) -> Bool {
        var work = current
        while let held = work {
            if held.store === store, !held.isOver.load(ordering: .acquiring) { return true }
            work = held.outer
        }
        return false
    }

    /// - Throws: ``StoreError`` `reentrantCall` if waiting for the store would never end.
    package static func checkMayWait(for store: Ending) throws {
        guard holds(store) else { return }
        throw StoreError(
            .reentrantCall, "A callback of a change called the directory, which waits for the end of that change.",
            advice: "Call the directory before the change, or after it has returned.")
    }
}

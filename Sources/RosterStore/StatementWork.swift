import Foundation
import RosterText

/// The work that a store's statements have taken. Tests compare the work of a question at two sizes of a directory, because work does
/// not depend on the machine as time does.
public struct StatementWork: Sendable, Equatable {
    /// The instructions of SQLite's virtual machine.
    public var steps = 0
    /// The steps of SQLite through a whole table or index, as opposed to those that an index has led to.
    public var fullScanSteps = 0
    /// The rows that SQLite has put in order, because no index has the order.
    public var sorts = 0
    /// The runs of statements: of SQLite, or those that were sent to a server.
    public var statements = 0
    /// The times that a server was waited for.
    public var trips = 0

    public init() {}

    public static func + (first: StatementWork, second: StatementWork) -> StatementWork {
        first.combined(with: second) { $0 + $1 }
    }

    /// The work between two times.
    public static func - (later: StatementWork, earlier: StatementWork) -> StatementWork {
        later.combined(with: earlier) { $0 - $1 }
    }

    private func combined(with other: StatementWork, _ combine: (Int, Int) -> Int) -> StatementWork {
        var result = StatementWork()
        for part in [\StatementWork.steps, \.fullScanSteps, \.sorts, \.statements, \.trips] {
            result[keyPath: part] = combine(self[keyPath: part], other[keyPath: part])
        }
        return result
    }
}

extension Store {
    /// The work of all statements so far. No caller may use the store meanwhile. The reads of a replica are left out. The property waits up
    /// to two seconds for connections that the last callers have not given back yet.
    package var work: StatementWork {
        let end = ContinuousClock.now + .seconds(2)
        while readers.isInUse, ContinuousClock.now < end { Thread.sleep(forTimeInterval: 0.0005) }
        let counted = Locked(ending.work)
        readers.forEachIdle { connection in counted.withLock { $0 = $0 + connection.engine.work } }
        // The connection of a store in memory is one of the readers.
        if !isInMemory {
            writer?.withIdleConnection { connection in counted.withLock { $0 = $0 + connection.engine.work } }
        }
        return counted.withLock { $0 }
    }
}

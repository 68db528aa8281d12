import Foundation
package import Roster
import RosterPostgreSQL
package import RosterStore

/// The work that statements of a directory take for a piece of work. Nothing else may use the directory meanwhile.
///
/// The first run of a question also reads what the directory keeps, such as the vocabulary, so a test runs a question once before.
package func work(on directory: Directory, _ body: () throws -> Void) rethrows -> StatementWork {
    let before = directory.work
    try body()
    return directory.work - before
}

/// The work that statements of a directory take for a piece of work. Nothing else may use the directory meanwhile.
package func work(on directory: Directory, _ body: () async throws -> Void) async rethrows -> StatementWork {
    let before = directory.work
    try await body()
    return directory.work - before
}

extension StatementWork {
    /// Whether a question with a fixed number found takes the same work in a directory of four times as many people: 10 % more at
    /// most, with some instructions for deeper trees, no further statement, and no further step of a scan.
    package func isSame(as small: StatementWork) -> Bool {
        Double(steps) <= 1.1 * Double(small.steps) + 200 && statements == small.statements && trips == small.trips
            && fullScanSteps <= small.fullScanSteps
    }

    /// Whether a job over everybody takes work in proportion in a directory of four times as many people.
    package func isInProportion(to small: StatementWork) -> Bool {
        func isHeld(_ part: KeyPath<StatementWork, Int>, spare: Double) -> Bool {
            Double(self[keyPath: part]) <= 4.4 * Double(small[keyPath: part]) + spare
        }
        return isHeld(\.steps, spare: 5_000) && isHeld(\.fullScanSteps, spare: 100) && isHeld(\.statements, spare: 20)
    }
}

extension PostgreSQLCluster {
    /// The rows and the entries of indexes that the server reads for a piece of work with a directory that is opened for it. What the
    /// opening reads does not depend on the people, but for a scan of a small table.
    package func rowsRead(in database: String, _ body: (Directory) throws -> Void) throws -> Int {
        let before = try rowsRead(in: database)
        let directory = try Directory(
            connectedTo: address(database), keyFile: folder.appendingPathComponent("key"), clock: { Date() })
        do {
            defer { directory.close() }
            try body(directory)
        }
        return try rowsRead(in: database) - before
    }

    /// The rows of scans and the entries of indexes that ended sessions have read. A session reports its reads at its end at the latest.
    private func rowsRead(in database: String) throws -> Int {
        waitForEndOfConnections(of: database)
        return try number(
            """
            SELECT (SELECT coalesce(sum(seq_tup_read), 0) FROM pg_stat_user_tables)
              + (SELECT coalesce(sum(idx_tup_read), 0) FROM pg_stat_user_indexes)
            """, in: database)
    }
}

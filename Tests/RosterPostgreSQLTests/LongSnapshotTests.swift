import Foundation
import Roster
import RosterStore
import Testing
import TestSupport

@testable import RosterPostgreSQL

@Suite(
    "A long snapshot, as an export, pg_dump or a standby holds it", .enabled(if: PostgreSQLCluster.shared != nil),
    .timeLimit(.minutes(5)))
struct LongSnapshotTests {
    private static let number: SQL = "SELECT 1"

    /// The blocks that the server reads while a new directory is open, at least of three runs.
    private func blocks(
        of database: String, in cluster: PostgreSQLCluster, _ body: (DirectoryView) throws -> Void
    ) throws -> Int {
        func read() throws -> Int {
            // The processes of the closed directory count when they end.
            let others = """
                SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'roster'
                """
            waitUntil { (try? cluster.number(others, in: database)) == 1 }
            return try cluster.number(
                "SELECT blks_hit + blks_read FROM pg_stat_database WHERE datname = current_database()", in: database)
        }
        return try (0..<3).map { _ in
            let before = try read()
            let directory = try Directory(connectedTo: cluster.address(database))
            try body(directory.unrestricted)
            directory.close()
            return try read() - before
        }.min() ?? 0
    }

    @Test("Leaves look-ups and changes as little work as before, however many changes come meanwhile")
    func keepsWork() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        defer { cluster.drop(database) }
        let address = try ServerAddress(cluster.address(database))
        let holder = try PostgreSQLEngine.connect(address, ServerState(address), ending: Ending())
        try await onThread {
            var created = 0
            func create(_ count: Int, in view: DirectoryView) throws {
                for _ in 0..<count {
                    created += 1
                    try view.users.create("u\(created)", attributes: ["title": "new"])
                }
            }
            func work() throws -> (lookUps: Int, changes: Int) {
                let lookUps = try blocks(of: database, in: cluster) { view in
                    for number in 1...200 { _ = try view.users.user(.named("u\(number)")) }
                }
                let changes = try blocks(of: database, in: cluster) { view in try create(100, in: view) }
                return (lookUps, changes)
            }
            try holder.engine.beginReading(once: false, on: holder)
            _ = try holder.first(Self.number) { _ in true }
            let directory = try Directory(connectedTo: cluster.address(database))
            try create(300, in: directory.unrestricted)
            directory.close()
            let start = try work()
            let other = try Directory(connectedTo: cluster.address(database))
            for _ in 0..<30 {
                try create(100, in: other.unrestricted)
                // The server ends a transaction that is idle for a minute.
                _ = try holder.first(Self.number) { _ in true }
            }
            other.close()
            let end = try work()
            print("blocks of 200 look-ups: \(start.lookUps), then \(end.lookUps)")
            print("blocks of 100 changes: \(start.changes), then \(end.changes)")
            #expect(end.lookUps < start.lookUps * 3 / 2)
            #expect(end.changes < start.changes * 3 / 2)
            holder.endSnapshot()
        }
    }
}

import Foundation
import Roster
import RosterPostgreSQL
import RosterText
import Testing
import TestSupport

@Suite(
    "A change that waits for a standby", .serialized, .enabled(if: PostgreSQLCluster.shared != nil),
    .timeLimit(.minutes(10)))
struct StandbyTests {
    /// Runs a test with a directory whose changes wait for a standby, while there is none.
    private func withoutStandby(
        _ body: (_ cluster: PostgreSQLCluster, _ database: String, _ directory: Directory) async throws -> Void
    ) async throws {
        let cluster = try #require(PostgreSQLCluster.second)
        let database = try cluster.makeDatabase()
        _ = try cluster.output(
            of: """
                ALTER DATABASE \(database) SET synchronous_commit = on;
                ALTER SYSTEM SET synchronous_standby_names = '*';
                SELECT pg_reload_conf();
                """, in: database)
        let directory = try Directory(connectedTo: cluster.address(database))
        defer {
            _ = try? cluster.output(
                of: "ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf();", in: database)
            directory.close()
            cluster.drop(database)
        }
        try await body(cluster, database, directory)
    }

    /// The server's process that waits for a standby; nil if there is none within two minutes.
    private func waiting(
        in database: String, of cluster: PostgreSQLCluster, except known: Int? = nil
    ) async throws -> Int? {
        let end = ContinuousClock.now + .seconds(120)
        while .now < end {
            let text = try await onThread {
                try cluster.output(
                    of: """
                        \\t
                        SELECT pid FROM pg_stat_activity WHERE datname = '\(database)' AND wait_event = 'SyncRep';
                        """, in: database)
            }
            let processes = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
            if let process = processes.first(where: { $0 != known }) { return process }
        }
        return nil
    }

    @Test(
        "Is not acknowledged before a standby has it, though the wait was ended, and is there after the standby takes over",
        arguments: ["pg_terminate_backend", "pg_cancel_backend"])
    func waitsAgain(ending: String) async throws {
        try await withoutStandby { cluster, database, directory in
            let isAcknowledged = Flag()
            let change = Task {
                try await directory.unrestricted.users.create("ada")
                isAcknowledged.raise()
            }
            let first = try #require(try await waiting(in: database, of: cluster))
            _ = try cluster.output(of: "SELECT \(ending)(\(first));", in: database)
            if ending == "pg_terminate_backend" {
                #expect(try await waiting(in: database, of: cluster, except: first) != nil)
            } else {
                try await Task.sleep(for: .seconds(1))
                #expect(try await waiting(in: database, of: cluster) == first)
            }
            #expect(!isAcknowledged.isRaised)
            try await onThread { try cluster.makeStandby() }
            defer {
                cluster.stopStandby()
                try? FileManager.default.removeItem(at: cluster.folder.appendingPathComponent("standby"))
            }
            try await change.value
            try await onThread { try cluster.promoteStandby() }
            let successor = try Directory(connectedTo: cluster.standbyAddress(database))
            defer { successor.close() }
            #expect(try await successor.unrestricted.users.user("ada").uid == "ada")
        }
    }

    @Test("The operator can ask what a change waits for")
    func tellsReason() async throws {
        try await withoutStandby { cluster, database, directory in
            #expect(directory.storage.waitReason() == nil)
            let change = Task { try await directory.unrestricted.users.create("ada") }
            _ = try #require(try await waiting(in: database, of: cluster))
            #expect(try await onThread { directory.storage.waitReason() }?.contains("standby") == true)
            _ = try cluster.output(
                of: "ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf();", in: database)
            _ = try await change.value
        }
    }

    @Test("Has an unknown outcome if no standby comes, and changes go on afterwards")
    func staysUnknown() async throws {
        try await withoutStandby { cluster, database, directory in
            let change = Task { await code { try await directory.unrestricted.users.create("ada") } }
            let process = try #require(try await waiting(in: database, of: cluster))
            _ = try cluster.output(of: "SELECT pg_terminate_backend(\(process));", in: database)
            #expect(await change.value == .outcomeUnknown)
            // Reads wait for nobody.
            #expect(try await directory.unrestricted.users.count() == 1)
            _ = try cluster.output(
                of: "ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf();", in: database)
            try await directory.unrestricted.users.create("bob")
            #expect(try await directory.unrestricted.users.count() == 2)
        }
    }
}

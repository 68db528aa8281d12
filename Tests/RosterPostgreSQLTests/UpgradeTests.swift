import Foundation
import RosterStore
import Testing
import TestSupport

@testable import Roster
@testable import RosterPostgreSQL

@Suite("Two versions with one database", .enabled(if: PostgreSQLCluster.shared != nil), .timeLimit(.minutes(2)))
struct UpgradeTests {
    /// Migrates a database as a later version does that has one step more.
    private func migrate(_ address: String) throws {
        let next = Migrations(
            steps: Migrations.postgreSQL.steps + [
                Migrations.Step(
                    number: Migrations.postgreSQL.steps.count + 1, name: "9999_later.sql",
                    sql: """
                        -- A column of a later version.
                        ALTER TABLE users ADD COLUMN later BIGINT NOT NULL DEFAULT 7;
                        ALTER TABLE head ADD COLUMN later TEXT;
                        ALTER TABLE role ADD COLUMN later TEXT;
                        ALTER TABLE change ADD COLUMN later TEXT;
                        CREATE TABLE later (id BIGINT PRIMARY KEY)
                        """)
            ])
        let address = try ServerAddress(address)
        let connection = try PostgreSQLEngine.connect(address, ServerState(address), ending: Ending())
        try next.apply(on: connection, path: address.name, now: Date())
    }

    @Test("A start that another program keeps waiting tells of the lock")
    func tellsOfLock() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeBareDatabase()
        defer { cluster.drop(database) }
        let holder = Task {
            try await onThread {
                try cluster.output(of: "SELECT pg_advisory_lock(1382249332); SELECT pg_sleep(120);", in: database)
            }
        }
        func output(_ sql: String) async throws -> String {
            try await onThread { try cluster.output(of: "\\t\n" + sql, in: database) }
        }
        let granted = """
            FROM pg_locks JOIN pg_database ON pg_database.oid = database
            WHERE locktype = 'advisory' AND granted AND datname = current_database()
            """
        while try await output("SELECT 'held' \(granted);").contains("held") == false {}
        let told = Gathered<String>()
        let address = cluster.address(database)
        let opening = Task {
            try await onThread { try Directory(connectedTo: address, waiting: { told.append($0) }).close() }
        }
        let end = ContinuousClock.now + .seconds(60)
        while told.all.isEmpty, .now < end { try await Task.sleep(for: .milliseconds(50)) }
        _ = try await output("SELECT pg_terminate_backend(pid) \(granted);")
        try await opening.value
        _ = try? await holder.value
        #expect(told.all.first?.contains("lock of another session") == true, "\(told.all)")
    }

    @Test("A running server goes on while another process adds columns and a table, and none of its calls fails")
    func goesOn() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeDatabase()
        defer { cluster.drop(database) }
        let directory = try Directory(connectedTo: cluster.address(database))
        defer { directory.close() }
        let users = directory.unrestricted.users
        try await users.load((0..<500).map { NewUser("p\($0)", attributes: ["title": .string("T\($0)")]) })
        let isDone = Flag()
        let (failures, made) = (Gathered<String>(), Gathered<String>())
        await withTaskGroup(of: Void.self) { group in
            for caller in 0..<4 {
                group.addTask {
                    var number = 0
                    while !isDone.isRaised {
                        number += 1
                        let name = "u\(caller)-\(number)"
                        do {
                            try await users.create(.init(name), attributes: ["title": "new"])
                            try await users.modify(.named(name), [.set(.title, "changed")])
                            let found = try await users.search(Search(.uid.starts(name), pageSize: 1))
                            if found.elements.first?.title != "changed" { failures.append("\(name) is not found") }
                            if try await users.user(.named("p\(number % 500)")).title == nil { failures.append(name) }
                            made.append(name)
                        } catch {
                            failures.append("\(name): \(error)")
                        }
                    }
                }
            }
            try? await Task.sleep(for: .milliseconds(300))
            do {
                try migrate(cluster.address(database))
            } catch {
                failures.append("the migration: \(error)")
            }
            // Calls come after the migration too, however slow the machine is.
            let (before, end) = (made.all.count, ContinuousClock.now + .seconds(30))
            while made.all.count <= before + 20, failures.all == [], .now < end {
                try? await Task.sleep(for: .milliseconds(50))
            }
            isDone.raise()
        }
        #expect(failures.all == [])
        #expect(made.all.count > 20)
        #expect(try await users.count() == 500 + made.all.count)
        #expect(try await users.load((0..<20).map { NewUser("l\($0)") }) == 20)
        #expect(try await directory.unrestricted.check() == [])
        // This version cannot start with the later tables.
        #expect(code { try Directory(connectedTo: cluster.address(database)).close() } == .newerFile)
    }

    @Test("Servers of the version before are refused while they run and when they start, and the numbers go on")
    func refusesOlder() async throws {
        let cluster = try #require(PostgreSQLCluster.shared)
        let database = try cluster.makeBareDatabase()
        defer { cluster.drop(database) }
        let address = try ServerAddress(cluster.address(database))
        let old = try PostgreSQLEngine.connect(address, ServerState(address), ending: Ending())
        let before = Migrations(steps: Array(Migrations.postgreSQL.steps.prefix(1)))
        try before.apply(on: old, path: address.name, now: Date())
        _ = try cluster.output(
            of: "UPDATE head SET commits = 4711, vocabulary = 12; UPDATE directory SET last_id = 70000;", in: database)
        let directory = try Directory(connectedTo: cluster.address(database))
        defer { directory.close() }
        #expect(try await directory.unrestricted.users.create("ada").id.rawValue == 70_001)
        #expect(
            try cluster.output(of: "SELECT number, vocabulary FROM head ORDER BY 1 DESC LIMIT 1;", in: database)
                .contains("4712 |         12"))
        for statement in [
            "SELECT commits, vocabulary FROM head", "UPDATE head SET commits = commits + 1 WHERE id = 1",
            "INSERT INTO commit_mark VALUES ('a', 1, now())",
        ] {
            #expect(try cluster.output(of: statement + ";", in: database).contains("does not exist"))
        }
        let refusal = #expect(throws: StoreError.self) {
            try before.apply(on: old, path: address.name, now: Date())
        }
        #expect(refusal?.kind == .newerFile)
    }
}

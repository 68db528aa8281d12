import Foundation
import TestSupport

extension Scenario {
    /// What other programs do with the database of running servers.
    static let serverUses = [
        Scenario("pg_dump") { world, numbers in
            let before = world.model.existing()
            let begun = ContinuousClock.now
            guard let pair = world.engine.pair else { return }
            do {
                world.judgeCopy("pg_dump", before, try pair.dump())
            } catch {
                if !world.judge.hadFault(since: begun) { throw error }
            }
            world.wait(Double.random(in: 0.1...1, using: &numbers))
        },
        Scenario("held snapshot") { world, numbers in
            let pause = Int.random(in: 1...6, using: &numbers)
            let begun = ContinuousClock.now
            do {
                _ = try world.engine.pair?.sql(
                    "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM users; SELECT pg_sleep(\(pause)); COMMIT"
                )
            } catch {
                if !world.judge.hadFault(since: begun) { throw error }
            }
        },
        Scenario("export of the database") { world, numbers in
            let before = world.model.existing()
            let ended = try world.expect("export") {
                try world.roster("export", "--database", world.database, "--format", "csv")
            }
            if ended.isSuccess { world.judgeCopy("an export", before, ended.output) }
            world.wait(Double.random(in: 0.1...1, using: &numbers))
        },
        Scenario("check of the database") { world, numbers in
            try world.expect("check") { try world.roster("check", "--database", world.database) }
            world.wait(Double.random(in: 0.1...1, using: &numbers))
        },
        Scenario("copy to a file") { world, numbers in
            let file = world.path("copy-\(UUID()).db")
            defer { world.removeCopy(file) }
            let before = world.model.existing()
            let ended = try world.expect("copy") {
                try world.roster("copy", "--database", world.database, "--to", file)
            }
            guard ended.isSuccess else { return world.wait(0.5) }
            try world.expect("check of a copy") { try world.roster("check", file) }
            let export = try world.roster("export", "--database", file, "--format", "csv")
            world.judgeCopy("a copy", before, export.output)
        },
    ]

    /// What happens to the PostgreSQL servers.
    static let pairFaults = [
        Scenario("failover") { world, numbers in
            guard let pair = world.engine.pair else { return }
            world.wait(Double.random(in: 0.5...2, using: &numbers))
            try world.judge.fault {
                pair.killPrimary()
                try pair.promote()
                try pair.follow()
            }
            world.wait(9)
        },
        Scenario("commit without a standby, and its failover") { world, numbers in
            guard let pair = world.engine.pair else { return }
            world.wait(Double.random(in: 0.5...2, using: &numbers))
            try world.judge.fault {
                pair.killStandby()
                for _ in 0..<Int.random(in: 2...8, using: &numbers) {
                    world.wait(0.3)
                    try pair.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'")
                }
                world.wait(1)
                // The changes that are only here are lost with this server. None of them may have been acknowledged.
                pair.killPrimary()
                try pair.startStandby()
                try pair.promote()
                try pair.follow()
            }
            world.wait(9)
        },
        Scenario("standby gone and back") { world, numbers in
            guard let pair = world.engine.pair else { return }
            try world.judge.fault {
                pair.killStandby()
                world.wait(Double.random(in: 0.5...4, using: &numbers))
                try pair.startStandby()
                try pair.waitForStandby()
            }
            world.wait(9)
        },
        Scenario("connections ended") { world, numbers in
            for _ in 0..<4 {
                try world.judge.fault {
                    _ = try world.engine.pair?.sql(
                        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = 'company' AND pid <> pg_backend_pid()",
                        in: "postgres")
                }
                world.wait(Double.random(in: 0.2...2, using: &numbers))
            }
            world.wait(9)
        },
        Scenario("fast restart of the primary") { world, numbers in
            world.wait(Double.random(in: 0.5...2, using: &numbers))
            try world.judge.fault { try world.engine.pair?.restartPrimary() }
            world.wait(9)
        },
    ]
}

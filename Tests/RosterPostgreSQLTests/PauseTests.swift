import Foundation
import RosterPostgreSQL
import RosterText
import Testing
import TestSupport

@testable import Roster

@Suite(
    "A server that pauses within a change", .enabled(if: PostgreSQLCluster.shared != nil), .timeLimit(.minutes(5)))
struct PauseTests {
    @Test("Stops the changes of other servers for seconds only, and goes on when the server goes on")
    func stoppedProcess() async throws {
        let program = try builtProgram("roster-crash")
        try await withFolder { (folder: URL) async throws in
            try await withServerDirectory { cluster, database, directory in
                let output = folder.appendingPathComponent("output")
                try Data().write(to: output)
                let process = Process()
                process.executableURL = program
                process.arguments = [cluster.address(database), "1"]
                process.standardOutput = try FileHandle(forWritingTo: output)
                try process.run()
                defer { kill(process.processIdentifier, SIGKILL) }
                @Sendable func lines() -> [Substring] {
                    ((try? String(contentsOf: output, encoding: .utf8)) ?? "").split(separator: "\n")
                }
                var waits: [Duration] = []
                for round in 0..<3 {
                    let before = lines().count
                    _ = try await onThread { waitUntil { lines().count > before + 20 } }
                    // The process has the turn most of the time, but not always.
                    let hasTurn = try await onThread {
                        for _ in 0..<200 {
                            kill(process.processIdentifier, SIGSTOP)
                            Thread.sleep(forTimeInterval: 0.1)
                            let turns = "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                            if try cluster.number(turns, in: database) > 0 { return true }
                            kill(process.processIdentifier, SIGCONT)
                            Thread.sleep(forTimeInterval: 0.013)
                        }
                        return false
                    }
                    try #require(hasTurn)
                    let start = ContinuousClock.now
                    try await directory.unrestricted.users.create(.init("other\(round)"))
                    waits.append(.now - start)
                    kill(process.processIdentifier, SIGCONT)
                }
                print("changes waited for a stopped server for \(waits)")
                // The server would end an idle transaction after a minute only.
                #expect(waits.allSatisfy { $0 < .seconds(30) })
                #expect(lines().allSatisfy { !$0.hasPrefix("failed") })
                #expect(try await directory.unrestricted.check() == [])
            }
        }
    }

    @Test("A transaction that pauses twice while another server's change waits fails, and keeps nothing")
    func pausingTwice() async throws {
        try await withServerDirectory { cluster, database, directory in
            let other = try Directory(connectedTo: cluster.address(database))
            defer { other.close() }
            let runs = Locked(0)
            let done = Locked(0)
            let change = Task {
                await code {
                    try await directory.unrestricted.awaitWrite { transaction in
                        let run = runs.withLock {
                            $0 += 1
                            return $0
                        }
                        _ = try transaction.asEditor(to: "test").users.create(NewUser("ada"))
                        waitUntil { done.withLock(\.self) >= run }
                        _ = try transaction.asEditor(to: "test").users.create(NewUser("bob"))
                    }
                }
            }
            for run in 1...2 {
                _ = try await onThread { waitUntil { runs.withLock(\.self) >= run } }
                try await other.unrestricted.users.create(.init("other\(run)"))
                done.withLock { $0 = run }
            }
            #expect(await change.value == .limitExceeded)
            #expect(runs.withLock(\.self) == 2)
            #expect(try await other.unrestricted.users.count() == 2)
            try await directory.unrestricted.users.create("ada")
        }
    }
}

import CFaults
import Foundation
import RosterStore
import Testing

@testable import Roster

extension FaultTests {
    @Test(
        "A migration that a fault interrupts at any call leaves the old file, which opens later with everything in it",
        arguments: [ROSTER_FAULT_ERROR.rawValue, ROSTER_FAULT_SHORT_WRITE.rawValue, ROSTER_FAULT_FULL.rawValue])
    func migration(fault: UInt32) throws {
        roster_faults_install()
        let folder = try Self.makeFolder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let original = folder.appendingPathComponent("original.db")
        do {
            let connection = try Connection(path: original.path, mode: .init(isWriter: true, mappedBytes: 0))
            try connection.run(StoreStatements.useLog)
            let first = Migrations(steps: Array(Migrations.current.steps.prefix(1)))
            try first.apply(on: connection, path: original.path, now: Date(timeIntervalSince1970: 1_800_000_000))
            try connection.run(
                script: """
                    INSERT INTO user (id, name, name_key, active, version, created, modified, attributes)
                    VALUES (16385, 'Ada', 'ada', 1, 3, 1000, 2000, '{"title":"Countess"}');
                    INSERT INTO text_index (rowid, name) VALUES (16385, 'ada');
                    UPDATE directory SET last_id = 16385
                    """)
        }

        let whole = folder.appendingPathComponent("whole.db")
        try FileManager.default.copyItem(at: original, to: whole)
        roster_faults_arm(ROSTER_FAULT_NONE, 0)
        try Directory(at: whole).close()
        let calls = roster_faults_disarm()
        #expect(calls > 50, "A migration makes too few calls to be a test.")
        var refused = 0
        for number in Swift.stride(from: 1, through: calls, by: Self.stride) {
            let file = folder.appendingPathComponent("\(number).db")
            try FileManager.default.copyItem(at: original, to: file)
            roster_faults_arm(roster_fault(fault), number)
            do {
                try Directory(at: file).close()
            } catch {
                refused += 1
            }
            roster_faults_disarm()
            let directory = try Directory(at: file)
            defer { directory.close() }
            #expect(try directory.unrestricted.users.user("ada").title == "Countess", "call \(number)")
            #expect(try directory.unrestricted.check() == [], "call \(number)")
            try directory.unrestricted.users.create("after")
        }
        #expect(refused > 0, "No migration was interrupted.")
    }
}

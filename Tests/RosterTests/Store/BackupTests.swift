import Foundation
import Roster
import Testing
import TestSupport

@Suite("Backups of a directory that is in use")
struct BackupTests {
    @Test("A backup during writes holds whole changes only, each up to some moment, and is sound")
    func duringWrites() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("backup-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let directory = try Directory(at: folder.appendingPathComponent("live.db"))
        let writers = (0..<4).map { writer in
            Task {
                for number in 0..<100_000 where !Task.isCancelled {
                    // Two users and a role with both: one change.
                    try await directory.unrestricted.awaitWrite { session in
                        let name = "\(writer)-\(number)"
                        let first = try session.asEditor(to: "test").users.create(NewUser("a-\(name)"))
                        let second = try session.asEditor(to: "test").users.create(NewUser("b-\(name)"))
                        let role = try session.asProvisioning(to: "test").roles.create(name, [:])
                        try session.asRoleOwner(of: .id(role.id), changing: .member).add([
                            .user(.id(first.id)), .user(.id(second.id)),
                        ])
                    }
                }
            }
        }
        var last = 0
        for number in 0..<5 {
            while try await directory.unrestricted.users.count() <= last { await Task.yield() }
            let file = folder.appendingPathComponent("copy-\(number).db")
            try await directory.backup(to: file)
            let copy = try Directory(at: file)
            #expect(try await copy.unrestricted.check().isEmpty)
            let names = try await copy.unrestricted.users.search(Search(pageSize: 10_000)).elements.map(\.uid)
            let (firsts, seconds) = (names.filter { $0.hasPrefix("a-") }, names.filter { $0.hasPrefix("b-") })
            #expect(Set(firsts.map { $0.dropFirst(2) }) == Set(seconds.map { $0.dropFirst(2) }))
            for name in firsts.prefix(20) {
                let role = RoleReference.named(String(name.dropFirst(2)))
                #expect(try await copy.unrestricted.roles.users(of: role).count == 2)
            }
            #expect(names.count > last, "what was there before the backup began is in it")
            last = names.count
            copy.close()
        }
        for writer in writers { writer.cancel() }
        for writer in writers { _ = await writer.result }
        directory.close()
    }
}

import Roster
import RosterClient
import Testing
import TestSupport

@Suite("Batches of a server's directory", .timeLimit(.minutes(5)))
struct RemoteBatchTests {
    @Test("A batch of a server's view is undone as in this process")
    func undo() async throws {
        try await withTwoDirectories { two in
            for view in two.both {
                for name in ["ada", "bob"] { _ = try await view.users.create(name) }
                let number = try await view.changes.beginBatch()
                let before = try await view.changes.lastSequence()
                for name in ["ada", "bob"] {
                    _ = try await view.batched(number).users.modify(name, [.set("title", "Lead")])
                }
                let batches = try await view.changes.since(before).filter { $0.kind == .modified }.map(\.batch)
                #expect(batches == [number, number])
                _ = try await view.users.modify("bob", [.set("title", "Chief")])
                #expect(try await view.changes.undo(number, isPreview: true).undone == 1)
                let report = try await view.changes.undo(number)
                #expect(report.undone == 1 && report.batch != nil)
                #expect(report.leftOut.map(\.name) == ["bob"])
                let ada = try await view.users.user("ada")
                #expect(ada["title"] == nil)
            }
        }
    }
}

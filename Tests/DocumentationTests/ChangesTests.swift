import Roster
import RosterFixtures
import Testing

@Suite("The change feed")
struct ChangesTests {
    let directory: Directory
    var view: DirectoryView { directory.unrestricted }

    init() throws { directory = try Fixtures.company() }

    @Test("Changes are read")
    func reading() throws {
        let changes = view.changes
        try view.users.modify("emma.mueller", [.set(.title, "Principal Engineer")])

        for change in try changes.since(0) {
            print(change.sequence, change.time, change.actor, change.kind, change.name)
            print(change.before[.title]?.text ?? "-", change.after[.title]?.text ?? "-")
        }
        let last = try changes.lastSequence()
        #expect(last > 0)
    }

    @Test("Changes are read, with await")
    func readingAwaiting() async throws {
        let changes = view.changes
        try await view.users.modify("emma.mueller", [.set(.title, "Principal Engineer")])

        for change in try await changes.since(0) {
            print(change.sequence, change.time, change.actor, change.kind, change.name)
            print(change.before[.title]?.text ?? "-", change.after[.title]?.text ?? "-")
        }
        let last = try await changes.lastSequence()
        #expect(last > 0)
    }

    @Test("The changes of a user's roles are read")
    func memberships() throws {
        try view.roles.add([.user("emma.mueller")], to: "sales")
        for change in try view.changes.memberships(of: "emma.mueller", limit: 20) {
            print(change.time, change.kind, change.displayName ?? change.roleName ?? "a deleted role")
        }
        #expect(try view.changes.memberships(of: "emma.mueller").first?.roleName == "sales")
    }

    @Test("The changes of a user's roles are read, with await")
    func membershipsAwaiting() async throws {
        try await view.roles.add([.user("emma.mueller")], to: "sales")
        for change in try await view.changes.memberships(of: "emma.mueller", limit: 20) {
            print(change.time, change.kind, change.displayName ?? change.roleName ?? "a deleted role")
        }
        #expect(try await view.changes.memberships(of: "emma.mueller").first?.roleName == "sales")
    }

    @Test("Changes are followed")
    func following() async throws {
        let last = try await view.changes.lastSequence()
        for try await change in view.changes.follow(since: 0) {
            print(change.sequence, change.kind, change.name)
            if change.sequence == last { break }
        }
    }

    @Test("Several changes are undone")
    func undoing() throws {
        let changes = view.changes
        let batch = try changes.beginBatch()
        for name in ["kenji.sato", "ren.watanabe"] {
            try view.batched(batch).users.modify(name, [.set(.title, "Lead")])
        }
        let preview = try changes.undo(batch, isPreview: true)
        let report = try changes.undo(batch)
        for one in report.leftOut { print(one.name, one.reason) }
        print(preview.undone, report.undone, report.batch ?? 0)
        #expect(preview.undone == 2 && report.undone == 2 && report.leftOut.isEmpty)
    }

    @Test("Several changes are undone, with await")
    func undoingAwaiting() async throws {
        let changes = view.changes
        let batch = try await changes.beginBatch()
        for name in ["kenji.sato", "ren.watanabe"] {
            try await view.batched(batch).users.modify(name, [.set(.title, "Lead")])
        }
        let preview = try await changes.undo(batch, isPreview: true)
        let report = try await changes.undo(batch)
        for one in report.leftOut { print(one.name, one.reason) }
        print(preview.undone, report.undone, report.batch ?? 0)
        #expect(preview.undone == 2 && report.undone == 2)
    }

    @Test("Old changes are removed")
    func retention() throws {
        let changes = view.changes
        try changes.setRetention(Retention(changes: 3_650, signIns: 90))
        let removed = try changes.prune()
        try changes.compact(through: 10)
        print(removed, try changes.retention().signIns ?? 0)
        #expect(removed == 0)
        #expect(try changes.since(10).first?.sequence == 11)
    }

    @Test("Old changes are removed, with await")
    func retentionAwaiting() async throws {
        let changes = view.changes
        try await changes.setRetention(Retention(changes: 3_650, signIns: 90))
        let removed = try await changes.prune()
        try await changes.compact(through: 10)
        print(removed, try await changes.retention().signIns ?? 0)
        #expect(removed == 0)
        #expect(try await changes.since(10).first?.sequence == 11)
    }

    @Test("A search and a user are watched")
    func watching() async throws {
        for try await page in view.users.observe(Search(.title.contains("lead"), pageSize: 20)) {
            print(page.elements.map(\.label))
            if page.next == nil { break }
        }
        for try await user in view.users.observe(user: "emma.mueller", attributes: [.title, .manager]) {
            print(user?.title ?? "There is no such user.")
            break
        }
    }

    @Test("A person is erased")
    func erasing() throws {
        try view.users.delete("sam.taylor", erasing: true)

        try view.users.delete("lena.vogel")
        let deleted = try view.users.deleted("lena.vogel")
        let emptied = try view.users.erase(deleted)
        print(emptied)
        #expect(emptied > 0)
    }

    @Test("A person is erased, with await")
    func erasingAwaiting() async throws {
        try await view.users.delete("sam.taylor", erasing: true)

        try await view.users.delete("lena.vogel")
        let deleted = try await view.users.deleted("lena.vogel")
        let emptied = try await view.users.erase(deleted)
        print(emptied)
        #expect(emptied > 0)
    }
}

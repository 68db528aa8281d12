import Foundation
import Roster
import RosterStore
import Testing
import TestSupport

@Suite("Batches of changes, and undoing them", .timeLimit(.minutes(5)))
struct BatchTests {
    /// A directory with ten people below `boss`, and two roles.
    private func withCompany(_ place: Place, _ body: (Directory, DirectoryView) throws -> Void) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let view = directory.unrestricted
            try view.users.create("boss")
            for number in 0..<10 {
                try view.users.create(
                    "u\(number)", attributes: ["title": "Engineer", "costCenter": .string("\(number)")], manager: "boss"
                )
            }
            try view.roles.create("team")
            try view.roles.create("owners")
            try view.roles.add([.user("u1")], to: "team")
            try body(directory, view)
            #expect(try view.check().isEmpty)
        }
    }

    /// What can be seen of everybody, to compare states.
    private func state(_ view: DirectoryView) throws -> [String] {
        let people = try view.users.search(Search(pageSize: 1_000)).elements.map { user in
            "\(user.uid) \(user.isActive) \(try user.manager()?.uid ?? "") \(user["title"]?.text ?? "")"
        }
        let roles = try ["team", "owners"].map { name in
            let members = try view.roles.users(of: .named(name)).map(\.uid)
            return "\(name) \(members.sorted()) \(try view.roles.role(.named(name))["description"]?.text ?? "")"
        }
        return people.sorted() + roles
    }

    /// Changes of each kind that can be undone, each in a call of its own.
    private func change(_ view: DirectoryView) throws {
        for number in 0..<5 { try view.users.modify("u\(number)", [.set("active", false), .clear("costCenter")]) }
        try view.users.modify("u5", [.set("title", "Director"), .set("mail", "u5@example.com")])
        try view.users.modify("u5", [.set("title", "President")])
        try view.users.setManager("u9", of: "u8")
        try view.users.modify("u7", [.set("uid", "u7.renamed")])
        try view.roles.add([.user("u2"), .user("u3")], to: "team")
        try view.roles.remove([.user("u1")], from: "team")
        try view.roles.add([.role("owners"), .user("boss")], to: "team", as: .owner)
        try view.roles.modify("team", [.set("description", "All of us")])
    }

    @Test("A batch's changes carry its number, and other changes none", arguments: Place.allCases)
    func numbers(place: Place) throws {
        try withCompany(place) { directory, view in
            let number = try view.changes.beginBatch()
            let before = try view.changes.lastSequence()
            try view.batched(number).users.modify("u0", [.set("title", "Lead")])
            try view.users.modify("u1", [.set("title", "Lead")])
            try view.batched(number).transaction { view in
                try view.users.modify("u2", [.set("title", "Lead")])
                try view.users.load([NewUser("x"), NewUser("y")])
            }
            let changes = try view.changes.since(before)
            #expect(changes.map(\.batch) == [number, nil, number, number, number])
            let filtered = try view.read {
                try $0.feed.latestChanges(ChangeFilter(batch: number), before: nil, limit: 10).changes
            }
            #expect(filtered.map(\.name) == ["y", "x", "u2", "u0"])
            let other = directory.acting(as: .user(try view.users.user("u3").id))
            #expect(try other.changes.since(before).map(\.batch) == [nil, nil, nil, nil, nil])
        }
    }

    @Test(
        "Undoing gives back what was there, and the opposite batch is undone like any other", arguments: Place.allCases)
    func undoes(place: Place) throws {
        try withCompany(place) { _, view in
            let before = try state(view)
            let number = try view.changes.beginBatch()
            try change(view.batched(number))
            let after = try state(view)
            #expect(after != before)

            let last = try view.changes.lastSequence()
            let preview = try view.changes.undo(number, isPreview: true)
            #expect(try state(view) == after)
            #expect(try view.changes.lastSequence() == last)
            #expect(preview.batch == nil && preview.undone == 15 && preview.leftOut.isEmpty, "\(preview)")

            let undone = try view.changes.undo(number)
            #expect(try state(view) == before)
            #expect(undone.undone == 15 && undone.leftOutCount == 0, "\(undone)")
            let opposite = try #require(undone.batch)
            #expect(try view.changes.since(last).allSatisfy { $0.batch == opposite })

            #expect(try view.changes.undo(opposite).undone == 15)
            #expect(try state(view) == after)
            let again = try view.changes.undo(opposite)
            #expect(again.undone == 0 && again.batch == nil && again.leftOutCount == 15)
        }
    }

    @Test(
        "Those whom others have changed, and who were created, deleted or erased, are left out and named",
        arguments: Place.allCases)
    func leavesOut(place: Place) throws {
        try withCompany(place) { _, view in
            let number = try view.changes.beginBatch()
            let batched = view.batched(number)
            for name in 0..<8 { try batched.users.modify(.named("u\(name)"), [.set("title", "Lead")]) }
            try batched.roles.add([.user("u2"), .user("u3")], to: "team")
            try batched.users.delete("u8")
            try batched.users.delete("u9")
            try batched.users.create("new")

            try view.users.modify("u0", [.set("title", "Chief")])
            try view.users.modify("u1", [.set("title", "Engineer")])
            try view.users.modify("u2", [.set("costCenter", "other")])
            try view.roles.remove([.user("u3")], from: "team")
            try view.users.delete("u4")
            try view.users.delete("u5", erasing: true)
            _ = try view.users.erase(try view.users.deleted("u9"))
            let preview = try view.changes.undo(number, isPreview: true)
            let report = try view.changes.undo(number)
            #expect(report.leftOut == preview.leftOut && report.undone == preview.undone)
            let reasons = report.leftOut.map { "\($0.name) \($0.reason)" }
            #expect(
                reasons == [
                    "new was created by the batch, and stays", " was erased",
                    "u8 was deleted by the batch, and stays so",
                    "u3 does not belong to team any more", " was erased", "u4 was deleted since", "u1 is so already",
                    "u0 was changed since: 'title'",
                ], "\(reasons)")
            #expect(report.undone == 5 && report.leftOutCount == 8)
            #expect(try view.users.user("u2")["title"] == "Engineer")
            #expect(try view.users.user("u0")["title"] == "Chief")
            #expect(try view.roles.users(of: "team").map(\.uid) == ["u1"])
        }
    }

    @Test("What the change feed does not hold is left out and told", arguments: Place.allCases)
    func lost(place: Place) throws {
        try withCompany(place) { _, view in
            let long = AttributeValue.string(String(repeating: "x", count: 2_000))
            try view.users.modify("u0", [.set("description", long)])
            let number = try view.changes.beginBatch()
            try view.batched(number).users.modify("u1", [.set("title", "Lead")])
            try view.batched(number).users.modify("u2", [.set("title", "Lead")])
            let pruned = try view.changes.lastSequence()
            try view.batched(number).users.modify("u0", [.set("description", "short"), .set("title", "Lead")])
            try view.batched(number).users.modify("u3", [.set("description", long)])
            try view.changes.compact(through: pruned)
            let report = try view.changes.undo(number)
            #expect(report.undone == 1, "a long text is removed again")
            #expect(
                report.leftOut.map { "\($0.name) \($0.reason)" } == [
                    " 2 changes of the batch are no longer in the change feed",
                    "u0 has a change whose former value the change feed does not hold: 'description'",
                ])
            #expect(try view.users.user("u0")["title"] == "Lead" && view.users.user("u3")["description"] == nil)
        }
    }

    @Test("A batch is its caller's, and undoing has the caller's rights of that moment", arguments: Place.allCases)
    func rights(place: Place) throws {
        try withCompany(place) { directory, view in
            try view.roles.setPower(.peopleEditor, of: "owners")
            try view.roles.add([.user("u0")], to: "owners")
            let editor = directory.acting(as: .user(try view.users.user("u0").id))
            let other = directory.acting(as: .user(try view.users.user("u1").id))
            let number = try editor.changes.beginBatch()
            try editor.batched(number).users.modify("u2", [.set("title", "Lead")])
            for wrong in [view.batched(number), other.batched(number), editor.batched(number + 1_000)] {
                let error = #expect(throws: DirectoryError.self) {
                    try wrong.users.modify("u1", [.set("mobile", "7")])
                }
                #expect(error?.code == .notFound)
            }
            #expect(try view.users.user("u1")["mobile"] == nil, "a change in a wrong batch is not made")
            #expect(throws: DirectoryError.self) { try other.changes.undo(number) }
            #expect(throws: DirectoryError.self) { try editor.changes.undo(number + 1_000) }

            try view.roles.remove([.user("u0")], from: "owners")
            let refused = try editor.changes.undo(number)
            #expect(refused.undone == 0 && refused.leftOut.map(\.name) == ["u2"], "\(refused)")
            #expect(try view.changes.undo(number).undone == 1, "an administrator undoes the batch of another caller")
        }
    }

    @Test(
        "A batch of many changes is undone in several transactions, with work in proportion", arguments: Place.allCases)
    func work(place: Place) throws {
        try withDirectory(place) { (directory: Directory) throws in
            let view = directory.unrestricted
            try view.users.load((0..<1_000).map { NewUser("u\($0)") })
            func undoing(_ count: Int) throws -> StatementWork {
                let number = try view.changes.beginBatch()
                for index in 0..<count {
                    try view.batched(number).users.modify(.named("u\(index)"), [.set("title", "Lead")])
                }
                // The word index takes changes 64 at a time, so that each count begins with none.
                try view.changes.prune()
                return try TestSupport.work(on: directory) {
                    let report = try view.changes.undo(number)
                    #expect(report.undone == count)
                }
            }
            _ = try undoing(10)
            let (small, large) = (try undoing(128), try undoing(512))
            #expect(small.statements > 0 && large.isInProportion(to: small), "\(small) and \(large)")
            try view.users.load((1_000..<4_000).map { NewUser("u\($0)") })
            let inLarger = try undoing(128)
            #expect(inLarger.statements == small.statements, "the work does not follow the directory's size")
            #expect(inLarger.fullScanSteps <= small.fullScanSteps)
        }
    }

    @Test("A change of a batch takes one statement more than an ordinary one", arguments: Place.allCases)
    func costsNothing(place: Place) throws {
        try withCompany(place) { directory, view in
            try view.users.modify("u0", [.set("title", "1")])
            let plain = try TestSupport.work(on: directory) { try view.users.modify("u0", [.set("title", "2")]) }
            let batched = view.batched(try view.changes.beginBatch())
            try batched.users.modify("u0", [.set("title", "3")])
            let more = try TestSupport.work(on: directory) { try batched.users.modify("u0", [.set("title", "4")]) }
            #expect(more.statements == plain.statements + 1)
        }
    }
}

import Foundation
import Roster
import Synchronization
import Testing
import TestSupport

@Suite("Several reads and changes are one transaction", .timeLimit(.minutes(2)))
struct TransactionTests {
    private final class Refusal: Sendable {
        private let code = Mutex<DirectoryError.Code?>(nil)
        var value: DirectoryError.Code? { code.withLock { $0 } }
        func set(_ value: DirectoryError.Code?) { code.withLock { $0 = value } }
    }

    @Test("All changes are kept, the closure reads them, and others see them afterwards", arguments: Place.allCases)
    func kept(place: Place) async throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            let label = try view.transaction { view in
                try view.users.create("grace", attributes: [.displayName: "Grace"])
                try view.users.create("ada", manager: "grace")
                try view.roles.create("engineers")
                try view.roles.add([.user("ada")], to: "engineers")
                #expect(try view.users.reportees(of: "grace").map(\.uid) == ["ada"])
                #expect(try view.users.count() == 2)
                #expect(try view.users.search(Search(.member(of: "engineers"))).elements.map(\.uid) == ["ada"])
                return try view.users.user("ada").manager()?.label
            }
            #expect(label == "Grace")
            #expect(try view.users.user("ada").manager()?.uid == "grace")
        }
    }

    @Test("An error that the closure throws takes everything back", arguments: Place.allCases)
    func takenBack(place: Place) throws {
        struct Stop: Error {}
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            let before = try view.changes.lastSequence()
            #expect(throws: Stop.self) {
                try view.transaction { view in
                    try view.users.create("ada")
                    try view.attributes.declare([AttributeDefinition("badge", kind: .integer)])
                    throw Stop()
                }
            }
            #expect(try view.users.count() == 0)
            #expect(try view.changes.lastSequence() == before)
            #expect(view.attributes.vocabulary().definition(of: "badge") == nil)
        }
    }

    @Test("A change that fails leaves no trace, and the transaction goes on", arguments: Place.allCases)
    func goesOn(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            try view.transaction { view in
                try view.users.create("ada")
                #expect(code { try view.users.create("ADA") } == .alreadyExists)
                #expect(
                    code {
                        try view.perform([
                            .createUser(NewUser("bob")), .modifyUser("bob", [.set(.uid, "ada")]),
                        ])
                    } == .alreadyExists)
                #expect(
                    code {
                        try view.transaction { view in
                            try view.users.create("carl")
                            try view.users.delete("nobody")
                        }
                    } == .notFound)
                try view.users.create("dora")
            }
            #expect(try view.users.search(Search(sortedBy: .init(.uid))).elements.map(\.uid) == ["ada", "dora"])
        }
    }

    @Test("Attributes that are declared in a transaction can be used there, and afterwards", arguments: Place.allCases)
    func declaring(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            try view.transaction { view in
                try view.attributes.declare([AttributeDefinition("badge", kind: .integer)])
                try view.users.create("ada", attributes: ["badge": 7])
                #expect(try view.users.count(matching: .attribute("badge").equals(7)) == 1)
            }
            #expect(try view.users.count(matching: .attribute("badge").equals(7)) == 1)
        }
    }

    @Test("The closure's view ends with it: reads ask the directory, changes are refused", arguments: Place.allCases)
    func ended(place: Place) throws {
        try withDirectory(place) { directory in
            let (kept, ada) = try directory.unrestricted.transaction { view in
                (view, try view.users.create("ada", manager: .id(view.users.create("grace").id)))
            }
            #expect(try ada.manager()?.uid == "grace")
            #expect(try kept.users.count() == 2)
            #expect(code { try kept.users.create("bob") } == .outsideTransaction)
            #expect(code { try kept.transaction { _ in } } == .outsideTransaction)
        }
    }

    @Test("Another thread cannot use the closure's view, and other views are refused", arguments: Place.allCases)
    func elsewhere(place: Place) async throws {
        try await withDirectory(place) { directory in
            let outer = directory.unrestricted
            try await outer.transaction { view in
                let refusal = Refusal()
                let done = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    refusal.set(code { try view.users.create("bob") })
                    done.signal()
                }
                done.wait()
                #expect(refusal.value == .outsideTransaction)
                #expect(code { try outer.users.create("bob") } == .reentrantCall)
                #expect(code { try view.users.erase([]) } == .reentrantCall)
            }
            #expect(try await outer.users.count() == 0)
        }
    }

    @Test("A cancelled task keeps nothing of its transaction")
    func cancelled() async throws {
        try await withDirectory(.file) { directory in
            let view = directory.unrestricted
            let task = Task {
                try await view.transaction { view in
                    for number in 0..<1_000_000 { try view.users.create("user\(number)") }
                }
            }
            try await Task.sleep(for: .milliseconds(50))
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(try await view.users.count() == 0)
            try await view.users.create("ada")
        }
    }

    @Test("Whenever a transaction is cancelled, the next change is made")
    func afterCancellation() async throws {
        try await withDirectory(.file) { directory in
            let view = directory.unrestricted
            for round in 0..<40 {
                let task = Task {
                    try await view.transaction { view in
                        for number in 0..<1_000_000 { try view.users.create("user\(number)") }
                    }
                }
                try await Task.sleep(for: .milliseconds(5))
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                try await view.users.create("after\(round)")
            }
            #expect(try await view.users.count() == 40)
        }
    }

    @Test("A transaction has the rights of its caller")
    func rights() throws {
        try withDirectory(.usual) { directory in
            let ada = try directory.unrestricted.users.create("ada")
            let own = directory.acting(as: .user(ada.id))
            #expect(code { try own.transaction { try $0.users.create("bob") } } == .notPermitted)
            #expect(code { try directory.acting(as: .nobody).transaction { _ in } } == .notPermitted)
            try own.transaction { try $0.users.modify(.id(ada.id), [.set(.nickName, "A")]) }
            #expect(try directory.unrestricted.users.user("ada")[.nickName] == "A")
        }
    }

    @Test("A batch is made as a whole, and its error says which operation failed", arguments: Place.allCases)
    func batch(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            let batch: Batch = [
                .createUser(NewUser("grace")), .createUser(NewUser("ada", manager: "grace")),
                .createRole("engineers"), .add([.user("ada")], to: "engineers"),
                .modifyUser("ada", [.set(.title, "Analyst")]), .deleteUser("grace", reportees: .leave),
            ]
            let sent = try JSONDecoder().decode(Batch.self, from: JSONEncoder().encode(batch))
            #expect(sent == batch)
            let outcomes = try view.perform(sent)
            guard outcomes.count == 6, case .user(let ada) = outcomes[4] else {
                Issue.record("\(outcomes)")
                return
            }
            #expect(ada.title == "Analyst" && outcomes[5] == .none)
            #expect(try view.users.count() == 1)
            let failing: Batch = [.createUser(NewUser("bob")), .createUser(NewUser("ada"))]
            do {
                try view.perform(failing)
                Issue.record("a name was given twice")
            } catch let error as DirectoryError {
                #expect(error.code == .alreadyExists && error.place?.operation == 2)
                #expect(error.message.hasPrefix("operation 2: "))
            }
            #expect(try !view.users.exists("bob"))
        }
    }
}

import Foundation
import Roster
import Testing
import TestSupport

@Suite("Changes", .timeLimit(.minutes(2)))
struct ChangeTests {
    @Test("Each change tells who, what, and what was before and after", arguments: Place.allCases)
    func contents(place: Place) throws {
        let clock = SettableClock()
        try withDirectory(place, clock: { clock.now }) { directory in
            let view = directory.acting(as: .administrator("root"))
            let ada = try view.users.create("ada", attributes: ["title": "Countess", "costCenter": "7"])
            clock.advance(by: 1)
            let bob = try view.users.create("bob", manager: "ada", isActive: false)
            try view.users.modify(
                "ada", [.set("title", "Duchess"), .clear("costCenter"), .set("uid", "ADA"), .set("mail", "a@x")])
            try view.roles.create("staff")
            try view.roles.add([.user("ada"), .user("bob")], to: "staff")
            try view.roles.remove([.user("bob")], from: "staff")
            try view.users.delete("ada", reportees: .leave)
            let changes = try view.changes.since(0)
            #expect(changes.map(\.sequence) == Array(1...Int64(changes.count)))
            #expect(changes.allSatisfy { $0.actor == "root" })
            #expect(changes[0].kind == .created && changes[0].entity == .user && changes[0].name == "ada")
            #expect(changes[0].subjectID == ada.id.description)
            #expect(changes[0].before == [:])
            #expect(changes[0].after == ["uid": "ada", "active": true, "title": "Countess", "costCenter": "7"])
            #expect(changes[1].time.timeIntervalSince(changes[0].time) == 1)
            #expect(changes[1].after == ["uid": "bob", "active": false, "manager": .string(ada.id.description)])
            #expect(changes[2].kind == .modified)
            #expect(changes[2].before == ["uid": "ada", "title": "Countess", "costCenter": "7"])
            #expect(changes[2].after == ["uid": "ADA", "title": "Duchess", "emails": ["a@x"]])
            #expect(changes[3].entity == .role && changes[3].after == ["name": "staff"])
            #expect(changes[4].after == ["members": [.string(ada.id.description), .string(bob.id.description)]])
            #expect(changes[5].before == ["members": [.string(bob.id.description)]])
            #expect(changes[5].after == [:])
            let leaving = changes[6...]
            #expect(
                leaving.contains {
                    $0.entity == .user && $0.name == "bob" && $0.before == ["manager": .string(ada.id.description)]
                })
            #expect(leaving.contains { $0.entity == .role && $0.before == ["members": [.string(ada.id.description)]] })
            #expect(leaving.last?.kind == .deleted)
            #expect(leaving.last?.before == ["uid": "ADA", "active": true, "title": "Duchess", "emails": ["a@x"]])
            #expect(leaving.last?.after == [:])
        }
    }

    @Test("The feed alone rebuilds the directory", arguments: Place.allCases)
    func replay(place: Place) throws {
        let seed = randomSeed()
        try withDirectory(place) { directory in
            try directory.unrestricted.attributes.declare(RandomChoices.declared)
            var run = Run(view: directory.unrestricted, choices: RandomChoices(numbers: SeededNumbers(seed: seed)))
            for _ in 0..<150 { try run.change() }
            var users: [String: AttributeSet] = [:]
            for change in try directory.unrestricted.changes.since(0, limit: 10_000) where change.entity == .user {
                switch change.kind {
                case .created: users[change.subjectID] = change.after
                case .deleted:
                    #expect(users.removeValue(forKey: change.subjectID) == change.before, "seed \(seed)")
                case .modified:
                    for entry in change.before {
                        #expect(users[change.subjectID]?[entry.name] == entry.value, "seed \(seed)")
                        users[change.subjectID]?[entry.name] = nil
                    }
                    for entry in change.after { users[change.subjectID]?[entry.name] = entry.value }
                case .signedIn, .refused, .granted, .exchanged, .revoked, .pruned: Issue.record("nobody signed in")
                }
            }
            #expect(users.count == run.model.people.count)
            for person in run.model.people {
                var expected: AttributeSet = ["uid": .string(person.uid), "active": .boolean(person.isActive)]
                expected["manager"] = person.manager.map { .string($0.description) }
                for (name, values) in person.values {
                    let isList = RandomChoices.multiple.contains(name)
                    expected[name] = isList ? .list(values) : values.first
                }
                #expect(users[person.id.description] == expected, "seed \(seed)")
            }
        }
    }

    @Test("Numbers have no gaps, whoever writes at the same time and whatever fails")
    func gapFree() async throws {
        try await withFolder { (folder: URL) async throws in
            let url = folder.appendingPathComponent("test.db")
            for round in 0..<3 {
                let directory = try reopen(url)
                await withTaskGroup(of: Void.self) { group in
                    for number in 0..<120 {
                        group.addTask {
                            let users = directory.unrestricted.users
                            let task = Task { try await users.create("u\(round)-\(number % 90)") }
                            if number % 5 == 0 { task.cancel() }
                            _ = await task.result
                        }
                    }
                }
                let changes = try await directory.unrestricted.changes.since(0)
                #expect(changes.map(\.sequence) == Array(1..<Int64(changes.count) + 1))
                #expect(try await directory.unrestricted.users.count() == changes.count)
                #expect(zip(changes, changes.dropFirst()).allSatisfy { $0.time <= $1.time })
                directory.close()
            }
        }
    }

    @Test("Pages of changes, and what was compacted away", arguments: Place.allCases)
    func compaction(place: Place) throws {
        try withDirectory(place) { directory in
            let feed = directory.unrestricted.changes
            let users = directory.unrestricted.users
            #expect(try feed.lastSequence() == 0)
            for number in 1...10 { try users.create("u\(number)") }
            #expect(try feed.since(3, limit: 2).map(\.sequence) == [4, 5])
            #expect(try feed.since(10).isEmpty)
            #expect(
                code { try feed.since(11) } == .notFound,
                "a number that was never given, as after a restored backup")
            #expect(code { try feed.since(0, limit: 0) } == .invalidPage)
            try feed.compact(through: 4)
            #expect(code { try feed.since(3) } == .changesCompacted)
            #expect(code { try feed.since(0) } == .changesCompacted)
            #expect(try feed.since(4).map(\.sequence) == [5, 6, 7, 8, 9, 10])
            try feed.compact(through: 2)
            #expect(try feed.since(4).first?.sequence == 5, "what is gone stays gone")
            try feed.compact(through: 1_000)
            #expect(try feed.lastSequence() == 10)
            #expect(try feed.since(10).isEmpty)
            try users.create("u11")
            #expect(try feed.since(10).map(\.sequence) == [11], "the numbers go on")
            #expect(try directory.unrestricted.check() == [])
        }
    }

    @Test("A change that fails or changes nothing has no number", arguments: Place.allCases)
    func failuresAreNotTold(place: Place) throws {
        try withDirectory(place) { directory in
            let view = directory.unrestricted
            try view.users.create("ada")
            try view.roles.create("staff")
            try view.roles.add([.user("ada")], to: "staff")
            let last = try view.changes.lastSequence()
            #expect(code { try view.users.create("ada") } == .alreadyExists)
            #expect(code { try view.roles.add([.user("ada"), .user("nobody")], to: "staff") } == .notFound)
            try view.roles.add([.user("ada")], to: "staff")
            #expect(code { try view.roles.remove([.user("ada"), .user("ada")], from: "staff") } == .notFound)
            #expect(try view.changes.lastSequence() == last)
            #expect(try view.roles.role("staff").members().count == 1, "all of it or nothing")
        }
    }

    @Test("Following brings what was, then what comes, in order", arguments: Place.allCases)
    func following(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            for number in 1...5 { try await view.users.create("u\(number)") }
            let seen = Gathered<Int64>()
            let follower = Task {
                for try await change in view.changes.follow(since: 2) {
                    seen.append(change.sequence)
                    if change.sequence == 60 { break }
                }
            }
            _ = try await onThread { seen.wait(for: 3) }
            await withTaskGroup(of: Void.self) { group in
                for number in 6...60 { group.addTask { _ = try? await view.users.create("u\(number)") } }
            }
            try await follower.value
            #expect(seen.all == Array(3...60))
        }
    }

    @Test("Following from now on leaves out what was", arguments: Place.allCases)
    func followingFromNow(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("before")
            var changes = view.changes.follow().makeAsyncIterator()
            try await view.users.create("after")
            #expect(try await changes.next()?.name == "after")
        }
    }

    @Test(
        "Following ends when the directory is closed, and with CancellationError when its task is cancelled",
        arguments: Place.allCases)
    func ends(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("ada")
            func follow(_ seen: Gathered<String>) -> Task<Void, any Error> {
                Task { for try await change in view.changes.follow(since: 0) { seen.append(change.name) } }
            }
            let (first, second) = (Gathered<String>(), Gathered<String>())
            let (closed, cancelled) = (follow(first), follow(second))
            _ = try await onThread { (first.wait(for: 1), second.wait(for: 1)) }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            try await view.users.create("bob")
            _ = try await onThread { first.wait(for: 2) }
            directory.close()
            try await closed.value
            #expect(first.all == ["ada", "bob"])
            #expect(second.all == ["ada"])
            var late = view.changes.follow(since: 0).makeAsyncIterator()
            #expect(try await late.next() == nil)
        }
    }

    @Test("A follower that comes too late hears that the changes are gone", arguments: Place.allCases)
    func tooLate(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            for number in 1...5 { try await view.users.create("u\(number)") }
            try await view.changes.compact(through: 3)
            var changes = view.changes.follow(since: 0).makeAsyncIterator()
            #expect(await code { try await changes.next()?.name } == .changesCompacted)
        }
    }
}

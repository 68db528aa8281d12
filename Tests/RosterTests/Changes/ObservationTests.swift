import Foundation
import Roster
import Testing
import TestSupport

@Suite("Observing searches, users and roles", .timeLimit(.minutes(2)))
struct ObservationTests {
    @Test(
        "A search is answered at once, and again when a commit changes the answer, but not when the answer stays",
        arguments: Place.allCases)
    func search(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("ada", attributes: ["title": "Countess"])
            let search = Search(.title.starts("C"), sortedBy: .init(.uid), includesTotal: true)
            var answers = view.users.observe(search).makeAsyncIterator()
            #expect(try await answers.next()?.elements.map(\.uid) == ["ada"])
            try await view.users.create("eve", attributes: ["title": "Baker"])
            try await view.roles.create("staff")
            try await view.users.create("bob", attributes: ["title": "Cook"])
            let page = try #require(try await answers.next())
            #expect(page.elements.map(\.uid) == ["ada", "bob"] && page.total == 2, "Eve was no new answer")
            try await view.users.modify("ada", attributes: ["title": "Duchess"])
            #expect(try await answers.next()?.elements.map(\.uid) == ["bob"])
            try await view.users.modify("bob", attributes: ["title": "Chef"])
            #expect(try await answers.next()?.elements.map(\.title) == ["Chef"], "the same user with another title")
        }
    }

    @Test("A user is nil before the creation and after the deletion", arguments: Place.allCases)
    func user(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            var answers = view.users.observe(user: "ada", attributes: [.title]).makeAsyncIterator()
            #expect(try await answers.next() == .some(nil))
            let ada = try await view.users.create("ada", attributes: ["title": "Countess"])
            #expect(try await answers.next()??.title == "Countess")
            var sameUser = view.users.observe(user: .id(ada.id)).makeAsyncIterator()
            #expect(try await sameUser.next()??.uid == "ada")
            try await view.users.modify("ada", attributes: ["uid": "lovelace"])
            #expect(try await answers.next() == .some(nil), "nobody has the name now")
            #expect(try await sameUser.next()??.uid == "lovelace")
            try await view.users.delete("lovelace")
            #expect(try await sameUser.next() == .some(nil))
        }
    }

    @Test("A role and a search of roles are answered again after a change of members", arguments: Place.allCases)
    func role(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("ada")
            try await view.roles.create("staff")
            var role = view.roles.observe(role: "staff").makeAsyncIterator()
            var roles = view.roles.observe(Search(.attribute("name").equals("staff"))).makeAsyncIterator()
            let first = try #require(try await role.next() ?? nil)
            #expect(try await roles.next()?.elements == [first])
            try await view.roles.add([.user("ada")], to: "staff")
            let second = try #require(try await role.next() ?? nil)
            #expect(second.version > first.version)
            #expect(try await roles.next()?.elements == [second])
            try await view.roles.delete("staff")
            #expect(try await role.next() == .some(nil))
            #expect(try await roles.next()?.elements == [])
        }
    }

    @Test(
        "Memberships through nested roles, reporting lines and prefetched managers are noticed",
        arguments: Place.allCases)
    func relations(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            for name in ["boss", "ada"] { try await view.users.create(name) }
            for name in ["outer", "inner"] { try await view.roles.create(name) }
            try await view.roles.add([.user("ada")], to: "inner")
            var members = view.users.observe(Search(.member(of: "outer"))).makeAsyncIterator()
            var names = view.users.observe(user: "ada", attributes: [.memberOf]).makeAsyncIterator()
            var reportees = view.users.observe(Search(.manager.equals("boss"))).makeAsyncIterator()
            var prefetched = view.users.observe(user: "ada", attributes: [.title], prefetch: .manager)
                .makeAsyncIterator()
            #expect(try await members.next()?.elements.isEmpty == true)
            #expect(try await names.next()??[.memberOf] == ["inner"])
            #expect(try await reportees.next()?.elements.isEmpty == true)
            #expect(try await prefetched.next()??.uid == "ada")
            try await view.roles.add([.role("inner")], to: "outer")
            #expect(try await members.next()?.elements.map(\.uid) == ["ada"])
            try await view.users.setManager("boss", of: "ada")
            #expect(try await reportees.next()?.elements.map(\.uid) == ["ada"])
            #expect(try await prefetched.next()??.manager()?.uid == "boss")
            try await view.users.modify("boss", attributes: ["title": "Boss"])
            #expect(try await prefetched.next()??.manager()?.title == "Boss")
            try await view.roles.remove([.user("ada")], from: "inner")
            #expect(try await names.next()??[.memberOf] == nil)
            #expect(try await members.next()?.elements.isEmpty == true)
        }
    }

    @Test("An answer has the rights of its caller at the moment", arguments: Place.allCases)
    func rights(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            let lead = try await view.users.create("lead").id
            try await view.users.create("ada", attributes: ["mobile": "+1", "title": "Countess"], manager: "lead")
            var answers = directory.acting(as: .user(lead)).users.observe(user: "ada").makeAsyncIterator()
            #expect(try await answers.next()??.mobile == "+1")
            try await view.users.setManager(nil, of: "ada")
            let former = try #require(try await answers.next() ?? nil)
            #expect(former.mobile == nil && former.title == "Countess", "the lead is no manager any more")
            try await view.attributes.setRights(of: "title", readers: .managers)
            #expect(try await answers.next()??.title == nil, "changed rights are a change of the answer")
            try await view.attributes.setRights(of: "mobile", readers: .signedIn)
            #expect(try await answers.next()??.mobile == "+1")
            try await view.transaction { try $0.attributes.resetRights(of: "mobile") }
            #expect(try await answers.next()??.mobile == nil, "in a transaction, too")

            try await view.users.modify("lead", attributes: ["active": false])
            #expect(await code { try await answers.next() } == .notPermitted)
            try await view.users.modify("lead", attributes: ["active": true])
            try await view.users.modify("ada", attributes: ["uid": "ada2"])
            #expect(try await answers.next() == .some(nil))
            try await view.users.delete("lead")
            #expect(await code { try await answers.next() } == .notPermitted)
            for caller in [Caller.nobody, .monitoring("prometheus")] {
                var refused = directory.acting(as: caller).users.observe().makeAsyncIterator()
                #expect(await code { try await refused.next() } == .notPermitted)
            }
            var wrong = view.users.observe(Search(.attribute("nosuch").present)).makeAsyncIterator()
            #expect(await code { try await wrong.next() } == .invalidFilter)
        }
    }

    @Test("Changed rights and attributes reach an observation that waits already", arguments: Place.allCases)
    func waitingForRights(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            let eve = try await view.users.create("eve").id
            try await view.users.create("ada", attributes: ["title": "Countess"])
            let seen = Gathered<String?>()
            let observer = Task {
                for try await user in directory.acting(as: .user(eve)).users.observe(user: "ada") {
                    seen.append(user?.title)
                }
            }
            _ = try await onThread { seen.wait(for: 1) }
            for round in 0..<30 {
                try await view.attributes.setRights(of: "title", readers: round % 2 == 0 ? .managers : .signedIn)
                let count = try await onThread { seen.wait(for: round + 2).count }
                #expect(count == round + 2)
                if count != round + 2 { break }
            }
            #expect(seen.all == (0..<31).map { $0 % 2 == 0 ? "Countess" : nil })
            observer.cancel()
        }
    }

    @Test("A slow loop gets the newest answer and no older one", arguments: Place.allCases)
    func coalescing(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("ada")
            var answers = view.users.observe(user: "ada").makeAsyncIterator()
            _ = try await answers.next()
            for number in 1...50 { try await view.users.modify("ada", attributes: ["title": .string("\(number)")]) }
            #expect(try await answers.next()??.title == "50")
            try await view.users.create("eve")
            try await view.users.modify("ada", attributes: ["title": "51"])
            #expect(try await answers.next()??.title == "51")
        }
    }

    @Test("Whatever is written at the same time, the last answer agrees with the directory", arguments: Place.allCases)
    func randomChanges(place: Place) async throws {
        let seed = randomSeed()
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.attributes.declare(RandomChoices.declared)
            var choices = RandomChoices(numbers: SeededNumbers(seed: seed))
            var filters: [Filter] = [.everything, .not(.everything)]
            while filters.count < 6 {
                let filter = choices.filter()
                if await code(of: { try await view.users.search(Search(filter)) }) == nil { filters.append(filter) }
            }
            let last = filters.map { _ in Gathered<Page<User>>() }
            let observers = zip(filters, last).map { filter, answers in
                Task {
                    for try await page in view.users.observe(Search(filter, attributes: .all, includesTotal: true)) {
                        answers.append(page)
                    }
                }
            }
            try await onThread {
                var run = Run(view: view, choices: RandomChoices(numbers: SeededNumbers(seed: seed)))
                for _ in 0..<200 { try run.change() }
            }
            for (filter, answers) in zip(filters, last) {
                let now = try await view.users.search(Search(filter, attributes: .all, includesTotal: true))
                _ = try await onThread { waitUntil { answers.all.last == now } }
                #expect(answers.all.last == now, "seed \(seed), \(filter)")
                #expect(zip(answers.all, answers.all.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed)")
            }
            for observer in observers { observer.cancel() }
        }
    }

    @Test(
        "Observing ends when the directory closes, and with CancellationError when the task is cancelled",
        arguments: Place.allCases)
    func ends(place: Place) async throws {
        try await withDirectory(place) { (directory: Directory) async throws in
            let view = directory.unrestricted
            try await view.users.create("ada")
            func observe(_ seen: Gathered<Int>) -> Task<Void, any Error> {
                Task { for try await page in view.users.observe() { seen.append(page.elements.count) } }
            }
            let (first, second) = (Gathered<Int>(), Gathered<Int>())
            let (closed, cancelled) = (observe(first), observe(second))
            _ = try await onThread { (first.wait(for: 1), second.wait(for: 1)) }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            try await onThread { directory.close() }
            try await closed.value
            #expect(first.all == [1] && second.all == [1])
            var late = view.users.observe(user: "ada").makeAsyncIterator()
            #expect(try await late.next() == nil)
        }
    }

    @Test("The view of a transaction cannot be observed, neither within the transaction nor afterwards")
    func transactions() async throws {
        let view = try emptyDirectory().unrestricted
        let observations = try await view.transaction { inner in
            try inner.users.create("ada")
            return (inner.users.observe(), inner.roles.observe(role: "staff"))
        }
        var (users, role) = (observations.0.makeAsyncIterator(), observations.1.makeAsyncIterator())
        #expect(await code { try await users.next() } == .outsideTransaction)
        #expect(await code { try await role.next() } == .outsideTransaction)
    }

    @Test("An observation keeps the file open while it lives, and no longer")
    func lifetime() async throws {
        try await withFolder { (folder: URL) async throws in
            let file = folder.appendingPathComponent("test.db")
            func start() throws -> ObservedAnswers<Page<User>> { try Directory(at: file).unrestricted.users.observe() }
            do {
                let observation = try start()
                var answers = observation.makeAsyncIterator()
                #expect(try await answers.next()?.elements.isEmpty == true)
                #expect(code { try Directory(at: file) } == .fileInUse)
            }
            try reopen(file).close()
        }
    }
}

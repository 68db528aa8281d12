import Foundation
import Roster
import RosterClient
import TestSupport
import Testing

@Suite("Watching a server's directory", .timeLimit(.minutes(2)))
struct RemoteWatchingTests {
    @Test("An observation delivers the present answer, and each new one")
    func observing() async throws {
        try await withTwoDirectories { two in
            var answers = two.remote.users.observe(user: "ada").makeAsyncIterator()
            #expect(try await answers.next() == .some(nil))
            try await two.served.unrestricted.users.create("ada")
            #expect(try await answers.next()??.uid == "ada")
            try await two.served.unrestricted.users.modify("ada", attributes: ["title": "Countess"])
            #expect(try await answers.next()??.title == "Countess")
        }
    }

    @Test("A follower gets each change once, in order")
    func following() async throws {
        try await withTwoDirectories { two in
            let start = try await two.remote.changes.lastSequence()
            let names = (1...30).map { "w\($0)" }
            let follower = Task {
                var found: [String] = []
                for try await change in two.remote.changes.follow(since: start) where change.kind == .created {
                    found.append(change.name)
                    if found.count == names.count { break }
                }
                return found
            }
            for name in names { try await two.served.unrestricted.users.create(name) }
            #expect(try await follower.value == names)
        }
    }

    @Test("Cancelling the task of a follower ends its wait")
    func cancelling() async throws {
        try await withTwoDirectories { two in
            let follower = Task { for try await _ in two.remote.changes.follow() {} }
            try await Task.sleep(for: .milliseconds(100))
            follower.cancel()
            await #expect(throws: CancellationError.self) { try await follower.value }
        }
    }
}

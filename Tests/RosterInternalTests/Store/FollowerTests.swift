import RosterText
import Synchronization
import Testing
import TestSupport

@testable import Roster
@testable import RosterStore

@Suite("Followers of commits", .timeLimit(.minutes(2)))
struct FollowerTests {
    private final class Wakes: Sendable { let count = Atomic<Int>(0) }

    @Test("Changes that share a commit wake a follower once, and failed changes never")
    func oneWakeUp() async throws {
        let directory = try Directory.inMemory()
        let store = directory.core.store
        let wakes = Wakes()
        let number = store.follow { wakes.count.add(1, ordering: .relaxed) }
        let results = try await SharedCommitTests.together(store, (0..<40).map { _ in { _ in } })
        #expect(results.count == 40)
        let commits = Int(store.commits.value)
        #expect(commits < 40, "the changes share commits")
        #expect(wakes.count.load(ordering: .relaxed) == commits)
        await #expect(throws: SharedCommitTests.Refused.self) {
            try await store.awaitWrite { _ in throw SharedCommitTests.Refused() }
        }
        #expect(wakes.count.load(ordering: .relaxed) == commits)
        store.unfollow(number)
    }

    @Test("Sequences that ended, were cancelled or were never read leave no follower")
    func noneIsLeft() async throws {
        let directory = try Directory.inMemory()
        let view = directory.unrestricted
        let store = try view.embedded().core.store
        @Sendable func count() -> Int { store.followers.withLock { $0.count } }
        try await view.users.create("ada")
        for try await _ in view.users.observe() { break }
        for try await _ in view.changes.follow(since: 0) { break }
        _ = view.users.observe(user: "ada").makeAsyncIterator()
        #expect(count() == 0)
        let waiting = (0..<10).map { _ in Task { for try await _ in view.users.observe() {} } }
        _ = try await onThread { waitUntil { count() == 10 } }
        #expect(count() == 10)
        for task in waiting { task.cancel() }
        for task in waiting { _ = await task.result }
        _ = try await onThread { waitUntil { count() == 0 } }
        #expect(count() == 0)
    }
}

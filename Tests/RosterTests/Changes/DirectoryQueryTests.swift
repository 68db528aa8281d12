import Observation
import Roster
import RosterFixtures
import Testing

@Suite("An observable answer", .timeLimit(.minutes(1)))
@MainActor
struct DirectoryQueryTests {
    /// An app's own observable type compiles beside the library.
    @MainActor @Observable
    final class Model { var count = 0 }

    private func wait(_ isMet: () -> Bool) async throws {
        while !isMet() { try await Task.sleep(for: .milliseconds(2)) }
    }

    @Test("The object has the present answer, then each new one, and tells its observers")
    func follows() async throws {
        let view = try Fixtures.company().unrestricted
        let query = DirectoryQuery<User?>()
        let model = Model()
        #expect(query.answer == nil && !query.isLoading && query.error == nil)
        let task = Task { await query.follow(view.users.observe(user: "emma.mueller")) }
        try await wait { query.answer != nil }
        #expect(query.answer??.uid == "emma.mueller" && !query.isLoading)
        withObservationTracking {
            _ = query.answer
        } onChange: {
            Task { @MainActor in model.count += 1 }
        }
        try await view.users.modify("emma.mueller", [.set(.title, "Principal Engineer")])
        try await wait { query.answer??.title == "Principal Engineer" && model.count == 1 }
        task.cancel()
        await task.value
        try await view.users.modify("emma.mueller", [.set(.title, "Lead")])
        #expect(query.answer??.title == "Principal Engineer" && query.error == nil)
    }

    @Test("Another question replaces the first one")
    func replaced() async throws {
        let view = try Fixtures.company().unrestricted
        let query = DirectoryQuery<Page<User>>()
        let first = Task { await query.follow(view.users.observe(Search(.uid.equals("emma.mueller")))) }
        try await wait { query.answer?.elements.map(\.uid) == ["emma.mueller"] }
        let second = Task { await query.follow(view.users.observe(Search(.uid.equals("kenji.sato")))) }
        try await wait { query.answer?.elements.map(\.uid) == ["kenji.sato"] }
        try await view.users.modify("emma.mueller", [.set(.title, "Lead")])
        await first.value
        #expect(query.answer?.elements.map(\.uid) == ["kenji.sato"])
        second.cancel()
        await second.value
    }

    @Test("An error is shown, and ends a question that cannot succeed")
    func failed() async throws {
        let query = DirectoryQuery<User?>()
        let view = try Fixtures.company().acting(as: .nobody)
        await query.follow(view.users.observe(user: "emma.mueller"))
        #expect((query.error as? DirectoryError)?.code == .notPermitted && !query.isLoading && query.answer == nil)
    }
}

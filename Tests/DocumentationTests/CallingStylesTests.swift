import Dispatch
import Roster
import RosterFixtures
import Testing

@Suite("Synchronous, with await, or as a handle", .timeLimit(.minutes(1)))
struct CallingStylesTests {
    let directory: Directory
    var users: UserManager { directory.unrestricted.users }

    init() throws { directory = try Fixtures.company() }

    @Test("Both forms have the same name")
    func forms() throws {
        let kenji = try users.user("kenji.sato")
        let boss = try kenji.manager()
        #expect(kenji.uid == "kenji.sato" && boss?.uid == "ilse.brandt")
    }

    @Test("Both forms have the same name, with await")
    func formsAwaiting() async throws {
        let kenji = try await users.user("kenji.sato")
        let boss = try await kenji.manager()
        #expect(kenji.uid == "kenji.sato" && boss?.uid == "ilse.brandt")
    }

    @Test("A function that is not async calls the synchronous form")
    func inAsync() async throws {
        func bossOfKenji(_ users: UserManager) throws -> User? {
            try users.user("kenji.sato").manager()
        }
        func report() async throws {
            let boss = try bossOfKenji(users)
            let label = try { try users.user("kenji.sato").label }()
            print(label, "reports to", boss?.label ?? "nobody")
        }
        try await report()
    }

    @Test("A handle is cancelled")
    func cancelled() async {
        let handle = users.searchAsynchronously(Search(.title.contains("lead")), deliveringOn: .main) {
            result, handle in
            print((try? result.get())?.elements.map(\.label) ?? [])
        }
        handle.cancel()
        while handle.result == nil { await Task.yield() }
    }

    @Test("Any operation becomes a handle")
    func handles() async throws {
        let handle = AsyncOperationHandle(deliveringOn: .main) {
            try await users.chain(of: "emma.mueller")
        } completion: { result, handle in
            print((try? result.get())?.map(\.label) ?? [])
        }
        while handle.result == nil { await Task.yield() }
        #expect(try handle.result?.get().last?.uid == "ilse.brandt")
    }
}

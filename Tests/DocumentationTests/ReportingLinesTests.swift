import Roster
import RosterFixtures
import Testing

@Suite("Reporting lines")
struct ReportingLinesTests {
    let directory: Directory
    var users: UserManager { directory.unrestricted.users }

    init() throws { directory = try Fixtures.company() }

    @Test("Reporting lines are followed up and down")
    func lookups() throws {
        let manager = try users.manager(of: "emma.mueller")
        let reportees = try users.reportees(of: "haruka.ito")
        let chain = try users.chain(of: "emma.mueller")
        let below = try users.below("kenji.sato", limit: 50)
        let counts = try users.reporteeCounts(of: "kenji.sato")
        let common = try users.lowestCommonManager(of: ["emma.mueller", "tom.evans"])
        let top = try users.withoutManager()
        #expect(manager?.uid == "haruka.ito" && reportees.count == 3 && chain.count == 4)
        #expect(below.first?.depth == 1 && counts.direct == 3 && common?.uid == "kenji.sato")
        #expect(top.map(\.uid) == ["ilse.brandt"])
    }

    @Test("Reporting lines are followed up and down, with await")
    func lookupsAwaiting() async throws {
        let manager = try await users.manager(of: "emma.mueller")
        let reportees = try await users.reportees(of: "haruka.ito")
        let chain = try await users.chain(of: "emma.mueller")
        let below = try await users.below("kenji.sato", limit: 50)
        let counts = try await users.reporteeCounts(of: "kenji.sato")
        let common = try await users.lowestCommonManager(of: ["emma.mueller", "tom.evans"])
        let top = try await users.withoutManager()
        #expect(manager?.uid == "haruka.ito" && reportees.count == 3 && chain.count == 4)
        #expect(below.first?.depth == 1 && counts.direct == 3 && common?.uid == "kenji.sato")
        #expect(top.map(\.uid) == ["ilse.brandt"])
    }

    @Test("Whether somebody is below somebody is a question, and a filter")
    func questions() throws {
        let isBelow = try users.isBelow("emma.mueller", "kenji.sato")
        let line: Filter = .all(.below("kenji.sato"), .active)
        let engineers = try users.search(Search(line, sortedBy: .init(.familyName), includesTotal: true))
        let nearest = try users.count(matching: .below("kenji.sato", levels: 2))
        #expect(isBelow && (engineers.total ?? 0) > nearest / 2 && nearest > 3)
    }

    @Test("Whether somebody is below somebody is a question, and a filter, with await")
    func questionsAwaiting() async throws {
        let isBelow = try await users.isBelow("emma.mueller", "kenji.sato")
        let line: Filter = .all(.below("kenji.sato"), .active)
        let engineers = try await users.search(Search(line, sortedBy: .init(.familyName), includesTotal: true))
        let nearest = try await users.count(matching: .below("kenji.sato", levels: 2))
        #expect(isBelow && (engineers.total ?? 0) > nearest / 2 && nearest > 3)
    }

    @Test("Reportees are read in pages")
    func pages() throws {
        let first = try users.reportees(of: "kenji.sato", limit: 2)
        let second = try users.reportees(of: "kenji.sato", limit: 2, after: first.last?.id)
        #expect(first.count == 2 && second.count == 1)
    }

    @Test("Reportees are read in pages, with await")
    func pagesAwaiting() async throws {
        let first = try await users.reportees(of: "kenji.sato", limit: 2)
        let second = try await users.reportees(of: "kenji.sato", limit: 2, after: first.last?.id)
        #expect(first.count == 2 && second.count == 1)
    }

    @Test("A chain ends before the top")
    func ends() throws {
        let toTheDirector = try users.chain(of: "emma.mueller", upTo: .title("Director Platform"))
        let twoLevels = try users.chain(of: "emma.mueller", levels: 2)
        #expect(toTheDirector.last?.uid == "yuki.tanaka" && twoLevels.count == 2)
    }

    @Test("A chain ends before the top, with await")
    func endsAwaiting() async throws {
        let toTheDirector = try await users.chain(of: "emma.mueller", upTo: .title("Director Platform"))
        let twoLevels = try await users.chain(of: "emma.mueller", levels: 2)
        #expect(toTheDirector.last?.uid == "yuki.tanaka" && twoLevels.count == 2)
    }

    @Test("A user leads to the manager and the reportees")
    func user() throws {
        let emma = try users.user("emma.mueller", prefetch: .manager)
        print(try emma.manager()?.label ?? "at the top", try emma.reportees().count)
        #expect(emma.managerID != nil)
    }

    @Test("A user leads to the manager and the reportees, with await")
    func userAwaiting() async throws {
        let emma = try await users.user("emma.mueller", prefetch: .manager)
        print(try await emma.manager()?.label ?? "at the top", try await emma.reportees().count)
        #expect(emma.managerID != nil)
    }

    @Test("Managers are set and removed")
    func changes() throws {
        try users.setManager(nil, of: "emma.mueller")
        try users.setManager("tom.evans", of: "emma.mueller")
        try users.setManager(nil, of: "tom.evans")
        try users.modify("tom.evans", [.set(.manager, "joerg.muench")])
        #expect(try users.manager(of: "emma.mueller")?.uid == "tom.evans")
    }

    @Test("Managers are set and removed, with await")
    func changesAwaiting() async throws {
        try await users.setManager(nil, of: "emma.mueller")
        try await users.setManager("tom.evans", of: "emma.mueller")
        try await users.setManager(nil, of: "tom.evans")
        try await users.modify("tom.evans", [.set(.manager, "joerg.muench")])
        #expect(try await users.manager(of: "emma.mueller")?.uid == "tom.evans")
    }

    @Test("The reportees of a deleted manager move up")
    func deletion() throws {
        try users.delete("haruka.ito", reportees: .reassign)
        #expect(try users.manager(of: "emma.mueller")?.uid == "yuki.tanaka")
    }

    @Test("The reportees of a deleted manager move up, with await")
    func deletionAwaiting() async throws {
        try await users.delete("haruka.ito", reportees: .reassign)
        #expect(try await users.manager(of: "emma.mueller")?.uid == "yuki.tanaka")
    }
}

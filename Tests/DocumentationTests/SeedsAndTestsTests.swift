import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("Seeds and tests")
struct SeedsAndTestsTests: NamesFiles {
    let folder: ExampleFolder

    init() throws { folder = try ExampleFolder() }

    @Test("A seed is loaded")
    func loading() throws {
        let view = try Directory.inMemory().unrestricted
        let seeds = Articles.package.appendingPathComponent("Seeds/company.json")
        try FileManager.default.copyItem(at: seeds, to: URL(fileURLWithPath: "company.json"))
        let seed = try Seed(contentsOf: URL(fileURLWithPath: "company.json"))
        let report = try view.load(seed)
        print(report.users.created, report.roles.created)
        #expect(report.users.created == 40)
    }

    @Test("A seed is loaded, with await")
    func loadingAwaiting() async throws {
        let view = try Directory.inMemory().unrestricted
        let seeds = Articles.package.appendingPathComponent("Seeds/company.json")
        try FileManager.default.copyItem(at: seeds, to: URL(fileURLWithPath: "company.json"))
        let seed = try Seed(contentsOf: URL(fileURLWithPath: "company.json"))
        let report = try await view.load(seed)
        print(report.users.created, report.roles.created)
        #expect(report.users.created == 40)
    }

    @Test("Emma reports to Haruka")
    func manager() throws {
        let directory = try Fixtures.company()
        #expect(try directory.unrestricted.users.manager(of: "emma.mueller")?.uid == "haruka.ito")
    }

    @Test("Fixtures are made in one line")
    func fixtures() throws {
        let company = try Fixtures.company()
        let empty = try Fixtures.empty()
        let own = try Fixtures.directory(seed: #"{"people": [{"uid": "ada"}]}"#)
        let large = try Fixtures.organization(people: 1_000, seedNumber: 7)
        let counts = try [company, empty, own, large].map { try $0.unrestricted.users.count() }
        #expect(counts == [40, 0, 1, 1_000])
    }
}

import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("Fixtures")
struct FixturesTests {

    @Test("The company is there in one line")
    func company() throws {
        let company = try Fixtures.company()
        let emma = try company.unrestricted.users.user("emma.mueller")
        print(emma.label, try emma.manager()?.label ?? "-")
        #expect(emma.lastName == "Müller")
    }

    @Test("The company is there in one line, with await")
    func companyAwaiting() async throws {
        let company = try Fixtures.company()
        let emma = try await company.unrestricted.users.user("emma.mueller")
        print(emma.label, try await emma.manager()?.label ?? "-")
        #expect(emma.lastName == "Müller")
    }

    @Test("A seed and an organisation of any size")
    func others() throws {
        let own = try Fixtures.directory(seed: #"{"people": [{"uid": "ada", "mail": "ada@example.com"}]}"#)
        let large = try Fixtures.organization(people: 500, seedNumber: 7)
        #expect(try [own, large].map { try $0.unrestricted.users.count() } == [1, 500])
    }

    @Test("A clock tells the time of changes")
    func clock() throws {
        let later = Date(timeIntervalSince1970: 1_800_000_000)
        let directory = try Fixtures.company(clock: { later })
        try directory.unrestricted.users.modify("emma.mueller", [.set(.title, "Engineer")])
        #expect(try directory.unrestricted.users.user("emma.mueller").modified == later)
    }

    @Test("A clock tells the time of changes, with await")
    func clockAwaiting() async throws {
        let later = Date(timeIntervalSince1970: 1_800_000_000)
        let directory = try Fixtures.company(clock: { later })
        try await directory.unrestricted.users.modify("emma.mueller", [.set(.title, "Engineer")])
        #expect(try await directory.unrestricted.users.user("emma.mueller").modified == later)
    }

    @Test("The generator fills any directory")
    func generator() throws {
        let generator = OrganizationGenerator(people: 200, seedNumber: 7)
        let directory = try Directory.inMemory()
        try generator.load(into: directory.unrestricted)
        print(generator.digest)
        #expect(try directory.unrestricted.users.count() == 200)
    }

    @Test("The generator fills any directory, with await")
    func generatorAwaiting() async throws {
        let generator = OrganizationGenerator(people: 200, seedNumber: 7)
        let directory = try Directory.inMemory()
        try await generator.load(into: directory.unrestricted)
        print(generator.digest)
        #expect(try await directory.unrestricted.users.count() == 200)
    }
}

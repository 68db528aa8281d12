import Roster
import RosterFixtures
import Testing

@Suite("Names")
struct NamesTests {
    let directory: Directory
    var users: UserManager { directory.unrestricted.users }

    init() throws { directory = try Fixtures.company() }

    @Test("A name and an identifier find the same user")
    func references() throws {
        let byName = try users.user("kenji.sato")
        let byIdentifier = try users.user(.id(byName.id))
        let byEither = try users.user(.either(byName.id.description))
        #expect(byIdentifier.id == byName.id && byEither.id == byName.id)
    }

    @Test("A name and an identifier find the same user, with await")
    func referencesAwaiting() async throws {
        let byName = try await users.user("kenji.sato")
        let byIdentifier = try await users.user(.id(byName.id))
        let byEither = try await users.user(.either(byName.id.description))
        #expect(byIdentifier.id == byName.id && byEither.id == byName.id)
    }

    @Test("Case, width and composition do not matter")
    func folding() throws {
        let one = try EntityName("Straße")
        let other = try EntityName("STRASSE")
        print(one == other)
        #expect(one == other)
    }
}

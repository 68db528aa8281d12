import Foundation
import Roster
import RosterFixtures
import Testing

@Suite("Users as the app's own Codable types", .timeLimit(.minutes(1)))
struct CodableModelTests {
    private enum Shift: String, Codable { case day, night }
    private struct Address: Codable, Equatable {
        var streetAddress: String?
        var country: String?
    }
    private struct Person: Codable, Equatable {
        var uid: String
        var givenName: String?
        var lastName: String?
        var mail: String?
        var active: Bool?
        var hireDate: Date?
        var locker: Int?
        var shift: Shift?
        var ratio: Double?
        var since: Date?
        var page: URL?
        var photo: Data?
        var skills: [String]?
        var addresses: [Address]?
    }
    let view: DirectoryView

    init() throws {
        view = try Directory.inMemory().unrestricted
        try view.attributes.declare([
            AttributeDefinition("locker", kind: .integer), AttributeDefinition("shift"),
            AttributeDefinition("ratio", kind: .decimal), AttributeDefinition("since", kind: .time),
            AttributeDefinition("page"), AttributeDefinition("skills", isMultiValued: true),
        ])
    }

    @Test("A model is stored and read back whole")
    func roundTrip() throws {
        let person = Person(
            uid: "ada", givenName: "Ada", lastName: "Lovelace", mail: "ada@example.com", active: true, locker: 42,
            shift: .night, ratio: 0.5, since: Date(timeIntervalSince1970: 1_700_000_000.125),
            page: URL(string: "https://example.com/ada"), photo: Data([1, 2, 3]), skills: ["Swift", "SQL"],
            addresses: [Address(streetAddress: "High Street 1", country: "GB")])
        let attributes = try AttributeSet(encoding: person)
        #expect(attributes[.photo] == .binary(Data([1, 2, 3])) && attributes["hireDate"] == nil)
        try view.users.create(attributes: attributes)
        let read = try view.users.user("ada", attributes: .all).decoded(as: Person.self)
        #expect(read == person)
        let ratio = try view.users.modify("ada", [.set("ratio", 2.0), .set(.hireDate, "2020-01-31")])
        let changed = try ratio.decoded(as: Person.self)
        #expect(changed.ratio == 2 && changed.hireDate == Date(timeIntervalSince1970: 1_580_428_800))
        #expect(try view.users.modify("ada", attributes: AttributeSet(encoding: read)).version > ratio.version)
    }

    @Test("What the directory keeps can be read, and is not written")
    func system() throws {
        struct Row: Codable {
            var id: UserID
            var uid: String
            var version: Int
            var created: Date
            var memberOf: [String]?
            var manager: UserID?
        }
        let boss = try view.users.create("boss")
        try view.users.create("ada", manager: boss)
        try view.roles.create("staff")
        try view.roles.add([.user("ada")], to: "staff")
        let row: Row = try view.users.user("ada", attributes: .all).decoded()
        #expect(row.uid == "ada" && row.manager == boss.id && row.memberOf == ["staff"] && row.version > 0)
        #expect(try AttributeSet(encoding: row).map(\.name.rawValue) == ["manager", "uid"])
        struct Group: Decodable {
            var name: String
            var description: String?
        }
        #expect(try view.roles.role("staff").decoded(as: Group.self).name == "staff")
    }

    private struct Strict: Decodable {
        var title: String
        var locker: String?
    }

    private func failure(of user: User) -> DirectoryError? {
        let result = Result { try user.decoded(as: Strict.self) }
        if case .failure(let error as DirectoryError) = result { return error }
        return nil
    }

    @Test("An error names the attribute that is missing, not fetched or of another kind")
    func errors() throws {
        try view.users.create("ada", attributes: [.mail: "ada@example.com"])
        var user = try view.users.user("ada")
        let missing = try #require(failure(of: user))
        #expect(missing.code == .invalidAttribute && missing.attribute == .title)
        #expect(missing.advice?.hasPrefix("Make the property optional") == true)
        user = try view.users.user("ada", attributes: [.mail])
        let notFetched = try #require(failure(of: user))
        #expect(notFetched.advice?.hasPrefix("Fetch the attribute") == true)
        try view.users.modify("ada", [.set(.title, "Analyst"), .set("locker", 1)])
        user = try view.users.user("ada")
        let wrong = try #require(failure(of: user))
        #expect(wrong.attribute == "locker" && wrong.problem.contains("Strict"))
        #expect(throws: DirectoryError.self) { try AttributeSet(encoding: 5) }
        #expect(throws: DirectoryError.self) { try AttributeSet(encoding: ["ratio": Double.infinity]) }
    }
}

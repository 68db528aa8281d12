import Foundation
import Roster
import RosterText
import Testing
import TestSupport

@Suite("The time in which an account can be used")
struct AccountDatesTests {
    /// Whether a user with these attributes may read the directory at a time.
    private func mayRead(_ attributes: AttributeSet, at time: String) throws -> Bool {
        let now = try #require(Timestamp.date(time))
        let directory = try emptyDirectory(clock: { now })
        let ada = try directory.unrestricted.users.create("ada", attributes: attributes).id
        do {
            return try directory.acting(as: .user(ada)).users.user("ada").uid == "ada"
        } catch let error as DirectoryError where error.code == .notPermitted {
            return false
        }
    }

    @Test(
        "Both dates include the day, the month or the year that they name, in UTC",
        arguments: [
            ("2026-12-31", "2026-12-31T23:59:59.999Z", true), ("2026-12-31", "2027-01-01T00:00:00Z", false),
            ("20261231", "2026-12-31T23:59:59Z", true), ("2026-02", "2026-02-28T23:59:59Z", true),
            ("2026-02", "2026-03-01T00:00:00Z", false), ("2024", "2024-12-31T23:59:59Z", true),
            ("2024", "2025-01-01T00:00:00Z", false), ("2026-12-31T12:00:00Z", "2026-12-31T11:59:59Z", true),
            ("2026-12-31T12:00:00Z", "2026-12-31T12:00:00Z", false),
            ("2026-12-31T12:00:00+02:00", "2026-12-31T10:00:00Z", false),
            // "For ever", as personnel systems write it.
            ("9999", "2026-12-31T12:00:00Z", true), ("9999-12-31", "2026-12-31T12:00:00Z", true),
            ("9999-12", "9999-12-31T23:59:59Z", true),
        ])
    func end(_ last: String, _ time: String, _ isUsable: Bool) throws {
        #expect(try mayRead(["activeEndDate": .string(last)], at: time) == isUsable)
    }

    @Test(
        "An account begins with its first day",
        arguments: [
            ("2026-03-01", "2026-02-28T23:59:59.999Z", false), ("2026-03-01", "2026-03-01T00:00:00Z", true),
            ("2026-03", "2026-03-01T00:00:00Z", true), ("2026", "2025-12-31T23:59:59Z", false),
        ])
    func start(_ first: String, _ time: String, _ isUsable: Bool) throws {
        #expect(try mayRead(["activeStartDate": .string(first)], at: time) == isUsable)
    }

    @Test("A caller whose standing was remembered is refused from the moment on at which the account ends")
    func remembered() throws {
        try withFolder { folder in
            let clock = SettableClock(try #require(Timestamp.date("2026-12-31T23:00:00Z")))
            let directory = try Directory(at: folder.appendingPathComponent("company.db")) { clock.now }
            defer { directory.close() }
            let ada = try directory.unrestricted.users.create("ada", attributes: ["activeEndDate": "2026-12-31"]).id
            let view = directory.acting(as: .user(ada))
            for _ in 0..<3 { #expect(try view.users.user("ada").uid == "ada") }
            clock.advance(by: 3_600)
            #expect(code { try view.users.user("ada") } == .notPermitted)
        }
    }

    @Test("The last administrator's account is not ended")
    func lastAdministrator() throws {
        let directory = try emptyDirectory()
        let root = try directory.unrestricted.write { session in
            let role = try session.asPresentAdministrator(to: "test").powers.administratorsRole()
            let root = try session.asEditor(to: "test").users.create(NewUser("root"))
            try session.asRoleOwner(of: .id(role.id), changing: .member).add([.user(.id(root.id))])
            return root.id
        }
        let users = directory.unrestricted.users
        #expect(code { try users.modify(.id(root), [.set("activeEndDate", "2000-01-01")]) } == .lastAdministrator)
        try users.modify(.id(root), [.set("activeEndDate", "2999-01-01")])
    }
}

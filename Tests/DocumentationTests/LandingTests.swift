import Foundation
import Roster
import Testing

@Suite("The example of the landing page")
struct LandingTests: NamesFiles {
    let folder: ExampleFolder

    init() throws { folder = try ExampleFolder() }

    @Test("A user is created and read")
    func first() throws {
        let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
        let users = directory.unrestricted.users

        try users.create("ada", attributes: [.givenName: "Ada", .mail: "ada@example.com"])
        let ada = try users.user("ada")
        print(ada.label, ada.mail ?? "without an address")
        #expect(ada.firstName == "Ada")
    }

    @Test("A user is created and read, with await")
    func firstAwaiting() async throws {
        let directory = try Directory(at: URL(fileURLWithPath: "company.db"))
        let users = directory.unrestricted.users

        try await users.create("ada", attributes: [.givenName: "Ada", .mail: "ada@example.com"])
        let ada = try await users.user("ada")
        print(ada.label, ada.mail ?? "without an address")
        #expect(ada.firstName == "Ada")
    }
}

import Foundation
import Roster
import RosterSignIn
import Testing
import TestSupport

@Suite("Virtual users")
struct VirtualUserTests {
    @Test("A virtual user is erased by the identifier, with what its issuer said")
    func virtualUsers() async throws {
        let directory = try emptyDirectory()
        let user = try await directory.holders.remember(
            issuer: "https://issuer.example", subject: "sub-4711", name: "Vera", roles: [])
        let id = UserID(rawValue: user.id.rawValue)
        #expect(try await directory.unrestricted.users.erase([id]) == 1)
        #expect(try directory.holders.virtualUser(user.id) == nil)
        let changes = try await directory.unrestricted.changes.since(0)
        let text = "\(changes)"
        #expect(!text.contains("sub-4711") && !text.contains("Vera"))
    }
}

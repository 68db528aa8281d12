import Roster
import RosterFixtures
import RosterLDAP
import RosterSignIn
import Testing

@Suite("Serving a directory over LDAP")
struct LDAPServingTests {
    @Test("An app serves LDAP with its own sign-in")
    func serving() async throws {
        let directory = try Fixtures.company()
        let signIn = try SignIn(directory, issuer: "https://id.example.com")
        let server = try LDAPServer(directory, signIn: signIn, configuration: .init(listen: ["ldap://127.0.0.1:0"]))
        let addresses = try server.start()
        print("Port 0 means a free port, as in \(addresses).")
        #expect(addresses.count == 1 && addresses[0].hasPrefix("ldap://127.0.0.1:"))
        await server.stop()
    }
}

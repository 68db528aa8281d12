import Roster
import RosterSignIn
import Testing

@Suite("The example of the landing page of RosterSignIn")
struct SignInLandingTests {
    let directory: Directory

    init() async throws {
        directory = try Directory.inMemory()
        try await directory.unrestricted.users.create("ada")
    }

    @Test("A person signs in")
    func first() async throws {
        let signIn = try SignIn(directory, issuer: "https://id.example.com")
        try await signIn.setPassword("a staple of correct horses", of: "ada", in: directory.unrestricted)
        let ada = try await signIn.person(named: "ada", password: "a staple of correct horses")
        let own = directory.acting(as: ada.caller)
        #expect(own.caller == ada.caller)
    }
}

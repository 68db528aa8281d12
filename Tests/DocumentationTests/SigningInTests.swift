import Roster
import RosterSignIn
import Testing

@Suite("Signing in")
struct SigningInTests {
    let directory: Directory

    init() async throws {
        directory = try Directory.inMemory()
        try await directory.unrestricted.users.create("ada")
    }

    @Test("A person signs in, has a session, and gets tokens")
    func all() async throws {
        let signIn = try SignIn(directory, issuer: "https://id.example.com")
        try await signIn.setPassword("a staple of correct horses", of: "ada", in: directory.unrestricted)

        let ada = try await signIn.person(named: "ada", password: "a staple of correct horses")
        let own = directory.acting(as: ada.caller)
        print(try await own.users.user("ada").label)

        do {
            _ = try await signIn.person(named: "ada", password: "wrong", from: "192.0.2.7")
        } catch AuthenticationFailure.tooManyAttempts(let seconds) {
            print("Try again in \(seconds) s.")
        } catch let failure as AuthenticationFailure {
            print(failure)
        }

        let session = try await signIn.beginSession(for: ada)
        let found = try await signIn.person(ofSession: session)
        print(found?.name ?? "nobody")
        try await signIn.endSession(session)

        var settings = BackendSettings(isPublic: true)
        settings.redirectURIs = ["com.example.shop:/callback"]
        let shop = try await signIn.createBackend(named: "shop", settings: settings, in: directory.unrestricted)
        let tokens = try await signIn.tokens(for: ada, clientID: shop.clientID)
        let checked = try signIn.check(accessToken: tokens.accessToken, allowing: .profile)
        print(checked?.person?.name ?? "not valid")

        try await signIn.tidyUp()
        await signIn.flush()
        #expect(own.caller == ada.caller && found?.name == "ada" && checked?.person?.name == "ada")
    }
}

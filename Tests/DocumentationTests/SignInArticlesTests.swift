import Roster
import RosterFixtures
import RosterSignIn
import Testing

@Suite("The articles about sign-in")
struct SignInArticlesTests {
    let directory: Directory
    let signIn: SignIn
    let user: User

    init() async throws {
        directory = try Directory.inMemory()
        user = try await directory.unrestricted.users.create("ada")
        signIn = try SignIn(directory, issuer: "https://id.example.com")
    }

    private func ada() async throws -> Person {
        try await signIn.setPassword("a staple of correct horses", of: "ada", in: directory.unrestricted)
        return try await signIn.person(named: "ada", password: "a staple of correct horses")
    }

    @Test("A backend is made, renewed and deleted")
    func backends() async throws {
        var settings = BackendSettings(for: .service)
        settings.directoryRole = .monitoring
        settings.tokens.accessTokenLifetime = .seconds(600)
        let secrets = try await signIn.createBackend(named: "reports", settings: settings, in: directory.unrestricted)
        let all = try await signIn.backends(in: directory.unrestricted)
        let renewed = try await signIn.renewSecrets(ofBackend: secrets.clientID, in: directory.unrestricted)
        try await signIn.deleteBackend(secrets.clientID, in: directory.unrestricted)
        print(all.map(\.name), renewed.secret != secrets.secret)
        #expect(all.map(\.name) == ["reports"])
    }

    @Test("A signing key is replaced")
    func rotation() throws {
        try signIn.rotateKey()
        let keys = signIn.publicKeys.json
        print(keys.count)
        #expect(keys.count > 100)
    }

    @Test("A password is set and replaced")
    func passwords() async throws {
        let ada = try await ada()
        try await signIn.setPassword("a staple of correct horses", of: "ada", in: directory.unrestricted)
        let own = directory.acting(as: ada.caller)
        try await signIn.setPassword(
            "three correct staples", of: "ada", replacing: "a staple of correct horses", in: own)
        #expect(try await signIn.person(named: "ada", password: "three correct staples").id == user.id)
    }

    @Test("Questions are set up and answered")
    func factors() async throws {
        _ = try await ada()
        let factors = signIn.secondFactors
        let (secret, address) = try factors.begin(for: user.id, account: "ada")
        print(secret.isEmpty, address.hasPrefix("otpauth://"))

        try await factors.setQuestions(
            [("First street?", "Rue de la Paix"), ("First teacher?", "Aunt Zoë")], for: user.id)
        print(try factors.questions(of: user.id))

        let proof = SecondFactorProof(answers: ["First street?": "rue de la paix", "First teacher?": "aunt zoë"])
        let ada = try await signIn.person(named: "ada", password: "a staple of correct horses", proof: proof)
        print(ada.amr)
        #expect(ada.amr.contains("kba"))
    }

    @Test("An app password is made, listed and ended")
    func appPasswords() async throws {
        let own = directory.acting(as: try await ada().caller)
        let (text, record) = try await signIn.makeAppPassword(
            named: "mail", for: .ldap, networks: ["192.0.2.0/24"], of: "ada", in: own)
        let all = try await signIn.appPasswords(of: "ada", in: own)
        try await signIn.endAppPassword("mail", of: "ada", in: own)
        print(text.count, record.name, all.count)
        #expect(text.count == 25 && all == [record])
    }

    @Test("A session ends with a sign-out")
    func sessions() async throws {
        let ada = try await ada()
        let session = try await signIn.beginSession(for: ada, lifetime: 3_600)
        let again = try await signIn.person(ofSession: session)
        try await signIn.signOutEverywhere(user.id)
        let ended = try await signIn.person(ofSession: session)
        print(again?.name ?? "-", ended == nil)
        #expect(again?.name == "ada" && ended == nil)
    }

    @Test("A token is revoked")
    func tokens() async throws {
        var settings = BackendSettings()
        settings.scopes = [.directory]
        settings.directoryRole = .provisioning
        let job = try await signIn.createBackend(named: "job", settings: settings, in: directory.unrestricted)
        let tokens = try await signIn.tokens(
            .clientCredentials(scopes: [.directory]), clientID: job.clientID, secret: job.secret)
        try await signIn.revoke(tokens.accessToken, clientID: job.clientID, secret: job.secret)
        print(try signIn.check(accessToken: tokens.accessToken, allowing: .directory) == nil)
        #expect(tokens.scopes == [.directory])
    }
}

@Suite("The examples in comments of sign-in")
struct SignInCommentTests {
    @Test("The settings of a backend have types")
    func settings() {
        var settings = BackendSettings(isPublic: true)
        settings.redirectURIs = ["com.example.shop:/signed-in"]
        settings.scopes = [.openID, .profile, .offlineAccess]
        settings.tokens.accessTokenLifetime = .seconds(600)
        #expect(settings.isPublic && !settings.grants.contains(.clientCredentials))
    }

    @Test("A backend has the settings that fit its purpose")
    func purpose() {
        let settings = BackendSettings(for: .app)
        #expect(settings.isPublic && settings.scopes.contains(.directory))
    }

    @Test("Claims are mapped")
    func claims() {
        var settings = BackendSettings()
        settings.claims = ClaimMapping(claims: [
            .init("name", [.attribute(.displayName)]),
            .init("permission", [.value("create", ifRole: "Admin"), .value("read", ifRole: "Users")]),
        ])
        #expect(settings.claims != nil)
    }

    @Test("A sign-in for tests has people with passwords")
    func forTests() async throws {
        let seed = #"{"people": [{"uid": "ada", "password": "a staple of horses"}]}"#
        let signIn = try await SignIn.forTests(Fixtures.company(), seed: seed)
        let ada = try await signIn.person(named: "ada", password: "a staple of horses")
        #expect(ada.name == "ada")
    }
}

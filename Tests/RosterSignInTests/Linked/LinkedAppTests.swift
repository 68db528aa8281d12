import Foundation
import Roster
import RosterSignIn
import RosterText
import Testing
import TestSupport

/// What an app does that is linked with the library: by its public interface alone, and without a server.
@Suite("Signing in without a server", .timeLimit(.minutes(2)))
struct LinkedAppTests {
    private let directory: Directory
    private let signIn: SignIn
    private let password = "a staple of correct horses"
    private let settings: BackendSettings = {
        var settings = BackendSettings()
        settings.grants.insert(.password)
        settings.scopes = [.openID, .profile, .offlineAccess, .directory]
        settings.allowsExchange = true
        return settings
    }()
    private var administrator: DirectoryView { directory.acting(as: .administrator("the app")) }

    init() throws {
        directory = try emptyDirectory()
        signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
    }

    private func ada() async throws -> User {
        let user = try await directory.unrestricted.users.create(
            "ada", attributes: ["displayName": "Ada Lovelace", "mail": "ada@example.com"])
        try await signIn.setPassword(password, of: "ada", in: administrator)
        return user
    }

    @Test("Who changes their own password gives the old one, and an administrator gives none for somebody else")
    func ownPassword() async throws {
        let user = try await ada()
        let own = directory.acting(as: .user(user.id))
        await #expect(throws: DirectoryError.self) {
            try await signIn.setPassword("another staple of horses", of: "ada", in: own)
        }
        await #expect(throws: AuthenticationFailure.wrong) {
            try await signIn.setPassword("another staple of horses", of: "ada", replacing: "wrong", in: own)
        }
        try await signIn.setPassword("another staple of horses", of: "ada", replacing: password, in: own)
        _ = try await signIn.person(named: "ada", password: "another staple of horses")
        try await signIn.setPassword(password, of: "ada", in: administrator)
        for number in 0..<30 {
            try? await signIn.setPassword("x", of: "ada", replacing: "wrong \(number)", in: own, from: "elsewhere")
        }
        await #expect {
            try await signIn.person(named: "ada", password: "wrong", from: "elsewhere")
        } throws: { error in
            if case .tooManyAttempts? = error as? AuthenticationFailure { true } else { false }
        }
    }

    @Test("A session and its tokens keep the time at which the password was given")
    func timeOfSignIn() async throws {
        _ = try await ada()
        let person = try await signIn.person(named: "ada", password: password)
        let session = try await signIn.beginSession(for: person)
        let found = try #require(try await signIn.person(ofSession: session))
        let made = try await signIn.createBackend(named: "shop", settings: settings, in: administrator)
        let tokens = try await signIn.tokens(for: found, clientID: made.clientID, scopes: [.directory])
        let (_, checked) = try #require(try signIn.check(accessToken: tokens.accessToken, allowing: .directory))
        let times = [person.signedIn, found.signedIn, checked?.signedIn].map {
            $0.map { Int($0.timeIntervalSince1970) }
        }
        #expect(Set(times).count == 1 && times[0] != nil)
    }

    @Test("Who has the password is known, with their roles and their view of the directory")
    func passwords() async throws {
        let user = try await ada()
        try await directory.unrestricted.roles.create("engineers")
        try await directory.unrestricted.roles.add([.user("ada")], to: "engineers")
        let person = try await signIn.person(named: "ADA", password: password)
        #expect(person.name == "ada" && person.roles == ["engineers"] && person.origin == nil)
        #expect(person.subject == user.id.description && person.caller == .user(user.id))
        #expect(try await directory.acting(as: person.caller).users.user("ada").id == user.id)
        await #expect(throws: AuthenticationFailure.wrong) { try await signIn.person(named: "ada", password: "wrong") }
        await #expect(throws: AuthenticationFailure.wrong) {
            try await signIn.person(named: "nobody", password: password)
        }
        await #expect(throws: DirectoryError.self) {
            try await signIn.setPassword("short", of: "ada", in: administrator)
        }
        await #expect(throws: DirectoryError.self, "an address of theirs is not a password") {
            try await signIn.setPassword("ada@example.com", of: "ada", in: administrator)
        }
        await signIn.flush()
        let kinds = try await directory.unrestricted.changes.since(0).filter { $0.name == "ada" }.map(\.kind)
        #expect(kinds.contains(.signedIn) && kinds.contains(.refused))
    }

    @Test(
        "Whoever signed in with a password that was changed meanwhile, or without the factor set up meanwhile, gets nothing"
    )
    func overtaken() async throws {
        let user = try await ada()
        let backend = try await signIn.createBackend(named: "app", settings: settings, in: administrator)
        func signsIn(_ person: Person) async -> Bool {
            let session = try? await signIn.beginSession(for: person)
            let tokens = try? await signIn.tokens(for: person, clientID: backend.clientID, scopes: [.openID])
            #expect((session == nil) == (tokens == nil))
            return session != nil
        }
        let first = try await signIn.person(named: "ada", password: password)
        #expect(await signsIn(first))
        try await signIn.setPassword("another staple of horses", of: "ada", in: administrator)
        #expect(await !signsIn(first), "the password was changed while they signed in")
        let second = try await signIn.person(named: "ada", password: "another staple of horses")
        #expect(await signsIn(second))
        try await signIn.secondFactors.setQuestions(
            [("Your first street?", "Rue de la Paix"), ("Who taught you to swim?", "Aunt Zoë")], for: user.id)
        #expect(await !signsIn(second), "a factor was set up while they signed in")
    }

    @Test("A password never expires: nobody is made to change it")
    func age() async throws {
        let clock = SettableClock()
        let directory = try emptyDirectory(clock: { clock.now })
        let signIn = try SignIn(
            directory, issuer: "https://id.example.com",
            passwordCost: .forTests, clock: { clock.now })
        try await directory.unrestricted.users.create("ada")
        try await signIn.setPassword(password, of: "ada", in: directory.unrestricted)
        clock.advance(by: 20 * 366 * 86_400)
        #expect(try await signIn.person(named: "ada", password: password).name == "ada")
        let session = try await signIn.beginSession(for: signIn.person(named: "ada", password: password))
        clock.advance(by: 86_401)
        #expect(try await signIn.person(ofSession: session) == nil, "sessions do")
    }

    @Test("Who tries too often waits, and is told for how long")
    func throttling() async throws {
        _ = try await ada()
        var seconds: Int?
        for _ in 0..<50 where seconds == nil {
            do {
                _ = try await signIn.person(named: "ada", password: "wrong", from: "198.51.100.7")
            } catch AuthenticationFailure.tooManyAttempts(let wait) {
                seconds = wait
            } catch AuthenticationFailure.wrong {}
        }
        #expect(try #require(seconds) > 0)
    }

    @Test("Who has challenge questions answers them besides")
    func secondFactor() async throws {
        let user = try await ada()
        try await signIn.secondFactors.setQuestions(
            [("First pet?", "Babbage"), ("First engine?", "Difference")], for: user.id)
        do {
            _ = try await signIn.person(named: "ada", password: password)
            Issue.record("a password alone was enough")
        } catch AuthenticationFailure.secondFactorRequired(let questions) {
            #expect(questions == ["First pet?", "First engine?"])
        }
        let proof = SecondFactorProof(answers: ["First pet?": "babbage", "First engine?": "difference"])
        let person = try await signIn.person(named: "ada", password: password, proof: proof)
        #expect(person.name == "ada" && person.amr == ["pwd", "kba"] && person.id == user.id)
        let session = try await signIn.beginSession(for: person)
        #expect(try await signIn.person(ofSession: session)?.amr == ["pwd", "kba"])
        let backend = try await signIn.createBackend(named: "shop", settings: settings, in: administrator)
        let tokens = try await signIn.tokens(
            .password(name: "ada", password: password, proof: proof), clientID: backend.clientID,
            secret: backend.secret)
        #expect(try signIn.check(accessToken: tokens.accessToken, allowing: .profile)?.person?.name == "ada")
        let own = try await signIn.tokens(for: person, clientID: backend.clientID)
        #expect(try signIn.check(accessToken: own.accessToken, allowing: .profile)?.person?.amr == ["pwd", "kba"])
    }

    @Test("Tokens for somebody whom the app signed in are checked, renewed and revoked; another password ends them")
    func tokens() async throws {
        _ = try await ada()
        let backend = try await signIn.createBackend(named: "shop", settings: settings, in: administrator)
        let person = try await signIn.person(named: "ada", password: password)
        let first = try await signIn.tokens(
            for: person, clientID: backend.clientID, scopes: [.openID, .offlineAccess, .directory])
        #expect(first.idToken != nil && first.lifetime == 1_800 && first.scopes.contains(.directory))
        let found = try #require(try signIn.check(accessToken: first.accessToken, allowing: .directory))
        #expect(found.person?.name == "ada" && found.token.clientID == backend.clientID)
        #expect(
            try signIn.check(accessToken: first.accessToken, allowing: .openID, for: "https://other.example.com")
                == nil)
        let second = try await signIn.tokens(
            .refreshToken(try #require(first.refreshToken), scopes: [.openID]), clientID: backend.clientID,
            secret: backend.secret)
        #expect(second.scopes == [.openID] && second.refreshToken != first.refreshToken)
        #expect(try signIn.check(accessToken: second.accessToken, allowing: .openID) != nil)
        #expect(try signIn.check(accessToken: second.accessToken, allowing: .directory) == nil, "it allows less")
        try await signIn.revoke(second.accessToken, clientID: backend.clientID, secret: backend.secret)
        #expect(try signIn.check(accessToken: second.accessToken, allowing: .openID) == nil)
        #expect(try signIn.check(accessToken: first.accessToken, allowing: .directory) != nil)
        let session = try await signIn.beginSession(for: person)
        try await signIn.setPassword("another staple of horses", of: "ada", in: administrator)
        #expect(try signIn.check(accessToken: first.accessToken, allowing: .directory) == nil)
        #expect(try await signIn.person(ofSession: session) == nil)
        await #expect(throws: OAuthError.self) {
            try await signIn.tokens(.clientCredentials(), clientID: backend.clientID, secret: "wrong")
        }
        await #expect(throws: OAuthError.self) { try await signIn.tokens(for: person, clientID: "nobody's") }
        try await directory.unrestricted.users.delete("ada")
        await #expect(throws: OAuthError.self, "who is gone gets no tokens") {
            try await signIn.tokens(for: person, clientID: backend.clientID)
        }
    }

    @Test("A program's own token stands for no person, and leads to another one that allows less")
    func programs() async throws {
        _ = try await ada()
        let backend = try await signIn.createBackend(named: "nightly", settings: settings, in: administrator)
        let own = try await signIn.tokens(
            .clientCredentials(scopes: [.directory]), clientID: backend.clientID, secret: backend.secret)
        let found = try #require(try signIn.check(accessToken: own.accessToken, allowing: .directory))
        #expect(found.person == nil && found.token.scopes == [.directory])
        let person = try await signIn.person(named: "ada", password: password)
        let wide = try await signIn.tokens(for: person, clientID: backend.clientID, scopes: [.profile, .directory])
        let narrow = try await signIn.tokens(
            .exchange(accessToken: wide.accessToken, scopes: [.profile]), clientID: backend.clientID,
            secret: backend.secret)
        #expect(try signIn.check(accessToken: narrow.accessToken, allowing: .profile)?.token.scopes == ["profile"])
    }

    @Test("A session lives until it is ended, here or everywhere")
    func sessions() async throws {
        let user = try await ada()
        let person = try await signIn.person(named: "ada", password: password)
        let one = try await signIn.beginSession(for: person)
        let other = try await signIn.beginSession(for: person)
        #expect(try await signIn.person(ofSession: one)?.name == "ada")
        #expect(try await signIn.endSession(one))
        #expect(try await signIn.person(ofSession: one) == nil)
        #expect(try await !signIn.endSession(one))
        try await signIn.signOutEverywhere(user.id)
        #expect(try await signIn.person(ofSession: other) == nil)
        #expect(try await signIn.person(ofSession: "no session") == nil)
    }

    @Test("A token of one directory is exchanged at another, which trusts it, for a virtual user")
    func exchange() async throws {
        _ = try await ada()
        var settings = BackendSettings()
        settings.audiences = ["https://b.example.com"]
        settings.scopes = [.profile]
        let shop = try await signIn.createBackend(named: "shop", settings: settings, in: administrator)
        let person = try await signIn.person(named: "ada", password: password)
        let foreign = try await signIn.tokens(for: person, clientID: shop.clientID).accessToken

        let server = try CannedServer()
        server.answer("/keys", try JSONValue(strictly: Array(signIn.publicKeys.json)))
        let document = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: document) }
        let issuer: JSONValue = [
            "issuerName": "https://id.example.com", "virtualUserEnabled": true, "issuerRoles": ["guests"],
            "usernameAttribute": "preferred_username",
            "jwks": ["jwksUri": .string("http://127.0.0.1:\(server.port)/keys"), "allowHttp": true],
        ]
        try Data((["issuers": [issuer]] as JSONValue).bytes).write(to: document)
        let there = try emptyDirectory()
        let other = try SignIn(there, issuer: "https://b.example.com", trust: .init(issuers: document))
        let backend = try await other.createBackend(
            named: "portal", settings: self.settings, in: there.acting(as: .administrator("the app")))
        let tokens = try await other.tokens(.assertion(foreign), clientID: backend.clientID, secret: backend.secret)
        let guest = try #require(try other.check(accessToken: tokens.accessToken, allowing: .profile)?.person)
        #expect(guest.name == "ada" && guest.roles == ["guests"])
        #expect(guest.origin?.issuer == "https://id.example.com" && guest.origin?.subject == person.subject)
        #expect(guest.caller == .virtualUser(issuer: "https://id.example.com", subject: person.subject))
        await #expect(throws: DirectoryError.self, "and is no user there") {
            try await there.unrestricted.users.user("ada")
        }
    }

    @Test("A document that cannot be read is told when the app starts; one of providers is checked whole")
    func documents() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        #expect(throws: DirectoryError.self) {
            try SignIn(directory, issuer: "https://id.example.com", trust: .init(providers: url))
        }
        var trust = SignIn.Trust()
        trust.tokenExchange.lifetime = .zero
        #expect(throws: DirectoryError.self) { try SignIn(directory, issuer: "https://id.example.com", trust: trust) }
    }

    @Test("After a backup is restored nobody is signed in, who may have been signed out since; passwords are good")
    func restored() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("restored-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (file, copy) = (folder.appendingPathComponent("a.db"), folder.appendingPathComponent("copy.db"))
        var directory = try Directory(at: file)
        var signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
        try await directory.unrestricted.users.create("ada")
        try await signIn.setPassword(password, of: "ada", in: directory.unrestricted)
        let person = try await signIn.person(named: "ada", password: password)
        let backend = try await signIn.createBackend(named: "shop", settings: settings, in: directory.unrestricted)
        let session = try await signIn.beginSession(for: person)
        let tokens = try await signIn.tokens(for: person, clientID: backend.clientID)
        try await directory.backup(to: copy)
        #expect(try await signIn.person(ofSession: session) != nil)
        #expect(try signIn.check(accessToken: tokens.accessToken, allowing: .openID) != nil)
        await signIn.flush()
        directory.close()
        try await Directory.restore(from: copy, to: file, replacing: true)
        directory = try Directory(at: file)
        signIn = try SignIn(directory, issuer: "https://id.example.com", passwordCost: .forTests)
        #expect(try await signIn.person(ofSession: session) == nil)
        #expect(try signIn.check(accessToken: tokens.accessToken, allowing: .openID) == nil)
        let again = try await signIn.person(named: "ada", password: password)
        let fresh = try await signIn.tokens(for: again, clientID: backend.clientID)
        #expect(try signIn.check(accessToken: fresh.accessToken, allowing: .openID) != nil)
        await signIn.flush()
        directory.close()
    }

    @Test("The backends of a seed are made, and those without a secret get one")
    func seeds() async throws {
        let text = """
            {"backends": [{"name": "shop"},
             {"name": "mine", "client_id": "mine", "client_secret": "0123456789abcdef0123456789abcdef"}]}
            """
        let seed = try Seed(json: Data(text.utf8), name: "seed")
        let made = try await signIn.loadBackends(of: seed, in: administrator)
        #expect(made.count == 1 && made.first?.secret != nil)
        let own = try await signIn.tokens(
            .clientCredentials(), clientID: "mine", secret: "0123456789abcdef0123456789abcdef")
        #expect(own.accessToken.split(separator: ".").count == 3)
    }

    @Test("A seed is loaded with its backends, or not at all")
    func seedWithBackends() async throws {
        func seed(_ setting: String) throws -> Seed {
            let text = "{\"people\": [{\"uid\": \"eve\"}],\n\"backends\": [{\"name\": \"x\", \(setting)}]}"
            return try Seed(json: Data(text.utf8), name: "s.json")
        }
        let bad = try seed("\"colour\": 1")
        let error = await #expect(throws: DirectoryError.self) { try await signIn.load(bad, in: administrator) }
        #expect(error?.place?.file == "s.json" && error?.place?.line == 2)
        await #expect(throws: DirectoryError.self, "the people are not kept without the backends") {
            try await administrator.users.user("eve")
        }
        let loaded = try await signIn.load(seed("\"sso\": true"), in: administrator)
        #expect(loaded.report.users.created == 1)
        #expect(loaded.backends.count == 1)
    }

    @Test("Backends are listed, changed, given new secrets and deleted; nothing prints their secrets")
    func backends() async throws {
        let made = try await signIn.createBackend(named: "shop", settings: settings, in: administrator)
        let secret = try #require(made.secret)
        #expect(try await signIn.backends(in: administrator).map(\.clientID) == [made.clientID])
        let request = TokenRequest.password(name: "ada", password: password)
        let tokens = try await signIn.tokens(.clientCredentials(), clientID: made.clientID, secret: secret)
        #expect(!"\(made) \(request) \(tokens)".contains(secret) && !"\(request)".contains(password))
        #expect(!"\(tokens)".contains(tokens.accessToken))
        let renewed = try await signIn.renewSecrets(ofBackend: made.clientID, in: administrator)
        await #expect(throws: OAuthError.self) {
            try await signIn.tokens(.clientCredentials(), clientID: made.clientID, secret: secret)
        }
        _ = try await signIn.tokens(.clientCredentials(), clientID: made.clientID, secret: renewed.secret)
        var settings = try #require(try await signIn.backends(in: administrator).first).settings
        #expect(settings == self.settings)
        settings.isEnabled = false
        try await signIn.changeBackend(made.clientID, settings: settings, in: administrator)
        await #expect(throws: OAuthError.self) {
            try await signIn.tokens(.clientCredentials(), clientID: made.clientID, secret: renewed.secret)
        }
        try await signIn.deleteBackend(made.clientID, in: administrator)
        #expect(try await signIn.backends(in: administrator).isEmpty)
        await #expect(throws: DirectoryError.self) { try await signIn.deleteBackend(made.clientID, in: administrator) }
    }

    @Test("A new key signs from now on, and what the old one signed stays good")
    func keys() async throws {
        var settings = BackendSettings()
        settings.scopes = ["orders"]
        let made = try await signIn.createBackend(named: "shop", settings: settings, in: administrator)
        let old = try await signIn.tokens(.clientCredentials(), clientID: made.clientID, secret: made.secret)
        try signIn.rotateKey()
        #expect(try JSONValue(strictly: Array(signIn.publicKeys.json))["keys"]?.elements.count == 2)
        #expect(try signIn.check(accessToken: old.accessToken, allowing: "orders") != nil)
    }

    @Test("A session's life has bounds, and nobody who is gone begins one")
    func sessionBounds() async throws {
        _ = try await ada()
        let person = try await signIn.person(named: "ada", password: password)
        for lifetime in [0, -1, .infinity, .nan, 1e17] as [TimeInterval] {
            await #expect(throws: DirectoryError.self, "\(lifetime)") {
                try await signIn.beginSession(for: person, lifetime: lifetime)
            }
        }
        try await directory.unrestricted.users.delete("ada")
        await #expect(throws: AuthenticationFailure.wrong) { try await signIn.beginSession(for: person) }
    }
}

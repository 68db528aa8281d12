import Foundation
import Roster
import RosterFixtures
import RosterSignIn
import Testing
import TestSupport

extension Scope {
    fileprivate static let orders = Scope("orders")
}

extension APIName {
    fileprivate static let shop = APIName("shop")
}

/// The code that a developer writes in the first hour: with the public interface alone, without JSON except the seed, and with
/// constants instead of text.
@Suite("A newcomer's app", .timeLimit(.minutes(1)))
struct NewcomerTests {
    private static let password = "a staple of horses"
    private static let seed = """
        {"people": [{"uid": "ada", "displayName": "Ada Lovelace", "mail": "ada@example.com", "password": "\(password)"}],
         "roles": [{"name": "buyers", "members": ["ada"]}]}
        """

    @Test("A sign-in for tests is made in one line, with people who have passwords")
    func oneLine() async throws {
        let signIn = try await SignIn.forTests(Fixtures.company(), seed: Self.seed)
        #expect(try await signIn.person(named: "ada", password: Self.password).roles == ["buyers"])
    }

    @Test(
        "An app signs a person in with a second factor, keeps a session, and gives, checks, renews and exchanges tokens"
    )
    func everything() async throws {
        let clock = SettableClock(Fixtures.moment)
        let directory = try Fixtures.company(clock: { clock.now })
        let signIn = try SignIn(
            directory, issuer: "https://id.example.com", passwordCost: .forTests, clock: { clock.now })
        let view = directory.unrestricted
        try await signIn.load(Seed(json: Data(Self.seed.utf8), name: "people"), in: view)

        // A password, then also the answers to questions.
        let first = try await signIn.person(named: "ada", password: Self.password)
        let questions = ["First pet?", "First engine?"]
        try await signIn.secondFactors.setQuestions(
            [(questions[0], "Babbage"), (questions[1], "Difference")], for: try #require(first.id))
        await #expect(throws: AuthenticationFailure.secondFactorRequired(questions: questions)) {
            try await signIn.person(named: "ada", password: Self.password)
        }
        let proof = SecondFactorProof(answers: [questions[0]: "babbage", questions[1]: "difference"])
        let ada = try await signIn.person(named: "ada", password: Self.password, proof: proof)
        #expect(ada.attributes[.mail]?.text == "ada@example.com")
        #expect(try await directory.acting(as: ada.caller).users.user("ada")[.displayName] == "Ada Lovelace")

        // A session of the app.
        let session = try await signIn.beginSession(for: ada, lifetime: 3_600)
        #expect(try await signIn.person(ofSession: session)?.name == "ada")

        // A backend with settings.
        var settings = BackendSettings()
        settings.grants = [.refreshToken, .tokenExchange]
        settings.scopes = [.openID, .profile, .roles, .offlineAccess, .orders]
        settings.audiences = ["https://id.example.com", "https://shop.example.com"]
        settings.signing = .key(.edDSA)
        settings.tokens.accessTokenLifetime = .seconds(600)
        settings.apis = [.shop: APIRule(roles: ["buyers"]), .userProfile: APIRule()]
        settings.claims = ClaimMapping(claims: [.init("mail", [.attribute(.mail, ifRole: "buyers")])])
        let shop = try await signIn.createBackend(named: "shop", settings: settings, in: view)
        #expect(try await signIn.backends(in: view).first?.settings == settings)

        // Tokens for the person, which others check.
        let tokens = try await signIn.tokens(for: ada, clientID: shop.clientID)
        #expect(tokens.idToken != nil && tokens.lifetime == 600 && tokens.scopes == settings.scopes)
        let checked = try #require(try signIn.check(accessToken: tokens.accessToken, allowing: .orders))
        #expect(checked.person?.name == "ada" && checked.person?.roles == ["buyers"])
        #expect(checked.token.clientID == shop.clientID)

        // The access token ends, and the refresh token renews it.
        clock.advance(by: 601)
        #expect(try signIn.check(accessToken: tokens.accessToken, allowing: .orders) == nil)
        let refreshToken = try #require(tokens.refreshToken)
        let renewed = try await signIn.tokens(
            .refreshToken(refreshToken), clientID: shop.clientID, secret: shop.secret)
        #expect(try signIn.check(accessToken: renewed.accessToken, allowing: .orders) != nil)

        // A token that allows less, for one service.
        let narrow = try await signIn.tokens(
            .exchange(accessToken: renewed.accessToken, scopes: [.orders], audience: "https://shop.example.com"),
            clientID: shop.clientID, secret: shop.secret)
        #expect(narrow.scopes == [.orders])
        #expect(try signIn.check(accessToken: narrow.accessToken, allowing: .orders) == nil, "it is not for us")
        #expect(
            try signIn.check(accessToken: narrow.accessToken, allowing: .orders, for: "https://shop.example.com") != nil
        )

        // Keys change, and what was signed stays good. Signing out ends all of it.
        try signIn.rotateKey(.edDSA)
        #expect(try signIn.check(accessToken: renewed.accessToken, allowing: .openID) != nil)
        try await signIn.signOutEverywhere(try #require(ada.id))
        #expect(try signIn.check(accessToken: renewed.accessToken, allowing: .openID) == nil)
        #expect(try await signIn.person(ofSession: session) == nil)
        await signIn.flush()
        #expect(try await view.changes.since(0).contains { $0.kind == .signedIn && $0.name == "ada" })
    }
}

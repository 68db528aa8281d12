import Foundation
import Roster
import RosterFixtures
import RosterSignIn
import Testing
import TestSupport

@Suite("The clock of sign-in, and the cost of its hashes", .timeLimit(.minutes(1)))
struct ClockAndCostTests {
    private static let password = "a staple of horses"
    private static let seed = "{\"people\": [{\"uid\": \"ada\", \"password\": \"\(password)\"}]}"

    @Test("Tokens and sessions use the directory's clock, even the clock of a fixture, which stands still")
    func directorysClock() async throws {
        let clock = SettableClock(Fixtures.moment)
        let directory = try Fixtures.empty(clock: { clock.now })
        let signIn = try await SignIn.forTests(directory, seed: Self.seed)
        let ada = try await signIn.person(named: "ada", password: Self.password)
        let client = try await signIn.createBackend(named: "shop", in: directory.unrestricted).clientID
        let token = try await signIn.tokens(for: ada, clientID: client).accessToken
        let session = try await signIn.beginSession(for: ada, lifetime: 3_600)
        let checked = try #require(try signIn.check(accessToken: token, allowing: .profile))
        #expect(checked.token.expiration == Fixtures.moment.addingTimeInterval(1_800))
        #expect(checked.person != nil)
        clock.advance(by: 1_801)
        #expect(try signIn.check(accessToken: token, allowing: .profile) == nil)
        #expect(try await signIn.person(ofSession: session) != nil)
        clock.advance(by: 3_601)
        #expect(try await signIn.person(ofSession: session) == nil)
    }

    @Test("The clock of a test also moves the delays after failed attempts")
    func delays() async throws {
        let clock = SettableClock(Fixtures.moment)
        let directory = try Fixtures.empty(clock: { clock.now })
        let signIn = try SignIn(
            directory, issuer: "https://id.example.com", passwordCost: .forTests, clock: { clock.now })
        try await signIn.load(Seed(json: Data(Self.seed.utf8), name: "seed"), in: directory.unrestricted)
        func seconds() async -> Int? {
            do {
                _ = try await signIn.person(named: "ada", password: "wrong")
            } catch AuthenticationFailure.tooManyAttempts(let seconds) {
                return seconds
            } catch {}
            return nil
        }
        var wait: Int?
        for _ in 0..<10 where wait == nil { wait = await seconds() }
        let delay = try #require(wait)
        await #expect(throws: AuthenticationFailure.tooManyAttempts(seconds: delay)) {
            try await signIn.person(named: "ada", password: Self.password)
        }
        clock.advance(by: TimeInterval(delay))
        #expect(try await signIn.person(named: "ada", password: Self.password).name == "ada")
    }

    @Test(
        "A hash with the cost for tests is replaced by one with the standard cost at the next sign-in, and never the reverse"
    )
    func cheapHash() async throws {
        let directory = try Fixtures.empty()
        let cheap = try await SignIn.forTests(directory, seed: Self.seed)
        func cost() throws -> Substring? {
            try directory.accounts.account(named: "ada")?.passwordHash?.split(separator: "$").dropFirst().first
        }
        _ = try await cheap.person(named: "ada", password: Self.password)
        #expect(try cost() == "ln=4,r=8,p=1")
        let standard = try SignIn(directory, issuer: "https://id.example.com")
        _ = try await standard.person(named: "ada", password: Self.password)
        #expect(try cost() == "ln=15,r=8,p=3")
        _ = try await SignIn.forTests(directory).person(named: "ada", password: Self.password)
        #expect(try cost() == "ln=15,r=8,p=3")
        await cheap.flush()
        await standard.flush()
    }
}

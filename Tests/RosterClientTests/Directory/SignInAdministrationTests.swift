import Foundation
import Roster
import RosterClient
import RosterSignIn
import ServiceTestSupport
import TestSupport
import Testing

@Suite("The administration of sign-in at a server", .timeLimit(.minutes(2)))
struct SignInAdministrationTests {
    private static func administration(_ app: ServedApp) async throws -> SignInAdministration {
        let token = try await APIToken.create(
            named: "desk", role: .administrator, expires: nil, in: app.directory.unrestricted
        ).text
        return try SignInAdministration(
            server: address(app.proxy.url), credentials: .bearer(token), transport: app.transport)
    }

    private static func code(_ body: () async throws -> Void) async -> DirectoryError.Code? {
        do { try await body() } catch let error as DirectoryError { return error.code } catch {}
        return nil
    }

    @Test("The second factors of a user are listed without their secrets, and removed one by one or all at once")
    func secondFactors() async throws {
        try await withApp { app in
            let administration = try await Self.administration(app)
            let user = try await app.directory.unrestricted.users.user(ServiceUnderTest.engineer)
            #expect(try await administration.secondFactors(of: user).factors == [])
            #expect(try await !administration.removeSecondFactor(of: user))
            func setQuestions() async throws {
                try await app.signIn.secondFactors.setQuestions(
                    [("First street?", "Rue de la Paix"), ("First teacher?", "Aunt Zoë")], for: user.id)
            }
            try await setQuestions()
            let list = try await administration.secondFactors(of: ServiceUnderTest.engineer)
            #expect(list.factors.map(\.kind) == [.questions] && list.factors.first?.count == 2 && !list.isLost)
            let created = try #require(list.factors.first?.created)
            #expect(abs(created.timeIntervalSince(app.clock.now)) < 1 && list.factors.first?.used == nil)
            #expect(try await !administration.removeSecondFactor(.app, of: user.id))
            #expect(try await administration.removeSecondFactor(.questions, of: user))
            try await setQuestions()
            #expect(try await administration.removeSecondFactor(of: user))
            #expect(try await administration.secondFactors(of: user).factors == [])
        }
    }

    @Test("The users of an app are listed, latest use first, from several pages")
    func users() async throws {
        try await withApp { app in
            let administration = try await Self.administration(app)
            #expect(try await administration.users(ofApp: app.backend.clientID) == [])
            let authenticator = try app.authenticator()
            _ = try await app.account("first", of: authenticator)
            app.clock.advance(by: 120)
            _ = try await authenticator.signIn(
                account: "second", userName: ServiceUnderTest.lead, password: ServiceUnderTest.password)
            let users = try await administration.users(ofApp: app.backend.clientID)
            let view = app.directory.unrestricted
            let ids = [
                try await view.users.user(ServiceUnderTest.lead).id,
                try await view.users.user(ServiceUnderTest.engineer).id,
            ]
            #expect(users.map(\.user) == ids)
            #expect(users.allSatisfy { $0.hasTokens && !$0.label.isEmpty && $0.used <= app.clock.now })
            #expect(try await administration.users(ofApp: app.backend.clientID, limit: 1) == Array(users.prefix(1)))
            #expect(await Self.code { _ = try await administration.users(ofApp: "nothing") } == .notFound)
        }
    }

    @Test("A caller without rights, a wrong token and an unknown user are refused with a code")
    func refusals() async throws {
        try await withApp { app in
            let administration = try await Self.administration(app)
            #expect(await Self.code { _ = try await administration.secondFactors(of: "nobody") } == .notFound)
            #expect(await Self.code { try await administration.removeSecondFactor(.app, of: "nobody") } == .notFound)
            let server = try address(app.proxy.url)
            let account = try await app.account(of: app.authenticator())
            let own = try SignInAdministration(
                server: server, credentials: .account(account), transport: app.transport)
            #expect(await Self.code { _ = try await own.secondFactors(of: ServiceUnderTest.lead) } == .notPermitted)
            #expect(await Self.code { _ = try await own.users(ofApp: app.backend.clientID) } == .notPermitted)
            let wrong = try SignInAdministration(
                server: server, credentials: .bearer("roster_wrong"), transport: app.transport)
            #expect(await Self.code { _ = try await wrong.secondFactors(of: "nobody") } == .notSignedIn)
            #expect(
                await Self.code {
                    _ = try SignInAdministration(
                        server: address("https://id.example.com?x"), credentials: .bearer("x"))
                } == .invalidInput)
        }
    }
}

import Foundation
import Roster
import RosterFixtures
import RosterSignIn
import Testing
import TestSupport

@Suite("Tokens for a person whom the app signed in", .timeLimit(.minutes(1)))
struct TokensForPersonTests {
    private let directory: Directory
    private let signIn: SignIn

    init() async throws {
        directory = try Fixtures.empty()
        signIn = try await SignIn.forTests(
            directory, seed: #"{"people": [{"uid": "ada", "password": "a staple of horses"}]}"#)
    }

    private func ada() async throws -> Person {
        try await signIn.person(named: "ada", password: "a staple of horses")
    }

    private func backend(_ change: (inout BackendSettings) -> Void = { _ in }) async throws -> String {
        var settings = BackendSettings()
        change(&settings)
        return try await signIn.createBackend(
            named: UUID().uuidString, settings: settings, in: directory.unrestricted
        ).clientID
    }

    private func code(_ body: () async throws -> Tokens) async -> OAuthError.Code? {
        do {
            _ = try await body()
            return nil
        } catch {
            return (error as? OAuthError)?.code
        }
    }

    @Test("Without scopes the tokens get all scopes of the backend, except the right to manage accounts")
    func allScopes() async throws {
        let scopes: [Scope] = [.openID, .profile, .offlineAccess, .directory, "orders"]
        let client = try await backend {
            $0.scopes = scopes + [.directoryManage]
            $0.isTrusted = true
        }
        let tokens = try await signIn.tokens(for: ada(), clientID: client)
        #expect(tokens.scopes == scopes && tokens.idToken != nil && tokens.refreshToken != nil)
        for scope in scopes {
            let found = try #require(try signIn.check(accessToken: tokens.accessToken, allowing: scope))
            #expect(found.person?.name == "ada" && found.token.scopes == Set(scopes))
        }
        #expect(try signIn.check(accessToken: tokens.accessToken, allowing: .directoryManage) == nil)
        let managing = try await signIn.tokens(for: ada(), clientID: client, scopes: [.directoryManage])
        #expect(managing.scopes == [.directoryManage])
    }

    @Test("The scopes decide about the id token, and with the grants and the setting about the refresh token")
    func kinds() async throws {
        let ada = try await ada()
        let usual = try await backend()
        func tokens(_ client: String, _ scopes: [Scope]) async throws -> Tokens {
            try await signIn.tokens(for: ada, clientID: client, scopes: scopes)
        }
        let online = try await tokens(usual, [.openID])
        #expect(online.idToken != nil && online.refreshToken == nil && online.lifetime == 604_800)
        let offline = try await tokens(usual, [.openID, .offlineAccess])
        #expect(offline.idToken != nil && offline.refreshToken != nil && offline.lifetime == 1_800)
        let plain = try await tokens(usual, [.profile])
        #expect(plain.idToken == nil && plain.refreshToken != nil && plain.scopes == [.profile])
        let never = try await backend { $0.grants = [.authorizationCode] }
        #expect(try await tokens(never, [.openID, .offlineAccess]).refreshToken == nil)
        let always = try await backend { $0.tokens.usesRefreshTokens = true }
        #expect(try await tokens(always, [.openID]).refreshToken != nil)
        let off = try await backend { $0.tokens.usesRefreshTokens = false }
        #expect(try await tokens(off, [.openID, .offlineAccess]).refreshToken == nil)
    }

    @Test("An unknown or disabled backend, a scope that the backend may not have, and a deleted person are refused")
    func refusals() async throws {
        let ada = try await ada()
        let client = try await backend()
        #expect(await code { try await signIn.tokens(for: ada, clientID: "nobody's") } == .invalidClient)
        let off = try await backend { $0.isEnabled = false }
        #expect(await code { try await signIn.tokens(for: ada, clientID: off) } == .invalidClient)
        for scope in [Scope.directory, .directoryManage, "orders"] {
            #expect(
                await code { try await signIn.tokens(for: ada, clientID: client, scopes: [scope]) } == .invalidScope)
        }
        let users = directory.unrestricted.users
        try await users.modify("ada", attributes: [.active: false])
        #expect(await code { try await signIn.tokens(for: ada, clientID: client) } == .invalidGrant)
        try await users.modify("ada", attributes: [.active: true])
        try await signIn.setPassword("another staple of horses", of: "ada", in: directory.unrestricted)
        #expect(
            await code { try await signIn.tokens(for: ada, clientID: client) } == .invalidGrant,
            "the password was changed since")
        try await users.delete("ada")
        #expect(await code { try await signIn.tokens(for: ada, clientID: client) } == .invalidGrant)
    }
}

import Foundation
import RosterClient
import RosterOpenID
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

/// The provider uses each refresh token once, and ends a sign-in whose refresh token is used again.
@Suite("Renewals whose answers are partly wrong", .timeLimit(.minutes(3)))
struct RenewalLossTests {
    /// What is wrong with the answer to a renewal.
    struct Fault: Sendable, CustomTestStringConvertible {
        let name: String
        var testDescription: String { name }
        let change: @Sendable (inout HostileProvider.Script) -> Void

        static func token(_ name: String, _ make: @escaping @Sendable (JSONValue) throws -> String) -> Fault {
            Fault(name: name) { $0.token = make }
        }

        static func claim(_ name: String, _ value: JSONValue?) -> Fault {
            Fault(name: "'\(name)' is \(value?.written ?? "missing")") { $0.claims = { $0[name] = value } }
        }

        static func member(_ name: String, _ value: JSONValue?) -> Fault {
            Fault(name: "'\(name)' is \(value?.written ?? "missing")") { $0.answer = { $0[name] = value } }
        }
    }

    private static let now = Int64(Date().timeIntervalSince1970)

    static let idTokenFaults: [Fault] = [
        .token("an unknown key") { try SigningKey(generating: .es256).sign($0.members, type: "JWT") },
        .token("another signature") { claims in
            var parts = try SigningKey(generating: .es256).sign(claims.members, type: "JWT").split(separator: ".")
            parts[2] = "AAAA"
            return parts.joined(separator: ".")
        },
        .token("no token") { _ in "a.b.c" }, .claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"), .claim("aud", "another app"),
        .claim("iss", "https://evil.example.com"), .claim("exp", .integer(now - 10_000)), .claim("sub", nil),
        Fault(name: "keys that cannot be fetched") { script in
            script.token = { try SigningKey(generating: .es256).sign($0.members, type: "JWT") }
            script.serve = { path, peer in
                if path == "/keys" { peer.send(SocketServer.answer("", "503 Busy")) }
                return path == "/keys"
            }
        },
    ]

    /// Signs in at a provider that rotates refresh tokens, and lets the access token age.
    private func withAccount(
        _ body: (HostileProvider, Authenticator, Account, SettableClock, URL) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            var script = HostileProvider.Script()
            let clock = SettableClock(Date())
            (script.rotates, script.now) = (true, { clock.now })
            let provider = try HostileProvider(script)
            let authenticator = try provider.authenticator(in: folder, clock: { clock.now })
            let account = try await provider.signIn(authenticator)
            clock.advance(by: 290)
            try await body(provider, authenticator, account, clock, folder)
        }
    }

    @Test(
        "An id token that proves nothing is told, the user stays who they are, and the sign-in goes on",
        arguments: idTokenFaults)
    func idToken(_ fault: Fault) async throws {
        try await withAccount { provider, authenticator, account, clock, folder in
            let idToken = account.idToken
            provider.change(fault.change)
            for number in 2...3 {
                #expect(try await account.validAccessToken() == "\(HostileProvider.accessToken)-\(number)")
                #expect(account.idToken == idToken && account.subject == "mira")
                let problem = try #require(account.idTokenProblem)
                #expect([.badToken, .serverBusy].contains(problem.code), "\(problem)")
                let stored = try #require(try provider.authenticator(in: folder).account())
                #expect(stored.idTokenProblem?.message == problem.message && stored.idToken == idToken)
                clock.advance(by: 290)
            }
            provider.behave()
            #expect(try await account.validAccessToken() == "\(HostileProvider.accessToken)-4")
            #expect(account.idTokenProblem == nil && account.idToken != idToken)
        }
    }

    @Test(
        "The next refresh token is kept although the rest of the answer is of no use",
        arguments: [
            Fault.member("expires_in", -1), .member("access_token", nil), .member("access_token", "a b"),
            .member("token_type", "mac"), .member("id_token", 5),
        ])
    func answer(_ fault: Fault) async throws {
        try await withAccount { provider, _, account, clock, _ in
            provider.change(fault.change)
            let token = try await account.validAccessToken()
            #expect(token == "\(HostileProvider.accessToken)-1", "the token is still alive")
            clock.advance(by: 11)
            let error = try await clientError { _ = try await account.validAccessToken() }
            #expect(error.code == .badAnswer)
            provider.behave()
            clock.advance(by: 2)
            #expect(try await account.validAccessToken().hasPrefix(HostileProvider.accessToken))
            #expect(account.isSignedIn)
        }
    }

    @Test(
        "A renewal with the id token of another user gives no token, and the account can renew or sign out afterwards",
        arguments: [true, false], [true, false])
    func otherSubject(isSigned: Bool, signsOut: Bool) async throws {
        try await withAccount { provider, authenticator, account, clock, folder in
            provider.change { script in
                script.claims = { $0["sub"] = "somebody else" }
                if !isSigned {
                    script.token = { try SigningKey(generating: .es256).sign($0.members, type: "JWT") }
                }
            }
            clock.advance(by: 11)
            for _ in 0..<2 {
                let error = try await clientError { _ = try await account.validAccessToken() }
                #expect(error.code == .badToken && error.message.contains("another user"), "\(error)")
                #expect(account.subject == "mira" && account.isSignedIn)
                clock.advance(by: 3)
            }
            provider.behave()
            guard !signsOut else {
                #expect(try await account.signOut().revocation == .revoked)
                #expect(provider.bodies(of: "/revoke").last?.contains("\(HostileProvider.refreshToken)-3") == true)
                return
            }
            #expect(try await account.validAccessToken() == "\(HostileProvider.accessToken)-4")
            #expect(try provider.authenticator(in: folder).account()?.subject == "mira")
        }
    }

    @Test(
        "'invalid_client' at a renewal names the app's registration, and the user is still signed in when it is mended")
    func invalidClient() async throws {
        try await withAccount { provider, authenticator, account, clock, _ in
            provider.answer("/token", with: SocketServer.answer(#"{"error":"invalid_client"}"#, "401 Unauthorized"))
            clock.advance(by: 11)
            let error = try await clientError { _ = try await account.validAccessToken() }
            #expect(error.code == .badConfiguration && error.message.contains("registered"), "\(error)")
            #expect(error.advice.contains("registration"))
            #expect(try account.isSignedIn && authenticator.account() != nil)
            provider.behave()
            clock.advance(by: 2)
            #expect(try await account.validAccessToken() == "\(HostileProvider.accessToken)-2")
        }
    }

    @Test("Scopes that become fewer at a renewal are told by the account")
    func scopes() async throws {
        try await withAccount { provider, _, account, _, folder in
            #expect(account.scopes == ["openid", "profile", "offline_access"])
            provider.change { $0.answer = { $0["scope"] = "openid" } }
            _ = try await account.validAccessToken()
            #expect(account.scopes == ["openid"])
            #expect(try provider.authenticator(in: folder).account()?.scopes == ["openid"])
            #expect(
                try await clientError { _ = try await account.validAccessToken(scopes: ["profile"]) }.code
                    == .scopeNotGranted)
            _ = try await account.signOut()
            #expect(account.scopes.isEmpty)
        }
    }

    @Test("A clock that jumps a year ahead and back signs nobody out", arguments: [true, false])
    func clockJump(hasRefreshToken: Bool) async throws {
        try await withFolder { folder in
            var script = HostileProvider.Script()
            script.rotates = true
            if !hasRefreshToken { script.answer = { $0["refresh_token"] = nil } }
            let (provider, clock) = (try HostileProvider(script), SettableClock(Date()))
            let authenticator = try provider.authenticator(in: folder, clock: { clock.now })
            let account = try await provider.signIn(authenticator)
            let year = 31_536_000.0
            clock.advance(by: year)
            if hasRefreshToken {
                #expect(try await account.validAccessToken() == "\(HostileProvider.accessToken)-2")
                #expect(account.idTokenProblem != nil)
            } else {
                #expect(try await clientError { _ = try await account.validAccessToken() }.code == .notSignedIn)
                #expect(!account.isSignedIn)
            }
            clock.advance(by: -year)
            let number = hasRefreshToken ? 3 : 1
            #expect(try await account.validAccessToken() == "\(HostileProvider.accessToken)-\(number)")
            #expect(try account.isSignedIn && authenticator.account()?.isSignedIn == true)
        }
    }
}

import Foundation
import Roster
import RosterBearer
import RosterFixtures
import RosterServer
import RosterSignIn
import RosterText
import TestSupport
import Testing

@Suite("Tokens of our own server", .timeLimit(.minutes(1)))
struct OwnServerTests {
    private static let audience = "https://orders.example.com"

    /// Runs `body` with a served directory, a backend for an app, and an API's own backend.
    private func withServer(
        _ body: (String, SignIn, _ app: SignIn.BackendSecrets, _ api: SignIn.BackendSecrets, Person) async throws ->
            Void
    ) async throws {
        let directory = try Fixtures.company(clock: { Date() })
        let view = directory.unrestricted
        let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
        let url = try server.start()
        let signIn = try #require(server.signIn)
        var settings = BackendSettings()
        settings.scopes = [.openID, .profile, .roles, .offlineAccess, "orders"]
        settings.audiences = [Self.audience]
        let app = try await signIn.createBackend(named: "app", settings: settings, in: view)
        let api = try await signIn.createBackend(named: "api", settings: settings, in: view)
        try await signIn.setPassword("correct horse battery", of: "ren.watanabe", in: view)
        let person = try await signIn.person(named: "ren.watanabe", password: "correct horse battery")
        do {
            try await body(url, signIn, app, api, person)
        } catch {
            await server.stop(timeout: .zero)
            throw error
        }
        await server.stop(timeout: .zero)
    }

    @Test("All three ways accept an access token and what it says, and neither an id token nor a refresh token")
    func accepts() async throws {
        try await withServer { url, signIn, app, api, person in
            let given = try await signIn.tokens(for: person, clientID: app.clientID)
            let secret = try #require(api.secret)
            for method in [
                BearerSettings.Method.keys(audience: Self.audience), .userInfo(),
                .introspection(audience: Self.audience, clientID: api.clientID, clientSecret: secret),
            ] {
                let validator = try BearerValidator(BearerSettings(issuer: url, method: method, scopes: ["orders"]))
                let token = try await validator.validate(authorization: "Bearer " + given.accessToken)
                #expect(token.subject == person.subject && token.name == "ren.watanabe", "\(method)")
                #expect(token.roles.contains("platform") && token.scopes.contains("orders"), "\(method)")
                try token.authorize(roles: ["platform"])
                for other in [given.idToken, given.refreshToken] {
                    let refusal = try await validator.refusal(try #require(other))
                    #expect(refusal?.code == .invalidToken, "\(method): \(refusal?.reason ?? "accepted")")
                }
            }
        }
    }

    @Test("A revoked token is refused by user info and introspection when the remembered answer is too old")
    func revoked() async throws {
        try await withServer { url, signIn, app, api, person in
            let given = try await signIn.tokens(for: person, clientID: app.clientID)
            let secret = try #require(api.secret)
            for method in [
                BearerSettings.Method.userInfo(),
                .introspection(audience: Self.audience, clientID: api.clientID, clientSecret: secret),
            ] {
                var settings = BearerSettings(issuer: url, method: method, scopes: ["orders"])
                settings.cacheLifetime = .zero
                let validator = try BearerValidator(settings)
                let token = try await signIn.tokens(for: person, clientID: app.clientID).accessToken
                #expect(try await validator.refusal(token) == nil)
                try await signIn.revoke(token, clientID: app.clientID, secret: app.secret)
                #expect(try await validator.refusal(token)?.code == .invalidToken)
                #expect(try await validator.refusal(given.accessToken) == nil)
            }
        }
    }

    @Test(
        "A token for another API, without the scope, or from another issuer is refused; a stopped server is unavailable"
    )
    func refuses() async throws {
        try await withServer { url, signIn, app, _, person in
            let keys = BearerSettings.Method.keys(audience: Self.audience)
            let validator = try BearerValidator(BearerSettings(issuer: url, method: keys, scopes: ["orders"]))
            let token = try await signIn.tokens(for: person, clientID: app.clientID).accessToken
            let plain = try await signIn.tokens(for: person, clientID: app.clientID, scopes: [.openID]).accessToken
            #expect(try await validator.refusal(plain)?.code == .insufficientScope)
            let other = try BearerValidator(
                BearerSettings(issuer: url, method: .keys(audience: "https://other.example.com")))
            #expect(try await other.refusal(token)?.code == .invalidToken)
            try await withServer { second, _, _, _, _ in
                let foreign = try BearerValidator(BearerSettings(issuer: second, method: keys))
                #expect(try await foreign.refusal(token)?.code == .invalidToken)
            }
            let dead = try BearerValidator(
                BearerSettings(issuer: "http://127.0.0.1:1", method: .userInfo(), scopes: ["a"]))
            #expect(try await dead.refusal(token)?.code == .unavailable)
        }
    }
}

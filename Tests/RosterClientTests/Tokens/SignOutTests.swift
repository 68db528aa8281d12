import Foundation
import RosterClient
import RosterSecrets
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Signing out", .timeLimit(.minutes(2)))
struct SignOutTests {
    /// Whether the server takes a token.
    private func isAlive(_ token: String, _ app: ServedApp) async throws -> Bool {
        let request = TransportRequest(
            "GET", app.proxy.url + "/scim/v2/Me", headers: ["Authorization": "Bearer " + token])
        return try await app.transport.send(request).status == 200
    }

    @Test("A sign-out removes the tokens, ends them at the server, and names the page that ends the browser's session")
    func online() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let account = try await app.account(of: authenticator)
            let token = try await account.validAccessToken()
            #expect(try await isAlive(token, app))
            let report = try await account.signOut()
            #expect(report.revocation == .revoked)
            let url = try #require(report.endSessionURL)
            #expect(url.absoluteString.hasPrefix(app.proxy.url + "/oauth2/logout?id_token_hint="))
            #expect(!"\(report)".contains("eyJ"))
            #expect(try await !isAlive(token, app))
            #expect(try authenticator.account() == nil && app.store.names(withPrefix: "sign-in/").isEmpty)
            #expect(try await clientError { _ = try await account.validAccessToken() }.code == .notSignedIn)
            #expect(try await account.signOut().revocation == .alreadySignedOut)
        }
    }

    @Test("A sign-out without a network removes the tokens, and the server is told later")
    func offline() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let account = try await app.account(of: authenticator)
            let token = try await account.validAccessToken()
            app.proxy.decide { _, _ in .cut }
            let report = try await account.signOut()
            #expect(report.revocation == .pending)
            #expect(try authenticator.account() == nil && !account.isSignedIn)
            #expect(try await authenticator.revokePendingTokens() == 1)
            app.proxy.decide { _, _ in .pass }
            #expect(try await isAlive(token, app))
            #expect(try await app.authenticator().revokePendingTokens() == 0)
            #expect(try await !isAlive(token, app))
        }
    }

    @Test("A renewal that is under way during a sign-out stores nothing, and its tokens are ended too")
    func duringRenewal() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let account = try await app.account(of: authenticator)
            app.letTokenAge(1.1)
            let gate = Gate()
            app.proxy.decide { path, _ in path == "/oauth2/token" ? .hold(gate) : .pass }
            let waiting = Task { try await account.validAccessToken() }
            _ = try await onThread { gate.waitForArrivals() }
            _ = try await account.signOut()
            app.proxy.decide { _, _ in .pass }
            let next = try await authenticator.signIn(
                userName: ServiceUnderTest.lead, password: ServiceUnderTest.password)
            let token = try await next.validAccessToken()
            gate.open()
            #expect(try await clientError { _ = try await waiting.value }.code == .notSignedIn)
            #expect(try await next.validAccessToken() == token)
            let stored = try #require(try app.authenticator().account())
            #expect(stored.subject == next.subject)
            #expect(try await stored.validAccessToken() == token)
        }
    }

    @Test("A cancelled sign-out has removed the tokens all the same")
    func cancelled() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let account = try await app.account(of: authenticator)
            let gate = Gate()
            app.proxy.decide { path, _ in path == "/oauth2/revoke" ? .hold(gate) : .pass }
            let task = Task { try await account.signOut() }
            _ = try await onThread { gate.waitForArrivals() }
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            gate.open()
            #expect(try authenticator.account() == nil)
        }
    }

    @Test("Another process that signed out is noticed at the next renewal")
    func elsewhere() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let other = try #require(try app.authenticator(store: ServedApp.store(in: app.folder)).account())
            _ = try await other.signOut()
            app.letTokenAge()
            #expect(try await clientError { _ = try await account.validAccessToken() }.code == .notSignedIn)
            #expect(app.proxy.renewals == 0)
        }
    }
}

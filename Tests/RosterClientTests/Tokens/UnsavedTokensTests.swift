import Foundation
import RosterClient
import RosterSecrets
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Renewed tokens that cannot be stored", .timeLimit(.minutes(2)))
struct UnsavedTokensTests {
    /// Renews the tokens of an account while the store cannot be written.
    private func renewUnwritable(_ account: Account, _ app: ServedApp) async throws {
        let gate = Gate()
        app.proxy.decide { path, _ in path == "/oauth2/token" ? .hold(gate) : .pass }
        let task = Task { try await account.validAccessToken() }
        _ = try await onThread { gate.waitForArrivals() }
        let (file, aside) = (app.folder.appendingPathComponent("secrets"), app.folder.appendingPathComponent("aside"))
        try FileManager.default.moveItem(at: file, to: aside)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
        gate.open()
        let error = await #expect(throws: SecureStoreError.self) { try await task.value }
        #expect(error?.code == .unreadableStore)
        try FileManager.default.removeItem(at: file)
        try FileManager.default.moveItem(at: aside, to: file)
        app.proxy.decide { _, _ in .pass }
    }

    @Test("They are given to nobody, and are stored at the next call without another renewal")
    func stored() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let old = try await account.validAccessToken()
            app.letTokenAge(1.1)
            try await renewUnwritable(account, app)
            let token = try await account.validAccessToken()
            #expect(token != old && app.proxy.renewals == 1)
            #expect(String(decoding: try RenewalTests.record(app) ?? [], as: UTF8.self).contains(token))
        }
    }

    @Test("They do not overwrite tokens that another process has renewed since")
    func superseded() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let other = try #require(try app.authenticator(store: ServedApp.store(in: app.folder)).account())
            app.letTokenAge(1.1)
            try await renewUnwritable(account, app)
            // The server's grace gives the other process the same tokens again.
            _ = try await other.validAccessToken()
            app.letTokenAge(1.1)
            let newest = try await other.validAccessToken()
            let renewals = app.proxy.renewals
            #expect(try await account.validAccessToken() == newest)
            #expect(app.proxy.renewals == renewals)
            app.letTokenAge(1.1)
            let next = try await account.validAccessToken()
            app.clock.advance(by: 20)
            app.letTokenAge()
            #expect(try await other.validAccessToken() != next)
        }
    }

    @Test("A sign-out ends the tokens that are stored now, and not those that could not be stored")
    func signOut() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let other = try #require(try app.authenticator(store: ServedApp.store(in: app.folder)).account())
            app.letTokenAge(1.1)
            try await renewUnwritable(account, app)
            _ = try await other.validAccessToken()
            app.letTokenAge(1.1)
            _ = try await other.validAccessToken()
            let sent = try #require(app.proxy.bodies(of: "/oauth2/token").last)
            let old = try #require(sent.split(separator: "&").first { $0.hasPrefix("refresh_token=") }).dropFirst(14)
            #expect(try await account.signOut().revocation == .revoked)
            let revoked = try #require(app.proxy.bodies(of: "/oauth2/revoke").last)
            #expect(!revoked.contains(old), "the token was used already")
        }
    }
}

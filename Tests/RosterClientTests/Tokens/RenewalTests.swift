import Foundation
import RosterClient
import RosterSecrets
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Renewing tokens", .timeLimit(.minutes(3)))
struct RenewalTests {
    @Test("200 callers at once get one new token by one renewal, and the new token is in the store before they have it")
    func once() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let old = try await account.validAccessToken()
            app.letTokenAge()
            let tokens = try await withThrowingTaskGroup(of: (String, String).self) { group in
                for _ in 0..<200 {
                    group.addTask {
                        let token = try await account.validAccessToken()
                        return (token, String(decoding: try Self.record(app) ?? [], as: UTF8.self))
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(Set(tokens.map(\.0)).count == 1 && tokens[0].0 != old)
            #expect(tokens.allSatisfy { $0.1.contains($0.0) })
            #expect(app.proxy.renewals == 1)
        }
    }

    static func record(_ app: ServedApp) throws -> [UInt8]? {
        try app.store.names(withPrefix: "sign-in/").first { $0.hasSuffix("/account/default") }.flatMap {
            try app.store.bytes(named: $0)
        }
    }

    /// The tokens of the stored session.
    private static func tokens(_ app: ServedApp) throws -> [JSONValue?] {
        let json = try JSONValue(parsing: try #require(try record(app)))
        return [json["access_token"], json["refresh_token"], json["obtained"], json["expires_in"]]
    }

    @Test("Several apps on one store renew once, and none of them uses another one's refresh token again")
    func severalApps() async throws {
        try await withApp { app in
            let first = try await app.account(of: app.authenticator())
            let accounts = try (0..<4).map { _ in
                try #require(try app.authenticator(store: ServedApp.store(in: app.folder)).account())
            }
            for round in 1...3 {
                app.letTokenAge()
                let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                    for account in accounts + [first] {
                        for _ in 0..<10 { group.addTask { try await account.validAccessToken() } }
                    }
                    return try await group.reduce(into: Set()) { $0.insert($1) }
                }
                #expect(tokens.count == 1 && app.proxy.renewals == round)
            }
        }
    }

    @Test("A cancelled caller stops waiting; the renewal and the other callers go on")
    func cancellation() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            app.letTokenAge(1.1)
            let gate = Gate()
            app.proxy.decide { path, body in path == "/oauth2/token" ? .hold(gate) : .pass }
            let tasks = (0..<50).map { _ in Task { try await account.validAccessToken() } }
            _ = try await onThread { gate.waitForArrivals() }
            for task in tasks.prefix(49) { task.cancel() }
            for task in tasks.prefix(49) {
                await #expect(throws: CancellationError.self) { _ = try await task.value }
            }
            gate.open()
            let token = try await tasks[49].value
            #expect(try await account.validAccessToken() == token)
            #expect(app.proxy.renewals == 1)
        }
    }

    @Test("All callers are cancelled, and the renewal is stored all the same")
    func allCancelled() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let old = try await account.validAccessToken()
            app.letTokenAge(1.1)
            let gate = Gate()
            app.proxy.decide { path, _ in path == "/oauth2/token" ? .hold(gate) : .pass }
            let task = Task { try await account.validAccessToken() }
            _ = try await onThread { gate.waitForArrivals() }
            task.cancel()
            _ = await task.result
            gate.open()
            let token = try await account.validAccessToken()
            #expect(token != old && app.proxy.renewals == 1)
        }
    }

    @Test("A renewal whose answer is lost is repeated with the same refresh token, and the user stays signed in")
    func lostAnswer() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            for round in 1...3 {
                app.letTokenAge(1.1)
                let count = Locked(0)
                app.proxy.decide { path, _ in
                    guard path == "/oauth2/token" else { return .pass }
                    return count.withLock { count in
                        count += 1
                        return count == 1 ? .loseAnswer : .pass
                    }
                }
                #expect(try await !account.validAccessToken().isEmpty)
                let sent = app.proxy.bodies(of: "/oauth2/token").filter { $0.contains("grant_type=refresh_token") }
                #expect(sent.count == round * 2 && sent[sent.count - 1] == sent[sent.count - 2])
            }
        }
    }

    @Test("Nothing but invalid_grant signs out")
    func trouble() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let account = try await app.account(of: authenticator)
            var old = try await account.validAccessToken()
            let troubles: [(Proxy.Fate, ClientError.Code)] = [
                (.cut, .unreachable), (.answer(SocketServer.answer("busy", "503 Busy")), .serverBusy),
                (.answer(SocketServer.answer("{}", "500 Broken")), .serverFailed),
                (.answer(SocketServer.answer("{\"error\":\"invalid_grant\"}", "500 Broken")), .serverFailed),
                (.answer(SocketServer.answer("<html>captive portal</html>")), .badAnswer),
                (.answer(SocketServer.answer("{\"access_token\":\"abc")), .badAnswer),
                (
                    .answer(SocketServer.answer("", "302 Found", headers: "Location: http://127.0.0.1:1/\r\n")),
                    .badAnswer
                ),
                (.answer(SocketServer.answer("{\"error\":\"temporarily_unavailable\"}", "400 Bad")), .serverBusy),
                (.answer(SocketServer.answer("{\"error\":\"invalid_scope\"}", "400 Bad")), .refused),
                (.answer(SocketServer.answer("{\"error\":\"invalid_client\"}", "400 Bad")), .badConfiguration),
                (.answer(SocketServer.answer("<html>invalid_grant</html>", "400 Bad")), .badAnswer),
                (.answer(SocketServer.answer("{\"access_token\":\"a b\",\"token_type\":\"Bearer\"}")), .badAnswer),
            ]
            app.letTokenAge(0.1)
            for (fate, code) in troubles {
                app.proxy.decide { path, _ in path == "/oauth2/token" ? fate : .pass }
                let rejected = old
                let error = try await clientError { _ = try await account.accessToken(replacing: rejected) }
                #expect(error.code == code, "\(error)")
                #expect(try await account.validAccessToken() == old, "the old token is valid for some time yet")
                #expect(account.isSignedIn)
                app.clock.advance(by: 61)
                // The first of several failures again.
                app.proxy.decide { _, _ in .pass }
                old = try await account.accessToken(replacing: old)
            }
            app.proxy.decide { path, _ in path == "/oauth2/token" ? troubles[4].0 : .pass }
            app.clock.advance(by: 700)
            #expect(try await clientError { _ = try await account.validAccessToken() }.code == .badAnswer)
            app.proxy.decide { _, _ in .pass }
            app.clock.advance(by: 2)
            #expect(try await account.validAccessToken() != old)
            app.clock.advance(by: 700)
            app.proxy.decide { path, _ in
                path == "/oauth2/token"
                    ? .answer(SocketServer.answer("{\"error\":\"invalid_grant\"}", "400 Bad")) : .pass
            }
            #expect(try await clientError { _ = try await account.validAccessToken() }.code == .notSignedIn)
            #expect(try authenticator.account() == nil && !account.isSignedIn)
        }
    }

    @Test("A server that asks to wait is not asked again before, and 'Retry-After' is bounded")
    func retryAfter() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            app.clock.advance(by: 700)
            app.proxy.decide { path, _ in
                guard path == "/oauth2/token" else { return .pass }
                return .answer(SocketServer.answer("", "429 Busy", headers: "Retry-After: 99999999\r\n"))
            }
            let busy = try await clientError { _ = try await account.validAccessToken() }
            #expect(busy.code == .serverBusy && busy.retryAfter == .seconds(3_600))
            app.proxy.decide { _, _ in .pass }
            app.clock.advance(by: 3_500)
            #expect(try await clientError { _ = try await account.validAccessToken() }.code == .serverBusy)
            #expect(app.proxy.renewals == 1)
            app.clock.advance(by: 101)
            #expect(try await !account.validAccessToken().isEmpty)
        }
    }

    @Test("A renewal without a new refresh token goes on with the old one, and an answer without lifetime is bounded")
    func oldRefreshToken() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let number = Locked(0)
            app.proxy.decide { path, _ in
                guard path == "/oauth2/token" else { return .pass }
                let count = number.withLock { number in
                    number += 1
                    return number
                }
                return .answer(SocketServer.answer("{\"access_token\":\"token-\(count)\",\"token_type\":\"bearer\"}"))
            }
            app.clock.advance(by: 700)
            #expect(try await account.validAccessToken() == "token-1")
            app.clock.advance(by: 200)
            #expect(try await account.validAccessToken() == "token-1")
            app.clock.advance(by: 100)
            #expect(try await account.validAccessToken() == "token-2")
            let sent = app.proxy.bodies(of: "/oauth2/token").suffix(2)
            #expect(Set(sent).count == 1)
        }
    }

    @Test(
        "A token of five seconds is used for four of them, and impossible lifetimes are refused",
        arguments: ["1e30", "-5", "0", "\"soon\"", "true", "[5]", "9223372036854775807"])
    func lifetimes(text: String) async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            @Sendable func answer(_ lifetime: String) -> Proxy.Fate {
                .answer(
                    SocketServer.answer(
                        "{\"access_token\":\"short\",\"token_type\":\"Bearer\",\"expires_in\":\(lifetime)}"))
            }
            app.clock.advance(by: 700)
            app.proxy.decide { path, _ in path == "/oauth2/token" ? answer("5") : .pass }
            for _ in 0..<50 { #expect(try await account.validAccessToken() == "short") }
            app.clock.advance(by: 3.9)
            #expect(try await account.validAccessToken() == "short")
            #expect(app.proxy.renewals == 1)
            app.clock.advance(by: 2)
            let before = try Self.tokens(app)
            app.proxy.decide { path, _ in path == "/oauth2/token" ? answer(text) : .pass }
            #expect(try await clientError { _ = try await account.validAccessToken() }.code == .badAnswer)
            #expect(try Self.tokens(app) == before)
        }
    }

    @Test("An app that starts offline has its token, and when the token has ended the user is still signed in")
    func offline() async throws {
        try await withApp { app in
            let token = try await app.account(of: app.authenticator()).validAccessToken()
            app.proxy.decide { _, _ in .cut }
            let account = try #require(try app.authenticator().account())
            #expect(try await account.validAccessToken() == token)
            app.letTokenAge()
            #expect(try await account.validAccessToken() == token)
            app.clock.advance(by: 100)
            #expect(try await clientError { _ = try await account.validAccessToken() }.code == .unreachable)
            #expect(try account.isSignedIn && app.authenticator().account() != nil)
            app.proxy.decide { _, _ in .pass }
            app.clock.advance(by: 4)
            #expect(try await account.validAccessToken() != token)
        }
    }

    @Test("A token that a server refuses is renewed once, however many callers were refused")
    func replaced() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let old = try await account.validAccessToken()
            let tokens = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<20 { group.addTask { try await account.accessToken(replacing: old) } }
                return try await group.reduce(into: Set()) { $0.insert($1) }
            }
            #expect(tokens.count == 1 && !tokens.contains(old) && app.proxy.renewals == 1)
        }
    }

    @Test("A clock that was set back does not make a token live longer, and a missing scope is told")
    func clockAndScopes() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let error = try await clientError { _ = try await account.validAccessToken(scopes: ["openid", "email"]) }
            #expect(error.code == .scopeNotGranted && error.message.contains("email"))
            #expect(app.proxy.renewals == 0)
            app.clock.advance(by: -3_600)
            _ = try? await account.validAccessToken()
            #expect(app.proxy.renewals == 1)
        }
    }
}

import Foundation
import RosterClient
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

/// The clock is the test's. A renewal whose answer was lost waits a real second for its second request.
@Suite("The waits between failing renewals", .timeLimit(.minutes(5)))
struct RenewalPauseTests {
    /// Accounts of several apps on one store, whose access token is in its last fifth. The provider answers renewals with a text.
    private func withAccounts(
        _ count: Int = 1, answering text: String,
        _ body: (HostileProvider, [Account], SettableClock) async throws -> Void
    ) async throws {
        try await withFolder { folder in
            var script = HostileProvider.Script()
            script.answer = { $0["expires_in"] = 3_600 }
            let (provider, clock) = (try HostileProvider(script), SettableClock(Date()))
            var accounts = [try await provider.signIn(try provider.authenticator(in: folder, clock: { clock.now }))]
            while accounts.count < count {
                accounts.append(
                    try #require(try provider.authenticator(in: folder, clock: { clock.now }).account()))
            }
            clock.advance(by: 3_545)
            provider.answer("/token", with: text)
            try await body(provider, accounts, clock)
        }
    }

    private static func refusal(_ error: String, _ status: String, _ headers: String = "") -> String {
        SocketServer.answer(#"{"error":"\#(error)"}"#, status, headers: headers)
    }

    static let failures: [(name: String, text: String)] = [
        ("temporarily_unavailable", refusal("temporarily_unavailable", "400 Bad Request")),
        ("a portal's page", SocketServer.answer("<html>Welcome</html>")),
        ("502", SocketServer.answer("<html>", "502 Bad Gateway")), ("503", SocketServer.answer("", "503 Busy")),
        ("429", SocketServer.answer("", "429 Slow")), ("invalid_scope", refusal("invalid_scope", "400 Bad Request")),
        ("invalid_client", refusal("invalid_client", "401 No")), ("a closed connection", ""),
        ("no HTTP", "SSH-2.0-OpenSSH\r\n\r\n"), ("a wrong token", SocketServer.answer(#"{"access_token":"a b"}"#)),
        ("a redirect", SocketServer.answer("", "302 Found", headers: "Location: http://127.0.0.1:1/\r\n")),
    ]

    @Test(
        "A caller and other processes ask at most once a second, ever more seldom, and use the live token meanwhile",
        arguments: failures.indices)
    func atMostOnceASecond(index: Int) async throws {
        let (name, text) = Self.failures[index]
        try await withAccounts(3, answering: text) { provider, accounts, clock in
            for step in 0..<200 {
                let token = try await accounts[step % 3].validAccessToken()
                #expect(token == HostileProvider.accessToken)
                clock.advance(by: 0.025)
            }
            // The first request, and those after 1, 3 and 7 seconds; each may be sent a second time after a lost answer.
            #expect((2...6).contains(provider.renewals), "\(name): \(provider.renewals)")
            for account in accounts {
                let error = try await clientError {
                    _ = try await account.accessToken(replacing: HostileProvider.accessToken)
                }
                #expect(error.code != .notSignedIn && error.retryAfter != nil && account.isSignedIn)
            }
        }
    }

    @Test(
        "The waits double up to a minute, are counted over all processes, and end with the first renewal that succeeds")
    func growth() async throws {
        try await withAccounts(2, answering: SocketServer.answer("", "503 Busy")) { provider, accounts, clock in
            clock.advance(by: 100)
            var times: [Int] = []
            for second in 0..<300 {
                let before = provider.renewals
                let error = try await clientError { _ = try await accounts[second % 2].validAccessToken() }
                #expect(error.code == .serverBusy)
                let asked = provider.renewals - before
                #expect(asked <= 1, "503 says that no answer was lost")
                if asked > 0 { times.append(second) }
                clock.advance(by: 1)
            }
            #expect(times == [0, 1, 3, 7, 15, 31, 63, 123, 183, 243])
            provider.behave()
            clock.advance(by: 60)
            #expect(try await accounts[0].validAccessToken() == HostileProvider.accessToken)
            provider.answer("/token", with: SocketServer.answer("", "503 Busy"))
            clock.advance(by: 3_700)
            let first = try await clientError { _ = try await accounts[1].validAccessToken() }
            #expect(first.retryAfter == .seconds(1))
        }
    }

    /// Values of `Retry-After`, and the seconds for which they are obeyed. A second is the wait without the field.
    static let fields: [(lines: String, seconds: Int64)] = {
        let now = Date()
        func date(_ seconds: Double, _ format: String = "EEE, dd MMM yyyy HH:mm:ss 'GMT'") -> String {
            HostileProvider.field(now.addingTimeInterval(seconds), format)
        }
        let dated = "Date: \(date(0))\r\nRetry-After: "
        return [
            ("Retry-After: 7", 7), ("Retry-After: 3600", 3_600), ("Retry-After: 99999999", 3_600),
            ("Retry-After: 99999999999999999999999999", 3_600), ("Retry-After: 0", 1), ("Retry-After: -5", 1),
            ("Retry-After: +5", 1), ("Retry-After: 1.5", 1), ("Retry-After: soon", 1), ("Retry-After: 5 6", 1),
            ("Retry-After:", 1), ("Retry-After: 5\r\nRetry-After: 50", 1), ("Retry-After: 5\r\nRetry-After: 5", 5),
            (dated + date(90), 90), (dated + date(90, "EEEE, dd-MMM-yy HH:mm:ss 'GMT'"), 90),
            (dated + date(90, "EEE MMM d HH:mm:ss yyyy"), 90), (dated + date(-90), 1), (dated + date(86_400), 3_600),
            (dated + "Sun, 99 Nov 2999 08:49:37 GMT", 1),
        ]
    }()

    @Test(
        "'Retry-After' is obeyed up to an hour, and what is malformed or past counts as absent",
        arguments: fields.indices)
    func retryAfter(index: Int) async throws {
        let (lines, seconds) = Self.fields[index]
        for status in ["503 Busy", "429 Slow", "502 Bad Gateway"] where !(status.hasPrefix("502") && seconds == 1) {
            try await withAccounts(2, answering: SocketServer.answer("", status, headers: lines + "\r\n")) {
                provider, accounts, clock in
                clock.advance(by: 100)
                let error = try await clientError { _ = try await accounts[0].validAccessToken() }
                #expect(error.retryAfter == .seconds(seconds), "\(lines)")
                clock.advance(by: Double(seconds) - 0.5)
                let other = try await clientError { _ = try await accounts[1].validAccessToken() }
                #expect(other.code == error.code && other.retryAfter == .seconds(1))
                #expect(provider.renewals == 1, "\(lines)")
                clock.advance(by: 1)
                provider.behave()
                #expect(try await accounts[1].validAccessToken() == HostileProvider.accessToken)
            }
        }
    }

    @Test("A device without a network asks again after a second, however long it had none")
    func noNetwork() async throws {
        try await withFolder { folder in
            let (provider, clock, transport) = (try HostileProvider(), SettableClock(Date()), Transport())
            let account = try await provider.signIn(
                try provider.authenticator(in: folder, transport: transport, clock: { clock.now }))
            // Every request fails before it is sent.
            transport.close()
            clock.advance(by: 400)
            for _ in 0..<8 {
                let error = try await clientError { _ = try await account.validAccessToken() }
                #expect(error.code == .unreachable && error.retryAfter == .seconds(1), "\(error)")
                clock.advance(by: 1)
            }
        }
    }
}

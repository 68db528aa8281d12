import Foundation
import RosterClient
import RosterSecrets
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("What browsers bring to the loopback URL", .timeLimit(.minutes(2)))
struct CallbackTests {
    /// Begins a sign-in at a loopback URL, and visits the URLs that end with the queries, one after the other.
    ///
    /// - Parameter queries: The queries for a state.
    /// - Returns: The outcome of the sign-in, and the answers.
    private func visit(
        _ provider: HostileProvider, _ folder: URL, queries: @escaping @Sendable (_ state: String) -> [String]
    ) async throws -> (outcome: Result<Account, any Error>, answers: [TransportResponse]) {
        let authenticator = try provider.authenticator(
            in: folder, redirect: .loopback(), sleep: { try await Task.sleep(for: $0) })
        let answers = Gathered<TransportResponse>()
        let visits = Locked<Task<Void, Never>?>(nil)
        let signIn = Task {
            try await authenticator.signIn { loginURL, redirectURL, continuation in
                let state = provider.visit(loginURL)
                let task = Task {
                    do {
                        for query in queries(state) {
                            answers.append(try await Browser().open(try url(redirectURL.absoluteString + query)))
                        }
                    } catch {
                        continuation(nil, error: error)
                    }
                }
                visits.withLock { $0 = task }
            }
        }
        let outcome = await signIn.result
        await visits.withLock { $0 }?.value
        return (outcome, answers.all)
    }

    private func text(_ answer: TransportResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

    @Test("A wrong, missing or doubled state is told on the page, and the sign-in goes on")
    func wrongState() async throws {
        try await withFolder { folder in
            let provider = try HostileProvider()
            let issuer = PercentEncoding.text(provider.url)
            let (outcome, answers) = try await visit(provider, folder) { state in
                [
                    "?code=a&state=other", "?code=a", "", "?code=a&state=", "?code=a&state=\(state)&state=\(state)",
                    "?error=access_denied&state=other", "?state=\(state)x",
                    "?code=the-code&state=\(state)&iss=\(issuer)",
                ]
            }
            #expect(try outcome.get().subject == "mira")
            let faults = [
                "the 'state' of another sign-in", "no 'state'", "no 'state'", "no 'state'", "more than one 'state'",
                "the 'state' of another sign-in", "the 'state' of another sign-in",
            ]
            #expect(answers.count == faults.count + 1)
            for (answer, fault) in zip(answers, faults) {
                #expect(answer.status == 400 && text(answer).contains("This address has \(fault)."), "\(text(answer))")
                #expect(text(answer).contains("still waits") && answer.headers["Cache-Control"] == "no-store")
            }
            #expect(answers.last?.status == 200)
        }
    }

    @Test(
        "The right state without one code or error ends the sign-in at once, and the page says why",
        arguments: [
            ("", "neither a 'code' nor an 'error'"), ("&code=a&code=b", "more than one 'code'"),
            ("&code=", "a 'code' that is not a code"), ("&error=a&error=b", "more than one 'error'"),
            ("&code=a&iss=b&iss=c", "more than one 'iss'"),
        ])
    func noAnswer(query: String, fault: String) async throws {
        try await withFolder { folder in
            let provider = try HostileProvider()
            let (outcome, answers) = try await visit(provider, folder) { ["?state=\($0)" + query] }
            let error = try await clientError { _ = try outcome.get() }
            #expect(error.code == .badAnswer && error.message.contains(fault), "\(error)")
            #expect(answers.map(\.status) == [400] && text(answers[0]).contains(fault))
            #expect(!provider.paths.contains("/token"))
            #expect(try HostileProvider.store(in: folder).names(withPrefix: "sign-in/").isEmpty)
        }
    }

    @Test("A refusal ends the sign-in, and the page names a registered reason only")
    func refusal() async throws {
        try await withFolder { folder in
            let provider = try HostileProvider()
            for (reason, shown) in [("access_denied", "refused (access_denied)."), ("%3Cb%3E", "was refused.")] {
                let (outcome, answers) = try await visit(provider, folder) {
                    ["?error=\(reason)&state=\($0)&iss=\(PercentEncoding.text(provider.url))"]
                }
                #expect(try await clientError { _ = try outcome.get() }.code == .refused)
                #expect(answers.map(\.status) == [200] && text(answers[0]).contains(shown), "\(answers.map(text))")
                #expect(!text(answers[0]).contains("<b>"))
            }
        }
    }

    @Test("A sign-in whose time runs out names what was wrong with the last answer that came")
    func timeOut() async throws {
        try await withFolder { folder in
            let provider = try HostileProvider()
            for (queries, shown) in [
                ([String](), nil), (["?code=a"], "has no 'state'"),
                (["?code=a", "?code=a&state=b"], "has the 'state' of another sign-in"),
            ] as [([String], String?)] {
                let gate = Gate()
                let authenticator = try provider.authenticator(
                    in: folder, redirect: .loopback(), sleep: { _ in try await onThread { gate.pass() } })
                let error = try await clientError {
                    _ = try await authenticator.signIn { _, redirectURL, _ in
                        Task {
                            for query in queries {
                                _ = try? await Browser().open(url(redirectURL.absoluteString + query))
                            }
                            gate.open()
                        }
                    }
                }
                #expect(error.code == .signInExpired && error.message.contains("ten minutes"), "\(error)")
                #expect(
                    shown.map { error.message.contains("The last URL with which a browser came back \($0).") } ?? true)
                #expect(shown != nil || !error.message.contains("last URL"))
            }
        }
    }

    @Test(
        "A discovery document with which no sign-in can end is refused before the browser opens",
        arguments: ["token_endpoint", "authorization_endpoint", "jwks_uri"])
    func endpoints(name: String) async throws {
        try await withFolder { folder in
            let provider = try HostileProvider()
            for value in [nil, "http://id.example.com/x", "http://localhost:1/x", "ftp://127.0.0.1/x"] as [JSONValue?] {
                provider.change { $0.discovery = { $0[name] = value } }
                let authenticator = try provider.authenticator(in: folder)
                let opened = Locked(false)
                let error = try await clientError {
                    _ = try await authenticator.signIn { _, _, continuation in
                        opened.withLock { $0 = true }
                        continuation(nil)
                    }
                }
                #expect(error.code == .badAnswer && error.message.contains("'\(name)'"), "\(error)")
                #expect(!opened.withLock { $0 })
            }
        }
    }

    @Test("After a session that the server or its time has ended, the next sign-in page gets the user's name")
    func loginHint() async throws {
        try await withFolder { folder in
            let (provider, clock) = (try HostileProvider(), SettableClock(Date()))
            let authenticator = try provider.authenticator(in: folder, clock: { clock.now })
            let hints = Gathered<String?>()
            func account() async throws -> Account {
                try await authenticator.signIn { loginURL, redirectURL, continuation in
                    hints.append(HostileProvider.parameter("login_hint", of: loginURL))
                    let query = "?code=c&state=\(provider.visit(loginURL))&iss=\(PercentEncoding.text(provider.url))"
                    continuation(URL(string: redirectURL.absoluteString + query))
                }
            }
            func end(_ account: Account) async throws {
                provider.answer("/token", with: SocketServer.answer(#"{"error":"invalid_grant"}"#, "400 No"))
                clock.advance(by: 400)
                #expect(try await clientError { _ = try await account.validAccessToken() }.code == .notSignedIn)
                provider.behave()
                clock.advance(by: -400)
            }
            // A live session gives no hint, since somebody else may want to sign in.
            var current = try await account()
            current = try await account()
            #expect(try authenticator.lastUserName() == nil)
            try await end(current)
            #expect(try provider.authenticator(in: folder).lastUserName() == "mira.schmidt")
            current = try await account()
            #expect(try authenticator.lastUserName() == nil)
            // An explicit sign-out forgets the name, also after the session had ended.
            _ = try await current.signOut()
            current = try await account()
            try await end(current)
            _ = try await current.signOut()
            current = try await account()
            _ = try await current.signOut(keepingUserName: true)
            #expect(try authenticator.lastUserName() == "mira.schmidt")
            current = try await account()
            try await end(current)
            try await authenticator.forgetUserName()
            // An access token that has ended without a refresh token.
            provider.change { $0.answer = { $0["refresh_token"] = nil } }
            _ = try await account()
            clock.advance(by: 400)
            #expect(try authenticator.lastUserName() == "mira.schmidt")
            clock.advance(by: -400)
            let name = "mira.schmidt"
            #expect(hints.all == [nil, nil, name, nil, nil, name, nil])
        }
    }
}

import Foundation
import RosterClient
import RosterSecrets
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Sign-ins that end late, or fail after the tokens came", .timeLimit(.minutes(2)))
struct LateAnswerTests {
    /// Begins a sign-in of the engineer whose answer the gate holds.
    private func slowSignIn(
        _ app: ServedApp, _ authenticator: Authenticator, _ gate: Gate
    ) async throws -> Task<Account, any Error> {
        app.proxy.decide { path, _ in path == "/oauth2/token" ? .hold(gate) : .pass }
        let slow = Task { try await app.account(of: authenticator) }
        _ = try await onThread { gate.waitForArrivals() }
        app.proxy.decide { _, _ in .pass }
        return slow
    }

    private func revoked(_ app: ServedApp) -> Int { app.proxy.bodies(of: "/oauth2/revoke").count }

    @Test("A late answer does not take the place of the next user, and its tokens are revoked")
    func nextUser() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let gate = Gate()
            let slow = try await slowSignIn(app, authenticator, gate)
            let next = try await authenticator.signIn(
                userName: ServiceUnderTest.lead, password: ServiceUnderTest.password)
            gate.open()
            #expect(try await clientError { _ = try await slow.value }.code == .signInExpired)
            #expect(try authenticator.account() === next && app.authenticator().account()?.subject == next.subject)
            #expect(revoked(app) == 1)
            app.letTokenAge()
            #expect(try await !next.validAccessToken().isEmpty)
        }
    }

    @Test("A late answer signs nobody in after the next user has signed out, also in another process")
    func afterSignOut() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let gate = Gate()
            let slow = try await slowSignIn(app, authenticator, gate)
            let other = try app.authenticator(store: ServedApp.store(in: app.folder))
            _ = try await other.signIn(userName: ServiceUnderTest.lead, password: ServiceUnderTest.password).signOut()
            gate.open()
            #expect(try await clientError { _ = try await slow.value }.code == .signInExpired)
            #expect(try authenticator.account() == nil && app.store.names(withPrefix: "sign-in/").isEmpty)
            #expect(revoked(app) == 2)
        }
    }

    @Test("A sign-in that is cancelled when the answer has come signs nobody in")
    func cancelled() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let gate = Gate()
            let slow = try await slowSignIn(app, authenticator, gate)
            slow.cancel()
            gate.open()
            await #expect(throws: CancellationError.self) { _ = try await slow.value }
            #expect(try authenticator.account() == nil)
        }
    }

    @Test("An old page signs nobody in after a sign-in or a sign-out of the same account, and sends nothing")
    func oldPage() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            for isSignedOut in [false, true] {
                let began = Locked<(login: URL, redirect: URL)?>(nil)
                let first = Task {
                    try await authenticator.signIn { login, redirect, _ in began.withLock { $0 = (login, redirect) } }
                }
                _ = try await onThread { waitUntil { began.withLock { $0 != nil } } }
                let (login, redirect) = try #require(began.withLock { $0 })
                let back = try await Browser().signIn(at: login, redirectURL: redirect)
                let next = try await authenticator.signIn(
                    userName: ServiceUnderTest.lead, password: ServiceUnderTest.password)
                if isSignedOut { _ = try await next.signOut() }
                let sent = app.proxy.bodies(of: "/oauth2/token").count
                #expect(try await clientError { _ = try await authenticator.resume(back) }.code == .signInExpired)
                #expect(app.proxy.bodies(of: "/oauth2/token").count == sent)
                #expect(try authenticator.account()?.subject == (isSignedOut ? nil : next.subject))
                first.cancel()
                _ = await first.result
            }
        }
    }

    @Test("Sign-ins to different accounts do not end each other")
    func otherAccount() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let gate = Gate()
            let slow = try await slowSignIn(app, authenticator, gate)
            _ = try await app.account("work", of: authenticator).signOut()
            gate.open()
            #expect(try await slow.value.isSignedIn && authenticator.accountIDs() == ["default"])
        }
    }

    /// A provider that ends tokens, and notes which.
    private func provider(_ change: (inout HostileProvider.Script) -> Void) throws -> HostileProvider {
        var script = HostileProvider.Script()
        script.serve = { path, peer in
            guard path == "/revoke" else { return false }
            peer.send(SocketServer.answer("", headers: "Connection: close\r\n"))
            return true
        }
        change(&script)
        return try HostileProvider(script)
    }

    @Test("The tokens of a sign-in whose id token is wrong or too old are revoked, and nothing is stored")
    func failures() async throws {
        try await withFolder { folder in
            for isTooOld in [false, true] {
                let provider = try provider { script in
                    script.claims = { claims in
                        if isTooOld { claims["auth_time"] = 1_000 } else { claims["nonce"] = "another" }
                    }
                }
                let authenticator = try provider.authenticator(in: folder)
                let error = try await clientError { _ = try await provider.signIn(authenticator, maximumAge: 60) }
                #expect(error.code == .badToken)
                #expect(provider.bodies(of: "/revoke").map { $0.contains(HostileProvider.refreshToken) } == [true])
                #expect(try ServedApp.store(in: folder).names().isEmpty)
            }
        }
    }

    @Test("The tokens of a sign-in that cannot be stored are revoked")
    func unwritable() async throws {
        try await withFolder { folder in
            let (file, aside) = (folder.appendingPathComponent("secrets"), folder.appendingPathComponent("aside"))
            let provider = try provider { script in
                script.answer = { _ in
                    try? FileManager.default.moveItem(at: file, to: aside)
                    try? FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
                }
            }
            let authenticator = try provider.authenticator(in: folder)
            let error = await #expect(throws: SecureStoreError.self) { try await provider.signIn(authenticator) }
            #expect(error?.code == .unreadableStore)
            #expect(provider.bodies(of: "/revoke").count == 1)
        }
    }

    @Test("The tokens of a sign-in that is cancelled after they came are kept, and revoked later")
    func cancelledLate() async throws {
        try await withFolder { folder in
            let task = Locked<Task<Account, any Error>?>(nil)
            let provider = try provider { script in
                let serve = script.serve
                script.serve = { path, peer in
                    // The keys are fetched after the tokens.
                    if path == "/keys" { task.withLock { $0?.cancel() } }
                    return serve(path, peer)
                }
            }
            let authenticator = try provider.authenticator(in: folder)
            let begun = Gate()
            let signIn = Task {
                try await onThread { begun.pass() }
                return try await provider.signIn(authenticator)
            }
            task.withLock { $0 = signIn }
            begun.open()
            await #expect(throws: CancellationError.self) { _ = try await signIn.value }
            #expect(try authenticator.account() == nil)
            #expect(try await authenticator.revokePendingTokens() == 0)
            #expect(provider.bodies(of: "/revoke").map { $0.contains(HostileProvider.refreshToken) } == [true])
        }
    }

    @Test("Of more than 100 tokens that the server could not be told to end, the oldest are dropped")
    func manyPending() async throws {
        try await withFolder { folder in
            let (number, isDown) = (Locked(0), Locked(true))
            let provider = try provider { script in
                script.answer = { json in
                    json["refresh_token"] = .string("refresh-\(number.withLock { $0 })-")
                }
                let serve = script.serve
                script.serve = { path, peer in
                    guard path == "/revoke", isDown.withLock({ $0 }) else { return serve(path, peer) }
                    peer.send(SocketServer.answer("", "503 Busy", headers: "Connection: close\r\n"))
                    return true
                }
            }
            let clock = SettableClock(Date())
            let authenticator = try provider.authenticator(in: folder, clock: { clock.now })
            for index in 0..<103 {
                number.withLock { $0 = index }
                clock.advance(by: 1)
                let report = try await authenticator.signIn(userName: "mira", password: "secret").signOut()
                #expect(report.revocation == .pending)
            }
            let told = provider.bodies(of: "/revoke").count
            isDown.withLock { $0 = false }
            #expect(try await authenticator.revokePendingTokens() == 0)
            let later = provider.bodies(of: "/revoke").dropFirst(told)
            #expect(later.count == 100 && later.first?.contains("refresh-3-") == true)
            #expect(later.last?.contains("refresh-102-") == true)
        }
    }

    @Test("An app with a URL scheme of its own is told to take the sign-in with a continuation")
    func opening() async throws {
        try await withApp { app in
            let error = try await clientError { _ = try await app.authenticator().signIn { _ in } }
            #expect(error.code == .badConfiguration && error.advice.contains("continuation"))
        }
    }
}

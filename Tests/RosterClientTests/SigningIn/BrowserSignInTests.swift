import Foundation
import RosterClient
import RosterSecrets
import RosterSignIn
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Signing in with a browser", .timeLimit(.minutes(2)))
struct BrowserSignInTests {
    @Test("A user signs in at a loopback URL, gets a page to go back to the app, and stays signed in after a restart")
    func loopback() async throws {
        try await withApp(.loopback()) { app in
            let browser = Browser()
            let page = Locked<TransportResponse?>(nil)
            let account = try await app.authenticator().signIn { loginURL, redirectURL, continuation in
                Task {
                    do {
                        let back = try await browser.signIn(at: loginURL, redirectURL: redirectURL)
                        let answer = try await browser.open(back)
                        page.withLock { $0 = answer }
                    } catch {
                        continuation(nil, error: error)
                    }
                }
            }
            #expect(account.userName == ServiceUnderTest.engineer && account.subject != nil && account.idToken != nil)
            let token = try await account.validAccessToken(scopes: ["directory"])
            let answer = try await app.transport.send(
                TransportRequest("GET", app.proxy.url + "/scim/v2/Me", headers: ["Authorization": "Bearer " + token]))
            #expect(answer.status == 200)
            let again = try #require(try app.authenticator().account())
            #expect(try await again.validAccessToken() == token)
            _ = try await onThread { waitUntil { page.withLock { $0 != nil } } }
            let shown = try #require(page.withLock { $0 })
            #expect(shown.status == 200 && shown.headers["Cache-Control"] == "no-store")
            #expect(String(decoding: shown.body, as: UTF8.self).contains("go back to the app"))
        }
    }

    @Test("Other requests than the awaited one do not end the sign-in, and those for other paths get 404")
    func otherRequests() async throws {
        try await withApp(.loopback()) { app in
            let browser = Browser()
            _ = try await app.authenticator().signIn { loginURL, redirectURL, continuation in
                Task {
                    do {
                        let idle = try RawClient(port: UInt16(try #require(redirectURL.port)))
                        for query in ["/more", "/", "s?code=a&state=b"] {
                            let url = try #require(URL(string: redirectURL.absoluteString + query))
                            #expect(try await browser.open(url).status == 404)
                        }
                        _ = try await browser.open(
                            try await browser.signIn(at: loginURL, redirectURL: redirectURL))
                        withExtendedLifetime(idle) {}
                    } catch {
                        continuation(nil, error: error)
                    }
                }
            }
        }
    }

    @Test("A loopback URL has the port that was given, also at the next sign-in, and a port that is in use is told")
    func fixedPort() async throws {
        let taken = try SocketServer { _ in }
        try await withApp(.loopback(port: taken.port)) { app in
            let error = try await clientError { _ = try await app.authenticator().signIn { _, _, _ in } }
            #expect(error.code == .badConfiguration)
            #expect(error.message == "The port \(taken.port) of 127.0.0.1 is in use.")
        }
        let free = try SocketServer { _ in }.port
        try await withApp(.loopback(port: free)) { app in
            for _ in 0..<2 {
                _ = try await app.authenticator().signIn { loginURL, redirectURL, continuation in
                    #expect(redirectURL.port == Int(free))
                    Task {
                        do {
                            let browser = Browser()
                            _ = try await browser.open(
                                try await browser.signIn(at: loginURL, redirectURL: redirectURL))
                        } catch {
                            continuation(nil, error: error)
                        }
                    }
                }
            }
        }
    }

    @Test("The app ends while the browser is open, and the next start takes the redirected URL, once")
    func resumes() async throws {
        try await withApp { app in
            let began = Locked<(login: URL, redirect: URL)?>(nil)
            let authenticator = try app.authenticator()
            let first = Task {
                try await authenticator.signIn(account: "work") { login, redirect, _ in
                    began.withLock { $0 = (login, redirect) }
                }
            }
            _ = try await onThread { waitUntil { began.withLock { $0 != nil } } }
            let (login, redirect) = try #require(began.withLock { $0 })
            let back = try await Browser().signIn(at: login, redirectURL: redirect)
            let restarted = try app.authenticator()
            let other = try #require(URL(string: back.absoluteString.replacing(":/callback", with: ":/other")))
            #expect(try await clientError { _ = try await restarted.resume(other) }.code == .signInExpired)
            let account = try await restarted.resume(back)
            #expect(account.id == "work" && account.userName == ServiceUnderTest.engineer)
            #expect(try await clientError { _ = try await restarted.resume(back) }.code == .signInExpired)
            first.cancel()
            _ = await first.result
            #expect(try restarted.accountIDs() == ["work"])
        }
    }

    @Test(
        "A sign-in that was cancelled, failed, or took more than ten minutes signs nobody in, also if the browser comes back later"
    )
    func endings() async throws {
        struct Unopened: Error {}
        try await withApp { app in
            let authenticator = try app.authenticator()
            let seen = Locked<(URL, URL)?>(nil)
            let cancelled = try await clientError {
                _ = try await authenticator.signIn { login, redirect, continuation in
                    seen.withLock { $0 = (login, redirect) }
                    continuation(nil)
                }
            }
            #expect(cancelled.code == .signInCancelled)
            await #expect(throws: Unopened.self) {
                _ = try await authenticator.signIn { _, _, continuation in continuation(nil, error: Unopened()) }
            }
            let (login, redirect) = try #require(seen.withLock { $0 })
            let late = try await Browser().signIn(at: login, redirectURL: redirect)
            #expect(try await clientError { _ = try await authenticator.resume(late) }.code == .signInExpired)
            let expired = try await clientError {
                _ = try await app.authenticator(sleep: { _ in }).signIn { _, _, _ in }
            }
            #expect(expired.code == .signInExpired)
            let task = Task {
                try await authenticator.signIn { login, redirect, _ in seen.withLock { $0 = (login, redirect) } }
            }
            _ = try await onThread { waitUntil { seen.withLock { $0?.0 != login } } }
            app.clock.advance(by: 601)
            let (slow, _) = try #require(seen.withLock { $0 })
            let slowBack = try await Browser().signIn(at: slow, redirectURL: redirect)
            #expect(try await clientError { _ = try await authenticator.resume(slowBack) }.code == .signInExpired)
            task.cancel()
            await #expect(throws: CancellationError.self) { _ = try await task.value }
            #expect(try authenticator.accountIDs().isEmpty)
        }
    }

    @Test("A user who does not allow the app is told to the app, and a user must prove who they are as lately as asked")
    func refusals() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let denied = try await clientError {
                _ = try await authenticator.signIn(callback: Self.callback(Browser(decision: "deny")))
            }
            #expect(denied.code == .refused && denied.message.contains("access_denied"))
            let account = try await authenticator.signIn(maximumAge: 0, callback: Self.callback(Browser()))
            #expect(account.isSignedIn)
        }
    }

    @Test("The pending sign-ins of an app are bounded, one for each account, and the oldest gives way")
    func bounded() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            for number in 0..<25 {
                app.clock.advance(by: 1)
                let began = Locked(false)
                let task = Task {
                    try await authenticator.signIn(account: "\(number % 24)") { _, _, _ in began.withLock { $0 = true }
                    }
                }
                _ = try await onThread { waitUntil { began.withLock { $0 } } }
                withExtendedLifetime(task) {}
            }
            #expect(try app.store.names(withPrefix: "sign-in/").count { $0.contains("/pending/") } == 20)
        }
    }

    static func callback(_ browser: Browser) -> LoginCallback {
        { loginURL, redirectURL, continuation in
            Task {
                do {
                    continuation(try await browser.signIn(at: loginURL, redirectURL: redirectURL))
                } catch {
                    continuation(nil, error: error)
                }
            }
        }
    }
}

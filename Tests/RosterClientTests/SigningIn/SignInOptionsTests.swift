import Foundation
import Roster
import RosterClient
import RosterSignIn
import RosterSignInUI
import RosterText
import RosterTransport
import ServiceTestSupport
import TestSupport
import Testing

/// A presenter that is a browser, as an app's user interface would show.
@MainActor
private final class PagePresenter: SignInPresenter {
    private let browser = Browser()
    nonisolated let shown = Gathered<URL>()
    nonisolated let closes = Locked(false)

    func present(_ loginURL: URL, redirectURL: URL) async throws -> URL? {
        shown.append(loginURL)
        return closes.withLock { $0 } ? nil : try await browser.signIn(at: loginURL, redirectURL: redirectURL)
    }
}

@Suite("What an iOS developer expects of signing in", .timeLimit(.minutes(2)))
struct SignInOptionsTests {
    private func parameters(_ options: SignInOptions) async throws -> [String: String] {
        try await withFolder { folder in
            let provider = try HostileProvider()
            let authenticator = try provider.authenticator(in: folder)
            let page = Locked<URL?>(nil)
            _ = try await clientError {
                _ = try await authenticator.signIn(options: options) { loginURL, _, continuation in
                    page.withLock { $0 = loginURL }
                    continuation(nil)
                }
            }
            let url = try #require(page.withLock { $0 })
            withExtendedLifetime(provider) {}
            let items = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems ?? []
            return Dictionary(items.map { ($0.name, $0.value ?? "") }) { "\($0) and \($1)" }
        }
    }

    @Test("The page gets the hint, the prompts and further parameters, and nothing that was not asked for")
    func options() async throws {
        let plain = try await parameters(SignInOptions())
        #expect(plain["prompt"] == nil && plain["login_hint"] == nil && plain["acr_values"] == nil)
        #expect(plain["scope"]?.contains("offline_access") == true)
        let asked = try await parameters(
            SignInOptions(
                loginHint: "ada", prompts: [.login, .consent], acrValues: ["strong", "weak"],
                parameters: ["ui_locales": "de fr", "x": "a&b"]))
        #expect(asked["login_hint"] == "ada" && asked["prompt"] == "login consent")
        #expect(asked["acr_values"] == "strong weak" && asked["ui_locales"] == "de fr" && asked["x"] == "a&b")
    }

    @Test("A parameter of the library's own is refused before the browser opens", arguments: ["state", "prompt", ""])
    func reserved(name: String) async throws {
        try await withFolder { folder in
            let authenticator = try HostileProvider().authenticator(in: folder)
            let error = try await clientError {
                _ = try await authenticator.signIn(options: SignInOptions(parameters: [name: "x"])) { _, _, _ in
                    Issue.record("The browser opened.")
                }
            }
            #expect(error.code == .invalidInput)
        }
    }

    @Test("A presenter signs a user in, and the observable session follows")
    func session() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let (presenter, session) = (PagePresenter(), await SignInSession(authenticator))
            #expect(await MainActor.run { !session.isSignedIn && session.userName == nil && session.reason == nil })
            let events = Gathered<SignInEvent>()
            let stream = authenticator.events
            let listening = Task { for await event in stream { events.append(event) } }
            let following = Task { await session.follow() }

            presenter.closes.withLock { $0 = true }
            await session.signIn(presenter: presenter)
            #expect(await MainActor.run { !session.isSignedIn && session.error == nil }, "the user closed the page")
            presenter.closes.withLock { $0 = false }
            await session.signIn(presenter: presenter)
            #expect(await MainActor.run { session.isSignedIn && !session.isSigningIn && session.error == nil })
            #expect(await session.userName == ServiceUnderTest.engineer)
            #expect(presenter.shown.all.count == 2)

            let account = try #require(await session.account)
            app.letTokenAge()
            _ = try await account.validAccessToken()
            while await session.renewals == 0 { try await Task.sleep(for: .milliseconds(2)) }

            await session.signOut(keepingUserName: true)
            #expect(await MainActor.run { !session.isSignedIn && session.reason == .signedOut })
            #expect(await session.userName == ServiceUnderTest.engineer)
            #expect(
                try await onThread { events.wait(for: 3) } == [
                    .signedIn(account: "default", userName: ServiceUnderTest.engineer), .renewed(account: "default"),
                    .signedOut(account: "default", userName: ServiceUnderTest.engineer, reason: .signedOut),
                ])
            following.cancel()
            listening.cancel()
        }
    }

    @Test("A session that the server has ended is told with the reason, and the name stays known")
    func ended() async throws {
        try await withApp { app in
            let authenticator = try app.authenticator()
            let account = try await app.account(of: authenticator)
            let session = await SignInSession(authenticator)
            let following = Task { await session.follow() }
            #expect(await session.isSignedIn)
            try await app.signIn.signOutEverywhere(
                try await app.directory.unrestricted.users.user(ServiceUnderTest.engineer).id)
            app.letTokenAge()
            #expect(try await clientError { _ = try await account.validAccessToken() }.code == .notSignedIn)
            while await session.isSignedIn { try await Task.sleep(for: .milliseconds(2)) }
            guard case .ended(let error)? = await session.reason else {
                Issue.record("no reason")
                return
            }
            #expect(error.code == .notSignedIn)
            #expect(await session.userName == ServiceUnderTest.engineer)
            following.cancel()
        }
    }

    @Test("An account has its claims, the end of its token and the server's answer about the user")
    func claims() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let claims = try #require(account.claims)
            #expect(claims.subject == account.subject && claims.names.contains("iss"))
            #expect(!"\(claims)".contains(claims.subject ?? "-"))
            let left = try #require(account.expiry).timeIntervalSince(app.clock.now)
            #expect((590...610).contains(left))
            let user = try await account.userInfo()
            #expect(user.subject == account.subject && user.userName == ServiceUnderTest.engineer)
            struct Info: Decodable { var sub: String }
            #expect(try user.decoded(as: Info.self).sub == account.subject)
            struct Strict: Decodable { var nothing: String }
            #expect(throws: ClientError.self) { try user.decoded(as: Strict.self) }

            #expect(try await !account.renew(ifEndingWithin: .seconds(60)))
            app.letTokenAge(0.4)
            let old = try await account.validAccessToken()
            #expect(try await !account.renew())
            #expect(try await account.renew(ifEndingWithin: .seconds(370)))
            #expect(try await account.validAccessToken() != old)
            _ = try await account.signOut()
            #expect(account.claims == nil && account.expiry == nil)
            #expect(try await clientError { _ = try await account.renew() }.code == .notSignedIn)
        }
    }

    @Test("A server whose TLS fails is not one that cannot be reached")
    func tls() async throws {
        try await withFolder { folder in
            let server = try SocketServer { peer in peer.send("HTTP/1.1 400 No\r\n\r\n") }
            let registration = AppRegistration(issuer: "https://127.0.0.1:\(server.port)", clientID: "app")
            let authenticator = try Authenticator(registration, store: ServedApp.store(in: folder))
            let error = try await clientError { _ = try await authenticator.signIn { _, _, _ in } }
            #expect(error.code == .tls, "\(error)")
        }
    }

    @Test("The shared transport is not closed by one of its users")
    func shared() async throws {
        try await withApp { app in
            Transport.shared.close()
            let url = app.proxy.url + "/.well-known/openid-configuration"
            let answer = try await Transport.shared.send(TransportRequest("GET", url))
            #expect(answer.status == 200)
        }
    }

    @Test("An API gets JSON, and its answer is decoded")
    func json() async throws {
        try await withApp { app in
            let account = try await app.account(of: app.authenticator())
            let client = try RESTClient(account, origins: [app.proxy.url], transport: app.transport)
            struct Query: Encodable {
                var schemas = ["urn:ietf:params:scim:api:messages:2.0:SearchRequest"]
                var filter = "userName eq \"\(ServiceUnderTest.engineer)\""
            }
            struct Found: Decodable, Sendable { var totalResults: Int }
            let found = try await client.send(
                "POST", app.proxy.url + "/scim/v2/Users/.search", json: Query(), as: Found.self)
            #expect(found.totalResults == 1)
            let error = try await clientError {
                _ = try await client.send("POST", app.proxy.url + "/x", json: ["x": Double.infinity])
            }
            #expect(error.code == .invalidInput)
        }
    }
}

import Foundation
import Roster
import RosterClient
import RosterMobileSDK
import RosterSecrets
import RosterServer
import RosterSignIn
import Testing

@Suite("The articles about signing in with the client library", .timeLimit(.minutes(2)))
struct ClientSignInTests {
    private let client: ServedClient
    private let issuer: String
    private let clientID: String
    private let url: URL
    private let name = "ada"
    private let password = ServedClient.password
    private let store: SecureStore

    init() async throws {
        client = try await ServedClient()
        (issuer, clientID, store) = (client.url, client.clientID, try client.store())
        url = try #require(URL(string: client.url))
    }

    private func open(_ url: URL) { client.browse(url) }

    @Test("A user signs in with the browser, and out")
    func browser() async throws {
        let url = issuer
        let app = AppRegistration(issuer: url, clientID: clientID)
        let authenticator = try Authenticator(app, store: store)
        let account = try await authenticator.signIn { loginURL in open(loginURL) }
        let token = try await account.validAccessToken()
        #expect(!token.isEmpty)
        if let account = try authenticator.account() {
            print("\(account.userName ?? "Somebody") is signed in.")
        }
        if let problem = account.idTokenProblem { print("The user is still \(account.subject ?? ""): \(problem)") }
        let isReadOnly = !account.scopes.contains("directory:manage")
        #expect(isReadOnly)
        let report = try await account.signOut()
        print(report.revocation, report.endSessionURL?.host() ?? "")
        #expect(report.revocation == .revoked)
    }

    @Test("A user signs in with the password")
    func passwords() async throws {
        let authenticator = try Authenticator(AppRegistration(issuer: issuer, clientID: clientID), store: store)
        do {
            let account = try await authenticator.signIn(userName: "ada", password: password)
            print(account.userName ?? "")
        } catch let error as ClientError where error.code == .secondFactorRequired {
            print(error.questions)
        }
        #expect(try authenticator.account()?.isSignedIn == true)
    }

    /// A part of the app that shows a page, and is told to which URL of the app the page leads.
    private struct Page: Sendable {
        let client: ServedClient

        func show(_ url: URL, until redirectURL: URL, _ done: @escaping @Sendable (URL?) -> Void) {
            client.browse(url, until: redirectURL, done)
        }
    }

    @Test("An app with its own URL scheme goes on with the redirected URL, also after it was ended")
    func ownScheme() async throws {
        let app = AppRegistration(issuer: issuer, clientID: clientID, redirect: .url("com.example.shop:/callback"))
        let (authenticator, page) = (try Authenticator(app, store: store), Page(client: client))
        do {
            let account = try await authenticator.signIn { loginURL, redirectURL, continuation in
                page.show(loginURL, until: redirectURL) { redirectedURL in continuation(redirectedURL) }
            }
            #expect(account.userName == "ada")
        }
        let (urls, found) = AsyncStream.makeStream(of: URL.self)
        let ended = Task {
            try await authenticator.signIn { loginURL, redirectURL, _ in
                page.show(loginURL, until: redirectURL) { url in
                    if let url { found.yield(url) }
                }
            }
        }
        for await redirectedURL in urls {
            let account = try await authenticator.resume(redirectedURL)
            #expect(account.userName == "ada")
            break
        }
        ended.cancel()
    }

    // MARK: The security service

    private func service() async throws -> SecurityService {
        let signIn = try #require(client.server.signIn)
        let view = client.directory.unrestricted
        var settings = try #require(try await signIn.backends(in: view).first { $0.clientID == clientID }).settings
        (settings.app.allowsOffline, settings.app.maximumLoginAttempts) = (true, 3)
        settings.app.idleTimeout = .seconds(600)
        _ = try await signIn.changeBackend(clientID, settings: settings, in: view)
        let properties = SecurityProperties(server: url, applicationName: "shop")
        let service = try SecurityService(properties, store: store)
        let profile = try await service.setup()
        print(profile.maximumLoginAttempts ?? properties.maximumLoginAttempts, profile.allowsOffline ?? false)
        #expect(profile.maximumLoginAttempts == 3 && profile.allowsOffline == true)
        return service
    }

    @Test("The example of the security service's comment signs a user in")
    func comment() async throws {
        let properties = SecurityProperties(server: url, applicationName: "shop")
        let service = try SecurityService(properties, store: store)
        try await service.setup()
        let context = try await service.startAuthentication(AuthenticationRequest(userName: name, password: password))
        #expect(context.isOnline)
    }

    @Test("A user signs in with the security service, uses the session, and signs out")
    func sessions() async throws {
        let service = try await service()
        let request = AuthenticationRequest(userName: name, password: password)
        let context = try await service.startAuthentication(request)
        let token = try await context.validAccessToken()
        #expect(!token.isEmpty)
        for (timer, left) in try context.timeLeft() { print(timer, left) }
        try context.recordUse()
        #expect(try context.timeLeft()[.idle].map { $0 > .seconds(500) } == true)
        try await service.registerDevice(AuthenticationRequest(userName: name, password: password))
        print(try service.isDeviceRegistered)
        #expect(try service.isDeviceRegistered)
        try await service.logout()
        try await service.logout(clearRegistration: true)
        #expect(try service.authenticationContext == nil && service.applicationProfile == nil)
    }

    @Test("A challenge is answered, again after a wrong password")
    func challenges() async throws {
        let (service, name, password) = (try await service(), name, password)
        let code = "123456"
        @Sendable func answers(_ questions: [String]) -> [String: String] { [:] }
        let request = AuthenticationRequest { challenge in
            switch challenge {
            case .userNameAndPassword(let attempt, let error):
                print("Attempt \(attempt)", error?.message ?? "")
                return .userNameAndPassword(name, attempt == 1 ? "a wrong guess" : password)
            case .code: return .secondFactor(SecondFactorAnswer(code: code))
            case .questions(let questions): return .secondFactor(SecondFactorAnswer(answers: answers(questions)))
            }
        }
        let context = try await service.startAuthentication(request)
        #expect(context.userName == "ada")
    }

    @Test("A user signs in after the server has gone")
    func offline() async throws {
        let service = try await service()
        try await service.startAuthentication(AuthenticationRequest(.online, userName: name, password: password))
        await client.server.stop(timeout: .zero)
        let request = AuthenticationRequest(.auto, userName: name, password: password)
        let context = try await service.startAuthentication(request)
        print(context.isOnline ? "online" : "offline")
        #expect(!context.isOnline)
    }
}

import Foundation
import Roster
import RosterClient
import RosterMobileSDK
import RosterSecrets
import RosterSignIn
import RosterText
import ServiceTestSupport
import TestSupport
import Testing

@Suite("The security service", .timeLimit(.minutes(3)))
struct SecurityServiceTests {
    @Test("Setup fetches the app's profile, the server's word counts, and the profile is there after a start offline")
    func setup() async throws {
        try await withGuardedApp {
            ($0.allowsOffline, $0.maximumLoginAttempts, $0.serviceDomain) = (true, 4, "retail")
            ($0.sessionTimeout, $0.idleTimeout) = (.seconds(3_600), .seconds(600))
        } _: { guarded in
            let service = try guarded.service {
                ($0.maximumLoginAttempts, $0.idleTimeout, $0.serviceDomain) = (9, .seconds(5), "retail")
            }
            #expect(try service.applicationProfile == nil && service.authenticationContext == nil)
            let profile = try await service.setup()
            #expect(profile.name == "shop" && profile.applicationID == guarded.app.backend.clientID)
            #expect(profile.maximumLoginAttempts == 4 && profile.allowsOffline == true)
            #expect(profile.sessionTimeout == .seconds(3_600) && profile.idleTimeout == .seconds(600))
            #expect(profile.endpoints.openIDIssuer == guarded.app.proxy.url && profile.cryptoScheme == "scrypt")
            #expect(guarded.delegate.all == ["shop at \(guarded.app.proxy.url): profile shop"])
            guarded.cutNetwork()
            let restarted = try guarded.service { $0.serviceDomain = "retail" }
            #expect(try await restarted.setup() == profile)
            #expect(try guarded.service { $0.serviceDomain = "other" }.applicationProfile == nil)
        }
    }

    @Test("A configuration URL gives the properties of a service")
    func configurationURL() throws {
        let url = try #require(
            URL(string: "shop://x?oamconfig=true&host=id.example.com&port=8443&servicedomain=retail&SSL=TRUE"))
        let settings = try #require(try ConfigurationURL(url).server)
        let properties = try SecurityProperties(settings, applicationName: "shop")
        #expect(
            properties.server.absoluteString == "https://id.example.com:8443" && properties.serviceDomain == "retail")
        #expect(properties.maximumLoginAttempts == 1 && !properties.allowsOffline)
        #expect(throws: ClientError.self) { try SecurityProperties(settings) }
    }

    @Test("A password signs in, the context is there after a start of the app, and a sign-out ends both")
    func signIn() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            let context = try await service.startAuthentication(GuardedApp.request(.online))
            #expect(context.isOnline && context.userName == GuardedApp.name)
            let token = try await context.validAccessToken(scopes: ["directory"])
            #expect(try await service.directory().users.user(GuardedApp.name).uid == GuardedApp.name)
            let restarted = try guarded.service()
            let again = try #require(try restarted.authenticationContext)
            #expect(try await again.validAccessToken() == token)
            let report = try await restarted.logout()
            #expect(report?.revocation == .revoked)
            #expect(try restarted.authenticationContext == nil && service.authenticationContext == nil)
            #expect(try !context.isValid())
            #expect(try await clientError { _ = try await service.directory() }.code == .notSignedIn)
            await #expect(throws: ClientError.self) { try await context.validAccessToken() }
            #expect(
                guarded.delegate.all.suffix(2).map { $0.hasSuffix("online session") || $0.hasSuffix("logout") } == [
                    true, true,
                ])
            #expect(!"\(context) \(service)".contains("eyJ") && "\(GuardedApp.request(.auto))" == "auto sign-in")
        }
    }

    @Test("A request without a password returns the session that there is, and a password is checked all the same")
    func again() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            let context = try await service.startAuthentication(GuardedApp.request(.online))
            let token = try await context.validAccessToken()
            guarded.cutNetwork()
            for request in [
                AuthenticationRequest(), AuthenticationRequest(.online, userName: GuardedApp.name),
                AuthenticationRequest(scopes: ["directory"]), AuthenticationRequest(.offline),
            ] {
                guarded.clock.advance(by: 1)
                let again = try await service.startAuthentication(request)
                #expect(try await again.validAccessToken() == token && again.userName == GuardedApp.name)
            }
            #expect(guarded.delegate.all.suffix(4).allSatisfy { $0.hasSuffix("online session") })
            guarded.mendNetwork()
            let other = AuthenticationRequest(userName: "somebody.else")
            #expect(try await clientError { _ = try await service.startAuthentication(other) }.code == .invalidInput)
            var domain = AuthenticationRequest()
            domain.identityDomain = "north"
            #expect(try await clientError { _ = try await service.startAuthentication(domain) }.code == .invalidInput)
            let wrong = GuardedApp.request(.online, "wrong")
            #expect(
                try await clientError { _ = try await service.startAuthentication(wrong) }.code == .wrongCredentials)
            try await service.startAuthentication(GuardedApp.request(.offline))
            let online = AuthenticationRequest(.online)
            #expect(try await clientError { _ = try await service.startAuthentication(online) }.code == .invalidInput)
            #expect(try await !service.startAuthentication(AuthenticationRequest()).isOnline)
            try await service.logout()
            #expect(
                try await clientError { _ = try await service.startAuthentication(AuthenticationRequest()) }.code
                    == .invalidInput)
        }
    }

    @Test("The browser signs in, and nothing is kept for offline")
    func browser() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service { $0.redirect = .url(ServedApp.customURL) }
            let request = AuthenticationRequest(browser: { loginURL, redirectURL, continuation in
                Task { continuation(try await Browser().signIn(at: loginURL, redirectURL: redirectURL)) }
            })
            let context = try await service.startAuthentication(request)
            #expect(context.isOnline && context.account?.subject != nil)
            let error = try await clientError {
                _ = try await service.startAuthentication(GuardedApp.request(.offline))
            }
            #expect(error.code == .onlineSignInRequired)
        }
    }

    @Test("The app is asked for a name and a password, for the answers to questions, and again after a wrong password")
    func challenges() async throws {
        try await withGuardedApp {
            $0.maximumLoginAttempts = 3
        } _: { guarded in
            let id = try await guarded.app.directory.unrestricted.users.user(GuardedApp.name).id
            let answers = ["First street?": "Rue de la Paix", "First teacher?": "Aunt Zoë"]
            try await guarded.app.signIn.secondFactors.setQuestions(answers.map { ($0.key, $0.value) }, for: id)
            let asked = Locked<[AuthenticationChallenge]>([])
            var request = AuthenticationRequest(.online)
            request.challenge = { challenge in
                asked.withLock { $0.append(challenge) }
                switch challenge {
                case .userNameAndPassword(1, _): return .userNameAndPassword(GuardedApp.name, "wrong")
                case .userNameAndPassword: return .userNameAndPassword(GuardedApp.name, GuardedApp.password)
                case .questions: return .secondFactor(SecondFactorAnswer(answers: answers))
                case .code: return .cancel
                }
            }
            _ = try await guarded.service().startAuthentication(request)
            let challenges = asked.withLock { $0 }
            #expect(challenges.count == 3)
            if case .questions(let questions)? = challenges.last {
                #expect(Set(questions) == Set(answers.keys))
            } else {
                Issue.record("\(challenges)")
            }
            if case .userNameAndPassword(let attempt, let error) = challenges[1] {
                #expect(attempt == 2 && error?.code == .wrongCredentials)
            } else {
                Issue.record("\(challenges)")
            }
            try await guarded.service().logout()
            request.challenge = { _ in .cancel }
            let cancelled = try await clientError { _ = try await guarded.service().startAuthentication(request) }
            #expect(cancelled.code == .signInCancelled)
            request.challenge = { _ in .userNameAndPassword(GuardedApp.name, "wrong") }
            let sent = guarded.app.proxy.bodies(of: "/oauth2/token").count
            let wrong = try await clientError { _ = try await guarded.service().startAuthentication(request) }
            #expect(wrong.code == .wrongCredentials)
            #expect(guarded.app.proxy.bodies(of: "/oauth2/token").count == sent + 3)
        }
    }

    @Test("An app that the server does not know is refused, and what the device keeps for the app is removed")
    func unknownApp() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            try await service.startAuthentication(GuardedApp.request(.online))
            try await guarded.app.signIn.deleteBackend(
                guarded.app.backend.clientID, in: guarded.app.directory.unrestricted)
            let error = try await clientError { try await service.setup() }
            #expect(error.code == .badConfiguration)
            #expect(guarded.delegate.all.last?.hasSuffix("no profile") == true)
            for mode in [AuthenticationRequest.ConnectivityMode.auto, .offline] {
                let error = try await clientError {
                    _ = try await service.startAuthentication(GuardedApp.request(mode))
                }
                #expect(error.code == (mode == .auto ? .badConfiguration : .offlineNotAllowed))
            }
        }
    }

    @Test(
        "An answer that is no profile of the app is refused, and nothing of it is kept",
        arguments: [
            "", "<html>Welcome</html>", "[]", "{\"application_id\":\"shop\"}",
            "{\"application_id\":\"other\",\"endpoints\":{\"openid_issuer\":\"https://id.example.com\"}}",
            "{\"application_id\":\"shop\",\"endpoints\":{\"openid_issuer\":\"http://id.example.com@evil.example\"}}",
            "{\"application_id\":\"shop\",\"endpoints\":{\"openid_issuer\":\"javascript:x\"}}",
            "{\"application_id\":\"shop\",\"idle_timeout_seconds\":1e30,\"endpoints\":{\"openid_issuer\":\"https://a.example\"}}",
            "{\"application_id\":\"shop\",\"maximum_login_attempts\":0,\"endpoints\":{\"openid_issuer\":\"https://a.example\"}}",
            "{\"application_id\":\"shop\",\"offline\":\"yes\",\"endpoints\":{\"openid_issuer\":\"https://a.example\"}}",
            "{\"application_id\":\"shop\",\"application_id\":\"shop\",\"endpoints\":{\"openid_issuer\":\"https://a.example\"}}",
        ])
    func hostileProfile(body: String) async throws {
        try await withFolder { folder in
            let server = try SocketServer(answering: SocketServer.answer(body))
            let store = try ServedApp.store(in: folder)
            let service = try SecurityService(
                SecurityProperties(server: url(server.url), applicationName: "shop"), store: store)
            let error = try await clientError { try await service.setup() }
            #expect(error.code == .badAnswer && !error.advice.isEmpty)
            #expect(try store.names().isEmpty)
        }
    }

    @Test("Two sign-ins at once do not mix")
    func together() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            let gate = Gate()
            guarded.app.proxy.decide { path, _ in path == "/oauth2/token" ? .hold(gate) : .pass }
            let first = Task { try await service.startAuthentication(GuardedApp.request(.online)) }
            _ = try await onThread { gate.waitForArrivals() }
            let error = try await clientError { _ = try await service.startAuthentication(GuardedApp.request(.online)) }
            #expect(error.code == .signInInProgress)
            gate.open()
            #expect(try await first.value.isValid())
        }
    }

    @Test("A sign-out while a sign-in is under way wins: nobody is signed in afterwards, and the new tokens are ended")
    func signOutDuringSignIn() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            let gate = Gate()
            guarded.app.proxy.decide { path, _ in path == "/oauth2/token" ? .hold(gate) : .pass }
            let task = Task { try await service.startAuthentication(GuardedApp.request(.online)) }
            _ = try await onThread { gate.waitForArrivals() }
            try await service.logout()
            gate.open()
            let error = try await clientError { _ = try await task.value }
            #expect(error.code == .signInCancelled)
            #expect(try service.authenticationContext == nil)
            #expect(guarded.app.proxy.bodies(of: "/oauth2/revoke").count == 1)
            #expect(try guarded.app.store.names(withPrefix: "sign-in/").filter { $0.contains("/account/") }.isEmpty)
        }
    }

    @Test("Clearing the registration removes the profile and everything that is kept for offline")
    func clearRegistration() async throws {
        try await withGuardedApp { guarded in
            let service = try guarded.service()
            try await service.startAuthentication(GuardedApp.request(.online))
            try await service.logout()
            try await service.startAuthentication(GuardedApp.request(.offline))
            guarded.cutNetwork()
            try await service.logout(clearRegistration: true)
            #expect(try guarded.app.store.names(withPrefix: "security/").isEmpty)
            #expect(try service.applicationProfile == nil)
        }
    }
}

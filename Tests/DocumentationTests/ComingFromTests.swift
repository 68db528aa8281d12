import Foundation
import Roster
import RosterBearer
import RosterClient
import RosterMobileSDK
import RosterServer
import RosterSignIn
import RosterTransport
import Testing

/// The delegate of the page about Oracle's Mobile and Social SDK.
private final class Screen: EntityDelegate {
    func didReceive<Value: Sendable>(
        _ entities: Result<Value, any Error>, from source: EntitySource, withHandle handle: AsyncOperationHandle<Value>
    ) {
        if let user = try? entities.get() as? User { print(user.label) }
    }

    func didFinishOperation(
        error: (any Error)?, by source: EntitySource, withHandle handle: AsyncOperationHandle<Void>
    ) {
        print(error.map { "\($0)" } ?? "done")
    }
}

@Suite("The first sample of each mirrored document, translated", .timeLimit(.minutes(2)))
struct ComingFromTests: NamesFiles {
    let folder: ExampleFolder

    init() throws { folder = try ExampleFolder() }

    private func url(_ text: String) throws -> Foundation.URL {
        let url = Foundation.URL(string: text)
        return try #require(url)
    }

    /// A part of the app that shows a page, and is told to which URL of the app the page leads.
    private struct Page: Sendable {
        let client: ServedClient

        func show(_ url: URL, until redirectURL: URL, _ done: @escaping @Sendable (URL?) -> Void) {
            client.browse(url, until: redirectURL, done)
        }
    }

    @Test("Oracle's Mobile and Social SDK: set up, sign in, read the user, and call a protected service")
    func mobileAndSocialSDK() async throws {
        let served = try await ServedClient()
        let signIn = try #require(served.server.signIn)
        _ = try await signIn.createBackend(
            named: "myApp", settings: BackendSettings(for: .app), in: served.directory.unrestricted)
        let (url, api) = (try url(served.url), served.url)
        let (name, password, store) = ("ada", ServedClient.password, try served.store())
        let properties = SecurityProperties(
            server: url, applicationName: "myApp", serviceDomain: "MobileServiceDomain")
        let mss = try SecurityService(properties, store: store)
        try await mss.setup()
        let context = try await mss.startAuthentication(AuthenticationRequest(userName: name, password: password))
        let view = try await mss.directory()
        let user = try await view.users.user(context.userName ?? name)
        print(user.label, try await user.manager()?.label ?? "no manager")
        #expect(user.uid == "ada")
        let client = try RESTClient(mss, origins: [api])
        let response = try await client.send(TransportRequest("GET", api + "/scim/v2/Me"))
        print(response.status)
        #expect(response.status == 200)
    }

    @Test("Oracle's Mobile and Social SDK: a handle reports to the delegate of its manager")
    func mobileAndSocialDelegate() async throws {
        let view = try Directory.inMemory().unrestricted
        try await view.users.create("ada")
        let screen = Screen()
        var um = view.users
        um.delegate = screen
        let handle = um.userAsynchronously("ada")
        handle.tag = "profile"
        #expect(handle.tag as? String == "profile")
    }

    /// An issuer whose users are unknown to the servers that trust the issuer, with a token for them.
    private func otherIssuer() async throws -> (issuer: ServedClient, token: String, document: URL) {
        let other = try await ServedClient()
        let signIn = try #require(other.server.signIn)
        let person = try await signIn.person(named: "ada", password: ServedClient.password)
        let token = try #require(try await signIn.tokens(for: person, clientID: other.clientID).idToken)
        let document = URL(fileURLWithPath: "issuers.json")
        try Data(
            """
            {"issuers": [{"issuerName": "\(other.url)", "audience": ["\(other.clientID)"], "virtualUserEnabled": true,
                          "jwks": {"discoveryUri": "\(other.url)/.well-known/openid-configuration", "allowHttp": true},
                          "roleAttributes": ["roles"]}]}
            """.utf8
        ).write(to: document)
        return (other, token, document)
    }

    @Test("Oracle Mobile Hub: a token of another issuer is exchanged, and found at the next start")
    func mobileHub() async throws {
        let (issuer, thirdPartyToken, document) = try await otherIssuer()
        let client = try await ServedClient { $0.trust.issuers = document }
        let signIn = try #require(client.server.signIn)
        var settings = BackendSettings()
        settings.allowsExchange = true
        let made = try await signIn.createBackend(
            named: "FixItFast", settings: settings, in: client.directory.unrestricted)
        let (server, store) = (try url(client.url), try client.store())
        let (backendID, anonymousKey) = (made.backendID, made.anonymousKey)
        let backend = MobileBackend(baseURL: server, backendID: backendID, anonymousKey: anonymousKey)
        let auth = try MobileBackendAuthorization(backend, store: store)
        if try auth.loadSSOTokenExchange() {
            print("Token already found, login skipped.")
        } else {
            try await auth.authenticateSSOTokenExchange(thirdPartyToken, storeAccessToken: true)
        }
        var request = TransportRequest("GET", "\(server)/mobile/platform/users/~")
        request.headers = try auth.fields()
        print(try await Transport().send(request).status)
        #expect(try await Transport().send(request).status == 200)
        #expect(try MobileBackendAuthorization(backend, store: store).loadSSOTokenExchange())
        await issuer.server.stop(timeout: .zero)
    }

    @Test("Oracle Mobile Hub: a user signs in with name and password, and the authorization opens the directory")
    func mobileHubPassword() async throws {
        let served = try await ServedClient()
        let made = try await #require(served.server.signIn).createBackend(
            named: "FixItFast", settings: BackendSettings(for: .app), in: served.directory.unrestricted)
        let (server, api) = (try url(served.url), served.url)
        let (store, password) = (try served.store(), ServedClient.password)
        let (backendID, clientID) = (made.backendID, made.clientID)
        let backend = MobileBackend(baseURL: server, backendID: backendID, clientID: clientID)
        let auth = try MobileBackendAuthorization(backend, store: store)
        try await auth.authenticate(userName: "ada", password: password)
        let client = try RESTClient(auth, origins: [api])
        print(try await client.send(TransportRequest("GET", api + "/mobile/platform/users/~")).status)
        let view = try await DirectoryView(server: server, credentials: .mobileBackend(auth))
        print(try await view.users.user("ada").label)
        try await auth.logout()
        #expect(throws: ClientError.self) { try auth.fields() }
    }

    @Test("Oracle Mobile Cloud: a trusted issuer's token is exchanged for one of a backend")
    func mobileCloud() async throws {
        let (issuer, externalToken, _) = try await otherIssuer()
        let directory = try Directory.inMemory()
        let trust = SignIn.Trust(issuers: URL(fileURLWithPath: "issuers.json"))
        let signIn = try SignIn(directory, issuer: "https://id.example.com", trust: trust)
        var settings = BackendSettings()
        (settings.grants, settings.allowsExchange) = ([.assertion], true)
        let backend = try await signIn.createBackend(
            named: "FixItFast", settings: settings, in: directory.unrestricted)
        do {
            let tokens = try await signIn.tokens(
                .assertion(externalToken), clientID: backend.clientID, secret: backend.secret)
            print(tokens.lifetime)
        } catch let error as OAuthError {
            print(error.code.rawValue)
        }
        let tokens = try await signIn.tokens(
            .assertion(externalToken), clientID: backend.clientID, secret: backend.secret)
        #expect(tokens.lifetime == 28_800, "eight hours")
        await issuer.server.stop(timeout: .zero)
    }

    @Test("Couchbase Mobile: the authenticator's callback shows a page, and goes on with the redirected URL")
    func couchbaseMobile() async throws {
        let client = try await ServedClient()
        let app = AppRegistration(
            issuer: client.url, clientID: client.clientID, redirect: .url("com.example.shop:/callback"))
        let (authenticator, page) = (try Authenticator(app, store: client.store()), Page(client: client))
        let account = try await authenticator.signIn { loginURL, redirectURL, continuation in
            page.show(loginURL, until: redirectURL) { redirectedURL in continuation(redirectedURL) }
        }
        #expect(account.userName == "ada")
    }

    /// The page of the provider for tests, on which Mira signs in.
    private struct ProviderPage: Sendable {
        let database: String

        func show(_ url: URL, until redirectURL: URL, _ done: @escaping @Sendable (URL?) -> Void) {
            Task {
                let answer = try await Transport().send(
                    TransportRequest(
                        "POST", database + "/_oidc_testing/authenticate",
                        headers: ["Content-Type": "application/x-www-form-urlencoded"],
                        body: Array("\(url.query(percentEncoded: true) ?? "")&username=mira".utf8)))
                done(answer.headers["Location"].flatMap { Foundation.URL(string: $0) })
            }
        }
    }

    @Test("Couchbase Mobile: the authenticator of a gateway signs in, and sends requests with its session")
    func couchbaseGateway() async throws {
        let client = try await ServedClient { $0.hasTestProvider = true }
        let database = try url(client.url + "/db")
        let (store, page) = (try client.store(), ProviderPage(database: client.url + "/db"))
        let gateway = try SyncGatewayAuthenticator(database: database, store: store)
        try await gateway.signIn { loginURL, redirectURL, continuation in
            page.show(loginURL, until: redirectURL) { redirectedURL in continuation(redirectedURL) }
        }
        let session = try await gateway.send(TransportRequest("GET", gateway.url + "/_session"))
        #expect(session.status == 200 && String(decoding: session.body, as: UTF8.self).contains("mira"))
    }

    @Test("Cloud Access Manager: an app gets an access token, and an API validates the token by user info")
    func cloudAccessManager() async throws {
        let client = try await ServedClient()
        let view = client.directory.unrestricted
        try await view.roles.create("read")
        try await view.roles.add([.user("ada")], to: "read")
        let signIn = try #require(client.server.signIn)
        var backend = BackendSettings(isPublic: true)
        backend.redirectURIs = ["com.example.shop:/callback"]
        backend.scopes = [.openID, .offlineAccess, "sampleAPI"]
        backend.claims = ClaimMapping(claims: [.init("preferred_username", [.attribute("uid")])])
        let clientID = try await signIn.createBackend(named: "iosapp", settings: backend, in: view).clientID
        let (issuer, api, store, page) = (client.url, client.url, try client.store(), Page(client: client))
        let settings = AppRegistration(
            issuer: issuer, clientID: clientID, redirect: .url("com.example.shop:/callback"),
            scopes: ["openid", "offline_access", "sampleAPI"])
        let codeFlow = try Authenticator(settings, store: store)
        if try codeFlow.account() == nil {
            _ = try await codeFlow.signIn { loginURL, redirectURL, continuation in
                page.show(loginURL, until: redirectURL) { redirectedURL in continuation(redirectedURL) }
            }
        }
        if let account = try codeFlow.account() {
            var request = TransportRequest("GET", api + "/claims")
            request.headers["Authorization"] = "Bearer " + (try await account.validAccessToken())
            print(try await Transport().send(request).status)
        }
        let field = "Bearer " + (try await #require(try codeFlow.account()).validAccessToken())
        let validator = try BearerValidator(
            BearerSettings(issuer: issuer, method: .userInfo(), scopes: ["sampleAPI"]))
        let token = try await validator.validate(authorization: field)
        try token.authorize(roles: ["read"])
        print(token.name ?? token.subject)
        #expect(token.name == "ada")
    }
}

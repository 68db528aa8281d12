package import Foundation
package import Roster
package import RosterClient
import RosterFixtures
package import RosterSecrets
package import RosterServer
package import RosterSignIn
package import RosterText
package import RosterTransport
package import TestSupport
import Testing

/// Our own server with the small company, behind a proxy, and an app that is registered there.
package final class ServedApp: Sendable {
    package static let customURL = "com.example.shop:/callback"

    private let company: CompanyDirectory
    package let directory: Directory
    package let server: DirectoryServer
    package let signIn: SignIn
    package let backend: SignIn.BackendSecrets
    package let proxy: Proxy
    package let clock: SettableClock
    package let folder: URL
    package let store: SecureStore
    package let transport = Transport()
    package let registration: AppRegistration

    /// - Parameters:
    ///   - redirect: Where the browser comes back to.
    ///   - lifetime: The lifetime of access tokens in seconds, whole minutes.
    ///   - issuers: The other issuers whose tokens the server exchanges.
    ///   - change: Changes the settings of the app at the server.
    package init(
        _ redirect: AppRegistration.Redirect = .url(customURL), in folder: URL, lifetime: Int = 600,
        issuers: JSONValue = [], change: (inout BackendSettings) -> Void = { _ in }
    ) async throws {
        let clock = SettableClock(Date())
        (self.clock, self.folder) = (clock, folder)
        company = try CompanyDirectory(clock: { clock.now })
        directory = company.directory
        let hash = try PasswordHash.make(ServiceUnderTest.password, .forTests).text
        let view = directory.unrestricted
        for name in [ServiceUnderTest.engineer, ServiceUnderTest.lead] {
            try await view.awaitWrite {
                _ = try $0.users.modify(.named(name), [.set("password", .string(hash))], ifVersion: nil)
            }
        }
        let proxy = try Proxy()
        self.proxy = proxy
        var configuration = DirectoryServer.Configuration(listen: "127.0.0.1:0", publicURL: proxy.url)
        configuration.passwordCost = .forTests
        configuration.clock = { clock.now }
        if !issuers.elements.isEmpty {
            let document = folder.appendingPathComponent("issuers.json")
            try Data((["issuers": issuers] as JSONValue).bytes).write(to: document)
            configuration.trust = SignIn.Trust(issuers: document)
        }
        server = try DirectoryServer(directory, configuration: configuration)
        try server.start()
        proxy.point(to: try #require(server.port))
        signIn = try #require(server.signIn)
        var settings = BackendSettings(isPublic: true)
        settings.grants = [.authorizationCode, .refreshToken, .password, .deviceCode]
        settings.allowsExchange = true
        settings.redirectURIs = [Self.customURL, "http://127.0.0.1/callback"]
        settings.scopes = [.openID, .profile, .email, .offlineAccess, .directory]
        settings.tokens.accessTokenLifetime = .seconds(lifetime)
        change(&settings)
        backend = try await signIn.createBackend(named: "shop", settings: settings, in: view)
        registration = AppRegistration(
            issuer: proxy.url, clientID: backend.clientID, redirect: redirect,
            scopes: ["openid", "profile", "offline_access", "directory"])
        store = try Self.store(in: folder)
    }

    deinit {
        let (server, company) = (server, company)
        Task.detached {
            await server.stop(timeout: .zero)
            withExtendedLifetime(company) {}
        }
    }

    package static func store(in folder: URL) throws -> SecureStore {
        try SecureStore(
            file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
    }

    /// The app after a start.
    package func authenticator(
        store: SecureStore? = nil,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) throws -> Authenticator {
        let clock = clock
        return try Authenticator(
            registration, store: store ?? self.store, transport: transport, clock: { clock.now }, sleep: sleep)
    }

    /// An account of the engineer, signed in with the password.
    package func account(_ id: String = "default", of authenticator: Authenticator) async throws -> Account {
        try await authenticator.signIn(
            account: id, userName: ServiceUnderTest.engineer, password: ServiceUnderTest.password)
    }

    /// Lets the access token come into its last fifth.
    package func letTokenAge(_ share: Double = 0.95) { clock.advance(by: 600 * share) }
}

/// Runs a test with a served app in a folder of its own.
package func withApp(
    _ redirect: AppRegistration.Redirect = .url(ServedApp.customURL), _ body: (ServedApp) async throws -> Void
) async throws {
    try await withFolder { folder in try await body(try await ServedApp(redirect, in: folder)) }
}

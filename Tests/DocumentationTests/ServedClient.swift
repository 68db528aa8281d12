import Foundation
import Roster
import RosterClient
import RosterSecrets
import RosterServer
import RosterSignIn
import RosterTransport

/// A served directory, an app that is registered there, a folder for its secrets, and a browser that signs Ada in.
final class ServedClient: Sendable {
    static let password = "a staple of correct horses"

    let directory: Directory
    let server: DirectoryServer
    let url: String
    let clientID: String
    let folder: URL

    /// Serves a directory.
    ///
    /// - Parameter change: Changes the configuration of the server, for example to trust an issuer.
    init(change: (inout DirectoryServer.Configuration) -> Void = { _ in }) async throws {
        directory = try Directory.inMemory()
        let view = directory.unrestricted
        try await view.users.create("ada")
        try await view.roles.create("staff")
        try await view.roles.add([.user("ada")], to: "staff")
        var configuration = DirectoryServer.Configuration(listen: "127.0.0.1:0")
        configuration.passwordCost = .forTests
        change(&configuration)
        server = try DirectoryServer(directory, configuration: configuration)
        url = try server.start()
        guard let signIn = server.signIn else { throw CocoaError(.featureUnsupported) }
        try await signIn.setPassword(Self.password, of: "ada", in: view)
        var settings = BackendSettings(isPublic: true)
        settings.grants = [.authorizationCode, .refreshToken, .password]
        settings.redirectURIs = ["http://127.0.0.1/callback", "com.example.shop:/callback"]
        settings.scopes = [.openID, .profile, .offlineAccess]
        clientID = try await signIn.createBackend(named: "shop", settings: settings, in: view).clientID
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("roster-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
        let server = server
        Task.detached { await server.stop(timeout: .zero) }
    }

    func store() throws -> SecureStore {
        try SecureStore(
            file: folder.appendingPathComponent("secrets"), key: .keyFile(folder.appendingPathComponent("key")))
    }

    /// Opens the sign-in page, types Ada's name and password, agrees, and goes where the last redirect leads.
    ///
    /// - Parameters:
    ///   - redirectURL: The URL of the app at which the browser stops; nil to go everywhere.
    ///   - done: Gets the redirected URL when the browser stops there.
    func browse(_ loginURL: URL, until redirectURL: URL? = nil, _ done: @escaping @Sendable (URL?) -> Void = { _ in }) {
        Task {
            let transport = Transport()
            var cookies: [Substring: String] = [:]
            var request = TransportRequest("GET", loginURL.absoluteString)
            for _ in 0..<6 {
                request.headers["Cookie"] = cookies.isEmpty ? nil : cookies.values.joined(separator: "; ")
                let answer = try await transport.send(request)
                for field in answer.headers.values(of: "Set-Cookie") {
                    cookies[field.prefix { $0 != "=" }] = String(field.prefix { $0 != ";" })
                }
                if let location = answer.headers["Location"] {
                    if let redirectURL, location.hasPrefix(redirectURL.absoluteString) {
                        return done(URL(string: location))
                    }
                    request = TransportRequest("GET", location)
                    continue
                }
                let page = String(decoding: answer.body, as: UTF8.self)
                guard let sealed = page.firstMatch(of: #/name="request" value="([^"]*)"/#) else { return }
                let entries =
                    page.contains("name=\"password\"")
                    ? "username=ada&password=\(Self.password.replacing(" ", with: "+"))" : "decision=allow"
                let text = String(sealed.1).replacing("+", with: "%2B").replacing("=", with: "%3D")
                request = TransportRequest(
                    "POST", String(loginURL.absoluteString.prefix { $0 != "?" }),
                    headers: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Array("request=\(text)&\(entries)".utf8))
            }
        }
    }
}

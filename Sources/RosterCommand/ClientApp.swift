import Foundation
import Roster
import RosterClient
import RosterSecrets
import RosterText
import RosterTransport

extension Command {
    static let json = Option("json", nil, "the same as --format json")

    /// A command that does what an app does with the client library.
    init(
        client name: String, _ summary: String, _ operands: String = "", _ options: [Option] = [],
        example: String = "", run: @escaping @Sendable (Arguments) async throws -> Void
    ) {
        let common: [Option] = [
            .init("server", "URL", "the server, written exactly as the server's issuer"),
            .init("store", "FILE", "the secure store that keeps the tokens"),
            .init("key-file", "FILE", "the file with the store's key (default: the store's path with .key)"),
            .init("passphrase", nil, "the store has a passphrase in place of a key file: ask for the passphrase"),
            .init("passphrase-file", "FILE", "the file whose first line is that passphrase; - for standard input"),
            Command.authorities,
        ]
        self.init(
            name: "client " + name, summary: summary, operands: operands, options: common + options,
            example: "roster client \(name) --server http://127.0.0.1:8080 --store app.secrets"
                + (example.isEmpty ? "" : " ") + example, run: run)
    }
}

/// The app that the commands `roster client …` are: a secure store, a server, and the app's registration there.
struct ClientApp: Sendable {
    /// The registration of the app at the server. The store keeps the registration, so that later commands need not name it.
    struct Registration: Sendable, Equatable {
        var clientID: String
        var secret: String?
        var scopes: [String]
    }

    let server: String
    private let url: URL
    private let store: SecureStore

    /// Opens the store of `--store`.
    ///
    /// - Parameter creating: Whether a missing store is made.
    init(_ arguments: Arguments, creating: Bool = false) throws {
        guard let server = arguments.value("server") else { throw UsageError("Which server? Give --server URL.") }
        let url = try Self.url(of: server)
        guard let path = arguments.value("store") else { throw UsageError("Which store? Give --store FILE.") }
        (self.server, self.url) = (server, url)
        guard creating || FileManager.default.fileExists(atPath: path) else {
            throw UsageError("There is no store '\(path)'.", advice: "'roster client sign-in' makes one.")
        }
        store = try SecureStore(file: URL(fileURLWithPath: path), key: try Self.key(arguments, path))
    }

    /// The address of a server.
    static func url(of text: String) throws -> URL {
        guard let url = URL(string: text), ["https", "http"].contains(url.scheme?.lowercased() ?? ""),
            url.host()?.isEmpty == false, url.user() == nil
        else { throw UsageError("--server needs a URL such as https://id.example.com, not '\(text)'.") }
        return url
    }

    private static func key(_ arguments: Arguments, _ store: String) throws -> StoreKey {
        let (keyFile, file) = (arguments.value("key-file"), arguments.value("passphrase-file"))
        guard [keyFile != nil, file != nil, arguments.has("passphrase")].count(where: { $0 }) <= 1 else {
            throw UsageError("Give one of --key-file, --passphrase and --passphrase-file.")
        }
        if let file { return .passphrase(try secret(inFile: file)) }
        if arguments.has("passphrase") { return .passphrase(try Prompt.secret("Passphrase of the store")) }
        return .keyFile(URL(fileURLWithPath: keyFile ?? store + ".key"))
    }

    // MARK: The registration

    private var key: String { "command/" + server }

    /// The registration of the last sign-in at the server; nil if there was none.
    func registration() throws -> Registration? {
        guard let json = try store.bytes(named: key).flatMap({ try? JSONValue(parsing: $0) }),
            let id = json["client_id"]?.text, let scopes = json["scope"]?.text
        else { return nil }
        return Registration(clientID: id, secret: json["client_secret"]?.text, scopes: scopes.words)
    }

    func keep(_ registration: Registration) throws {
        var json: JSONValue = [
            "client_id": .string(registration.clientID),
            "scope": .string(registration.scopes.joined(separator: " ")),
        ]
        if let secret = registration.secret { json["client_secret"] = .string(secret) }
        try store.set(json.bytes, named: key)
    }

    /// - Throws: `UsageError` for a registration that no server accepts.
    func authenticator(_ registration: Registration) throws -> Authenticator {
        let app = AppRegistration(
            issuer: server, clientID: registration.clientID, clientSecret: registration.secret,
            scopes: registration.scopes)
        do {
            return try Authenticator(app, store: store, transport: Network.transport)
        } catch let error as ClientError where error.code == .badConfiguration {
            throw UsageError(error.message, advice: error.advice)
        }
    }

    // MARK: The account

    /// The account of the user who is signed in.
    func account() throws -> Account {
        guard let account = try registration().flatMap({ try authenticator($0).account() }) else {
            throw CommandFailure(
                description: "Nobody is signed in at '\(server)' with this store. Sign in with 'roster client sign-in'."
            )
        }
        return account
    }

    /// The server's directory, with the rights of the user who is signed in.
    func view() async throws -> DirectoryView {
        let account = try account()
        // Without the scope, the server would refuse each request with a text that names no option.
        _ = try await account.validAccessToken(scopes: ["directory"])
        return try await DirectoryView(server: url, credentials: .account(account), transport: Network.transport)
    }

    /// Sends a request with the access token. A token that the server refuses is renewed, and the request repeated once.
    ///
    /// - Parameters:
    ///   - method: The method.
    ///   - target: A path of the server, or a URL of the server. The token goes to no other origin.
    ///   - body: The body, which is JSON; nil for none.
    func send(_ method: String, _ target: String, body: [UInt8]?) async throws -> TransportResponse {
        let url = target.hasPrefix("/") && !target.hasPrefix("//") ? origin + target : target
        var request = TransportRequest(method, url, headers: ["Accept": "*/*"], body: body)
        if body != nil { request.headers["Content-Type"] = "application/json" }
        do {
            return try await send(request)
        } catch let error as ClientError where error.code == .originNotNamed {
            throw UsageError(
                "'\(target)' is not of the server, and the token is sent to no other one.",
                advice: "Give a path such as /scim/v2/Me, or a URL that begins with \(origin).")
        } catch let error as ClientError where error.code == .badURL {
            throw UsageError("'\(target)': \(error.message)", advice: error.advice)
        }
    }

    /// Sends a request to the server with the access token, as the form with a method does.
    func send(_ request: TransportRequest) async throws -> TransportResponse {
        try await RESTClient(account(), origins: [origin], transport: Network.transport).send(request)
    }

    /// Sends a request to the server with the access token, and returns when the head of the answer has arrived.
    func stream(_ request: TransportRequest) async throws -> TransportStream {
        try await RESTClient(account(), origins: [origin], transport: Network.transport).stream(request)
    }

    private var origin: String {
        let parts = URLComponents(string: server)
        var components = URLComponents()
        (components.scheme, components.host, components.port) = (parts?.scheme, parts?.host, parts?.port)
        return components.string ?? server
    }
}

package import Roster
package import RosterSignIn
import RosterText

/// What all requests share: the directory, who may enter, and what the service says about itself.
///
/// A class, since each request hands it on many times: to copy all that it holds cost a tenth of every read.
package final class ServiceContext: Sendable {
    let directory: Directory
    /// Where the service is reached, without a slash at the end. Links are made of this, never of what a request claims.
    let baseURL: String
    /// The names under which a request may ask for the service; empty for any.
    let hosts: Set<String>
    /// The host and port of the address, as clients write them in `Host`; nil where that is not one of the names.
    private let usualHost: String?
    /// Whether passwords and tokens are taken over connections that others can read along.
    let allowsPlainCredentials: Bool
    let passwords: PasswordKeeper
    let oauth: OAuthService
    var relyingParty: RelyingParty { oauth.relyingParty }
    let testProvider: TestProvider?
    let seal: Seal
    /// Whose pages may ask the service from a browser (`Security_AllowOrigin`).
    let crossOrigin: CrossOriginPolicy
    let metrics: Metrics
    let vocabularies = DerivedVocabulary.Memory()
    let openAPI = OpenAPI.Memory()
    /// How often somebody who listens is shown that the server is still there, and must still be let in.
    let keepAliveInterval: Duration
    let isDraining: @Sendable () -> Bool
    /// Takes a record of each request; nil where nobody keeps any.
    let log: (@Sendable (RequestRecord) -> Void)?

    /// Describes the service.
    ///
    /// - Parameters:
    ///   - directory: What is served.
    ///   - baseURL: Where the service is reached, such as `https://id.example.com`.
    ///   - hosts: The names, without ports, under which a request may ask for the service; empty for any.
    ///   - allowsPlainCredentials: Whether passwords and tokens are taken over connections that others can read along.
    ///   - signIn: Who may enter.
    ///   - crossOrigin: Whose pages may ask the service from a browser.
    ///   - keepAliveInterval: How often somebody who listens is shown that the server is there.
    ///   - isDraining: Whether the server is about to stop, so that `/readyz` says so.
    ///   - log: Takes a record of each request; nil where nobody keeps any.
    package init(
        directory: Directory, baseURL: String, hosts: Set<String> = [], allowsPlainCredentials: Bool = false,
        signIn: SignIn, crossOrigin: CrossOriginPolicy = .disallow, keepAliveInterval: Duration = .seconds(15),
        isDraining: @escaping @Sendable () -> Bool = { false },
        log: (@Sendable (RequestRecord) -> Void)? = nil
    ) throws {
        self.directory = directory
        self.baseURL = baseURL
        self.hosts = hosts
        let own = baseURL.split(separator: "/", maxSplits: 3).dropFirst().first.map(String.init)
        usualHost = own.flatMap { hosts.contains(Self.name(ofHost: $0).lowercased()) ? $0 : nil }
        self.allowsPlainCredentials = allowsPlainCredentials
        passwords = signIn.passwords
        oauth = signIn.oauth
        testProvider = signIn.testProvider
        seal = try Seal(key: directory.signingKey())
        metrics = Metrics()
        self.crossOrigin = crossOrigin
        self.keepAliveInterval = keepAliveInterval
        self.isDraining = isDraining
        self.log = log
    }

    /// Refuses requests for other hosts: a page of a stranger's must not reach a server on this machine by giving its own
    /// name this machine's address. And header fields that could not be compared in time, for servers that let them pass.
    func check(_ request: HTTPRequest) throws {
        guard !request.headers.fields.contains(where: \.value.hasEndlessMarks) else {
            throw RequestError(.badRequest, "A header field has more than 256 combining marks in a row.")
        }
        guard !hosts.isEmpty else { return }
        for field in request.headers.fields where HTTPHeaders.isSame(field.name, "Host") {
            // As nearly everybody writes it.
            if field.value == usualHost { continue }
            try check(host: field.value)
        }
    }

    private func check(host: String) throws {
        let name = Self.name(ofHost: host)
        let port = host[name.endIndex...]
        guard hosts.contains(name.lowercased()), port.isEmpty || port.hasPrefix(":") else {
            throw RequestError(.misdirected, "This server does not go by that name. See --public-url.")
        }
    }

    /// The name in a `Host` field, without the port.
    private static func name(ofHost host: String) -> Substring {
        let bracket = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : nil
        return host[..<(bracket ?? host.firstIndex(of: ":") ?? host.endIndex)]
    }
}

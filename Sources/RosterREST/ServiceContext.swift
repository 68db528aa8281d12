package import Foundation
package import Roster
package import RosterSignIn
import RosterText

/// The objects that all requests share: the directory, sign-in, and the settings of the service.
///
/// It is a class, because copying all of its fields took a tenth of the time of a read.
package final class ServiceContext: Sendable {
    package let directory: Directory
    /// The public address of the service, such as `https://id.example.com`, without a slash at the end. Links are built
    /// from it, never from a request's `Host`.
    package let baseURL: String
    /// The path of ``baseURL``.
    package let basePath: BasePath
    /// The address without its path.
    package var origin: String { String(baseURL.dropLast(basePath.text.count)) }
    /// The host names that requests may use, without ports; empty for any.
    let hosts: Set<String>
    /// The usual value of `Host`, which is the host and port of ``baseURL``; nil if that is not one of ``hosts``.
    private let usualHost: String?
    /// Whether passwords and tokens are accepted over unencrypted connections.
    package let allowsPlainCredentials: Bool
    let passwords: PasswordKeeper
    package let oauth: OAuthService
    package var relyingParty: RelyingParty { oauth.relyingParty }
    package let testProvider: TestProvider?
    /// Sends mails; nil for a service that sends none.
    let mailer: Mailer?
    package let seal: Seal
    /// The policy that the service was started with; nil for the stored one.
    let givenCrossOrigin: CrossOriginPolicy?
    private let storedCrossOrigin = Locked(CrossOriginPolicy.disallow)
    let metrics: Metrics
    /// Whether the disk takes changes; nil for a directory in memory.
    let storage: StorageProbe?
    /// The interfaces that this service has in addition to those of every service.
    let interfaces: [ServiceInterface]
    /// The readers of the credentials that only clients of these interfaces send.
    let credentialReaders: [CredentialReader]
    /// The times at which the certificates of the server's chain expire; empty without TLS.
    let certificateEnds: @Sendable () -> [Date]
    /// The figures of other servers in the process.
    let neighbourFigures: @Sendable () -> [NeighbourFigure]
    /// Whether browsers reach the service by https only, so that they are told to keep to it.
    let isSecure: Bool
    let vocabularies = DerivedVocabulary.Memory()
    let knownCredentials = KnownCredentials()
    let description = DescriptionMemory()
    let uploads = Uploads()
    /// The interval at which a stream of events sends a sign of life, and checks the listener's credential again.
    let keepAliveInterval: Duration
    let isDraining: @Sendable () -> Bool
    /// Receives a record of each request; nil for no log.
    let log: (@Sendable (RequestRecord) -> Void)?

    /// Tells browsers to use https only, for a year (RFC 6797). It counts for the name itself, not for names below it.
    package static let transportSecurity = (name: "Strict-Transport-Security", value: "max-age=31536000")

    package init(
        directory: Directory, baseURL: String, hosts: Set<String> = [], allowsPlainCredentials: Bool = false,
        signIn: SignIn, crossOrigin: CrossOriginPolicy? = nil, keepAliveInterval: Duration = .seconds(15),
        mailer: Mailer? = nil, isDraining: @escaping @Sendable () -> Bool = { false },
        log: (@Sendable (RequestRecord) -> Void)? = nil,
        storage: StorageProbe? = nil, isSecure: Bool = false,
        certificateEnds: @escaping @Sendable () -> [Date] = { [] },
        neighbourFigures: @escaping @Sendable () -> [NeighbourFigure] = { [] },
        interfaces: [ServiceInterface] = []
    ) throws {
        self.directory = directory
        self.interfaces = interfaces
        credentialReaders = interfaces.compactMap(\.credentials)
        self.baseURL = baseURL
        basePath = BasePath(of: baseURL)
        self.hosts = hosts
        let own = baseURL.split(separator: "/", maxSplits: 3).dropFirst().first.map(String.init)
        usualHost = own.flatMap { hosts.contains(Self.name(ofHost: $0).lowercased()) ? $0 : nil }
        self.allowsPlainCredentials = allowsPlainCredentials
        passwords = signIn.passwords
        oauth = signIn.oauth
        testProvider = signIn.testProvider
        self.mailer = mailer
        seal = try Seal(key: directory.signingKey())
        metrics = Metrics()
        givenCrossOrigin = crossOrigin
        self.keepAliveInterval = keepAliveInterval
        self.isDraining = isDraining
        self.storage = storage ?? StorageProbe(directory)
        self.isSecure = isSecure || baseURL.lowercased().hasPrefix("https:")
        self.certificateEnds = certificateEnds
        self.neighbourFigures = neighbourFigures
        self.log = log
        mailer?.nameOrganization { [settings = signIn.oauth.settings] in settings.current.branding.name }
    }

    /// The origins whose pages may call the service from a browser (`Security_AllowOrigin`).
    package var crossOrigin: CrossOriginPolicy {
        if let givenCrossOrigin { return givenCrossOrigin }
        guard let text = oauth.settings.current.allowedOrigins else { return .disallow }
        return storedCrossOrigin.withLock { known in
            // The text was checked when it was stored.
            if known.text != text { known = (try? CrossOriginPolicy(text)) ?? .disallow }
            return known
        }
    }

    /// Whether the service accepts new challenge questions. Users keep the questions that they have.
    var takesQuestions: Bool { interfaces.contains(where: \.takesQuestions) }

    /// The form of the interface that a target names, even if the rest of the target is malformed.
    func errorStyle(of target: String) -> ErrorStyle {
        let segment = target.split(whereSeparator: { $0 == "/" || $0 == "?" }).first.map(String.init) ?? ""
        switch segment {
        case "scim": return .scim
        case "oauth2": return .oauth
        default: return interfaces.lazy.compactMap { $0.errorStyles[segment] }.first ?? .problem
        }
    }

    /// Refuses header fields that would take too long to compare.
    func check(_ request: HTTPRequest) throws {
        guard !request.headers.fields.contains(where: \.value.hasEndlessMarks) else {
            throw RequestError(.badRequest, "A header field has more than 256 combining marks in a row.")
        }
    }

    /// Refuses requests for other hosts, so that a foreign page cannot reach a server on this machine by DNS rebinding.
    func checkHost(of request: HTTPRequest) throws {
        guard !hosts.isEmpty else { return }
        for field in request.headers.fields where HTTPHeaders.isSame(field.name, "Host") {
            // The usual case.
            if field.value == usualHost { continue }
            try check(host: field.value)
        }
    }

    private func check(host: String) throws {
        let name = Self.name(ofHost: host)
        let port = host[name.endIndex...]
        guard hosts.contains(name.lowercased()), port.isEmpty || port.hasPrefix(":") else {
            throw RequestError(
                .misdirected, "This server does not go by that name. Use the name of its public address.")
        }
    }

    /// The name in a `Host` field, without the port.
    private static func name(ofHost host: String) -> Substring {
        let bracket = host.hasPrefix("[") ? host.firstIndex(of: "]").map { host.index(after: $0) } : nil
        return host[..<(bracket ?? host.firstIndex(of: ":") ?? host.endIndex)]
    }
}

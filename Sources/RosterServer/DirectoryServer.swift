public import Foundation
public import Roster
import RosterREST
public import RosterSignIn
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Serves a directory over HTTP: the profile service, SCIM, the change feed, the page for people.
///
/// ```swift
/// let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
/// let url = try server.start()
/// …
/// await server.stop()
/// ```
public final class DirectoryServer: Sendable {
    /// What a server is told.
    public struct Configuration: Sendable {
        /// Where to listen, such as `127.0.0.1:8080` or `[::1]:8080`; port 0 for any that is free.
        public var listen: String
        /// Where clients reach the server, such as `https://id.example.com`; nil where that is where it listens.
        public var publicURL: String?
        /// The paths of the certificate with those that vouch for it, and of its key, in PEM; nil for no TLS.
        public var tls: (certificate: String, key: String)?
        /// The IP addresses of proxies that say in `X-Forwarded-For` whom they ask for. All clients of a proxy that is not
        /// named here count as one, so that one who fails to sign in again and again keeps all others out.
        public var trustedProxies: [String] = []
        /// Whether passwords and tokens may come without TLS from other machines.
        public var allowsPlainHTTP: Bool
        /// Whose pages may ask the server from a browser, as `Security_AllowOrigin` says it: `disallow`, or patterns such as
        /// `https://*.example.com:8443` with commas between them.
        public var allowOrigin = "disallow"
        /// Whose word is taken besides what the directory knows itself: issuers of tokens, and providers.
        public var trust = SignIn.Trust()
        /// What holds for calls that come by way of no backend.
        public var direct = SignIn.DirectAccess()
        /// Whether there is a provider for tests, with whom anybody can sign in as anybody. Only where nobody else can reach
        /// the server.
        public var hasTestProvider = false
        /// Takes the log: one line of JSON for each request, several at once. Called from one thread at a time.
        public var log: (@Sendable (Data) -> Void)?

        /// Tells a server where to listen.
        public init(
            listen: String = "127.0.0.1:8080", publicURL: String? = nil,
            tls: (certificate: String, key: String)? = nil, allowsPlainHTTP: Bool = false,
            log: (@Sendable (Data) -> Void)? = nil
        ) {
            self.listen = listen
            self.publicURL = publicURL
            self.tls = tls
            self.allowsPlainHTTP = allowsPlainHTTP
            self.log = log
        }
    }

    /// Why a server cannot start.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        /// What is wrong, and what to do.
        public let description: String
    }

    private let directory: Directory
    private let configuration: Configuration
    private let listener: HTTPServer.Listener
    private let trustedProxies: TrustedProxies
    private let log: RequestLog?
    private let running = Locked<HTTPServer?>(nil)
    private let made = Locked<SignIn?>(nil)
    private let isDraining = Locked(false)
    /// Whether the server starts, runs or stops.
    private let isBusy = Locked(false)

    /// What the server signs people in by, for the app around it; nil until the server has started.
    public var signIn: SignIn? { made.withLock { $0 } }

    /// Prepares a server.
    ///
    /// - Throws: ``Failure`` for an address or a proxy that is none, and where others could read passwords along.
    public init(_ directory: Directory, configuration: Configuration = Configuration()) throws {
        self.directory = directory
        self.configuration = configuration
        do {
            listener = try HTTPServer.Listener(configuration.listen)
            trustedProxies = try TrustedProxies(configuration.trustedProxies)
        } catch {
            throw Failure(description: "\(error)")
        }
        log = configuration.log.map { RequestLog($0) }
        let publicHost = configuration.publicURL.map { URL(string: $0)?.host(percentEncoded: false) ?? "" }
        if configuration.hasTestProvider, !Self.isLoopback(listener.host) || publicHost.map(Self.isLoopback) == false {
            throw Failure(
                description:
                    "With the test provider anybody can sign in as anybody. Listen on 127.0.0.1, or leave "
                    + "--test-provider out.")
        }
        guard Self.isLoopback(listener.host) || configuration.tls != nil || configuration.allowsPlainHTTP else {
            throw Failure(
                description:
                    "On '\(configuration.listen)' others could read passwords along. Give --certificate and --key, or "
                    + "listen on 127.0.0.1 behind a proxy, or say --allow-plain-http.")
        }
    }

    /// Where a proxy on this machine asks from, as far as can be told, where there seems to be one that is not trusted.
    package var unnamedProxy: String? {
        let isBehindProxy = configuration.publicURL != nil && Self.isLoopback(listener.host)
        return isBehindProxy && configuration.trustedProxies.isEmpty ? listener.host : nil
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// Begins to serve. A server that was stopped can be started again.
    ///
    /// - Returns: Where clients reach the server.
    /// - Throws: ``Failure`` where the server runs already, the address is taken, or the certificate or its key cannot be
    ///   used; ``DirectoryError``. Nothing listens then.
    @discardableResult
    public func start() throws -> String {
        let isFirst = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFirst else { throw Failure(description: "The server runs already. Stop it first.") }
        do {
            return try begin()
        } catch {
            isBusy.withLock { $0 = false }
            throw error
        }
    }

    private func begin() throws -> String {
        // Whatever is wrong with the documents is told before anybody can connect.
        var trust = configuration.trust
        if trust.notice == nil, let log { trust.notice = { log.warn($0) } }
        let (issuers, providers, tokenSettings) = try trust.read()
        let direct = try configuration.direct.read()
        do {
            // Who connects before the service is made waits in the socket's line.
            let socket = try listener.open()
            let server: HTTPServer
            let base: String
            do {
                base = address(port: socket.port)
                let signIn = try SignIn(
                    directory, issuer: base, trust: issuers, providers: providers, direct: direct,
                    hasTestProvider: configuration.hasTestProvider, tokenSettings: tokenSettings)
                server = try HTTPServer(
                    listening: listener,
                    tls: configuration.tls.map { HTTPServer.TLSFiles(certificate: $0.certificate, key: $0.key) },
                    trustedProxies: trustedProxies, handler: Self.handler(try service(base, signIn)),
                    failure: RESTService.refusal)
                made.withLock { $0 = signIn }
            } catch {
                close(socket.descriptor)
                throw error
            }
            isDraining.withLock { $0 = false }
            _ = try server.start(on: socket)
            running.withLock { $0 = server }
            return base
        } catch let error as HTTPServerError {
            throw Failure(description: "\(error)")
        }
    }

    /// Where clients reach the server that listens at a port, without a slash at the end.
    private func address(port: UInt16) -> String {
        let scheme = configuration.tls == nil ? "http" : "https"
        let host = ["0.0.0.0", "::"].contains(listener.host) ? "localhost" : listener.host
        var base = configuration.publicURL ?? "\(scheme)://\(HTTPServer.Listener(host: host, port: port))"
        while base.hasSuffix("/") { base.removeLast() }
        return base
    }

    private func service(_ base: String, _ signIn: SignIn) throws -> RESTService {
        var record: (@Sendable (RequestRecord) -> Void)?
        if let log { record = { log.write($0) } }
        return RESTService(
            try ServiceContext(
                directory: directory, baseURL: base, hosts: hosts(base),
                allowsPlainCredentials: configuration.allowsPlainHTTP, signIn: signIn,
                crossOrigin: CrossOriginPolicy(configuration.allowOrigin),
                isDraining: { [isDraining] in isDraining.withLock { $0 } },
                log: record), tidying: signIn)
    }

    /// Answers the page's files, and has the service answer all else.
    private static func handler(_ service: RESTService) -> @Sendable (HTTPRequest) -> HTTPAnswer {
        let page = PageFiles()
        return { request in
            if let response = page.response(to: request) { return .now(response) }
            return service.answer(to: request)
        }
    }

    /// The names by which a server that nobody else reaches is asked for; elsewhere a proxy or the network decides, and
    /// any name will do unless the server was told its own.
    private func hosts(_ base: String) -> Set<String> {
        let loopback: Set<String> = ["localhost", "127.0.0.1", "[::1]", listener.host]
        guard let publicURL = configuration.publicURL else { return Self.isLoopback(listener.host) ? loopback : [] }
        let host = URL(string: publicURL)?.host(percentEncoded: true)?.lowercased()
        return host.map { loopback.union([$0, "[\($0)]"]) } ?? []
    }

    /// Reads the certificate and its key again. Connections that are open go on.
    ///
    /// - Throws: ``Failure``; the old ones stay in use then.
    public func reload() throws {
        do {
            try running.withLock({ $0 })?.reloadTLS()
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// Stops so that no request fails: what has begun is finished, and what comes meanwhile is answered and told that the
    /// connection closes.
    ///
    /// - Parameter timeout: How long to wait for what has begun; what is not done then is cut off.
    public func stop(timeout: Duration = .seconds(30)) async {
        isDraining.withLock { $0 = true }
        let server = running.withLock { $0.take() }
        await server?.drain(timeout: timeout)
        await signIn?.flush()
        log?.flush()
        if server != nil { isBusy.withLock { $0 = false } }
    }
}

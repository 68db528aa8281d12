public import Foundation
public import Roster
import RosterDialects
package import RosterREST
public import RosterSignIn
import RosterTLS
import RosterText

/// Serves a directory over HTTP: the profile service, SCIM, the change feed, the page for people.
///
/// ```swift
/// let server = try DirectoryServer(directory, configuration: .init(listen: "127.0.0.1:0"))
/// let url = try server.start()
/// …
/// await server.stop()
/// ```
public final class DirectoryServer: Sendable {
    /// The settings of a server.
    public struct Configuration: Sendable {
        /// The address to listen at, such as `127.0.0.1:8080` or `[::1]:8080`. Port 0 means any free port. `unix:/run/roster/roster.sock`
        /// is a Unix socket, whose clients count as clients from 127.0.0.1, and `systemd` the socket that systemd hands over. A
        /// Unix socket needs ``publicURL``.
        public var listen: String
        /// The permissions of the file of a Unix socket.
        public var socketPermissions: UInt16 = 0o660
        /// The address at which clients reach the server, such as `https://id.example.com`, or `https://example.com/roster`
        /// behind a proxy that serves it below a path, whether the proxy takes the path away or not. Nil means the address
        /// at which the server listens.
        public var publicURL: String?
        /// The paths of the certificate chain and of its private key, in PEM. Nil means no TLS.
        public var tls: (certificate: String, key: String)?
        /// The IP addresses of reverse proxies whose `X-Forwarded-For` is trusted. All clients of a proxy that is missing
        /// here share one address, so that the failed sign-ins of one client slow down all of them.
        public var trustedProxies: [String] = []
        /// How long the server keeps a connection on which nothing happens. Choose more than the proxy before the server,
        /// which otherwise sends requests to a connection that the server is closing.
        public var keepAlive: Duration = .seconds(75)
        /// Whether the server accepts passwords and tokens without TLS from other machines.
        public var allowsPlainHTTP: Bool
        /// The origins whose pages may read answers in a browser (CORS), in the form of `Security_AllowOrigin`: `disallow`,
        /// or patterns such as `https://*.example.com:8443`, separated by commas. Nil means what administrators set while the
        /// server runs, or else `disallow`.
        public var allowOrigin: String?
        /// The token issuers and identity providers that the server trusts.
        public var trust = SignIn.Trust()
        /// The rules for calls that name no backend.
        public var direct = SignIn.DirectAccess()
        /// Whether the server has an identity provider for tests, with which anybody can sign in as anybody. It is allowed
        /// only if other machines cannot reach the server.
        public var hasTestProvider = false
        /// Whether the server serves the interfaces of `RosterDialects`, which clients of older systems use.
        public var hasDialects = true
        /// The token settings of backends without settings of their own.
        public var tokenSettings = TokenSettings()
        /// How fast one account may change the directory and sign in.
        public var rates = DirectoryRates.served
        /// The mail server, and the address of the sender; nil to send no mails.
        package var mail: Mailer.Settings?
        /// The cost of hashing a new password.
        public var passwordCost = PasswordParameters.standard
        /// The source of the time for codes and tokens; nil for the directory's clock.
        package var clock: (@Sendable () -> Date)?
        /// The figures of other servers in the process, for `/metrics`.
        package var neighbourFigures: @Sendable () -> [NeighbourFigure] = { [] }
        /// Receives the log, which has one line of JSON for each request. Several lines come at once, from one thread at a
        /// time.
        public var log: (@Sendable (Data) -> Void)?

        /// Makes settings with the usual rules.
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

    /// The reason why a server cannot start.
    public struct Failure: LocalizedError, Sendable, CustomStringConvertible {
        /// A setting that has to be changed.
        package enum Setting: Sendable {
            case tls, testProvider, dialects, publicURL
        }

        /// A sentence that says what is wrong and what to do.
        public let description: String
        /// The setting that has to be changed; nil for other reasons.
        package var setting: Setting?

        /// The same as ``description``.
        public var errorDescription: String? { description }
    }

    private let directory: Directory
    private let configuration: Configuration
    private let listener: HTTPServer.Listener
    /// The numeric address at which the server listens; nil for a Unix socket.
    private let host: String?
    private let trustedProxies: TrustedProxies
    private let log: RequestLog?
    private let running = Locked<HTTPServer?>(nil)
    private let bound = Locked<UInt16?>(nil)
    private let made = Locked<SignIn?>(nil)
    private let isDraining = Locked(false)
    /// Whether the server starts, runs or stops.
    private let isBusy = Locked(false)

    /// The port of the last start; nil until the server has started.
    package var port: UInt16? { bound.withLock { $0 } }

    /// The present figures of the server; nil while it does not run.
    package var statistics: HTTPServer.Statistics? { running.withLock { $0 }?.statistics }

    /// The sign-in service that the server uses, for the app around it. Nil until the server has started.
    public var signIn: SignIn? { made.withLock { $0 } }

    /// Prepares a server.
    ///
    /// - Throws: ``Failure`` if an address is malformed, or if passwords would cross the network unencrypted.
    public init(_ directory: Directory, configuration: Configuration = Configuration()) throws {
        self.directory = directory
        self.configuration = configuration
        (listener, host, trustedProxies) = try configuration.addresses()
        log = configuration.log.map { RequestLog($0) }
    }

    /// The loopback address of a suspected, undeclared reverse proxy. The warning at start uses it.
    package var unnamedProxy: String? {
        let own = host ?? "127.0.0.1"
        let isBehindProxy = configuration.publicURL != nil && Loopback.contains(own)
        return isBehindProxy && configuration.trustedProxies.isEmpty ? own : nil
    }

    /// Starts the server. A server that was stopped can be started again.
    ///
    /// - Returns: The address at which clients reach the server.
    /// - Throws: ``Failure`` if the server runs already, the address is in use, or the certificate or its key is unusable;
    ///   `DirectoryError`. The port is free again when the error is thrown.
    @discardableResult
    public func start() throws -> String {
        let isFirst = isBusy.withLock { isBusy in
            defer { isBusy = true }
            return !isBusy
        }
        guard isFirst else { throw Failure(description: "The server runs already. Stop it first.") }
        do {
            let address = try begin()
            directory.noteServer(at: address)
            return address
        } catch {
            isBusy.withLock { $0 = false }
            throw error
        }
    }

    private func begin() throws -> String {
        // The documents are read first, so that their errors come before any client can connect.
        var trust = configuration.trust
        if trust.notice == nil, let log { trust.notice = { log.warn($0) } }
        let (issuers, providers) = try trust.read()
        do {
            // A client that connects before the service exists waits in the backlog of the socket.
            let socket = try listener.open()
            let server: HTTPServer
            let base: String
            directory.rates = configuration.rates
            var limits = HTTPServer.Limits()
            limits.idle = configuration.keepAlive
            do {
                base = address(port: socket.port)
                let signIn = try SignIn(
                    directory, issuer: base, passwordCost: configuration.passwordCost, trust: issuers,
                    providers: providers, direct: configuration.direct,
                    hasTestProvider: configuration.hasTestProvider, tokenSettings: configuration.tokenSettings,
                    clock: configuration.clock)
                let service = try service(base, signIn)
                server = try HTTPServer(
                    listening: listener,
                    tls: configuration.tls.map { HTTPServer.TLSFiles(certificate: $0.certificate, key: $0.key) },
                    limits: limits, trustedProxies: trustedProxies, handler: handler(service),
                    largeBody: service.largeBody,
                    failure: RESTService.refusal)
                made.withLock { $0 = signIn }
            } catch {
                close(socket.descriptor)
                throw error
            }
            isDraining.withLock { $0 = false }
            _ = try server.start(on: socket)
            running.withLock { $0 = server }
            bound.withLock { $0 = socket.port }
            directory.storage.watchForDamage { [log] in
                log?.warn("The directory's file is damaged, and takes no changes. Restore a backup.")
            }
            directory.storage.watchForLoss { [log] in log?.warn($0) }
            return base
        } catch let error as HTTPServerError {
            throw Failure(description: "\(error)")
        }
    }

    /// The address at which clients reach the server, without a slash at the end.
    private func address(port: UInt16) -> String {
        let scheme = configuration.tls == nil ? "http" : "https"
        let host = ["0.0.0.0", "::", nil].contains(host) ? "localhost" : host ?? ""
        var base =
            configuration.publicURL ?? "\(scheme)://\(HTTPServer.Listener.network(host: host, port: port))"
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
                crossOrigin: configuration.allowOrigin.map { try CrossOriginPolicy($0) },
                mailer: configuration.mail.map { mail in
                    Mailer(
                        mail, warn: { [log] in log?.warn($0) },
                        noteLost: { [audit = signIn.oauth.audit] in audit.recordLostMail(to: $0, $1) })
                },
                isDraining: { [isDraining] in isDraining.withLock { $0 } },
                log: record, isSecure: configuration.tls != nil,
                certificateEnds: { [running] in running.withLock { $0 }?.certificateEnds ?? [] },
                neighbourFigures: configuration.neighbourFigures,
                interfaces: configuration.hasDialects ? .dialects : []), tidying: signIn)
    }

    /// Makes the handler of the transport. It serves the page's files, and passes other requests to the service.
    private func handler(_ service: RESTService) -> @Sendable (HTTPRequest) -> HTTPAnswer {
        let page = PageFiles(isSecure: service.isSecure)
        return { request in
            if let response = service.redirectToPage(request) { return .now(response) }
            let request = service.withoutBasePath(request, isPage: page.has)
            if let response = page.response(to: request) { return .now(response) }
            return service.answer(to: request)
        }
    }

    /// The host names that requests may use. A server that listens on loopback accepts only loopback names and its public
    /// name. Other servers accept any name unless they have a public URL.
    private func hosts(_ base: String) -> Set<String> {
        let loopback: Set<String> = ["localhost", "127.0.0.1", "[::1]", host ?? "localhost"]
        guard let publicURL = configuration.publicURL else {
            return Loopback.contains(host ?? "localhost") ? loopback : []
        }
        let publicHost = URL(string: publicURL)?.host(percentEncoded: true)?.lowercased()
        return publicHost.map { loopback.union([$0, "[\($0)]"]) } ?? []
    }

    /// Reads the certificate and its key again. Open connections continue.
    ///
    /// - Throws: ``Failure``. The server then keeps the old certificate and key.
    public func reload() throws {
        do {
            try running.withLock({ $0 })?.reloadTLS()
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// Stops the server so that no request fails. The server finishes the requests that have begun, and answers the
    /// requests that arrive meanwhile with `Connection: close`.
    ///
    /// - Parameter timeout: The time to wait for requests that have begun. Connections that are still open then are cut.
    public func stop(timeout: Duration = .seconds(30)) async {
        isDraining.withLock { $0 = true }
        let server = running.withLock { $0.take() }
        await server?.drain(timeout: timeout)
        await signIn?.flush()
        log?.flush()
        if server != nil { isBusy.withLock { $0 = false } }
    }
}

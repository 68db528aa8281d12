public import Foundation
public import Roster
public import RosterSignIn
import RosterTLS
import RosterText
import Synchronization

/// Serves a directory over LDAP (RFC 4510): users below `ou=people`, roles below `ou=groups`.
///
/// ```swift
/// let signIn = try SignIn(directory, issuer: "https://id.example.com")
/// let server = try LDAPServer(directory, signIn: signIn, configuration: .init(listen: ["ldap://127.0.0.1:3890"]))
/// try server.start()
/// …
/// await server.stop()
/// ```
public final class LDAPServer: Sendable {
    /// The settings of a server.
    public struct Configuration: Sendable {
        /// The addresses to listen at, such as `ldap://127.0.0.1:389`, `ldaps://0.0.0.0:636` and `ldapi://%2Frun%2Fldapi`. Port 0
        /// means any free port.
        public var listen: [String]
        /// The distinguished name of the tree's base. It begins with `dc`, `o` or `ou`.
        public var base: String
        /// The paths of the certificate chain and of its private key, in PEM, for `ldaps` and StartTLS. Nil means no TLS.
        public var tls: (certificate: String, key: String)?
        /// The path of a file with certificates of authorities, in PEM. A client whose certificate one of these authorities signed can
        /// bind with SASL `EXTERNAL`. With nil, the default, the server requests no client certificates.
        public var clientAuthorities: String?
        /// Whether users with a second factor bind with their password, followed by the six digits of their authenticator app; false by
        /// default. The server accepts a code once, so this suits people at a prompt, and not programs that bind repeatedly.
        public var takesCodeAfterPassword = false
        /// Whether the server takes passwords from other machines before TLS has begun.
        public var allowsPlain: Bool
        /// Receives the log, which has one line of JSON for each operation. Several lines come at once, from one thread at a time.
        public var log: (@Sendable (Data) -> Void)?
        /// These settings give users POSIX accounts. With nil, the default, no entry is a POSIX account.
        public var posix: PosixAccounts?
        /// Whether `memberOf` names only the roles of which a user or role is a direct member; false by default, where it also names the
        /// roles around those. The rule `1.2.840.113556.1.4.1941` asks for all roles in any case.
        public var hasDirectMemberOf = false
        package var limits = Limits()

        /// Makes settings.
        public init(
            listen: [String] = ["ldap://127.0.0.1:3890"], base: String = "dc=example,dc=com",
            tls: (certificate: String, key: String)? = nil, allowsPlain: Bool = false,
            log: (@Sendable (Data) -> Void)? = nil
        ) {
            (self.listen, self.base, self.tls, self.allowsPlain, self.log) = (listen, base, tls, allowsPlain, log)
        }

        /// Checks what can be checked before there is a directory: the addresses, the base, the certificate and its key, and that
        /// nobody else listens there.
        ///
        /// - Throws: ``LDAPServer/Failure``.
        public func check() throws {
            _ = try tlsServer()
            for address in try addresses() { try Listener(address).close() }
            try checkTree()
        }

        fileprivate func checkTree() throws {
            do {
                try DirectoryTree.check(base: base)
            } catch let problem as DirectoryTree.InvalidBase {
                throw Failure(description: problem.description)
            }
            try posix?.check()
        }

        fileprivate func addresses() throws -> [LDAPAddress] {
            let addresses = try listen.map { try LDAPAddress($0) }
            for address in addresses where tls == nil {
                if address.kind == .tls { throw Failure(description: "\(address) needs a certificate. Set 'tls'.") }
                guard address.isLocal || allowsPlain else {
                    throw Failure(
                        description:
                            "At \(address) others could read passwords along. Set 'tls', or listen on 127.0.0.1, "
                            + "or set 'allowsPlain'.")
                }
            }
            return addresses
        }

        fileprivate func tlsServer() throws -> TLSServer? {
            guard tls != nil || clientAuthorities == nil else {
                throw Failure(description: "Certificates of clients need TLS. Set 'tls', too.")
            }
            do {
                let authorities = try clientAuthorities.map { try ClientAuthorities($0) }
                return try tls.map { files in
                    TLSServer(
                        try TLSIdentity(TLSFiles(certificate: files.certificate, key: files.key)),
                        clientAuthorities: authorities)
                }
            } catch {
                throw Failure(description: "\(error)")
            }
        }
    }

    /// The reason why a server cannot start.
    public struct Failure: LocalizedError, Sendable, Hashable, CustomStringConvertible {
        /// A sentence that says what is wrong and what to do.
        public let description: String

        package init(description: String) { self.description = description }

        /// The same as ``description``.
        public var errorDescription: String? { description }
    }

    private struct Running: Sendable {
        let context: LDAPContext
        let loops: [LDAPLoop]
    }

    private let directory: Directory
    private let signIn: SignIn
    private let configuration: Configuration
    private let addresses: [LDAPAddress]
    private let tls: TLSServer?
    private let log: LDAPLog?
    private let running = Locked<Running?>(nil)

    /// Prepares a server.
    ///
    /// - Parameters:
    ///   - directory: The directory.
    ///   - signIn: The sign-in of the directory. Give the one that the app uses elsewhere, because it counts failed attempts.
    ///   - configuration: The settings.
    /// - Throws: ``Failure`` for an address or a base that cannot be used, or if passwords would cross the network unencrypted;
    ///   `DirectoryError`.
    public init(_ directory: Directory, signIn: SignIn, configuration: Configuration = Configuration()) throws {
        (self.directory, self.signIn, self.configuration) = (directory, signIn, configuration)
        addresses = try configuration.addresses()
        tls = try configuration.tlsServer()
        try configuration.checkTree()
        log = configuration.log.map { LDAPLog($0) }
    }

    /// Starts the server. A server that was stopped can be started again.
    ///
    /// - Returns: The addresses at which the server listens, with their ports.
    /// - Throws: ``Failure`` if the server runs already or an address is in use.
    @discardableResult
    public func start() throws -> [String] {
        guard running.withLock({ $0 == nil }) else {
            throw Failure(description: "The server runs already. Stop it first.")
        }
        let tree = try DirectoryTree(
            base: configuration.base, posix: configuration.posix?.numbering,
            memberOf: configuration.hasDirectMemberOf ? .direct : .effective, directory)
        let authenticator = Authenticator(
            directory: directory, signIn: signIn, tree: tree, allowsPlain: configuration.allowsPlain,
            takesCodeAfterPassword: configuration.takesCodeAfterPassword)
        let service = LDAPService(
            authenticator, searchTime: configuration.limits.searchTime, supportsTLS: tls != nil, log: log)
        var listeners: [Listener] = []
        do {
            for address in addresses { listeners.append(try Listener(address)) }
        } catch {
            for listener in listeners { listener.close() }
            throw error
        }
        var makeTLS: (@Sendable (Int32) -> (any ByteStream)?)?
        if let tls { makeTLS = { tls.session(on: $0).map { TLSStream(session: $0) } } }
        let context = LDAPContext(service, configuration.limits, makeTLS: makeTLS)
        let count = max(configuration.limits.threads, 1)
        let loops = (0..<count).map { LDAPLoop(context, $0 == 0 ? listeners : []) }
        for loop in loops { loop.start(with: loop === loops[0] ? loops : []) }
        running.withLock { $0 = Running(context: context, loops: loops) }
        return listeners.map(\.address.description)
    }

    /// Reads the certificate, its key and the authorities of clients again. New connections use them; open connections keep the old ones.
    ///
    /// - Throws: ``Failure``. The server then keeps what could not be read again as it was.
    public func reload() throws {
        do {
            try tls?.identity.reload()
            try tls?.clientAuthorities?.reload()
        } catch {
            throw Failure(description: "\(error)")
        }
    }

    /// The present figures of the server; nil while it does not run.
    package var statistics: Statistics? {
        guard let running = running.withLock({ $0 }) else { return nil }
        let counts = running.context.counts
        return Statistics(
            connections: running.context.places.count, operationsInFlight: counts.running.load(ordering: .relaxed),
            broken: counts.broken.load(ordering: .relaxed), refused: counts.refused.load(ordering: .relaxed),
            late: counts.late.load(ordering: .relaxed))
    }

    /// Stops the server. The server accepts no more connections and operations, finishes the operations that have begun, and sends each
    /// client a notice of disconnection.
    ///
    /// - Parameter timeout: The time to wait for operations that have begun. Connections that are still open then are cut.
    public func stop(timeout: Duration = .seconds(30)) async {
        guard let running = running.withLock({ $0.take() }) else { return }
        let end = ContinuousClock.now + timeout
        for loop in running.loops { loop.drain() }
        while running.context.places.count > 0, .now < end { try? await Task.sleep(for: .milliseconds(5)) }
        for loop in running.loops { await loop.stop() }
        await signIn.flush()
        log?.flush()
    }
}

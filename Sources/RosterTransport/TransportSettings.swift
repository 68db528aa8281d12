/// How a ``Transport`` connects.
public struct TransportSettings: Sendable {
    /// A certificate with which the client authenticates (mutual TLS). On Apple platforms it is not used.
    public struct ClientCertificate: Sendable, CustomStringConvertible, CustomReflectable {
        /// The path of a PEM file with the certificate, and the intermediate ones after it.
        public let certificateFile: String
        /// The path of a PEM file with the private key.
        public let keyFile: String
        /// The passphrase of the private key; nil if the key is not encrypted.
        public let passphrase: String?

        /// A certificate and its key.
        public init(certificateFile: String, keyFile: String, passphrase: String? = nil) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
            self.passphrase = passphrase
        }

        /// The path of the certificate.
        public var description: String { certificateFile }
        /// A mirror without children, so that `dump` shows no secret.
        public var customMirror: Mirror { Mirror(self, children: []) }
    }

    /// The value of `User-Agent`, unless a request has one.
    public var userAgent = "Roster"
    /// The path of a PEM file with the only authorities whose certificates are accepted; nil for those of the system. On Apple
    /// platforms it is not used.
    public var authoritiesFile: String?
    /// The path of a PEM file with further certificate authorities, such as a company's own. The transport accepts certificates of these
    /// authorities beside certificates of the system's authorities. With nil, the transport accepts the system's authorities only. The
    /// transport ignores the file if ``authoritiesFile`` is set, and on Apple platforms.
    public var furtherAuthoritiesFile: String?
    /// The certificate with which the client authenticates; nil for none.
    public var clientCertificate: ClientCertificate?
    /// The URL of a proxy; nil for none. Environment variables are ignored. Requests to this machine never use the proxy.
    public var proxy: String?
    /// How many connections to one host may be open at once. Further requests wait for their turn. An open stream
    /// occupies a connection.
    public var connectionsPerHost = 16

    /// The defaults.
    public init() {}
}

extension TransportSettings: CustomStringConvertible, CustomReflectable {
    /// The user agent, because other settings can hold a password.
    public var description: String { userAgent }

    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

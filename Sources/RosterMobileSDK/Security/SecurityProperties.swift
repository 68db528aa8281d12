public import Foundation
public import RosterClient
public import RosterText

/// The properties of a security service. Mirrors the dictionary of `OMMobileSecurityService initWithProperties:delegate:`.
///
/// Where the server's profile of the app says something else, the profile counts. The description shows the server and the app only.
public struct SecurityProperties: Sendable, Hashable, CustomStringConvertible, Redacted {
    /// A scheme of stored credentials, with the names of Oracle's SDK (`OM_PROP_CRYPTO_SCHEME`).
    public enum CryptoScheme: String, Sendable, Hashable, CaseIterable {
        /// The memory-hard function scrypt (RFC 7914).
        case scrypt
        /// No hash at all, for credentials of old apps that are imported.
        case plainText = "PlainText"
        /// SHA-1 without a salt, for credentials of old apps that are imported.
        case sha1 = "SHA-1"
        /// SHA-224 without a salt, for credentials of old apps that are imported.
        case sha224 = "SHA-224"
        /// SHA-256 without a salt, for credentials of old apps that are imported.
        case sha256 = "SHA-256"
        /// SHA-384 without a salt, for credentials of old apps that are imported.
        case sha384 = "SHA-384"
        /// SHA-512 without a salt, for credentials of old apps that are imported.
        case sha512 = "SHA-512"
        /// SHA-1 with a salt, for credentials of old apps that are imported.
        case saltedSHA1 = "SaltedSHA-1"
        /// SHA-224 with a salt, for credentials of old apps that are imported.
        case saltedSHA224 = "SaltedSHA-224"
        /// SHA-256 with a salt, for credentials of old apps that are imported.
        case saltedSHA256 = "SaltedSHA-256"
        /// SHA-384 with a salt, for credentials of old apps that are imported.
        case saltedSHA384 = "SaltedSHA-384"
        /// SHA-512 with a salt, for credentials of old apps that are imported.
        case saltedSHA512 = "SaltedSHA-512"
        /// Encryption with AES and a key of the app, for credentials of old apps that are imported.
        case aes = "AES"
    }

    /// The server's URL, without a path (`OM_PROP_OAMMS_URL`).
    public var server: URL
    /// The service domain (`OM_PROP_OAMMS_SERVICE_DOMAIN`); nil for none.
    public var serviceDomain: String?
    /// The app's name or client id at the server (`OM_PROP_APPNAME`).
    public var applicationName: String
    /// The client secret; nil for an app that cannot keep one, such as all apps that users install.
    public var clientSecret: String?
    /// Where the browser brings the answer of the sign-in page.
    public var redirect: AppRegistration.Redirect = .loopback()
    /// The scopes that a request asks for if it names none (`OM_PROP_OAUTH_SCOPE`). With `directory`, ``SecurityService/directory()`` asks
    /// the server's directory for the user. The server leaves out the scopes that the app's backend may not have.
    public var scopes = ["openid", "profile", "offline_access", "directory"]
    /// Whether users may sign in without the server (`OM_PROP_OFFLINE_AUTH_ALLOWED`), if the profile does not say.
    public var allowsOffline = false
    /// The longest time from a sign-in to the next one (`OM_PROP_SESSION_TIMEOUT_VALUE`), if the profile does not say: one second to
    /// a year; nil or zero for a year.
    public var sessionTimeout: Duration?
    /// The longest time without use until the user must sign in again (`OM_PROP_IDLE_TIMEOUT_VALUE`), if the profile does not say:
    /// one second to a year; nil or zero for no such end.
    public var idleTimeout: Duration?
    /// The number of wrong passwords after which the service gives up, and after which the credentials that are kept for signing in
    /// without the server are deleted (`OM_PROP_MAX_LOGIN_ATTEMPTS`), if the profile does not say: 1 to 100.
    public var maximumLoginAttempts = 1
    /// The scheme of credentials of an old app without a scheme's name, for ``SecurityService/importOfflineCredential(_:for:identityDomain:key:)``.
    /// The service itself always writes scrypt.
    public var cryptoScheme = CryptoScheme.scrypt

    /// Names a server and an app. The values are checked when a ``SecurityService`` is made.
    ///
    /// - Parameters:
    ///   - server: The server's URL, without a path.
    ///   - applicationName: The app's name or client id at the server.
    ///   - serviceDomain: The service domain; nil for none.
    public init(server: URL, applicationName: String, serviceDomain: String? = nil) {
        (self.server, self.applicationName, self.serviceDomain) = (server, applicationName, serviceDomain)
    }

    /// Takes the server, the app and the service domain from a ``ConfigurationURL``.
    ///
    /// - Parameters:
    ///   - settings: The settings.
    ///   - applicationName: The app's name or client id, if the settings do not name the app.
    /// - Throws: `ClientError` `badConfiguration` if nothing names the app.
    public init(_ settings: ServerSettings, applicationName: String? = nil) throws {
        guard let name = settings.applicationName ?? applicationName else {
            throw Self.bad("The settings do not name the app.", "Give the app's name at the server.")
        }
        self.init(server: settings.url, applicationName: name, serviceDomain: settings.serviceDomain)
    }

    /// The server's URL as text, without a slash at its end.
    var base: String { ServerURL.base(server) ?? server.absoluteString }

    /// The longest timeout in seconds: a year.
    static let longestTimeout = 31_536_000.0

    /// Throws `ClientError.Code.badConfiguration` for values that cannot be used.
    func check() throws {
        guard ServerURL.base(server) != nil else {
            throw Self.bad(
                "'server' is not an https URL.",
                "Give the server's URL without path and query. Only a server on this machine needs no TLS.")
        }
        try AppRegistration(
            issuer: base, clientID: "app", clientSecret: clientSecret, redirect: redirect,
            scopes: scopes
        ).check()
        for text in [applicationName, serviceDomain].compactMap({ $0 }) {
            guard (1...128).contains(text.unicodeScalars.count), AgentURL.isPlain(text) else {
                throw Self.bad(
                    "The app's name or the service domain is empty, too long, or has control characters.",
                    "Give 1 to 128 characters.")
            }
        }
        for timeout in [sessionTimeout, idleTimeout].compactMap({ $0 }) where timeout != .zero {
            guard (.seconds(1) ... .seconds(Self.longestTimeout)).contains(timeout) else {
                throw Self.bad("A timeout is shorter than a second or longer than a year.", "Give another timeout.")
            }
        }
        guard (1...100).contains(maximumLoginAttempts) else {
            throw Self.bad("The maximum of login attempts is not from 1 to 100.", "Give another number.")
        }
    }

    private static func bad(_ message: String, _ advice: String) -> ClientError {
        ClientError(.badConfiguration, message, advice: advice)
    }

    /// The app and the server.
    public var description: String { "\(applicationName) at \(server)" }
}

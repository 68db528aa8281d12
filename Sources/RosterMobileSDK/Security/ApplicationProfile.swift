import RosterClient
import RosterOpenID
import RosterText

/// The server's description of an app: the addresses of its services, and the rules that the app keeps. Mirrors `OMApplicationProfile`.
///
/// The profile is public and holds no secret.
public struct ApplicationProfile: Sendable, Hashable {
    /// The addresses of the server's services.
    public struct Endpoints: Sendable, Hashable {
        /// The issuer of OpenID Connect.
        public let openIDIssuer: String
        /// Where a user gets a token for a password.
        public let authentication: String?
        /// Where a device registers.
        public let registration: String?
        /// Where an app gets a token for one resource, such as that of a Webgate.
        public let access: String?
        /// The users' profiles.
        public let userProfile: String?
        /// The roles.
        public let roles: String?
        /// The exchange of another issuer's tokens.
        public let tokenExchange: String?
        /// The directory.
        public let directory: String?
    }

    /// The app's client id.
    public let applicationID: String
    /// The app's name.
    public let name: String
    /// The version of the app's registration.
    public let version: String?
    /// The addresses of the server's services.
    public let endpoints: Endpoints
    /// The service domain; nil for every domain.
    public let serviceDomain: String?
    /// The longest time from a sign-in to the next one; zero for a year, and nil leaves the time to the app.
    public let sessionTimeout: Duration?
    /// The longest time without use; zero for no such end, and nil leaves the time to the app.
    public let idleTimeout: Duration?
    /// The maximum of wrong passwords; nil leaves the number to the app.
    public let maximumLoginAttempts: Int?
    /// Whether users may sign in without the server; nil leaves that to the app.
    public let allowsOffline: Bool?
    /// The name of the scheme in which the server wants passwords to be kept. This library always keeps scrypt, which is stronger.
    public let cryptoScheme: String?
    /// The names of facts about the device that the server needs when the device registers.
    public let requiredClaims: [String]
    /// The URL scheme of the single sign-on agent; nil for none.
    public let agentScheme: String?

    /// The document as the server wrote it.
    let document: JSONValue

    /// Reads a profile.
    ///
    /// - Parameters:
    ///   - document: The server's answer.
    ///   - properties: The properties for which the profile was asked.
    /// - Throws: `ClientError` `badAnswer`.
    init(_ document: JSONValue, for properties: SecurityProperties, isLocal: Bool) throws(ClientError) {
        func bad(_ name: String, _ problem: String) -> ClientError {
            .badAnswer("The '\(name)' of the app's profile \(problem).")
        }
        func value(_ name: String) -> JSONValue? { document[name].flatMap { $0.isNull ? nil : $0 } }
        func text(_ name: String) throws(ClientError) -> String? {
            guard let value = value(name) else { return nil }
            guard let text = value.text, (1...512).contains(text.utf8.count), AgentURL.isPlain(text) else {
                throw bad(name, "is not text of 1 to 512 bytes")
            }
            return text
        }
        func number(_ name: String, _ range: ClosedRange<Int64>) throws(ClientError) -> Int64? {
            guard let value = value(name) else { return nil }
            guard case .integer(let number) = value, range.contains(number) else {
                throw bad(name, "is not a whole number from \(range.lowerBound) to \(range.upperBound)")
            }
            return number
        }
        func url(_ name: String) throws(ClientError) -> String? {
            guard let value = document["endpoints"]?[name], !value.isNull else { return nil }
            guard let text = value.text, text.utf8.count <= 2_048,
                ProviderMetadata.isEndpoint(text, allowsHTTP: isLocal), !text.contains("@")
            else { throw bad("endpoints.\(name)", "is not an https URL") }
            return text
        }
        guard let id = try text("application_id") else { throw bad("application_id", "is missing") }
        let name = try text("name") ?? id
        guard [id, name].contains(where: { $0.hasSameBytes(as: properties.applicationName) }) else {
            throw .badAnswer("The server's profile is that of another app.")
        }
        guard let issuer = try url("openid_issuer") else { throw bad("endpoints.openid_issuer", "is missing") }
        endpoints = Endpoints(
            openIDIssuer: issuer, authentication: try url("authentication"), registration: try url("registration"),
            access: try url("access"), userProfile: try url("user_profile"), roles: try url("roles"),
            tokenExchange: try url("token_exchange"), directory: try url("directory"))
        (applicationID, self.name, version) = (id, name, try text("version"))
        serviceDomain = try text("service_domain")
        let year = Int64(SecurityProperties.longestTimeout)
        sessionTimeout = try number("session_timeout_seconds", 0...year).map { .seconds($0) }
        idleTimeout = try number("idle_timeout_seconds", 0...year).map { .seconds($0) }
        maximumLoginAttempts = try number("maximum_login_attempts", 1...100).map { Int($0) }
        switch value("offline") {
        case nil: allowsOffline = nil
        case .boolean(let isAllowed)?: allowsOffline = isAllowed
        default: throw bad("offline", "is neither true nor false")
        }
        cryptoScheme = try text("crypto_scheme")
        requiredClaims = value("required_claims")?.texts.prefix(100).map { ShownText.plain($0) } ?? []
        agentScheme = try text("sso_agent")
        self.document = document
    }
}

/// The rules for sessions and sign-ins: those of the profile, and the app's where the profile has none.
struct SecurityPolicy: Sendable {
    let sessionTimeout: Double
    let idleTimeout: Double?
    let maximumLoginAttempts: Int
    let allowsOffline: Bool

    init(_ profile: ApplicationProfile?, _ properties: SecurityProperties) {
        // As in Oracle's SDK, zero means that there is no such timeout.
        func seconds(_ timeout: Duration?) -> Double? { timeout == .zero ? nil : timeout?.inSeconds }
        sessionTimeout =
            seconds(profile?.sessionTimeout ?? properties.sessionTimeout) ?? SecurityProperties.longestTimeout
        idleTimeout = seconds(profile?.idleTimeout ?? properties.idleTimeout)
        maximumLoginAttempts = profile?.maximumLoginAttempts ?? properties.maximumLoginAttempts
        // Without the server's profile nothing is permitted.
        allowsOffline = profile.map { $0.allowsOffline ?? properties.allowsOffline } ?? false
    }
}

extension Duration {
    var inSeconds: Double { self / .seconds(1) }
}

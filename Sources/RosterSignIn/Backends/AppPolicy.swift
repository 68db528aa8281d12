package import RosterText

/// The rules that the server sets for an app, which the app reads in its application profile (`OMApplicationProfile` of Oracle's
/// mobile SDK). They take precedence over the app's own settings.
///
/// The profile is public, so a policy must hold no secret. In JSON the policy is the member `app` of a backend's settings.
public struct AppPolicy: Sendable, Hashable {
    /// The scheme by which an app hashes a password for signing in without the server (`OM_PROP_CRYPTO_SCHEME`). The SDK's schemes
    /// without salt, and those that can be reversed, are not offered.
    public enum CryptoScheme: String, Sendable, Hashable, CaseIterable {
        /// The memory-hard function scrypt (RFC 7914). Only Roster's own client library knows this scheme.
        case scrypt
        /// SHA-256 with a salt, for apps that know the SDK's schemes only.
        case saltedSHA256 = "SaltedSHA-256"
        /// SHA-384 with a salt, for apps that know the SDK's schemes only.
        case saltedSHA384 = "SaltedSHA-384"
        /// SHA-512 with a salt, for apps that know the SDK's schemes only.
        case saltedSHA512 = "SaltedSHA-512"
    }

    /// The service domain that the app belongs to (`OM_PROP_OAMMS_SERVICE_DOMAIN`); nil, the default, for every domain that an app
    /// names. Up to 64 letters, digits, dots, hyphens and underscores of ASCII. The JSON name is `service_domain`.
    public var serviceDomain: String?
    /// The longest time from a sign-in to the next one: 1 to 31,536,000 whole seconds; zero for the longest time, and nil, the
    /// default, leaves the time to the app. The JSON name is `session_timeout_seconds`.
    public var sessionTimeout: Duration?
    /// The longest time without use until the user must sign in again, not longer than ``sessionTimeout``; zero for no such end, and
    /// nil, the default, leaves the time to the app. The JSON name is `idle_timeout_seconds`.
    public var idleTimeout: Duration?
    /// The number of wrong passwords after which an app deletes what it keeps for signing in without the server: 1, the default, to
    /// 100. The JSON name is `maximum_login_attempts`.
    public var maximumLoginAttempts = 1
    /// Whether the app may sign users in without the server; false by default. The JSON name is `offline`.
    public var allowsOffline = false
    /// The scheme for the passwords that the app keeps for that; scrypt by default. The JSON name is `crypto_scheme`.
    public var cryptoScheme = CryptoScheme.scrypt
    /// The facts about a device without which the app cannot register; none by default. The JSON name is `required_claims`, which also takes
    /// the names of Oracle's SDK, such as `oracle:idm:claims:client:ostype`.
    public var requiredClaims: Set<DeviceProfile.Claim> = []
    /// The URL scheme by which other apps open the app (`OM_IOS_URL_SCHEME`); nil, the default, for none. The JSON name is
    /// `url_scheme`.
    public var urlScheme: String?
    /// The place of the app among the single sign-on agents of its service domain (`OM_SSO_PRIORITY`): the agent with the lowest
    /// number, 1 to 1,000, is asked. Nil, the default, for an app that is not an agent. An agent needs ``urlScheme`` and
    /// ``serviceDomain``. The JSON name is `sso_priority`.
    public var agentPriority: Int?

    /// Makes a policy that leaves timeouts to the app and allows no sign-in without the server.
    public init() {}

    private static let longestTimeout = 31_536_000

    init(_ value: JSONValue, at path: String) throws {
        var members = try DocumentObject(value, at: path)
        func seconds(_ name: String) throws -> Duration? {
            try members.integer(name, in: 0...Self.longestTimeout).map { .seconds($0) }
        }
        serviceDomain = try members.text("service_domain")
        sessionTimeout = try seconds("session_timeout_seconds")
        idleTimeout = try seconds("idle_timeout_seconds")
        maximumLoginAttempts = try members.integer("maximum_login_attempts", in: 1...100) ?? maximumLoginAttempts
        allowsOffline = try members.boolean("offline") ?? allowsOffline
        cryptoScheme = try members.choice("crypto_scheme", CryptoScheme.self) ?? cryptoScheme
        if let names = try members.texts("required_claims") {
            requiredClaims = Set(names.compactMap { DeviceProfile.Claim(named: $0) })
            if let other = names.first(where: { DeviceProfile.Claim(named: $0) == nil }) {
                throw DocumentObject.problem(
                    "\(path).required_claims", "has '\(other.prefix(64))', which no registration keeps.",
                    "Give some of \(DeviceProfile.Claim.allCases.map(\.rawValue).joined(separator: ", ")), "
                        + "or the names of Oracle's SDK for them.")
            }
        }
        urlScheme = try members.text("url_scheme")
        agentPriority = try members.integer("sso_priority", in: 1...1_000)
        try members.finish()
    }

    /// Refuses values out of their ranges, and values that contradict each other.
    func check(at path: String) throws {
        func refuse(_ name: String, _ problem: String, _ advice: String) -> any Error {
            DocumentObject.problem("\(path).\(name)", problem, advice)
        }
        if let serviceDomain, !Self.isServiceDomain(serviceDomain) {
            throw refuse(
                "service_domain", "has other characters than a service domain can have, or too many.",
                "Give up to 64 letters, digits, dots, hyphens and underscores of ASCII.")
        }
        for (name, timeout) in [("session_timeout_seconds", sessionTimeout), ("idle_timeout_seconds", idleTimeout)] {
            guard let (seconds, fraction) = timeout?.components else { continue }
            guard fraction == 0, 0...Int64(Self.longestTimeout) ~= seconds else {
                throw refuse(
                    name, "must be 0 to \(Self.longestTimeout) whole seconds.",
                    "Give another timeout; 0 means none.")
            }
        }
        if let sessionTimeout, let idleTimeout, sessionTimeout != .zero, idleTimeout > sessionTimeout {
            throw refuse(
                "idle_timeout_seconds", "is longer than session_timeout_seconds, so that it would never apply.",
                "Make it shorter, or leave it out.")
        }
        guard 1...100 ~= maximumLoginAttempts else {
            throw refuse("maximum_login_attempts", "must be 1 to 100.", "Give another number.")
        }
        if let urlScheme, !Self.isURLScheme(urlScheme) {
            throw refuse(
                "url_scheme", "is not a URL scheme that an app can register.",
                "Give a scheme of the app's own without the colon, such as com.example.shop.")
        }
        guard let agentPriority else { return }
        guard 1...1_000 ~= agentPriority else {
            throw refuse("sso_priority", "must be 1 to 1000.", "Give another number.")
        }
        guard urlScheme != nil, serviceDomain != nil else {
            throw refuse(
                "sso_priority", "is for single sign-on agents, and an agent has url_scheme and service_domain.",
                "Give both, or leave sso_priority out.")
        }
    }

    /// Whether a text can be the name of a service domain.
    package static func isServiceDomain(_ text: String) -> Bool {
        1...64 ~= text.utf8.count && text.utf8.allSatisfy { isAlphanumeric($0) || ".-_".utf8.contains($0) }
    }

    /// Whether an app can register a scheme for itself (RFC 3986, section 3.1).
    private static func isURLScheme(_ text: String) -> Bool {
        guard 1...64 ~= text.utf8.count, let first = text.utf8.first, isAlphanumeric(first), !(0x30...0x39 ~= first),
            text.utf8.allSatisfy({ isAlphanumeric($0) || "+.-".utf8.contains($0) }),
            !["http", "https"].contains(text.lowercased())
        else { return false }
        return RedirectURI.problem(with: text + ":/") == nil
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
    }

    /// The policy in the form of the settings, with null for a value that the server leaves to the app.
    package var members: [JSONValue.Member] {
        func seconds(_ timeout: Duration?) -> JSONValue { timeout.map { .integer($0.components.seconds) } ?? .null }
        return [
            .init("service_domain", serviceDomain.map { .string($0) } ?? .null),
            .init("session_timeout_seconds", seconds(sessionTimeout)),
            .init("idle_timeout_seconds", seconds(idleTimeout)),
            .init("maximum_login_attempts", .integer(Int64(maximumLoginAttempts))),
            .init("offline", .boolean(allowsOffline)), .init("crypto_scheme", .string(cryptoScheme.rawValue)),
            .init("required_claims", .texts(requiredClaims.map(\.rawValue).sorted())),
        ]
    }

    /// The policy as a setting: only values that there are.
    var json: JSONValue {
        var members = members.filter { !$0.value.isNull }
        if let urlScheme { members.append(.init("url_scheme", .string(urlScheme))) }
        if let agentPriority { members.append(.init("sso_priority", .integer(Int64(agentPriority)))) }
        return .object(members)
    }
}

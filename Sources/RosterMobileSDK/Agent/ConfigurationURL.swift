public import Foundation
import RosterClient

/// Settings that came to the app in a URL, from a mail or a page of the administrator. Mirrors
/// `OMMobileSecurityService parseConfigurationURL:persistInUserDefaults:withKey:` and
/// `storeOAMServerSettingsInNSUserDefaults:`.
///
/// There are two forms:
/// - `scheme://…?name::=value&other::=value`, with names of the app's properties;
/// - the older `scheme://…?oamconfig=true&host=…&port=…&servicedomain=…&SSL=TRUE`, and `appname=…` optionally.
///
/// Everybody can make such a URL, so ask the user before the app uses the settings, and show the host. The app stores the
/// settings, for example in a ``CredentialStore``.
public struct ConfigurationURL: Sendable, Hashable {
    /// All parameters by name, decoded. The library checks the values of those only that ``server`` has.
    public let properties: [String: String]
    /// The server, if the URL names one.
    public let server: ServerSettings?

    /// Whether a URL has settings in one of the two forms. The settings may still be wrong.
    ///
    /// - Parameter url: The URL that the app was opened with.
    public static func isConfiguration(_ url: URL) -> Bool { (try? parts(url)) != nil }

    /// Reads the settings.
    ///
    /// - Parameters:
    ///   - url: The URL that the app was opened with.
    ///   - allowsUnencrypted: Whether a server without TLS is accepted, for tests.
    /// - Throws: `ClientError`: `insecureServer` for `SSL=FALSE` unless allowed; `badURL` for anything else that is wrong.
    public init(_ url: URL, allowsUnencrypted: Bool = false) throws {
        let parts = try Self.parts(url)
        if Self.isOlder(parts) {
            for name in ["host", "port", "servicedomain", "SSL"] where parts[name] == nil {
                throw AgentURL.failure("lacks the parameter '\(name)'")
            }
        }
        properties = Dictionary(parts.parameters.map { ($0.name, $0.value) }) { first, _ in first }
        server = try Self.server(parts, allowsUnencrypted: allowsUnencrypted)
    }

    /// The parameters of a URL in one of the two forms.
    private static func parts(_ url: URL) throws -> AgentURL {
        let isNewer = url.absoluteString.contains("::=")
        let parts = try AgentURL(url, separator: isNewer ? "::=" : "=")
        guard isNewer || isOlder(parts) else { throw AgentURL.failure("has no settings") }
        return parts
    }

    private static func isOlder(_ parts: AgentURL) -> Bool { parts["oamconfig"]?.lowercased() == "true" }

    /// The server. Both forms have the same names; the newer one also has those of Oracle's SDK's constants.
    private static func server(_ parts: AgentURL, allowsUnencrypted: Bool) throws -> ServerSettings? {
        func value(_ name: String, _ constant: String) -> String? { parts[name] ?? parts[constant] }
        guard let host = value("host", "OM_PROP_OAMMS_HOST") else { return nil }
        let isSecure: Bool
        switch value("SSL", "OM_PROP_OAMMS_PORT_IS_SSL")?.uppercased() {
        case "TRUE", nil: isSecure = true
        case "FALSE": isSecure = false
        default: throw AgentURL.failure("has a value other than TRUE and FALSE for 'SSL'")
        }
        guard isSecure || allowsUnencrypted else {
            throw ClientError(
                .insecureServer, "The settings name a server without TLS.",
                advice: "Ask the administrator for settings with SSL=TRUE.")
        }
        let port: Int
        if let text = value("port", "OM_PROP_OAMMS_PORT") {
            guard text.utf8.count <= 5, text.utf8.first != UInt8(ascii: "0"),
                text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = Int(text)
            else { throw AgentURL.failure("has a port that is not a number from 1 to 65,535") }
            port = number
        } else {
            port = isSecure ? 443 : 80
        }
        do {
            return try ServerSettings(
                host: host, port: port, isSecure: isSecure,
                serviceDomain: value("servicedomain", "OM_PROP_OAMMS_SERVICE_DOMAIN"),
                applicationName: value("appname", "OM_PROP_APPNAME"))
        } catch let error as ClientError {
            throw ClientError(.badURL, error.message, advice: "Ask the administrator for correct settings.")
        }
    }
}

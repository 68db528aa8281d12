public import Foundation
import RosterClient

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Where a server is, and for which service domain and app. Mirrors the properties `OM_PROP_OAMMS_HOST` and its siblings.
public struct ServerSettings: Sendable, Hashable {
    /// The name or address of the host, in lower case; an IPv6 address in brackets.
    public let host: String
    /// The port.
    public let port: Int
    /// Whether the server is reached with TLS.
    public let isSecure: Bool
    /// The service domain, if one is named.
    public let serviceDomain: String?
    /// The app's name on the server, if one is named.
    public let applicationName: String?

    /// The URL of the server, such as `https://id.example.com`. The port is left out if it is the usual one of the scheme, as in
    /// the names of issuers.
    public let url: URL

    /// Makes settings.
    ///
    /// - Parameters:
    ///   - host: A name in ASCII, or an address.
    ///   - port: 1 to 65,535.
    ///   - isSecure: Whether the server is reached with TLS.
    ///   - serviceDomain: The service domain, at most 128 characters.
    ///   - applicationName: The app's name on the server, at most 128 characters.
    /// - Throws: `ClientError` `invalidInput`.
    public init(
        host: String, port: Int, isSecure: Bool = true, serviceDomain: String? = nil, applicationName: String? = nil
    ) throws {
        guard (1...65_535).contains(port) else {
            throw ClientError.invalidInput("The port \(port) does not exist.", "Give a port from 1 to 65,535.")
        }
        let usual = isSecure ? 443 : 80
        guard let host = Self.checked(host),
            let url = URL(string: "\(isSecure ? "https" : "http")://\(host)\(port == usual ? "" : ":\(port)")")
        else {
            throw ClientError.invalidInput(
                "The host of the server is neither a name in ASCII nor an address.",
                "Give a name such as id.example.com.")
        }
        for text in [serviceDomain, applicationName].compactMap({ $0 }) {
            guard (1...128).contains(text.unicodeScalars.count), AgentURL.isPlain(text) else {
                throw ClientError.invalidInput(
                    "The service domain or the app's name is empty, too long, or has control characters.",
                    "Give 1 to 128 characters.")
            }
        }
        self.host = host
        self.port = port
        self.url = url
        self.isSecure = isSecure
        self.serviceDomain = serviceDomain
        self.applicationName = applicationName
    }

    /// A host in the form in which all parsers of URLs understand the same host; nil for any other text.
    private static func checked(_ text: String) -> String? {
        let host = text.lowercased()
        guard (1...253).contains(host.utf8.count), host.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        if host.contains(":") {
            let address = host.hasPrefix("[") && host.hasSuffix("]") ? String(host.dropFirst().dropLast()) : host
            var bytes = in6_addr()
            return inet_pton(AF_INET6, address, &bytes) == 1 ? "[\(address)]" : nil
        }
        let labels = host.split(separator: ".", omittingEmptySubsequences: false)
        guard let last = labels.last, let first = last.utf8.first else { return nil }
        if (0x30...0x39).contains(first) {
            // Programs disagree about the addresses 127.1, 0x7f000001 and 010.0.0.1.
            var bytes = in_addr()
            return inet_pton(AF_INET, host, &bytes) == 1 ? host : nil
        }
        let isName = labels.allSatisfy { label in
            (1...63).contains(label.utf8.count) && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.utf8.allSatisfy {
                    (0x30...0x39).contains($0) || (0x61...0x7A).contains($0) || "-_".utf8.contains($0)
                }
        }
        return isName ? host : nil
    }
}

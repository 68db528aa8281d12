import Foundation
import Roster
package import RosterOpenID
import RosterText

/// The address at which an issuer publishes its keys, and the rules for fetching them (`jwks`).
///
/// The fetcher must use no other certificates, redirects or protocols than these fields allow.
package struct KeySetSource: Sendable, Hashable {
    /// A version of TLS. Versions before 1.2 are not supported (RFC 8996).
    package enum TLSVersion: String, Sendable, Comparable, CaseIterable {
        case version12 = "TLSv1.2"
        case version13 = "TLSv1.3"

        package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// The addresses that can be asked for keys.
    package enum Location: Sendable, Hashable {
        /// `jwksUri`: the address of the key set (RFC 7517). It takes precedence over a discovery document.
        case keySet(String)
        /// `discoveryUri`: the address of the OpenID discovery document, whose `jwks_uri` names the key set. Both must be `https`
        /// addresses unless ``allowsHTTP`` is true.
        case discovery(String)
    }

    /// The address that is asked: an absolute `https` URL, or an `http` URL if ``allowsHTTP`` is true.
    package let location: Location
    /// `allowHttp`: whether keys may be fetched without TLS. The default is false; true is for tests only.
    package let allowsHTTP: Bool
    /// `minReloadInterval` and `maxReloadInterval`. The defaults are 60 and 28,800 seconds.
    package let reload: ReloadRule
    /// `connectTimeout`: the seconds that a connection may take to be made. The default is 30.
    package let connectTimeoutSeconds: Int
    /// `readTimeout`: the seconds that an answer may take. The default is 60.
    package let readTimeoutSeconds: Int
    /// `tlsVersions`: the versions of TLS that may be used; never empty. The default is 1.2 and 1.3. That of Oracle's reference has
    /// 1.1, which is not supported.
    package let tlsVersions: Set<TLSVersion>
    /// `authorizationHeader`: the value that is sent as `Authorization`. It is a secret, and is never logged or sent to another host.
    package let authorizationHeader: String?
}

extension KeySetSource {
    private static let timeoutRange = 1...3_600
    private static let oldVersions: Set<String> = ["SSL", "SSLv2", "SSLv3", "TLSv1", "TLSv1.1"]

    init(_ value: JSONValue, at path: String, notes: inout [String]) throws {
        var object = try DocumentObject(value, at: path)
        allowsHTTP = try object.boolean("allowHttp") ?? false
        let discovery = try Self.url("discoveryUri", of: &object, allowsHTTP: allowsHTTP)
        let keySet = try Self.url("jwksUri", of: &object, allowsHTTP: allowsHTTP)
        guard let location = keySet.map({ Location.keySet($0) }) ?? discovery.map({ .discovery($0) }) else {
            throw DocumentObject.problem(
                path, "names neither jwksUri nor discoveryUri.", "Give the URL of the issuer's keys or discovery.")
        }
        self.location = location
        // The interval 0 is refused: strangers who send tokens with unknown key identifiers could cause a request to the issuer each
        // time.
        reload = try ReloadRule(
            &object, minimum: "minReloadInterval", maximum: "maxReloadInterval", least: 1,
            defaults: ReloadRule(minimumSeconds: 60, maximumSeconds: 28_800))
        connectTimeoutSeconds = try object.integer("connectTimeout", in: Self.timeoutRange) ?? 30
        readTimeoutSeconds = try object.integer("readTimeout", in: Self.timeoutRange) ?? 60
        tlsVersions = try Self.versions(&object, notes: &notes)
        authorizationHeader = try object.text("authorizationHeader")
        if let header = authorizationHeader, !header.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) {
            throw DocumentObject.problem(
                object.path(of: "authorizationHeader"), "has characters that no header can have.",
                "Give one line of ASCII.")
        }
        try object.finish()
        if allowsHTTP {
            notes.append("\(path).allowHttp: keys fetched without TLS can be anybody's. Use this for tests only.")
        }
    }

    private static func url(
        _ name: String, of object: inout DocumentObject, allowsHTTP: Bool
    ) throws -> String? {
        guard let text = try object.text(name) else { return nil }
        let path = object.path(of: name)
        guard text.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }),
            let url = URLComponents(string: text, encodingInvalidCharacters: false),
            let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            let host = url.host, !host.isEmpty, url.user == nil, url.password == nil, url.fragment == nil,
            (1...65_535).contains(url.port ?? 443)
        else {
            throw DocumentObject.problem(
                path, "is not the address of a document.", "Give an absolute https URL without user name or fragment.")
        }
        guard scheme == "https" || allowsHTTP else {
            throw DocumentObject.problem(
                path, "is an http URL, and anybody on the way could replace what it answers.",
                "Use https, or set allowHttp where this is a test.")
        }
        return text
    }

    private static func versions(_ object: inout DocumentObject, notes: inout [String]) throws -> Set<TLSVersion> {
        let path = object.path(of: "tlsVersions")
        guard let names = try object.texts("tlsVersions") else { return Set(TLSVersion.allCases) }
        var versions: Set<TLSVersion> = []
        for (index, name) in names.enumerated() {
            if let version = TLSVersion(rawValue: name) {
                versions.insert(version)
            } else if name == "TLS" {
                versions.formUnion(TLSVersion.allCases)
            } else if oldVersions.contains(name) {
                notes.append("\(path)[\(index)]: \(name) is not spoken any more (RFC 8996) and is left out.")
            } else {
                throw DocumentObject.problem(
                    "\(path)[\(index)]", "is not a version of TLS.", "Give TLSv1.2 or TLSv1.3.")
            }
        }
        guard !versions.isEmpty else {
            throw DocumentObject.problem(
                path, "leaves no version of TLS that is still spoken.", "Add TLSv1.2 or TLSv1.3.")
        }
        return versions
    }
}

extension ReloadRule {
    /// Reads two intervals in seconds. If only one is given, the default of the other adapts to it.
    init(
        _ object: inout DocumentObject, minimum: String, maximum: String, least: Int, defaults: ReloadRule
    ) throws {
        let longest = 31_536_000
        let shortestInterval = try object.integer(minimum, in: least...longest)
        let longestInterval = try object.integer(maximum, in: 1...longest)
        if let shortestInterval, let longestInterval, shortestInterval > longestInterval {
            throw DocumentObject.problem(
                object.path(of: maximum), "is shorter than \(minimum).", "Make it at least \(shortestInterval).")
        }
        self.init(
            minimumSeconds: shortestInterval ?? min(defaults.minimumSeconds, longestInterval ?? Int.max),
            maximumSeconds: longestInterval ?? max(defaults.maximumSeconds, shortestInterval ?? 0))
    }
}

import Foundation
import Roster
import RosterText

/// The addresses that browsers are sent back to. They are compared with the registered ones character by character.
package enum RedirectURI {
    /// The path to which a code comes, below the origin of an app that a proxy guards.
    package static let guardedCallback = "/oauth2/callback"

    /// The reason why an address cannot be registered; nil for a good one (RFC 6749, section 3.1.2; RFC 8252, section 7).
    package static func problem(with text: String) -> String? {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "it has other characters than visible ASCII, or too many"
        }
        guard !text.utf8.contains(UInt8(ascii: "#")) else { return "it has a fragment" }
        guard !text.utf8.contains(UInt8(ascii: "*")) else { return "a wildcard has no meaning here" }
        guard !text.utf8.contains(UInt8(ascii: "\\")) else { return "it has a backslash" }
        guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased() else {
            return "it is not absolute"
        }
        guard parts.user == nil, parts.password == nil else { return "it has a name or password" }
        guard parts.port.map({ (1...65_535).contains($0) }) ?? true else { return "there is no such port" }
        guard !hasEmptyPort(text) else { return "its port is empty" }
        switch scheme {
        case "https": return parts.host?.isEmpty ?? true ? "it has no host" : nil
        case "http": return isLoopback(parts.host ?? "") ? nil : "http is for loopback addresses only"
        case "javascript", "data", "file", "about", "blob", "vbscript", "ws", "wss", "ftp":
            return "no app answers to that scheme"
        default: return nil
        }
    }

    /// Whether an address has a colon without a port after its host.
    private static func hasEmptyPort(_ text: String) -> Bool {
        guard let start = text.range(of: "://")?.upperBound else { return false }
        return text[start...].prefix { !"/?#".contains($0) }.hasSuffix(":")
    }

    /// Whether an address is registered. The port of a loopback address may differ (RFC 8252, section 7.3; RFC 9700, section 4.1.3).
    package static func matches(_ text: String, _ registered: [String]) -> Bool {
        registered.contains { candidate in
            // Swift's == takes a Kelvin sign for a K.
            candidate.hasSameBytes(as: text)
                || withoutLoopbackPort(candidate).map { $0 == withoutLoopbackPort(text) } ?? false
        }
    }

    /// A loopback address of http without its port; nil for any other one.
    private static func withoutLoopbackPort(_ text: String) -> String? {
        guard problem(with: text) == nil, let parts = URLComponents(string: text), parts.scheme == "http",
            ["127.0.0.1", "[::1]", "localhost"].contains(parts.host)
        else { return nil }
        var bare = parts
        bare.port = nil
        return bare.string
    }

    /// Whether an address belongs to an app on the user's device: a loopback address, or a scheme that apps register themselves.
    /// Other apps can answer there as well, so the address does not prove which app asks (RFC 8252, section 8.6).
    package static func isOfNativeApp(_ text: String) -> Bool {
        guard let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https" else { return true }
        return isLoopback(parts.host ?? "")
    }

    /// Whether a host is one of those at which apps listen (RFC 8252, section 7.3). Other addresses of 127.0.0.0/8 are refused: no app
    /// needs them, and each more is one more to compare.
    private static func isLoopback(_ host: String) -> Bool {
        ["127.0.0.1", "[::1]", "::1", "localhost"].contains(host.lowercased())
    }
}

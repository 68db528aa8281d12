import Foundation
import RosterStore

/// The address of a database on PostgreSQL servers, in the form of libpq: `postgresql://user@host:port/database?parameter=value`.
/// Several hosts are separated by commas; the one that can be written is used.
struct ServerAddress: Sendable {
    /// The address as it was given, which can contain a password.
    let text: String
    /// The address without the user's password and without parameters.
    let name: String
    /// Whether the address is a replica's, which need not accept changes.
    let isReplica: Bool

    /// Whether a text is an address that contains a password: that of the user, or one among the parameters.
    static func hasPassword(_ text: String) -> Bool {
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else { return false }
        let rest = text.dropFirst(scheme.count)
        let place = rest.prefix { $0 != "?" }
        let user = place.lastIndex(of: "@").map { place[..<$0] } ?? ""
        let names = rest.split(separator: "?", maxSplits: 1).dropFirst().joined().split(separator: "&").map {
            parameter in
            let name = String(parameter.prefix { $0 != "=" })
            return name.removingPercentEncoding ?? name
        }
        let hasUserPassword = user.split(separator: ":", maxSplits: 1).count > 1
        return hasUserPassword || names.contains { ["password", "sslpassword"].contains($0) }
    }

    /// - Parameter environment: The variables from which libpq takes what the address does not name.
    /// - Throws: ``StoreError`` if the text is not such an address, or asks for an unencrypted connection beyond this machine.
    init(
        _ text: String, isReplica: Bool = false, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws {
        self.isReplica = isReplica
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else {
            throw StoreError(
                .unreachable, "That is not the address of a PostgreSQL database.",
                advice: "Write it as 'postgresql://user@host/database'.")
        }
        self.text = text
        let parts = try AddressParts(text.dropFirst(scheme.count))
        name = "postgresql://\(parts.place)"
        guard !parts.staysOnThisMachine(environment), parts.parameter("sslmode") != "verify-full" else { return }
        throw StoreError(
            .unreachable, "The database is on another machine, and its address does not ask for a verified connection.",
            advice:
                "Add 'sslmode=verify-full' to the address, and 'sslrootcert=' with the file of the certificate authority."
        )
    }
}

/// The parts of an address behind its scheme, as libpq finds them. An address in which libpq would take a part of the password for a
/// host or a database is refused, because libpq's errors show these.
private struct AddressParts {
    /// The hosts and the database.
    let place: Substring
    private let hosts: [Substring]
    /// Names and values, decoded.
    private let parameters: [(name: String, value: String)]

    init(_ rest: Substring) throws {
        // libpq takes the text before the first '@' for the user and the password, unless a '/' comes before.
        let authority = rest.prefix { $0 != "/" }
        let hasUser = authority.contains("@")
        let user = hasUser ? authority.prefix { $0 != "@" } : ""
        let afterUser = hasUser ? rest[user.endIndex...].dropFirst() : rest
        place = afterUser.prefix { $0 != "?" }
        hosts = place.prefix { $0 != "/" }.split(separator: ",", omittingEmptySubsequences: false)
        parameters = afterUser.dropFirst(place.count + 1).split(separator: "&").map { parameter in
            let pair = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map {
                $0.removingPercentEncoding ?? String($0)
            }
            return (pair[0], pair.count == 2 ? pair[1] : "")
        }
        let hasBadHost = hosts.contains { host in
            let name = Self.name(of: host)
            let port = host.dropFirst(name.count)
            return name.dropFirst().contains("[") || port.contains("]")
                || !port.isEmpty && (!port.hasPrefix(":") || !port.dropFirst().allSatisfy(\.isNumber))
        }
        let hasBadPercent = rest.split(separator: "%", omittingEmptySubsequences: false).dropFirst().contains {
            $0.prefix(2).count < 2 || !$0.prefix(2).allSatisfy { $0.isASCII && $0.isHexDigit }
        }
        guard !user.contains("?"), !place.contains("@"), !hasBadHost, !hasBadPercent else {
            throw StoreError(
                .unreachable, "The address of the database cannot be read.",
                advice:
                    "Write '@', ':', '/', '?' and '%' of a user, a password or a database as '%40', '%3A', '%2F', '%3F' and "
                    + "'%25'.")
        }
    }

    /// A host without its port.
    private static func name(of host: Substring) -> Substring {
        guard host.hasPrefix("["), let end = host.firstIndex(of: "]") else { return host.prefix { $0 != ":" } }
        return host[...end]
    }

    /// The value of a parameter, of which the last counts.
    func parameter(_ name: String) -> String? { parameters.last { $0.name == name }?.value }

    /// The hosts that need no encryption, besides sockets.
    private static let local: Set<String> = ["", "localhost", "127.0.0.1", "[::1]", "::1"]

    /// Whether libpq connects with this machine only.
    func staysOnThisMachine(_ environment: [String: String]) -> Bool {
        func list(_ text: String) -> [String] {
            text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        }
        // A service file can name any host.
        guard parameter("service") == nil, environment["PGSERVICE"] == nil else { return false }
        var names = hosts.map { Self.name(of: $0).removingPercentEncoding ?? String($0) }
        if let named = parameter("host") ?? (names == [""] ? environment["PGHOST"] : nil) { names = list(named) }
        if let addresses = parameter("hostaddr") ?? environment["PGHOSTADDR"] { names += list(addresses) }
        return names.allSatisfy { Self.local.contains($0) || $0.hasPrefix("/") }
    }
}

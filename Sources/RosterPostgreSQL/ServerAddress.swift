import Foundation
import RosterStore

/// The address of a database on PostgreSQL servers, in the form of libpq: `postgresql://user@host:port/database?parameter=value`.
/// Several hosts are separated by commas; the one that can be written is used.
struct ServerAddress: Sendable {
    /// The address as it was given, which can contain a password.
    let text: String
    /// The address without the user's password and without parameters.
    let name: String
    /// Whether the server is a replica, which is read only and may be one that cannot be written.
    let isReplica: Bool

    /// - Throws: ``StoreError`` if the text is no such address, or asks for an unencrypted connection beyond this machine.
    init(_ text: String, isReplica: Bool = false) throws {
        self.isReplica = isReplica
        guard let scheme = ["postgresql://", "postgres://"].first(where: text.hasPrefix) else {
            throw StoreError(
                .unreachable, "That is not the address of a PostgreSQL database.",
                advice: "Write it as 'postgresql://user@host/database'.")
        }
        self.text = text
        let rest = text.dropFirst(scheme.count)
        let path = rest.prefix { $0 != "?" }
        // A password can contain '@' only as '%40'.
        let place = path.split(separator: "@", maxSplits: 1, omittingEmptySubsequences: false).last ?? path
        name = "postgresql://\(place)"
        try Self.checkEncryption(rest, place)
    }

    /// The hosts that need no encryption: this machine's.
    private static let local: Set<Substring> = ["", "localhost", "127.0.0.1", "[::1]"]

    private static func checkEncryption(_ rest: Substring, _ place: Substring) throws {
        let parameters = rest.drop { $0 != "?" }.dropFirst().split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        func value(_ name: String) -> Substring? {
            parameters.last { $0[0] == name }.flatMap { $0.count == 2 ? $0[1] : nil }
        }
        var hosts = place.prefix { $0 != "/" }.split(separator: ",", omittingEmptySubsequences: false).map { host in
            host.hasPrefix("[") ? host.prefix { $0 != "]" } + "]" : host.prefix { $0 != ":" }
        }
        if let host = value("host") { hosts = host.split(separator: ",", omittingEmptySubsequences: false) }
        let isLocal = hosts.allSatisfy {
            local.contains($0) || $0.hasPrefix("/") || $0.hasPrefix("%2F") || $0.hasPrefix("%2f")
        }
        guard !isLocal, value("sslmode") != "verify-full" else { return }
        throw StoreError(
            .unreachable, "The database is on another machine, and its address does not ask for a verified connection.",
            advice:
                "Add 'sslmode=verify-full' to the address, and 'sslrootcert=' with the file of the certificate authority."
        )
    }
}

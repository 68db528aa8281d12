import Foundation
import RosterText

/// An address at which the server listens: `ldap://127.0.0.1:389`, `ldaps://[::]:636`, `ldapi://%2Frun%2Fldapi`.
package struct LDAPAddress: Sendable, Hashable, CustomStringConvertible {
    package enum Kind: String, Sendable {
        /// TCP, with StartTLS if the server has a certificate.
        case plain = "ldap"
        /// TLS from the first byte.
        case tls = "ldaps"
        /// A socket of this machine's file system.
        case local = "ldapi"
    }

    package let kind: Kind
    /// The numeric address without brackets; the path of a local socket.
    package let host: String
    package var port: UInt16

    /// Reads an address. A host must be numeric, because the meaning of a name can change between two starts.
    package init(_ text: String) throws(LDAPServer.Failure) {
        func refuse(_ problem: String) -> LDAPServer.Failure {
            LDAPServer.Failure(
                description: "'\(text)' is not an address of LDAP: \(problem). Write it as ldap://127.0.0.1:389, "
                    + "ldaps://[::]:636 or ldapi://%2Frun%2Froster%2Fldapi.")
        }
        guard let colon = text.range(of: "://"), let kind = Kind(rawValue: text[..<colon.lowerBound].lowercased())
        else {
            throw refuse("it begins with none of ldap://, ldaps:// and ldapi://")
        }
        self.kind = kind
        var rest = text[colon.upperBound...]
        if rest.hasSuffix("/") { rest.removeLast() }
        if kind == .local {
            guard let path = String(rest).removingPercentEncoding, path.hasPrefix("/") else {
                throw refuse("it has no absolute path with each '/' as %2F")
            }
            guard path.utf8.count < 100 else { throw refuse("the path is longer than 99 bytes") }
            (self.host, self.port) = (path, 0)
            return
        }
        var (name, place) = (rest, kind == .tls ? UInt16(636) : 389)
        if let last = rest.lastIndex(of: ":"), !rest.hasSuffix("]"),
            rest.first == "[" || rest.firstIndex(of: ":") == last
        {
            guard let number = UInt16(rest[rest.index(after: last)...]) else { throw refuse("the port is no number") }
            (name, place) = (rest[..<last], number)
        }
        if name.hasPrefix("["), name.hasSuffix("]") { name = name.dropFirst().dropLast() }
        (self.host, self.port) = (String(name), place)
        guard PeerAddress.isNumeric(self.host) else { throw refuse("the host is no numeric address") }
    }

    /// Whether only this machine reaches the address.
    package var isLocal: Bool { kind == .local || Loopback.contains(host) }

    package var description: String {
        if kind == .local {
            return "ldapi://" + PercentEncoding.text(host.utf8) { PercentEncoding.isUnreserved($0) }
        }
        return "\(kind.rawValue)://" + (host.contains(":") ? "[\(host)]" : host) + ":\(port)"
    }
}

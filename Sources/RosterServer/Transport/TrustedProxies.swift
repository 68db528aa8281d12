import Foundation
import RosterREST

/// The proxies whose `X-Forwarded-For` is trusted.
package struct TrustedProxies: Sendable {
    private let addresses: Set<String>

    /// Proxies at these numeric addresses; `badProxy` for a text that is none.
    package init(_ texts: [String]) throws(HTTPServerError) {
        var addresses: Set<String> = []
        for text in texts {
            guard let address = Self.address(text) else { throw .badProxy(text) }
            addresses.insert(address)
        }
        self.addresses = addresses
    }

    /// None.
    package init() { addresses = [] }

    func contains(_ address: String) -> Bool { addresses.contains(address) }

    /// The client that a trusted proxy forwards for: the last address in `X-Forwarded-For` that is not a trusted
    /// proxy's. Each proxy appends the address that it heard from; earlier addresses may be forged. Nil if there is
    /// none.
    func client(in headers: HTTPHeaders) -> String? {
        let field = headers.values(of: "X-Forwarded-For").joined(separator: ",")
        for entry in field.split(separator: ",", omittingEmptySubsequences: false).reversed() {
            guard let address = Self.address(String(entry)) else { return nil }
            if !contains(address) { return address }
        }
        return nil
    }

    /// The address in the form in which connections write it.
    private static func address(_ text: String) -> String? {
        SocketAddress(host: text.trimmingCharacters(in: .whitespaces), port: 0)?.numeric
    }
}

import Foundation

/// The names and addresses by which a program reaches its own machine. Requests to them do not leave the machine, and need no TLS.
package enum Loopback {
    /// Whether a host is this machine: `localhost`, `::1` with or without brackets, or an address in 127.0.0.0/8 (RFC 6890) of four
    /// decimal numbers.
    ///
    /// - Parameter host: The host of a URL, without a port.
    package static func contains(_ host: some StringProtocol) -> Bool {
        let host = host.lowercased()
        if ["localhost", "::1", "[::1]"].contains(host) { return true }
        let numbers = host.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return numbers.count == 4 && host.hasPrefix("127.")
            && numbers.allSatisfy { number in
                (1...3).contains(number.count) && number.allSatisfy { 0x30...0x39 ~= $0 }
                    && UInt8(Substring(number)) != nil
            }
    }

    /// Whether the host of a URL is this machine.
    package static func contains(hostOf url: String) -> Bool {
        URL(string: url)?.host(percentEncoded: false).map { contains($0) } ?? false
    }
}

import Roster

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A network of clients, such as `192.0.2.0/24`, `2001:db8::/32`, or a single address.
package struct ClientNetwork: Sendable {
    /// The text in one spelling.
    package let text: String
    private let prefix: [UInt8]
    private let bits: Int

    /// Reads an address, alone or with the number of its leading bits that count; nil for any other text.
    package init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = Self.bytes(String(first)) else { return nil }
        let all = address.count * 8
        if parts.count == 2 {
            guard let bits = Int(parts[1]), (0...all).contains(bits), parts[1].allSatisfy(\.isNumber) else {
                return nil
            }
            self.bits = bits
        } else {
            bits = all
        }
        prefix = address
        self.text = text.lowercased()
    }

    /// The most networks of an app password or of a token.
    private static let most = 20

    /// Checks the networks of an app password or of a token, and returns them in one spelling.
    ///
    /// - Throws: `invalidInput` for a network that cannot be read, and for too many.
    static func checked(_ networks: [String]) throws -> [String] {
        guard networks.count <= most else {
            throw DirectoryError(
                .invalidInput, "\(networks.count) networks are too many.",
                advice: "Name \(most) at most, and larger ones.")
        }
        return try networks.map { text in
            guard let network = ClientNetwork(text) else {
                throw DirectoryError(
                    .invalidInput, "'\(text.prefix(64))' is no network.",
                    advice: "Give an address such as 192.0.2.7, or a network such as 192.0.2.0/24 or 2001:db8::/32.")
            }
            return network.text
        }
    }

    /// Returns whether an address is in one of the networks, or the list has no network.
    static func contains(_ address: String, anyOf networks: [String]) -> Bool {
        networks.isEmpty || networks.contains { ClientNetwork($0)?.contains(address) == true }
    }

    /// Whether an address is in the network. A text that is no address, such as that of a local socket, is in none.
    package func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(address), other.count == prefix.count else { return false }
        return zip(prefix, other).enumerated().allSatisfy { index, pair in
            let counting = min(max(bits - index * 8, 0), 8)
            return (pair.0 ^ pair.1) >> (8 - counting) == 0
        }
    }

    /// The 4 or 16 bytes of an address. An IPv4 address that is written as an IPv6 one has 4.
    private static func bytes(_ text: String) -> [UInt8]? {
        var (short, long) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &short) == 1 { return withUnsafeBytes(of: short) { Array($0) } }
        guard inet_pton(AF_INET6, text, &long) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: long) { Array($0) }
        return bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) ? Array(bytes[12...]) : bytes
    }
}

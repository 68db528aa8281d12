/// Tells which addresses are asked for documents. Addresses in this machine's own network can reveal secrets, such as the credentials
/// that clouds hand out at 169.254.169.254.
///
/// The transport asks for each address before it connects to that address. A name that changes its address in between is therefore
/// of no use to an attacker.
package enum HostAddress {
    /// The IPv4 address in an IPv6 address: mapped, compatible, or of NAT64 and 6to4.
    private static func inner(_ address: [UInt8]) -> [UInt8]? {
        if address.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) { return Array(address[12...]) }
        if address.starts(with: [0x00, 0x64, 0xFF, 0x9B]) { return Array(address[12...]) }
        if address.starts(with: [0x20, 0x02]) { return Array(address[2..<6]) }
        if address.prefix(12).allSatisfy({ $0 == 0 }), address[12] != 0 { return Array(address[12...]) }
        return nil
    }

    package static func isLinkLocal(_ address: [UInt8]) -> Bool {
        if address.count == 4 { return address[0] == 169 && address[1] == 254 }
        if let inner = inner(address) { return isLinkLocal(inner) }
        return address[0] == 0xFE && address[1] & 0xC0 == 0x80
    }

    /// Whether an address is in the public network (the special-purpose registries of IANA, RFC 6890).
    package static func isPublic(_ address: [UInt8]) -> Bool {
        guard address.count == 4 else {
            if let inner = inner(address) { return isPublic(inner) }
            // Global unicast, without documentation and Teredo.
            return address[0] & 0xE0 == 0x20 && !address.starts(with: [0x20, 0x01, 0x0D, 0xB8])
                && !address.starts(with: [0x20, 0x01, 0, 0])
        }
        switch (address[0], address[1], address[2]) {
        case (0, _, _), (10, _, _), (127, _, _), (224..., _, _): return false
        case (100, 64..<128, _), (169, 254, _), (172, 16..<32, _), (192, 168, _), (198, 18..<20, _): return false
        case (192, 0, 0), (192, 0, 2), (198, 51, 100), (203, 0, 113), (192, 88, 99): return false
        default: return true
        }
    }
}

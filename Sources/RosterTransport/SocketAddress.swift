#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Reads the system's socket addresses.
enum SocketAddress {
    /// The 4 bytes of an IPv4 address or the 16 of an IPv6 address; nil for other families.
    static func bytes(_ address: UnsafePointer<sockaddr>) -> [UInt8]? {
        let raw = UnsafeRawPointer(address)
        switch Int32(address.pointee.sa_family) {
        case AF_INET:
            let address = raw.loadUnaligned(as: sockaddr_in.self)
            return withUnsafeBytes(of: address.sin_addr) { Array($0) }
        case AF_INET6:
            let address = raw.loadUnaligned(as: sockaddr_in6.self)
            return withUnsafeBytes(of: address.sin6_addr) { Array($0) }
        default: return nil
        }
    }
}

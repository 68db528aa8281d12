import Foundation

/// A numeric address of IPv4 or IPv6 in the form that the system takes.
struct SocketAddress {
    private var storage = sockaddr_in6()

    init() {}

    /// The address that a text names; nil if it names none.
    init?(host: String, port: UInt16) {
        var v4 = sockaddr_in()
        if inet_pton(AF_INET, host, &v4.sin_addr) == 1 {
            v4.sin_family = sa_family_t(AF_INET)
            v4.sin_port = port.bigEndian
            withUnsafeMutableBytes(of: &storage) { $0.storeBytes(of: v4, as: sockaddr_in.self) }
        } else if inet_pton(AF_INET6, host, &storage.sin6_addr) == 1 {
            storage.sin6_family = sa_family_t(AF_INET6)
            storage.sin6_port = port.bigEndian
        } else {
            return nil
        }
    }

    /// Whether the address is that of a Unix socket, of which only the family is kept.
    var isUnix: Bool { family == sa_family_t(AF_UNIX) }
    var family: sa_family_t { storage.sin6_family }
    // The port is at the same place in both kinds.
    var port: UInt16 { UInt16(bigEndian: storage.sin6_port) }

    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        let isV4 = family == sa_family_t(AF_INET)
        let size = isV4 ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
        return withUnsafePointer(to: storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(size)) }
        }
    }

    /// Lets a call of the system write the address.
    @discardableResult
    mutating func fill(_ body: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32) -> Int32 {
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        return withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, &size) }
        }
    }

    /// The four bytes of an address of IPv4, also of one that came through a socket of IPv6.
    private var v4: [UInt8]? {
        if family == sa_family_t(AF_INET) {
            return withUnsafeBytes(of: storage) { Array($0[4..<8]) }
        }
        let bytes = withUnsafeBytes(of: storage.sin6_addr) { Array($0) }
        return bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) ? Array(bytes[12...]) : nil
    }

    /// The address without its port.
    var numeric: String {
        if let v4 { return v4.map(String.init).joined(separator: ".") }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        var address = storage.sin6_addr
        inet_ntop(AF_INET6, &address, &text, socklen_t(text.count))
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Whether the address is one of this machine's own, which no packet from outside can have.
    var isLoopback: Bool {
        if let v4 { return v4[0] == 127 }
        return withUnsafeBytes(of: storage.sin6_addr) { $0.dropLast().allSatisfy { $0 == 0 } && $0.last == 1 }
    }

    /// The smallest range that one client controls: an address of IPv4, or a network of 64 bits of IPv6.
    var site: Site {
        let bytes = v4 ?? withUnsafeBytes(of: storage.sin6_addr) { Array($0.prefix(8)) }
        return Site(bits: bytes.reduce(0) { $0 << 8 | UInt64($1) }, isV4: bytes.count == 4)
    }

    /// An address of IPv4, or a network of 64 bits of IPv6.
    struct Site: Hashable {
        fileprivate let bits: UInt64
        fileprivate let isV4: Bool
    }
}

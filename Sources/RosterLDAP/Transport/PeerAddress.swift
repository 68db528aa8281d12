import Foundation

/// The address of a client.
struct PeerAddress: Sendable, Hashable {
    /// The numeric address without the port; `local` for a client on a local socket.
    let text: String
    /// The smallest range that one client controls: an address of IPv4, or a network of 64 bits of IPv6.
    let site: [UInt8]

    static let local = PeerAddress(text: "local", site: [])

    private init(text: String, site: [UInt8]) { (self.text, self.site) = (text, site) }

    private init(v4 bytes: [UInt8]) { self.init(text: bytes.map(String.init).joined(separator: "."), site: bytes) }

    /// The outcome of an attempt to accept a connection.
    enum Accepted {
        case connection(Int32, PeerAddress)
        /// No connection waits.
        case none
        /// The process or the system has no descriptor left.
        case noDescriptor
    }

    /// Accepts a connection.
    static func accept(_ listener: Int32) -> Accepted {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        let descriptor = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Foundation.accept(listener, $0, &size) }
        }
        guard descriptor >= 0 else {
            return [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) ? .noDescriptor : .none
        }
        Listener.prepare(descriptor)
        let bytes = withUnsafeBytes(of: storage) { Array($0) }
        switch Int32(storage.ss_family) {
        case AF_INET: return .connection(descriptor, PeerAddress(v4: Array(bytes[4..<8])))
        case AF_INET6:
            let address = Array(bytes[8..<24])
            // An address of IPv4 that came through a socket of IPv6.
            if address.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF]) {
                return .connection(descriptor, PeerAddress(v4: Array(address[12...])))
            }
            var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            _ = address.withUnsafeBytes { inet_ntop(AF_INET6, $0.baseAddress, &text, socklen_t(text.count)) }
            let shown = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return .connection(descriptor, PeerAddress(text: shown, site: Array(address.prefix(8))))
        default: return .connection(descriptor, .local)
        }
    }

    /// The numbers of the user and the group of the process at the other end of a local socket; nil if the system does not tell.
    static func owner(of descriptor: Int32) -> (user: UInt32, group: UInt32)? {
        #if canImport(Glibc)
            // The process, the user and the group.
            var credentials: (Int32, UInt32, UInt32) = (0, 0, 0)
            var size = socklen_t(MemoryLayout<(Int32, UInt32, UInt32)>.size)
            guard getsockopt(descriptor, SOL_SOCKET, SO_PEERCRED, &credentials, &size) == 0 else { return nil }
            return (credentials.1, credentials.2)
        #else
            var (user, group): (uid_t, gid_t) = (0, 0)
            guard getpeereid(descriptor, &user, &group) == 0 else { return nil }
            return (user, group)
        #endif
    }

    static func isNumeric(_ host: String) -> Bool {
        var bytes = in6_addr()
        return inet_pton(AF_INET, host, &bytes) == 1 || inet_pton(AF_INET6, host, &bytes) == 1
    }

    /// Calls the system with the address of a listener.
    static func withAddress(
        of address: LDAPAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        if address.kind == .local { return withLocalAddress(address.host, body) }
        if address.host.contains(":") {
            var own = sockaddr_in6()
            own.sin6_family = sa_family_t(AF_INET6)
            own.sin6_port = address.port.bigEndian
            inet_pton(AF_INET6, address.host, &own.sin6_addr)
            return with(own, body)
        }
        var own = sockaddr_in()
        own.sin_family = sa_family_t(AF_INET)
        own.sin_port = address.port.bigEndian
        inet_pton(AF_INET, address.host, &own.sin_addr)
        return with(own, body)
    }

    static func withLocalAddress(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
        var own = sockaddr_un()
        own.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &own.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return with(own, body)
    }

    /// The port that the system gave to a listening socket.
    static func port(of descriptor: Int32) -> UInt16 {
        var storage = sockaddr_in6()
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        _ = withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
        }
        // The port stands at the same place in both families.
        return UInt16(bigEndian: storage.sin6_port)
    }

    private static func with<Address>(
        _ address: Address, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafePointer(to: address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<Address>.size)) }
        }
    }
}

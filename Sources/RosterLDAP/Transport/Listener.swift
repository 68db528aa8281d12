import Foundation

/// A socket that listens.
struct Listener: Sendable {
    let descriptor: Int32
    let address: LDAPAddress

    /// Opens a socket that listens at an address. Processes that this one starts do not inherit the socket.
    init(_ address: LDAPAddress) throws(LDAPServer.Failure) {
        let family = address.kind == .local ? AF_UNIX : address.host.contains(":") ? AF_INET6 : AF_INET
        #if canImport(Glibc)
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw Self.failure(address, errno) }
        Self.prepare(descriptor)
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        if address.kind == .local, !Self.isServed(address.host) { unlink(address.host) }
        let isBound = PeerAddress.withAddress(of: address) { bind(descriptor, $0, $1) } == 0
        guard isBound, listen(descriptor, 1024) == 0 else {
            let error = Self.failure(address, errno)
            _ = Foundation.close(descriptor)
            throw error
        }
        if address.kind == .local { chmod(address.host, 0o666) }
        self.descriptor = descriptor
        var address = address
        if address.kind != .local { address.port = PeerAddress.port(of: descriptor) }
        self.address = address
    }

    /// Sets what each descriptor of the server has: it never waits, and other programs do not inherit it.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
    }

    func close() {
        _ = Foundation.close(descriptor)
        if address.kind == .local { unlink(address.host) }
    }

    /// Whether a running server listens at a local socket. The socket of a server that crashed stays in the file system.
    private static func isServed(_ path: String) -> Bool {
        #if canImport(Glibc)
            let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        var status = stat()
        // A file that is no socket stays, and the address is in use.
        guard descriptor >= 0, lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else {
            if descriptor >= 0 { _ = Foundation.close(descriptor) }
            return true
        }
        defer { _ = Foundation.close(descriptor) }
        return PeerAddress.withLocalAddress(path) { connect(descriptor, $0, $1) } == 0 || errno != ECONNREFUSED
    }

    private static func failure(_ address: LDAPAddress, _ number: Int32) -> LDAPServer.Failure {
        let problem =
            switch number {
            case EADDRINUSE: "Another program listens at \(address). Stop that program, or choose another port."
            case EACCES, EPERM: "This user may not listen at \(address). Choose a port from 1024 on, or another path."
            case EADDRNOTAVAIL: "This machine does not have the address of \(address). Choose one of its addresses."
            default: "Listening at \(address) failed: \(String(cString: strerror(number)))."
            }
        return LDAPServer.Failure(description: problem)
    }
}

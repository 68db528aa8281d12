import Foundation
import CMicroHTTPD

extension HTTPServer {
    /// The place at which a server listens.
    package enum Listener: Sendable, Equatable, CustomStringConvertible {
        /// A numeric address of IPv4 or IPv6 without brackets, and a port; 0 for a free one.
        case network(host: String, port: UInt16)
        /// The path of a Unix socket, and the permissions of its file. Clients of the socket count as clients from 127.0.0.1.
        case unix(path: String, permissions: UInt16)
        /// The socket that systemd listens at for the service (sd_listen_fds(3)).
        case systemd

        /// The first descriptor that systemd hands over.
        private static let handedOver: Int32 = 3

        /// Reads `127.0.0.1:8080`, `[::1]:8080`, `0.0.0.0:443`, `unix:/run/roster/roster.sock` or `systemd`; `badAddress` for anything
        /// else. Names are not looked up, because what a name means can change between two starts.
        package init(_ text: String, permissions: UInt16 = 0o660) throws(HTTPServerError) {
            if text == "systemd" {
                self = .systemd
                return
            }
            if text.hasPrefix("unix:") {
                let path = String(text.dropFirst("unix:".count))
                guard !path.isEmpty, UnixAddress(path) != nil else { throw .badAddress(text) }
                self = .unix(path: path, permissions: permissions)
                return
            }
            guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
                throw .badAddress(text)
            }
            var host = text[..<colon]
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            if isBracketed { host = host.dropFirst().dropLast() }
            guard host.contains(":") == isBracketed, SocketAddress(host: String(host), port: port) != nil else {
                throw .badAddress(text)
            }
            self = .network(host: String(host), port: port)
        }

        package var description: String {
            switch self {
            case .network(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
            case .unix(let path, _): "unix:\(path)"
            case .systemd: "systemd"
            }
        }

        private static func port(_ text: Substring) -> UInt16? {
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
        }

        /// The numeric address at which other machines may reach the server; nil for a Unix socket.
        ///
        /// - Throws: `notHandedOver` if systemd gave no socket.
        func host() throws(HTTPServerError) -> String? {
            switch self {
            case .network(let host, _): return host
            case .unix: return nil
            case .systemd:
                try checkHandedOver()
                var address = SocketAddress()
                address.fill { getsockname(Self.handedOver, $0, $1) }
                return address.isUnix ? nil : address.numeric
            }
        }

        /// A socket that listens, and its port; 0 for a Unix socket.
        typealias Socket = (descriptor: Int32, port: UInt16)

        /// Opens a socket that listens there. The socket is not handed to processes that this one starts.
        func open() throws(HTTPServerError) -> Socket {
            switch self {
            case .network(let host, let port):
                guard let address = SocketAddress(host: host, port: port) else { throw .badAddress(description) }
                return try open(at: address)
            case .unix(let path, let permissions):
                guard let address = UnixAddress(path) else { throw .badAddress(description) }
                return (try open(at: address, permissions), 0)
            case .systemd:
                try checkHandedOver()
                // A server that was stopped can start again, so the descriptor itself stays open.
                let descriptor = fcntl(Self.handedOver, F_DUPFD_CLOEXEC, 0)
                guard descriptor >= 0 else { throw .system("Taking the socket of systemd", errno) }
                _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
                var address = SocketAddress()
                address.fill { getsockname(descriptor, $0, $1) }
                return (descriptor, address.isUnix ? 0 : address.port)
            }
        }

        private func checkHandedOver() throws(HTTPServerError) {
            let environment = ProcessInfo.processInfo.environment
            var isListening: Int32 = 0
            var size = socklen_t(MemoryLayout<Int32>.size)
            guard environment["LISTEN_PID"] == "\(getpid())", environment["LISTEN_FDS"] == "1",
                getsockopt(Self.handedOver, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening != 0
            else { throw .notHandedOver }
            _ = fcntl(Self.handedOver, F_SETFD, FD_CLOEXEC)
        }

        private func open(at place: SocketAddress) throws(HTTPServerError) -> Socket {
            var address = place
            let descriptor = try newSocket(Int32(address.family))
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            let isBound = address.withPointer { bind(descriptor, $0, $1) } == 0
            try listen(on: descriptor, isBound: isBound)
            address.fill { getsockname(descriptor, $0, $1) }
            return (descriptor, address.port)
        }

        private func open(at address: UnixAddress, _ permissions: UInt16) throws(HTTPServerError) -> Int32 {
            let descriptor = try newSocket(AF_UNIX)
            // On Linux, the file then has no more permissions than these at any time.
            fchmod(descriptor, mode_t(permissions))
            var isBound = address.withPointer { bind(descriptor, $0, $1) } == 0
            if !isBound, errno == EADDRINUSE, address.isAbandoned {
                unlink(address.path)
                isBound = address.withPointer { bind(descriptor, $0, $1) } == 0
            }
            if isBound { chmod(address.path, mode_t(permissions)) }
            try listen(on: descriptor, isBound: isBound)
            return descriptor
        }

        private func newSocket(_ family: Int32) throws(HTTPServerError) -> Int32 {
            let descriptor = socket(family, Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw .system("Opening a socket", errno) }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            return descriptor
        }

        /// Begins to listen. Closes the socket if that fails.
        private func listen(on descriptor: Int32, isBound: Bool) throws(HTTPServerError) {
            guard isBound, Foundation.listen(descriptor, 1024) == 0 else {
                let error = failure(errno)
                close(descriptor)
                throw error
            }
        }

        private func failure(_ number: Int32) -> HTTPServerError {
            switch number {
            case EADDRINUSE: .addressInUse(description)
            case EACCES, EPERM: .permissionDenied(description)
            case EADDRNOTAVAIL: .addressNotAvailable(description)
            default: .system("Listening at \(description)", number)
            }
        }
    }
}

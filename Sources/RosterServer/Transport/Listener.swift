import Foundation
import CMicroHTTPD

extension HTTPServer {
    /// The address at which a server listens.
    package struct Listener: Sendable, Equatable, CustomStringConvertible {
        /// A numeric address of IPv4 or IPv6, without brackets.
        package var host: String
        /// The port; 0 for a free one.
        package var port: UInt16

        package init(host: String, port: UInt16) {
            self.host = host
            self.port = port
        }

        /// Reads `127.0.0.1:8080`, `[::1]:8080` or `0.0.0.0:443`; `badAddress` for anything else. Names are not looked
        /// up: what a name means can change between two starts.
        package init(_ text: String) throws(HTTPServerError) {
            guard let colon = text.lastIndex(of: ":"), let port = Self.port(text[text.index(after: colon)...]) else {
                throw .badAddress(text)
            }
            var host = text[..<colon]
            let isBracketed = host.hasPrefix("[") && host.hasSuffix("]")
            if isBracketed { host = host.dropFirst().dropLast() }
            guard host.contains(":") == isBracketed, SocketAddress(host: String(host), port: port) != nil else {
                throw .badAddress(text)
            }
            self.init(host: String(host), port: port)
        }

        package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

        private static func port(_ text: Substring) -> UInt16? {
            text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt16(text) : nil
        }

        typealias Socket = (descriptor: Int32, port: UInt16)

        /// A socket that listens there. It is not handed to processes that this one starts.
        func open() throws(HTTPServerError) -> Socket {
            guard var address = SocketAddress(host: host, port: port) else { throw .badAddress(description) }
            let descriptor = socket(Int32(address.family), Int32(SOCK_STREAM.rawValue), 0)
            guard descriptor >= 0 else { throw .system("Opening a socket", errno) }
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
            var yes: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
            let isBound = address.withPointer { bind(descriptor, $0, $1) } == 0
            if !isBound || listen(descriptor, 1024) != 0 {
                let error = failure(errno)
                close(descriptor)
                throw error
            }
            address.fill { getsockname(descriptor, $0, $1) }
            return (descriptor, address.port)
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

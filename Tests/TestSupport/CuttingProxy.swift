import Foundation
import RosterText

#if canImport(Glibc)
    import Glibc
#endif

/// Leads connections of a port to a socket of this machine, and cuts them where a test wants.
package final class CuttingProxy: Sendable {
    /// What happens to bytes of the client.
    package enum Fate: Sendable {
        case pass
        /// The connection is cut before the bytes reach the server.
        case lose
        /// The connection is cut when the server has got the bytes, before its answer.
        case loseAnswer
    }

    package let port: UInt16
    private let server: SocketServer

    /// - Parameter fate: Decides about each piece of bytes that a client sends.
    package init(to path: String, _ fate: @escaping @Sendable ([UInt8]) -> Fate) throws {
        server = try SocketServer { peer in
            guard let target = Self.connect(path) else { return }
            defer { close(target) }
            let back = DispatchSemaphore(value: 0)
            let isCut = Locked(false)
            Thread.detachNewThread {
                var buffer = [UInt8](repeating: 0, count: 65_536)
                while true {
                    let count = recv(target, &buffer, buffer.count, 0)
                    guard count > 0, !isCut.withLock({ $0 }), peer.send(Array(buffer.prefix(count))) else { break }
                }
                peer.shut()
                back.signal()
            }
            pump: while let bytes = peer.some() {
                switch fate(bytes) {
                case .lose:
                    break pump
                case .loseAnswer:
                    isCut.withLock { $0 = true }
                    Self.send(bytes, to: target)
                    break pump
                case .pass:
                    guard Self.send(bytes, to: target) else { break pump }
                }
            }
            isCut.withLock { $0 = true }
            peer.shut()
            shutdown(target, Int32(SHUT_WR))
            back.wait()
        }
        port = server.port
    }

    private static func connect(_ path: String) -> Int32? {
        let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let isConnected = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(number, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
            }
        }
        if isConnected { return number }
        close(number)
        return nil
    }

    @discardableResult
    private static func send(_ bytes: [UInt8], to socket: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }
}

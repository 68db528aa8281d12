import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// Answers each connection with the same bytes, or those of its path, and then closes it, or keeps it open.
public final class CannedServer: Sendable {
    public let port: UInt16
    private let socketNumber: Int32
    private let connections = Mutex<[Int32]>([])
    private let received = Mutex<[String]>([])
    private let answers = Mutex<[String: String]>([:])

    /// The requests that came, each with as much of its body as its `Content-Length` says.
    public var requests: [String] { received.withLock { $0 } }

    /// Answers a path with a body from now on.
    public func answer(_ path: String, body: String) {
        let text = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n" + body
        answers.withLock { $0[path] = text }
    }

    public init(_ answer: String = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", hangs: Bool = false) throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, length) == 0 && listen(number, 64) == 0
                    && getsockname(number, pointer, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileWriteUnknown) }
        port = UInt16(bigEndian: address.sin_port)
        socketNumber = number
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(number, nil, nil)
                _ = fcntl(connection, F_SETFD, FD_CLOEXEC)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [self] in
                    let request = Self.request(connection)
                    received.withLock { $0.append(request) }
                    let path = request.split(separator: " ").dropFirst().first.map(String.init) ?? ""
                    let bytes = Array((answers.withLock { $0[path] } ?? answer).utf8)
                    var sent = 0
                    while sent < bytes.count {
                        let count = bytes[sent...].withUnsafeBytes {
                            send(connection, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
                        }
                        guard count > 0 else { break }
                        sent += count
                    }
                    if hangs { connections.withLock { $0.append(connection) } } else { close(connection) }
                }
            }
        }
    }

    private static func request(_ connection: Int32) -> String {
        var text = ""
        var buffer = [UInt8](repeating: 0, count: 4_096)
        while true {
            if let end = text.range(of: "\r\n\r\n") {
                let field = text[..<end.lowerBound].lowercased().components(separatedBy: "\r\n")
                    .first { $0.hasPrefix("content-length:") }
                let length = field.flatMap { Int($0.dropFirst(15).trimmingCharacters(in: .whitespaces)) } ?? 0
                if text[end.upperBound...].utf8.count >= length { return text }
            }
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0 else { return text }
            text += String(decoding: buffer.prefix(count), as: UTF8.self)
        }
    }

    deinit {
        shutdown(socketNumber, Int32(SHUT_RDWR))
        close(socketNumber)
        for connection in connections.withLock({ $0 }) { close(connection) }
    }
}

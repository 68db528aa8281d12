import Foundation
import RosterWire
import Synchronization
import Testing

@testable import RosterSignIn

#if canImport(Glibc)
    import Glibc
#endif

/// Answers each connection with the same bytes, or those of its path, and then closes it, or keeps it open.
final class CannedServer: Sendable {
    let port: UInt16
    private let socketNumber: Int32
    private let connections = Mutex<[Int32]>([])
    private let received = Mutex<[String]>([])
    private let answers = Mutex<[String: String]>([:])

    /// The heads of the requests that came.
    var requests: [String] { received.withLock { $0 } }

    /// Answers a path with JSON from now on.
    func answer(_ path: String, _ json: JSONValue) {
        let body = String(decoding: json.bytes, as: UTF8.self)
        let text = "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\nConnection: close\r\n\r\n" + body
        answers.withLock { $0[path] = text }
    }

    init(_ answer: String = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", hangs: Bool = false) throws {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
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
        try #require(isBound)
        port = UInt16(bigEndian: address.sin_port)
        socketNumber = number
        Thread.detachNewThread { [self] in
            while true {
                let connection = accept(number, nil, nil)
                guard connection >= 0 else { return }
                Thread.detachNewThread { [self] in
                    var buffer = [UInt8](repeating: 0, count: 4_096)
                    let count = recv(connection, &buffer, buffer.count, 0)
                    let head = String(decoding: buffer.prefix(max(count, 0)), as: UTF8.self)
                    received.withLock { $0.append(head) }
                    let path = head.split(separator: " ").dropFirst().first.map(String.init) ?? ""
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

    deinit {
        shutdown(socketNumber, Int32(SHUT_RDWR))
        close(socketNumber)
        for connection in connections.withLock({ $0 }) { close(connection) }
    }

    var request: DocumentFetcher.Request {
        var request = DocumentFetcher.Request("http://127.0.0.1:\(port)/keys")
        request.allowsHTTP = true
        request.connectTimeoutSeconds = 1
        request.readTimeoutSeconds = 1
        return request
    }
}

import Foundation

#if canImport(Glibc)
    import Glibc
#endif

package struct NoConnection: Error {}
package struct NoResponse: Error, CustomStringConvertible {
    package let received: String
    package init(received: String) { self.received = received }
    package var description: String { "No response, but: \(received)" }
}

/// What came back.
package struct Response: Sendable {
    package var status: Int
    package var head: String
    package var body: String

    package init(status: Int, head: String, body: String) {
        (self.status, self.head, self.body) = (status, head, body)
    }

    package func field(_ name: String) -> String? {
        let prefix = name.lowercased() + ":"
        return head.components(separatedBy: "\r\n").first { $0.lowercased().hasPrefix(prefix) }
            .map { $0.dropFirst(prefix.count).trimmingCharacters(in: .whitespaces) }
    }
    package var closes: Bool { field("Connection")?.lowercased() == "close" }
}

/// A client that sends exactly the bytes it is told to.
package final class RawClient: Sendable {
    /// How long a client waits for what must come, in seconds. Beside tests that compute, tasks of the server wait for a thread.
    package static let patience: Double = 120

    private let descriptor: Int32
    private let buffer = Buffer()

    private final class Buffer: @unchecked Sendable {
        // Unchecked: a test uses a client from one task at a time.
        var bytes: [UInt8] = []
        var isAtEnd = false
    }

    /// - Parameter address: Where the client connects from, one of this machine's own.
    package init(port: UInt16, from address: String? = nil) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        if let address {
            var own = sockaddr_in()
            own.sin_family = sa_family_t(AF_INET)
            inet_pton(AF_INET, address, &own.sin_addr)
            _ = withUnsafePointer(to: &own) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
                }
            }
        }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        inet_pton(AF_INET, "127.0.0.1", &address.sin_addr)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if result != 0 { throw NoConnection() }
    }

    deinit { close(descriptor) }

    /// Sends no more, but still receives.
    package func finishSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Lets the system keep only little of what comes, so that the server feels that nobody reads.
    package func readLittle() {
        var size: Int32 = 4096
        setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, 4)
    }

    // MARK: Without waiting for the server's tasks

    /// Sends bytes; false where the server has closed.
    @discardableResult
    package func sendNow(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let sent = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            if sent <= 0 { return false }
            rest = rest.dropFirst(sent)
        }
        return true
    }

    /// Waits for more; false at the end or where nothing comes.
    private func fill(within seconds: Double) -> Bool {
        var polled = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&polled, 1, Int32(seconds * 1000)) > 0 else { return false }
        var bytes = [UInt8](repeating: 0, count: 65536)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        if count <= 0 {
            buffer.isAtEnd = true
            return false
        }
        buffer.bytes += bytes.prefix(count)
        return true
    }

    private func find(_ text: String) -> Int? {
        let pattern = Array(text.utf8)
        guard buffer.bytes.count >= pattern.count else { return nil }
        return (0...buffer.bytes.count - pattern.count).first { buffer.bytes[$0...].starts(with: pattern) }
    }

    /// Takes everything up to and with a text.
    package func readNow(through text: String, within seconds: Double = patience) throws -> String {
        while true {
            if let place = find(text) { return take(place + text.utf8.count) }
            if !fill(within: seconds) { throw NoResponse(received: take(buffer.bytes.count)) }
        }
    }

    private func take(_ count: Int) -> String {
        defer { buffer.bytes.removeFirst(count) }
        return String(decoding: buffer.bytes.prefix(count), as: UTF8.self)
    }

    /// Takes one response, but not a stream.
    package func responseNow(toHead: Bool = false, within seconds: Double = patience) throws -> Response {
        let head = try readNow(through: "\r\n\r\n", within: seconds)
        let status = head.split(separator: " ").dropFirst().first.flatMap { Int($0) }
        guard let status else { throw NoResponse(received: head) }
        var response = Response(status: status, head: head, body: "")
        if let length = response.field("Content-Length").flatMap(Int.init), !toHead, status != 304 {
            while buffer.bytes.count < length, fill(within: seconds) {}
            response.body = take(min(length, buffer.bytes.count))
        }
        return response
    }

    /// Whether the server closes, after whatever it still sends.
    package func closesNow(within seconds: Double = patience) -> Bool {
        while !buffer.isAtEnd, fill(within: seconds) { buffer.bytes = [] }
        return buffer.isAtEnd
    }

    /// All that the server sends until it closes; nil where it does not close in time.
    package func allNow(within seconds: Double = patience) -> String? {
        while !buffer.isAtEnd, fill(within: seconds) {}
        return buffer.isAtEnd ? take(buffer.bytes.count) : nil
    }

    // MARK: In a test

    package func all() async throws -> String? { try await onThread { self.allNow() } }

    package func send(_ text: String) async throws { _ = try await onThread { self.sendNow(Array(text.utf8)) } }

    package func response(toHead: Bool = false, within seconds: Double = patience) async throws -> Response {
        try await onThread { try self.responseNow(toHead: toHead, within: seconds) }
    }

    package func read(through text: String) async throws -> String {
        try await onThread { try self.readNow(through: text) }
    }

    package func closes(within seconds: Double = patience) async throws -> Bool {
        try await onThread { self.closesNow(within: seconds) }
    }

    /// Sends a text and takes the response to it.
    package func ask(_ text: String) async throws -> Response {
        try await send(text)
        return try await response()
    }
}

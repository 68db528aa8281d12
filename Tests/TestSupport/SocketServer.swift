import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#endif

/// A server of plain sockets on this machine, which does whatever a test wants, right or wrong. Each connection has a thread.
package final class SocketServer: Sendable {
    package let port: UInt16
    private let listener: Int32
    private let counter = Counter()
    private let closed = Counter()

    /// How many connections were accepted.
    package var connections: Int { counter.value }
    /// How many connections are open, or have requests that were not read yet.
    package var openConnections: Int { counter.value - closed.value }
    package var url: String { "http://127.0.0.1:\(port)" }

    package init(_ serve: @escaping @Sendable (Peer) -> Void) throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let (listener, counter, closed) = (listener, counter, closed)
        let isBound = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(listener, pointer, length) == 0 && listen(listener, 1_024) == 0
                    && getsockname(listener, pointer, &length) == 0
            }
        }
        guard isBound else { throw CocoaError(.fileWriteUnknown) }
        port = UInt16(bigEndian: address.sin_port)
        Thread.detachNewThread {
            while true {
                let number = accept(listener, nil, nil)
                _ = fcntl(number, F_SETFD, FD_CLOEXEC)
                guard number >= 0 else {
                    close(listener)
                    return
                }
                counter.add()
                Thread.detachNewThread {
                    serve(Peer(socket: number))
                    close(number)
                    closed.add()
                }
            }
        }
    }

    /// Answers all requests of each connection with the same text.
    package convenience init(answering text: String) throws {
        try self.init { peer in
            while peer.request() != nil, peer.send(text) {}
        }
    }

    /// Answers with 200 and a body, and keeps the connection.
    package static func answer(_ body: String, _ status: String = "200 OK", headers: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Length: \(body.utf8.count)\r\n\(headers)\r\n\(body)"
    }

    // The thread closes the socket, because its number may not be another's while the thread uses the number.
    deinit { shutdown(listener, Int32(SHUT_RDWR)) }
}

/// The client at the other end of a connection.
package final class Peer: Sendable {
    package struct Request: Sendable {
        package let head: String
        package let body: String
        package var line: String { head.split(separator: "\r\n").first.map(String.init) ?? "" }

        package func field(_ name: String) -> String? {
            head.split(separator: "\r\n").first { $0.lowercased().hasPrefix(name.lowercased() + ":") }
                .map { $0.dropFirst(name.count + 1).trimmingCharacters(in: .whitespaces) }
        }
    }

    private let socket: Int32
    private let unread = Mutex<[UInt8]>([])

    package init(socket: Int32) { self.socket = socket }

    /// The next request; nil if the client has closed the connection.
    package func request() -> Request? {
        let mark = Array("\r\n\r\n".utf8)
        guard let end = fill({ $0.firstRange(of: mark)?.upperBound }) else { return nil }
        let head = String(decoding: take(end), as: UTF8.self)
        let length = Request(head: head, body: "").field("Content-Length").flatMap { Int($0) } ?? 0
        guard fill({ $0.count >= length ? length : nil }) != nil else { return nil }
        return Request(head: head, body: String(decoding: take(length), as: UTF8.self))
    }

    /// The next line without its end; nil if the client has closed the connection.
    package func line() -> String? {
        guard let end = fill({ $0.firstRange(of: [0x0D, 0x0A])?.upperBound }) else { return nil }
        return String(decoding: take(end).dropLast(2), as: UTF8.self)
    }

    private func take(_ count: Int) -> [UInt8] {
        unread.withLock { unread in
            defer { unread.removeFirst(count) }
            return Array(unread.prefix(count))
        }
    }

    private func fill(_ isEnough: ([UInt8]) -> Int?) -> Int? {
        while true {
            if let end = unread.withLock({ isEnough($0) }) { return end }
            var buffer = [UInt8](repeating: 0, count: 16_384)
            let count = recv(socket, &buffer, buffer.count, 0)
            guard count > 0 else { return nil }
            unread.withLock { $0 += buffer.prefix(count) }
        }
    }

    /// Sends everything; false if the client has gone.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
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

    /// The bytes that have come; nil if the client has closed the connection.
    package func some() -> [UInt8]? {
        let known = unread.withLock { unread in
            defer { unread = [] }
            return unread
        }
        if !known.isEmpty { return known }
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(socket, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// Ends the connection, also for a thread that waits for bytes.
    package func shut() { shutdown(socket, Int32(SHUT_RDWR)) }

    /// Waits until the client closes the connection; false after the time.
    @discardableResult
    package func waitForClose(_ milliseconds: Int = 60_000) -> Bool {
        var entry = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, Int32(milliseconds)) > 0 else { return false }
        var byte: UInt8 = 0
        return recv(socket, &byte, 1, 0) <= 0
    }

    /// Waits for the end of the connection without reading the request.
    package func waitForNothing() {
        var entry = pollfd(fd: socket, events: 0x2000 /* POLLRDHUP */, revents: 0)
        poll(&entry, 1, 60_000)
    }

    /// Closes the connection with a reset.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Glibc.linger>.size))
    }
}

/// A number that several threads raise, and that a test waits for.
package final class Counter: Sendable {
    private let condition = NSCondition()
    private let count = Mutex(0)

    package init() {}

    package var value: Int { count.withLock { $0 } }

    package func add() {
        condition.lock()
        defer { condition.unlock() }
        count.withLock { $0 += 1 }
        condition.broadcast()
    }

    /// Waits on a thread of its own; false if the number is not reached within a minute.
    package func reaches(_ number: Int) async -> Bool {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [self] in continuation.resume(returning: waits(number)) }
        }
    }

    /// Waits on this thread.
    @discardableResult
    package func waits(_ number: Int) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let end = Date() + 60
        while value < number {
            guard condition.wait(until: end) else { return value >= number }
        }
        return true
    }
}

import Foundation
import RosterSecrets
import RosterText

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Listens at 127.0.0.1 for the one request with which a browser comes back from a sign-in page (RFC 8252, section 7.3).
///
/// Of a request only the first line counts. Other requests do not end the wait: browsers open connections ahead of time and ask for icons,
/// and each web page, and each program on this machine, can send a wrong answer. Requests for other paths get 404. A wrong answer at the
/// path gets 400 and a page that says what is wrong.
final class LoopbackListener: Sendable {
    /// The URL to register as redirect URL, with the port.
    let url: String
    private let path: String
    private let listener: Int32
    /// Ends the thread's wait when its other end is closed.
    private let wakeUp: (read: Int32, write: Int32)
    private let hasStarted = Locked(false)
    private let hasStopped = Locked(false)
    private let problem = Locked<RedirectedURL.Problem?>(nil)
    /// What was wrong with the last request at the path that was not the awaited one; nil for none.
    var lastProblem: RedirectedURL.Problem? { problem.withLock { $0 } }

    private static let maximumHead = 16_384
    private static let maximumConnections = 16

    /// - Parameter port: The port; 0 for any free one.
    init(path: String, port: UInt16) throws {
        self.path = path
        #if canImport(Glibc)
            let kind = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue)
        #else
            let kind = SOCK_STREAM
        #endif
        let number = socket(AF_INET, kind, 0)
        guard number >= 0 else { throw Self.failure(port) }
        // Connections of the last sign-in would keep a port in use for a minute.
        var isOn: Int32 = 1
        setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        address.sin_port = port.bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(number, pointer, length) == 0 && listen(number, 16) == 0
                    && getsockname(number, pointer, &length) == 0
            }
        }
        var ends: [Int32] = [-1, -1]
        guard isListening, pipe(&ends) == 0 else {
            let failure = Self.failure(port)
            close(number)
            throw failure
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        listener = number
        wakeUp = (ends[0], ends[1])
        url = "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))\(path)"
    }

    private static func failure(_ port: UInt16) -> ClientError {
        let message =
            errno == EADDRINUSE
            ? "The port \(port) of 127.0.0.1 is in use." : "The app cannot listen at 127.0.0.1: \(systemFailure)."
        return ClientError(
            .badConfiguration, message,
            advice: "Give another port or none, or use a redirect URL with the app's own scheme.")
    }

    deinit {
        stop()
        if !hasStarted.withLock({ $0 }) { closeAll() }
    }

    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - state: The `state` of the awaited request.
    ///   - seconds: The time after which listening ends.
    ///   - receive: Receives the URL of the awaited request.
    func start(state: String, seconds: Double, _ receive: @escaping @Sendable (String) -> Void) {
        hasStarted.withLock { $0 = true }
        let end = ContinuousClock.now + .seconds(seconds)
        Thread.detachNewThread { [self] in
            if let url = serve(state, until: end) { receive(url) }
            closeAll()
        }
    }

    /// Ends listening.
    func stop() {
        let isFirst = hasStopped.withLock { hasStopped in
            defer { hasStopped = true }
            return !hasStopped
        }
        if isFirst { close(wakeUp.write) }
    }

    private func closeAll() {
        close(listener)
        close(wakeUp.read)
    }

    private struct Connection {
        let socket: Int32
        var bytes: [UInt8] = []
    }

    private func serve(_ state: String, until end: ContinuousClock.Instant) -> String? {
        var connections: [Connection] = []
        // Without free descriptors a connection stays in the queue, and poll would return at once again and again.
        var isAccepting = true
        defer { for connection in connections { close(connection.socket) } }
        while ContinuousClock.now < end {
            var entries = ([wakeUp.read, listener] + connections.map(\.socket)).map {
                pollfd(fd: $0, events: Int16(POLLIN), revents: 0)
            }
            if !isAccepting { entries[1].fd = -1 }
            let count = poll(&entries, nfds_t(entries.count), isAccepting ? 1_000 : 100)
            isAccepting = true
            guard count >= 0 || errno == EINTR else { return nil }
            guard entries[0].revents == 0 else { return nil }
            var kept: [Connection] = []
            for (index, connection) in connections.enumerated() {
                guard entries[index + 2].revents != 0 else {
                    kept.append(connection)
                    continue
                }
                switch read(connection) {
                case .more(let connection): kept.append(connection)
                case .closed: close(connection.socket)
                case .target(let target):
                    let page = page(for: target, state)
                    answer(connection.socket, page)
                    close(connection.socket)
                    if page.endsWait, let target {
                        connections = kept + connections.dropFirst(index + 1)
                        return url.dropLast(path.count) + target
                    }
                }
            }
            connections = kept
            if entries[1].revents != 0 { isAccepting = accept(&connections) }
        }
        return nil
    }

    /// - Returns: Whether a connection was accepted.
    private func accept(_ connections: inout [Connection]) -> Bool {
        let number = Foundation.accept(listener, nil, nil)
        guard number >= 0 else { return false }
        _ = fcntl(number, F_SETFD, FD_CLOEXEC)
        _ = fcntl(number, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
            var isOn: Int32 = 1
            setsockopt(number, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
        // The oldest connection is probably one that a browser opened ahead of time.
        if connections.count >= Self.maximumConnections { close(connections.removeFirst().socket) }
        connections.append(Connection(socket: number))
        return true
    }

    private enum Progress {
        case more(Connection)
        case closed
        /// The head is complete. The target is nil if the first line is none of a GET request.
        case target(String?)
    }

    private func read(_ connection: Connection) -> Progress {
        var connection = connection
        var buffer = [UInt8](repeating: 0, count: 4_096)
        let count = recv(connection.socket, &buffer, buffer.count, 0)
        if count < 0, errno == EAGAIN || errno == EINTR { return .more(connection) }
        guard count > 0 else { return .closed }
        connection.bytes += buffer.prefix(count)
        guard connection.bytes.count <= Self.maximumHead else { return .closed }
        // Bytes that are not read when a connection is closed would destroy the answer.
        guard connection.bytes.firstRange(of: Array("\r\n\r\n".utf8)) != nil else { return .more(connection) }
        let line = connection.bytes.prefix { $0 != UInt8(ascii: "\r") }
        let words = line.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
        guard words.count == 3, words[0].elementsEqual("GET".utf8), words[2].starts(with: "HTTP/1.".utf8),
            words[1].first == UInt8(ascii: "/"), words[1].allSatisfy({ (0x21...0x7E).contains($0) })
        else { return .target(nil) }
        return .target(String(decoding: words[1], as: UTF8.self))
    }

    /// The answer to a request.
    private struct Page {
        let status: String
        let text: String
        /// Whether the request is the awaited one.
        var endsWait = false
    }

    private func page(for target: String?, _ state: String) -> Page {
        guard let target, target.prefix(while: { $0 != "?" }) == path else {
            return Page(status: "404 Not Found", text: "Nothing is here.")
        }
        do {
            let redirected = try RedirectedURL(target)
            guard redirected.state == state else { throw RedirectedURL.Problem.otherState }
            switch redirected.answer {
            case .code:
                return Page(
                    status: "200 OK", text: "You can close this window and go back to the app.", endsWait: true)
            case .refusal(let reason):
                let name = reason.map { " (\($0))" } ?? ""
                return Page(
                    status: "200 OK",
                    text: "The sign-in was refused\(name). You can close this window and go back to the app.",
                    endsWait: true)
            case .malformed(let fault):
                return Page(
                    status: "400 Bad Request",
                    text: "The sign-in has failed: the answer of the sign-in page has \(fault). "
                        + "You can close this window and go back to the app.", endsWait: true)
            }
        } catch {
            let fault = error as? RedirectedURL.Problem ?? .noState
            problem.withLock { $0 = fault }
            return Page(
                status: "400 Bad Request",
                text: "This address \(fault.text). The app still waits for the answer to its own sign-in: "
                    + "go back to the page on which you were signing in, or begin again in the app.")
        }
    }

    private func answer(_ socket: Int32, _ content: Page) {
        let page =
            "<!DOCTYPE html><html lang=\"en\"><meta charset=\"utf-8\"><title>Signing in</title><p>\(content.text)</p></html>"
        let head = """
            HTTP/1.1 \(content.status)\r
            Content-Type: text/html; charset=utf-8\r
            Content-Length: \(page.utf8.count)\r
            Cache-Control: no-store\r
            Content-Security-Policy: default-src 'none'; frame-ancestors 'none'\r
            Referrer-Policy: no-referrer\r
            X-Content-Type-Options: nosniff\r
            Connection: close\r
            \r

            """
        let bytes = Array((head + page).utf8)
        #if canImport(Glibc)
            let flags = Int32(MSG_NOSIGNAL)
        #else
            let flags: Int32 = 0
        #endif
        _ = bytes.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, flags) }
        #if canImport(Glibc)
            shutdown(socket, Int32(SHUT_WR))
        #else
            shutdown(socket, SHUT_WR)
        #endif
    }
}

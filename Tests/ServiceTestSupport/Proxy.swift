import Foundation
import RosterText
import RosterTransport
package import TestSupport

/// A proxy before a server, which can lose, hold and replace answers, and which counts requests.
package final class Proxy: Sendable {
    /// What the proxy does with a request.
    package enum Fate: Sendable {
        case pass
        /// The server gets the request; its answer never arrives.
        case loseAnswer
        /// The server gets the request; its answer arrives when the gate is open.
        case hold(Gate)
        /// The server does not get the request.
        case answer(String)
        /// The connection is closed before the server gets the request.
        case cut
        /// The server gets the request; another answer arrives.
        case replace(String)
        /// The server gets the request; its answer arrives with another body.
        case alter(@Sendable (String) -> String)
        /// The server does not get the request. The connection is that of another program, and then closed.
        case serve(@Sendable (Peer) -> Void)
    }

    private struct State {
        var target = ""
        var rule: @Sendable (_ path: String, _ body: String) -> Fate = { _, _ in .pass }
        var seen: [(path: String, body: String)] = []
    }

    private let state: Shared
    private let server: SocketServer

    private final class Shared: Sendable {
        let state = Locked(State())
        var transport: Transport { Self.transport }
        private static let transport = Transport()
    }

    /// Where clients reach the proxy.
    package var url: String { server.url }

    package init() throws {
        let state = Shared()
        self.state = state
        server = try SocketServer { peer in
            while let request = peer.request() {
                let path = request.line.split(separator: " ").dropFirst().first.map(String.init) ?? "/"
                let fate = state.state.withLock { state in
                    state.seen.append((path, request.body))
                    return state.rule(path, request.body)
                }
                switch fate {
                case .pass: peer.send(Self.forward(request, path, state))
                case .loseAnswer:
                    _ = Self.forward(request, path, state)
                    return
                case .hold(let gate):
                    let answer = Self.forward(request, path, state)
                    gate.pass()
                    peer.send(answer)
                case .answer(let text): peer.send(text)
                case .cut: return
                case .replace(let text):
                    _ = Self.forward(request, path, state)
                    peer.send(text)
                case .alter(let change): peer.send(Self.forward(request, path, state, change))
                case .serve(let serve): return serve(peer)
                }
            }
        }
    }

    /// Names the server behind the proxy.
    package func point(to port: UInt16) { state.state.withLock { $0.target = "http://127.0.0.1:\(port)" } }

    /// Decides what happens to each request from now on.
    package func decide(_ rule: @escaping @Sendable (_ path: String, _ body: String) -> Fate) {
        state.state.withLock { $0.rule = rule }
    }

    /// The number of connections whose clients are there, or whose requests have no answer yet.
    package var openConnections: Int { server.openConnections }

    /// The number of requests to renew tokens so far.
    package var renewals: Int { bodies(of: "/oauth2/token").filter { $0.contains("grant_type=refresh_token") }.count }

    package func bodies(of path: String) -> [String] {
        state.state.withLock { $0.seen }.filter { $0.path.prefix { $0 != "?" } == path }.map(\.body)
    }

    private static func forward(
        _ request: Peer.Request, _ path: String, _ state: Shared, _ change: (String) -> String = { $0 }
    ) -> String {
        let target = state.state.withLock { $0.target }
        var message = TransportRequest(
            String(request.line.prefix { $0 != " " }), target + path,
            body: request.body.isEmpty ? nil : Array(request.body.utf8))
        for name in [
            "Authorization", "Content-Type", "Accept", "Cookie", "Oracle-Mobile-Backend-ID", "Idempotency-Key",
            "X-Idaas-Rest-Authorization", "Vocabulary-Revision",
        ] {
            message.headers[name] = request.field(name)
        }
        guard let answer = try? state.transport.sendAndWait(message) else {
            return SocketServer.answer("", "502 Bad Gateway")
        }
        var fields = ""
        for field in answer.headers.fields
        where !["content-length", "transfer-encoding", "connection", "content-encoding"].contains(
            field.name.lowercased())
        {
            fields += "\(field.name): \(field.value)\r\n"
        }
        return SocketServer.answer(
            change(String(decoding: answer.body, as: UTF8.self)), "\(answer.status) OK", headers: fields)
    }
}

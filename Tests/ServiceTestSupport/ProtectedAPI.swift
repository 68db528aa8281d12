import RosterText
import TestSupport

/// An API of plain sockets, which accepts the tokens that a test names.
package final class ProtectedAPI: Sendable {
    private final class Shared: Sendable {
        let state = Locked(
            (accepted: Set<String>(), seen: [(line: String, field: String?)](), challenge: "Bearer realm=\"api\""))
    }
    private let shared = Shared()
    private let server: SocketServer
    package var url: String { server.url }

    package init() throws {
        let shared = shared
        server = try SocketServer { peer in
            while let request = peer.request() {
                let field = request.field("Authorization")
                let (isAccepted, challenge) = shared.state.withLock { state in
                    state.seen.append((request.line, field))
                    return (field.map { state.accepted.contains($0) } ?? false, state.challenge)
                }
                peer.send(
                    isAccepted
                        ? SocketServer.answer("{\"orders\":[1,2]}")
                        : SocketServer.answer("no", "401 No", headers: "WWW-Authenticate: \(challenge)\r\n"))
            }
        }
    }

    package var seen: [(line: String, field: String?)] { shared.state.withLock { $0.seen } }
    package func accept(_ field: String) { shared.state.withLock { $0.accepted = [field] } }
    package func challenge(with text: String) { shared.state.withLock { $0.challenge = text } }
}

import Foundation
import Roster
import CMicroHTTPD
import RosterText

/// The sockets of clients that were refused while they were still sending. What they send is read and thrown away for a
/// moment, because a client that finds its connection broken never reads the answer (RFC 9112, section 9.6).
///
/// libmicrohttpd closes its own descriptor, so that this holds copies.
final class LingeringConnections: Sendable {
    private struct Socket {
        let descriptor: Int32
        let end: Nanoseconds
        var rest: Int
    }

    /// How long and how much a client may still send. Nothing of it is stored.
    private static let time: Nanoseconds = 2_000_000_000
    private static let bytes = 64 << 20
    /// How many sockets are read at the same time. The others are closed at once.
    private static let limit = 128
    /// How much of one client is read before the others have their turn.
    private static let turn = 1 << 20

    private let sockets = Locked<[Socket]>([])

    /// Takes a connection over that is about to be closed. Its answer has been sent, and nothing more is.
    func add(copyOf descriptor: Int32) {
        sockets.withLock { sockets in
            guard sockets.count < Self.limit else { return }
            let copy = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard copy >= 0 else { return }
            shutdown(copy, Int32(SHUT_WR))
            sockets.append(Socket(descriptor: copy, end: now() &+ Self.time, rest: Self.bytes))
        }
    }

    var descriptors: [Int32] { sockets.withLock { $0.map(\.descriptor) } }

    /// Reads what has come, and closes the sockets whose clients are done or have had their time.
    func discard(at time: Nanoseconds) {
        sockets.withLock { sockets in
            if sockets.isEmpty { return }
            withUnsafeTemporaryAllocation(byteCount: 64 << 10, alignment: 16) { buffer in
                for index in sockets.indices.reversed() {
                    let isAtEnd = Self.isAtEnd(&sockets[index], buffer)
                    guard isAtEnd || sockets[index].rest <= 0 || time >= sockets[index].end else { continue }
                    close(sockets[index].descriptor)
                    sockets.remove(at: index)
                }
            }
        }
    }

    private static func isAtEnd(_ socket: inout Socket, _ buffer: UnsafeMutableRawBufferPointer) -> Bool {
        var turn = turn
        while turn > 0 {
            let count = recv(socket.descriptor, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
            guard count > 0 else { return count == 0 || (errno != EAGAIN && errno != EINTR) }
            socket.rest -= count
            turn -= count
        }
        return false
    }
}

import Foundation
import RosterText
import Synchronization

/// What the log and the metrics keep of a request. Never a secret: no header field, no query, no body.
package struct RequestRecord: Sendable {
    /// When the request came.
    let time = Date()
    /// Random; the client finds it in `X-Request-ID`.
    package let id: String
    /// The method.
    package let method: String
    /// The path as it was asked for, without the query and without the id of a session.
    package let path: String
    /// The address that it came from.
    package let peer: String
    /// The path as the table of routes writes it; nil where no route was found.
    package internal(set) var route: String?
    /// Who asked; nil for nobody who was let in.
    package internal(set) var who: String?
    /// The answer's status.
    package private(set) var status = 0
    /// How long the answer took to make.
    package private(set) var duration = Duration.zero
    /// What went wrong, where it is the server's fault.
    package internal(set) var failure: String?
    private let start = ContinuousClock.now

    init(_ request: HTTPRequest) {
        id = RequestID.next()
        method = request.method
        let target = request.target
        path = Self.withoutSession(target[..<(target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex)])
        peer = request.peer
    }

    /// The path without the id of a session, which is as good as a password. Found in the path itself, since requests are
    /// logged that have no route.
    private static func withoutSession(_ path: Substring) -> String {
        var segments = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        let place = segments.firstIndex { segment in
            segment.elementsEqual("_session".utf8)
                || segment.contains(UInt8(ascii: "%"))
                    && PercentEncoding.bytes(segment)?.elementsEqual("_session".utf8) == true
        }
        guard let place, place + 1 < segments.count else { return String(path) }
        segments = segments[...place]
        return segments.map { String(Substring($0)) }.joined(separator: "/") + "/{session}"
    }

    mutating func finish(status: Int) {
        self.status = status
        duration = ContinuousClock.now - start
    }

    /// How long it took, in seconds.
    package var seconds: Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) + Double(attoseconds) / 1e18
    }

    /// Something that is no request's, but that whoever runs the server must know, as one line of JSON.
    package static func warning(_ text: String) -> [UInt8] {
        JSONValue.object([.init("time", .string(Timestamp.text(Date()))), .init("warning", .string(text))]).bytes
    }

    /// The record as one line of JSON. The time is that of RFC 3339, in UTC and with milliseconds.
    package var line: [UInt8] {
        var members: [JSONValue.Member] = [
            .init("time", .string(Timestamp.text(time))), .init("id", .string(id)),
            .init("who", who.map { .string($0) } ?? .null), .init("from", .string(peer)),
            .init("method", .string(method)), .init("path", .string(String(path.prefix(500)))),
            .init("status", .integer(Int64(status))), .init("ms", .decimal((seconds * 1e6).rounded() / 1e3)),
        ]
        if let failure { members.append(.init("failure", .string(failure))) }
        return JSONValue.object(members).bytes
    }
}

/// Names requests: random at its start for this run of the program, then counted. A random number for each would be a call
/// of the system for each.
private enum RequestID {
    private static let run = UInt64.random(in: .min ... .max)
    private static let count = Atomic<UInt64>(0)

    static func next() -> String {
        // An odd factor makes a different number of each count, and one that does not tell how many there were.
        let number = run &+ count.add(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        return String(number, radix: 16)
    }
}

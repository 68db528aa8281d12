import Foundation
import RosterText
import Synchronization

/// When a request came, and its name.
struct Arrival: Sendable {
    let time = Date()
    /// Random; the client finds it in `X-Request-ID`.
    let id = RequestID.next()
    private let start = ContinuousClock.now

    var duration: Duration { ContinuousClock.now - start }
}

/// What the log keeps of a request. Never a secret: no header field, no query, no body.
package struct RequestRecord: Sendable {
    /// When the request came.
    let time: Date
    /// Random; the client finds it in `X-Request-ID`.
    package let id: String
    /// The method.
    package let method: String
    /// The path as it was asked for, without the query and without the id of a session.
    package let path: String
    /// The address that it came from.
    package let clientAddress: String
    /// The path as the table of routes writes it; nil where no route was found.
    package let route: String?
    /// Who asked; nil for nobody who was let in.
    package let who: String?
    /// The answer's status.
    package let status: Int
    /// How long the answer took to make.
    package let duration: Duration
    /// What went wrong, where it is the server's fault.
    package let failure: String?

    init(
        _ request: HTTPRequest, _ arrival: Arrival, route: String?, who: String?, status: Int, duration: Duration,
        failure: String?
    ) {
        time = arrival.time
        id = arrival.id
        method = request.method
        path = Self.path(of: request)
        clientAddress = request.peer
        self.route = route
        self.who = who
        self.status = status
        self.duration = duration
        self.failure = failure
    }

    /// The path of a request without its query and without the id of a session, which is as good as a password. Found in the
    /// path itself, since requests are logged that have no route.
    static func path(of request: HTTPRequest) -> String {
        let path = request.target.utf8.prefix { $0 != UInt8(ascii: "?") }
        // A session's id follows this name, which has an underscore or is written with escapes.
        guard path.contains(where: { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "%") }) else {
            return String(Substring(path))
        }
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        let place = segments.firstIndex { segment in
            segment.elementsEqual("_session".utf8)
                || segment.contains(UInt8(ascii: "%")) && Substring(segment).removingPercentEncoding == "_session"
        }
        guard let place, place + 1 < segments.count else { return String(Substring(path)) }
        segments = segments[...place]
        return segments.map { String(Substring($0)) }.joined(separator: "/") + "/{session}"
    }

    /// How long it took, in seconds.
    package var seconds: Double { duration / .seconds(1) }

    /// Something that is no request's, but that whoever runs the server must know, as one line of JSON.
    package static func warning(_ text: String) -> [UInt8] {
        JSONValue.object([.init("time", .string(Timestamp.text(Date()))), .init("warning", .string(text))]).bytes
    }

    /// The record as one line of JSON. The time is that of RFC 3339, in UTC and with milliseconds.
    package var line: [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        func add(_ name: StaticString, _ value: JSONValue) {
            line.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            value.write(to: &line)
        }
        add("{\"time\":", .string(Timestamp.text(time)))
        add(",\"id\":", .string(id))
        add(",\"who\":", who.map { .string($0) } ?? .null)
        add(",\"from\":", .string(clientAddress))
        add(",\"method\":", .string(method))
        add(",\"path\":", .string(path.utf8.count <= 500 ? path : String(path.prefix(500))))
        add(",\"status\":", .integer(Int64(status)))
        add(",\"ms\":", .decimal((seconds * 1e6).rounded() / 1e3))
        if let failure { add(",\"failure\":", .string(failure)) }
        line.append(UInt8(ascii: "}"))
        return line
    }
}

/// Names requests: random at its start for this run of the program, then counted. A random number for each would be a call
/// of the system for each.
private enum RequestID {
    private static let run = UInt64.random(in: .min ... .max)
    private static let count = Atomic<UInt64>(0)

    /// The next name: short enough for Swift to keep it without allocating memory.
    static func next() -> String {
        // An odd factor makes a different number of each count, and one that does not tell how many there were.
        let number = run &+ count.add(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        return String(number, radix: 36)
    }
}

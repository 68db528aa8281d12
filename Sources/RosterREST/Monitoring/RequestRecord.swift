import Foundation
import RosterText
import Synchronization

/// The time at which a request arrived, and the identifier of the request.
struct Arrival: Sendable {
    let time = Date()
    /// The identifier of the request. The client finds it in `X-Request-ID`.
    let id = RequestID.next()
    private let start = ContinuousClock.now

    var duration: Duration { ContinuousClock.now - start }
}

/// A log entry of a request. It contains no secret: no header field, no query, no body and no value of a filter.
package struct RequestRecord: Sendable {
    let time: Date
    /// The identifier of the request. The client finds it in `X-Request-ID`.
    package let id: String
    package let method: String
    /// The requested path without the query and without the identifier of a session.
    package let path: String
    package let clientAddress: String
    /// The path of the route as the table writes it; nil if no route was found.
    package let route: String?
    /// The name of the caller; nil if the caller is not authenticated.
    package let who: String?
    package let status: Int
    /// The time from the arrival of the request to the response.
    package let duration: Duration
    /// The error, if the status is 500 or above.
    package let failure: String?
    /// The filter that had to read everybody, without its values; nil if there was none.
    package let readAll: String?

    init(
        _ request: HTTPRequest, _ arrival: Arrival, route: String?, who: String?, status: Int, duration: Duration,
        failure: String?, readAll: String? = nil
    ) {
        self.readAll = readAll
        time = arrival.time
        id = arrival.id
        method = request.method
        path = Self.path(of: request)
        clientAddress = request.clientAddress
        self.route = route
        self.who = who
        self.status = status
        self.duration = duration
        self.failure = failure
    }

    /// The path of a request without its query and without the identifier of a session, which is as good as a password. The
    /// identifier is found in the path itself, since requests without a route are logged as well.
    static func path(of request: HTTPRequest) -> String {
        let path = request.target.utf8.prefix { $0 != UInt8(ascii: "?") }
        // The identifier of a session follows `_session`, which may be percent-encoded.
        guard path.contains(where: { $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "%") }) else {
            return String(Substring(path))
        }
        var segments = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)[...]
        let place = segments.firstIndex { segment in
            segment.elementsEqual("_session".utf8)
                || segment.contains(UInt8(ascii: "%"))
                    && PercentEncoding.bytes(segment)?.elementsEqual("_session".utf8) == true
        }
        guard let place, place + 1 < segments.count else { return String(Substring(path)) }
        segments = segments[...place]
        return segments.map { String(Substring($0)) }.joined(separator: "/") + "/{session}"
    }

    package var seconds: Double { duration / .seconds(1) }

    /// A warning that belongs to no request, as one line of JSON.
    package static func warning(_ text: String) -> [UInt8] {
        JSONValue.object([.init("time", .string(Timestamp.text(Date()))), .init("warning", .string(text))]).bytes
    }

    /// The entry as one line of JSON. The time has the form of RFC 3339, in UTC and with milliseconds.
    package var line: [UInt8] {
        var line: [UInt8] = []
        line.reserveCapacity(256)
        func add(_ name: StaticString, _ value: JSONValue) {
            line.append(contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
            value.write(to: &line)
        }
        add("{\"time\":", .string(Timestamp.text(time)))
        add(",\"id\":", .string(id))
        add(",\"who\":", .text(who))
        add(",\"from\":", .string(clientAddress))
        add(",\"method\":", .string(method))
        add(",\"path\":", .string(path.utf8.count <= 500 ? path : String(path.prefix(500))))
        add(",\"status\":", .integer(Int64(status)))
        add(",\"ms\":", .decimal((seconds * 1e6).rounded() / 1e3))
        if let failure { add(",\"failure\":", .string(failure)) }
        if let readAll { add(",\"readEverybody\":", .string(readAll)) }
        line.append(UInt8(ascii: "}"))
        return line
    }
}

/// Makes identifiers of requests. They start at a random number and are counted, since a random number for each request
/// would be a system call for each.
private enum RequestID {
    private static let run = UInt64.random(in: .min ... .max)
    private static let count = Atomic<UInt64>(0)

    /// The next identifier. It is short enough for Swift to store it without allocating memory.
    static func next() -> String {
        // An odd factor makes a different number of each count, and hides the count.
        let number = run &+ count.add(1, ordering: .relaxed).newValue &* 0x9E37_79B9_7F4A_7C15
        return String(number, radix: 36)
    }
}

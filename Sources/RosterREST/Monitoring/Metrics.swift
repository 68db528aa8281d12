import Roster
import RosterText

/// Counts requests, for `/metrics`.
final class Metrics: Sendable {
    private struct Key: Hashable {
        let method: Method
        let route: ObjectIdentifier?
        let status: Int
    }
    /// The methods that are counted separately. Unknown methods are counted together, so that clients cannot fill the
    /// memory.
    private enum Method: String {
        case get = "GET", head = "HEAD", post = "POST", put = "PUT", patch = "PATCH", delete = "DELETE"
        case options = "OPTIONS", other
    }
    private struct Totals {
        var requests: [Key: (route: Route?, count: Int)] = [:]
        var seconds = 0.0
        /// The number of requests up to each bound. The last element has no bound.
        var buckets = [Int](repeating: 0, count: Metrics.bounds.count + 1)
    }
    /// The bounds of the buckets in seconds.
    static let bounds = [0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5]

    private let totals = Locked(Totals())

    func count(_ method: String, _ route: Route?, _ status: Int, _ duration: Duration) {
        let key = Key(
            method: Method(rawValue: method) ?? .other, route: route.map { ObjectIdentifier($0) }, status: status)
        let seconds = duration / .seconds(1)
        let bucket = Self.bounds.firstIndex { seconds <= $0 } ?? Self.bounds.count
        totals.withLock { totals in
            totals.requests[key, default: (route, 0)].count += 1
            totals.seconds += seconds
            totals.buckets[bucket] += 1
        }
    }

    /// The figures in Prometheus' text format (version 0.0.4).
    func text(_ figures: [Figure]) -> String {
        let totals = totals.withLock { $0 }
        var text = "# HELP roster_http_requests_total Requests answered.\n# TYPE roster_http_requests_total counter\n"
        let rows = totals.requests.map { key, value in
            (value.route?.template ?? "none", key.method.rawValue, key.status, value.count)
        }
        for (route, method, status, count) in rows.sorted(by: <) {
            text +=
                "roster_http_requests_total{method=\"\(method)\",route=\"\(route)\",status=\"\(status)\"} \(count)\n"
        }
        text += "# HELP roster_http_request_duration_seconds Time taken to make an answer.\n"
        text += "# TYPE roster_http_request_duration_seconds histogram\n"
        var sum = 0
        for (index, count) in totals.buckets.enumerated() {
            sum += count
            let bound = index < Self.bounds.count ? "\(Self.bounds[index])" : "+Inf"
            text += "roster_http_request_duration_seconds_bucket{le=\"\(bound)\"} \(sum)\n"
        }
        text += "roster_http_request_duration_seconds_sum \(totals.seconds)\n"
        text += "roster_http_request_duration_seconds_count \(sum)\n"
        return figures.reduce(into: text) { $0 += $1.text }
    }
}

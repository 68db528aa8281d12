import Foundation
import RosterText

/// Collects what the storm finds, and decides whether a failure is a fault's own.
///
/// While a fault lasts, requests may fail or wait. For eight seconds after its end the server may still refuse (503, 507) and
/// connections may be lost, but no request may fail with another error or wait longer than these eight seconds.
final class Judge: Sendable {
    /// The time after a fault's end in which the service must be whole again.
    static let patience = Duration.seconds(8)

    private struct Fault {
        let place: String?
        var end: ContinuousClock.Instant?
    }
    private struct State {
        var faults: [Fault] = []
        var findings: [String] = []
    }
    private let state = Locked(State())

    /// Adds a finding.
    func report(_ what: String, expected: String, found: String) {
        let found = found.split(separator: "\n").joined(separator: " ")
        let line = "\(what), expected \(expected), found \(found)"
        state.withLock { state in
            if state.findings.count < 10 { state.findings.append(line) }
        }
    }

    /// The findings since the last call.
    func takeFindings() -> [String] {
        state.withLock { state in
            defer { state.findings = [] }
            return state.findings
        }
    }

    var hasFindings: Bool { state.withLock { !$0.findings.isEmpty } }

    /// Runs something during which servers may fail.
    ///
    /// - Parameter place: The only server that may fail, as `host:port`; nil for all.
    func fault<Result>(at place: String? = nil, _ body: () throws -> Result) rethrows -> Result {
        let index = state.withLock { state in
            state.faults.append(Fault(place: place))
            return state.faults.count - 1
        }
        defer { state.withLock { $0.faults[index].end = .now } }
        return try body()
    }

    /// Whether a fault was there at some time since an instant, or had ended less than this time before it.
    ///
    /// - Parameter url: The address that a request was sent to; nil if any fault counts.
    func hadFault(since begin: ContinuousClock.Instant, at url: String? = nil, grace: Duration = patience) -> Bool {
        lastEnd(at: url).map { $0 + grace >= begin } ?? false
    }

    /// The end of the last fault; now while a fault lasts; nil before the first.
    private func lastEnd(at url: String?) -> ContinuousClock.Instant? {
        state.withLock { state in
            state.faults.lazy.filter { fault in
                guard let place = fault.place, let url else { return true }
                return url.contains("//\(place)/")
            }.map { $0.end ?? .now }.max()
        }
    }

    /// Reports a request without an answer, but only the first: a server that has ended answers none.
    private func reportFailure(_ request: String, _ problem: String) {
        if !hasFindings { report(request, expected: "an answer", found: problem) }
    }

    /// Judges an answer.
    ///
    /// - Parameter status: The status; nil if no answer came.
    func judge(_ method: String, _ url: String, begun: ContinuousClock.Instant, status: Int?, text: String) {
        let request = "\(method) \(url.drop { $0 != "/" }.dropFirst(2))"
        let late = .now - max(begun, lastEnd(at: url) ?? begun)
        if late > Self.patience {
            report(
                request, expected: "an answer within \(Self.patience) after a fault",
                found: "\(status ?? 0) after \(late)")
        }
        let problem = status.map { "\($0) \(text.prefix(200))" } ?? text
        switch status {
        case nil, 503, 507, 504:
            if !hadFault(since: begun, at: url) { reportFailure(request, problem) }
        case let status? where status >= 500:
            if !hadFault(since: begun, at: url, grace: .seconds(1)) {
                report(request, expected: "no internal error", found: problem)
            }
        default: break
        }
    }
}

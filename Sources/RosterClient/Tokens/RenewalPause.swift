import Foundation
import RosterOpenID
import RosterText

/// The wait after renewals of a session that failed. The session is stored with it, so that all processes that share the store wait.
struct RenewalPause: Error {
    /// The time of the last failure.
    let begun: Date
    /// The seconds until the server is asked again.
    let seconds: Double
    /// The failures since the last renewal that succeeded. Failures that reached no server do not count.
    let failures: Int
    /// The last failure.
    let error: ClientError

    /// The longest wait without `Retry-After`, in seconds.
    private static let longest = 60.0

    /// The wait after a failure: a second, after each further failure twice as long up to a minute, and as long as the server asks.
    ///
    /// - Parameters:
    ///   - earlier: The wait before; nil for none.
    ///   - wasAsked: Whether the server may have been asked. A device that has no network waits a second only.
    init(after earlier: RenewalPause?, _ error: ClientError, wasAsked: Bool, now: Date) {
        begun = now
        failures = (earlier?.failures ?? 0) + (wasAsked ? 1 : 0)
        let own = wasAsked ? min(Double(1 << min(max(failures - 1, 0), 6)), Self.longest) : 1
        seconds = max(own, error.retryAfter.map { Double($0.components.seconds) } ?? 0)
        self.error = error
    }

    /// Whether the server may be asked again. A clock that was set back by more than a minute ends the wait. Times in the store are rounded.
    func isOver(_ now: Date) -> Bool {
        let elapsed = now.timeIntervalSince(begun)
        return elapsed < -60 || elapsed > seconds - 0.01
    }

    /// The last failure, with the time that is left.
    func told(_ now: Date) -> ClientError {
        let left = min(max(seconds - now.timeIntervalSince(begun), 1), seconds)
        return ClientError(
            error.code.kind, error.message, advice: error.advice, retryAfter: .seconds(Int(left.rounded(.up))))
    }

    // MARK: Storing

    /// Reads a stored wait; nil for any other value.
    init?(_ json: JSONValue) {
        guard let begun = json["begun"].flatMap(TokenTimes.seconds),
            let error = json["error"].flatMap(ClientError.init),
            let seconds = json["seconds"].flatMap(TokenTimes.seconds),
            (0...Double(RetryAfter.longest)).contains(seconds),
            case .integer(let failures)? = json["failures"], (0...1_000_000).contains(failures)
        else { return nil }
        (self.begun, self.seconds) = (Date(timeIntervalSince1970: begun), seconds)
        (self.failures, self.error) = (Int(failures), error)
    }

    var json: JSONValue {
        [
            "begun": .decimal(begun.timeIntervalSince1970), "seconds": .decimal(seconds),
            "failures": .integer(Int64(min(failures, 1_000_000))), "error": error.json,
        ]
    }
}

/// Errors in the store. Their texts hold no secrets.
extension ClientError {
    init?(_ json: JSONValue) {
        guard let kind = json["code"]?.text.flatMap(Code.Kind.init), let message = json["message"]?.text,
            let advice = json["advice"]?.text
        else { return nil }
        self.init(kind, message, advice: advice)
    }

    var json: JSONValue {
        ["code": .string(code.kind.rawValue), "message": .string(message), "advice": .string(advice)]
    }
}

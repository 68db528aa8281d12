import Foundation
import Roster
import RosterTransport

/// The attempts of one request, and the decision after each.
///
/// The server may have made a change if an attempt was sent and no answer of the directory came back. The change is then sent again
/// with its key, which the server makes only once. If no attempt gets an answer, the outcome is unknown, and is never told as a
/// refusal.
struct Attempts {
    enum Step {
        case done
        case failure(DirectoryError)
        case again(after: Duration)
    }

    private let request: RemoteView.Request
    private let canRenew: Bool
    /// The client's name for the change; nil for a read, and for a change that is not sent again.
    private let key: String?
    /// Whether the answer to an attempt was lost, so that the server may have run the request.
    private var wasLost = false
    private var repetitions = 0
    /// The credentials of the last attempt.
    private var sent: String?
    /// The credentials that the server has refused; nil for none.
    private(set) var refused: String?

    private static let most = 5
    private static let longestPause = Duration.seconds(30)
    /// The longest time for all attempts of a request. A server that never answers must not hold up a caller.
    private static let patience = Duration.seconds(26)
    /// The longest time for an attempt to read. A change may take all the time, since another attempt would not be quicker.
    private static let longestRead = Duration.seconds(15)
    /// The largest answer. A server's answers have up to 16 MiB.
    private static let largestAnswer = 17 << 20

    /// When the request is given up. The clock goes on while the machine sleeps, because the server keeps
    /// the key of a change for ten minutes only.
    private let end = ContinuousClock.now + patience

    init(_ request: RemoteView.Request, _ credentials: ServerCredentials) {
        self.request = request
        canRenew = credentials.canRenew
        key = request.repetition == .withKey ? UUID().uuidString : nil
    }

    private var timeLeft: Duration { end - .now }

    /// Whether the request waits for the next commit. Such a request has no limit of time, and goes on after the server was away.
    private var isWaiting: Bool { request.name == AwaitCommit.name }

    /// The request of an attempt.
    ///
    /// - Throws: `DirectoryError` if no time is left.
    mutating func http(_ base: String, field: String) throws -> TransportRequest {
        guard isWaiting || timeLeft > .zero else { throw unanswered }
        sent = field
        var http = TransportRequest(
            "POST", base + request.name,
            headers: [
                "Content-Type": "application/json", "Authorization": field,
                "Vocabulary-Revision": String(request.knownRevision),
            ], body: request.body)
        if let key { http.headers.add("Idempotency-Key", key) }
        if let batch = request.batch { http.headers.add("Roster-Batch", String(batch)) }
        http.maximumBodyBytes = Self.largestAnswer
        if !isWaiting {
            http.deadline = max(.seconds(1), request.isChange ? timeLeft : min(Self.longestRead, timeLeft))
        }
        return http
    }

    /// Decides what to do after an answer.
    mutating func next(after response: TransportResponse, _ receiver: RemoteView.Receiver) -> Step {
        if response.status == 200 {
            do {
                try receiver(response.body)
                return .done
            } catch {
                // The server may have made the change, and something on the way has damaged the answer.
                return request.isChange ? lost() : .failure(DirectoryError.badAnswer(response))
            }
        }
        if let error = DirectoryError(problem: response) {
            switch error.code {
            case .unreachable, .overloaded:
                if isWaiting { return waitOn() }
                if wasLost { return again() }
                return error.code == .unreachable && !request.isChange ? again(or: error) : .failure(error)
            // The server looks for the key of a change before the change can fail with these errors.
            case .notFound, .alreadyExists, .invalidName, .invalidAttribute, .invalidFilter, .versionConflict, .circle,
                .hasReportees, .lastAdministrator:
                return .failure(error)
            default: return .failure(wasLost ? unanswered : error)
            }
        }
        let error = DirectoryError(status: response, canRenew: canRenew)
        switch response.status {
        case 401 where canRenew && refused == nil:
            refused = sent
            return .again(after: .zero)
        case 429: return isWaiting ? waitOn() : wasLost ? again() : .failure(error)
        case 502...504 where isWaiting: return waitOn()
        // A read can be repeated without harm.
        case 408 where !request.isChange, 502...504 where !request.isChange: return again(or: error)
        // A gateway may have lost the answer of the server, or has answered itself.
        case 201..<300, 408, 500...: return request.isChange ? lost() : .failure(error)
        default: return .failure(wasLost ? unanswered : error)
        }
    }

    /// Decides what to do after the credentials of an attempt could not be had, or no time was left.
    mutating func next(without error: DirectoryError) -> Step {
        let isTemporary = [.unreachable, .tls, .overloaded].contains(error.code)
        if isWaiting && isTemporary { return waitOn() }
        guard wasLost else { return .failure(error) }
        return isTemporary ? again() : .failure(unanswered)
    }

    /// Decides what to do after an attempt without an answer.
    mutating func next(after error: TransportError) -> Step {
        let isTemporary: Bool
        switch error.code {
        case .hostNotFound, .refused, .unreachable, .timedOut, .interrupted: isTemporary = true
        default: isTemporary = false
        }
        if isWaiting && isTemporary { return waitOn() }
        if error.mayHaveBeenSent && (isTemporary || request.isChange) { return lost() }
        if wasLost { return isTemporary ? again() : .failure(unanswered) }
        return .failure(DirectoryError(error))
    }

    private mutating func lost() -> Step {
        wasLost = true
        return request.repetition == .never ? .failure(unanswered) : again()
    }

    /// - Parameter error: The error after the last attempt; nil for that of a request without an answer.
    private mutating func again(or error: DirectoryError? = nil) -> Step {
        let pause = pause(repetitions)
        repetitions += 1
        guard repetitions < Self.most, timeLeft > pause + .seconds(1) else { return .failure(error ?? unanswered) }
        return .again(after: pause)
    }

    private mutating func waitOn() -> Step {
        defer { repetitions = min(repetitions + 1, 10) }
        return .again(after: pause(repetitions))
    }

    private func pause(_ count: Int) -> Duration { min(.milliseconds(100) * (1 << min(count, 10)), Self.longestPause) }

    /// The error if no attempt gets an answer.
    private var unanswered: DirectoryError {
        guard request.isChange, wasLost else {
            return DirectoryError(
                .unreachable, "The server gave no answer in time.",
                advice: "Try again later, or ask for less at a time.")
        }
        return DirectoryError(
            .outcomeUnknown, "The change may have been made: no answer of the directory has come.",
            advice: "Read what was to be changed, and repeat the change if it is missing.")
    }
}

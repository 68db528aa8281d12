import Foundation
import Roster
import RosterText
import RosterTransport

/// The requests of a view to a server: authorized, repeated after lost answers, and with errors of the directory.
struct DirectoryConnection: Sendable {
    private let base: String
    private let credentials: ServerCredentials
    private let transport: Transport

    /// - Throws: `DirectoryError` `invalidInput` for an address with a query or a fragment.
    init(_ server: String, _ credentials: ServerCredentials, _ transport: Transport) throws {
        var server = server
        while server.hasSuffix("/") { server.removeLast() }
        guard !server.contains(where: { $0 == "?" || $0 == "#" }) else {
            throw DirectoryError(
                .invalidInput, "The address of a server has no query and no fragment.",
                advice: "Give an address such as https://id.example.com.")
        }
        base = server + "/directory/v1/"
        (self.credentials, self.transport) = (credentials, transport)
    }

    func remote(for caller: Caller) -> RemoteView {
        RemoteView(caller: caller, send: { try await send($0) }, sendAndWait: { try sendAndWait($0) })
    }

    // MARK: Sending

    private func send(_ request: RemoteView.Request) async throws -> [UInt8] {
        var attempts = Attempts(request)
        while true {
            let step: Attempts.Step
            do {
                let http = attempts.http(base, field: try await credentials.field(attempts.refused))
                step = attempts.next(after: try await transport.send(http))
            } catch let error as TransportError {
                step = attempts.next(after: error)
            } catch let error as DirectoryError {
                step = attempts.next(withoutCredentials: error)
            }
            switch step {
            case .answer(let body): return body
            case .failure(let error): throw error
            case .again(let pause): try await Task.sleep(for: pause)
            }
        }
    }

    private func sendAndWait(_ request: RemoteView.Request) throws -> [UInt8] {
        var attempts = Attempts(request)
        while true {
            let step: Attempts.Step
            do {
                let http = attempts.http(base, field: try credentials.fieldAndWait(attempts.refused))
                step = attempts.next(after: try transport.sendAndWait(http))
            } catch let error as TransportError {
                step = attempts.next(after: error)
            } catch let error as DirectoryError {
                step = attempts.next(withoutCredentials: error)
            }
            switch step {
            case .answer(let body): return body
            case .failure(let error): throw error
            case .again(let pause): Thread.sleep(forTimeInterval: pause / .seconds(1))
            }
        }
    }
}

/// The attempts of one request, and the decision after each.
struct Attempts {
    enum Step {
        case answer([UInt8])
        case failure(DirectoryError)
        case again(after: Duration)
    }

    private let request: RemoteView.Request
    /// The client's name for the change; nil for a read.
    private let key: String?
    /// The attempts whose answer was lost. The server may have run the request.
    private var lost = 0
    /// The attempts of a request that waits for a commit.
    private var waits = 0
    /// The credentials of the last attempt.
    private var sent: String?
    /// The credentials that the server has refused; nil for none.
    private(set) var refused: String?

    /// The attempts after which the outcome of a change stays unknown.
    private static let most = 5
    private static let longestPause = Duration.seconds(30)
    /// The longest time for all attempts of a request, and for one attempt. A server that never answers must not hold up a caller.
    private static let patience = Duration.seconds(26)
    private static let longestAttempt = Duration.seconds(15)
    /// The largest answer. A page of 10,000 users has about 10 MB.
    private static let largestAnswer = 24 << 20

    /// When the request is given up.
    private let end = ContinuousClock.now + patience

    init(_ request: RemoteView.Request) {
        self.request = request
        key = request.isChange ? UUID().uuidString : nil
    }

    private var timeLeft: Duration { end - .now }

    /// Whether the request waits until the server has something new, so that the server may be away meanwhile.
    private var isWaiting: Bool { request.name == AwaitCommit.name }

    mutating func http(_ base: String, field: String?) -> TransportRequest {
        sent = field
        var http = TransportRequest(
            "POST", base + request.name, headers: ["Content-Type": "application/json"], body: request.body)
        if let field { http.headers.add("Authorization", field) }
        if let key { http.headers.add("Idempotency-Key", key) }
        http.maximumBodyBytes = Self.largestAnswer
        if !isWaiting { http.deadline = max(.seconds(1), min(Self.longestAttempt, timeLeft)) }
        return http
    }

    /// Decides what to do after an answer.
    mutating func next(after response: TransportResponse) -> Step {
        if response.status == 200 { return .answer(response.body) }
        let error = DirectoryError(response)
        switch error.code {
        // A sign-in that is too old stays too old.
        case .notSignedIn where response.status == 401 && refused == nil:
            guard let sent else { return .failure(error) }
            refused = sent
            return .again(after: .zero)
        case .unreachable where isWaiting: return waitOn()
        case .unreachable where request.isChange && [502, 504].contains(response.status):
            // A gateway lost the answer, and the server may have made the change.
            lost += 1
            return repeatLost()
        case .unreachable, .overloaded: return lost > 0 ? repeatLost() : .failure(error)
        default: return .failure(error)
        }
    }

    /// Decides what to do after the credentials of an attempt could not be had.
    mutating func next(withoutCredentials error: DirectoryError) -> Step {
        let isTemporary = [.unreachable, .overloaded].contains(error.code)
        if isWaiting && isTemporary { return waitOn() }
        guard lost > 0 else { return .failure(error) }
        return isTemporary ? repeatLost() : .failure(request.isChange ? unknown : error)
    }

    /// Decides what to do after an attempt without an answer.
    mutating func next(after error: TransportError) -> Step {
        let isTemporary: Bool
        switch error.code {
        case .hostNotFound, .refused, .unreachable, .timedOut, .interrupted: isTemporary = true
        default: isTemporary = false
        }
        if isWaiting && isTemporary { return waitOn() }
        if error.mayHaveBeenSent && isTemporary {
            lost += 1
            return repeatLost()
        }
        // The answer to an earlier attempt is still not known.
        if lost > 0 && isTemporary { return repeatLost() }
        if lost > 0 && request.isChange { return .failure(unknown) }
        return .failure(DirectoryError(error))
    }

    private mutating func repeatLost() -> Step {
        defer { waits += 1 }
        if waits + 1 < Self.most, timeLeft > pause(waits) + .seconds(1) { return .again(after: pause(waits)) }
        return .failure(request.isChange ? unknown : .noAnswer)
    }

    private mutating func waitOn() -> Step {
        defer { waits = min(waits + 1, 10) }
        return .again(after: pause(waits))
    }

    private func pause(_ count: Int) -> Duration { min(.milliseconds(100) * (1 << min(count, 10)), Self.longestPause) }

    private var unknown: DirectoryError {
        DirectoryError(
            .outcomeUnknown, "The server's answer to the change was lost, and repetitions got none.",
            advice: "Read the user or role, and repeat the change if it is missing.")
    }
}

import Foundation
import Roster
package import RosterText

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// Fetches small JSON documents from issuers: over TLS, without redirects, cookies or caches, and never more than
/// ``maximumBytes``.
package struct DocumentFetcher: Sendable {
    /// The largest answer: 1 MiB.
    package static let maximumBytes = 1 << 20

    /// The reason why a document could not be fetched. It names the host, and holds nothing of its answer.
    package struct Problem: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    package struct Request: Sendable {
        package var url: String
        package var authorization: String?
        /// Sent as a form with POST; nil for GET.
        package var form: [(name: String, value: String)]?
        package var allowsHTTP = false
        /// Whether the address must be in the public network, because the administrator did not choose it.
        package var mustBePublic = false
        package var connectTimeoutSeconds = 30
        package var readTimeoutSeconds = 60
        /// Whether TLS 1.2 is too old as well; on Apple platforms only.
        package var needsTLS13 = false

        package init(_ url: String) { self.url = url }
    }

    package init() {}

    /// Fetches a JSON object. The answer must have status 200.
    ///
    /// - Throws: ``Problem``, `CancellationError`.
    package func object(_ request: Request) async throws -> JSONValue {
        guard let url = URL(string: request.url), let host = url.host(percentEncoded: false), !host.isEmpty,
            url.user == nil, url.scheme == "https" || url.scheme == "http" && request.allowsHTTP
        else { throw Problem(description: "The address is no https URL of a document.") }
        try await HostAddress.check(host, mustBePublic: request.mustBePublic)
        var message = URLRequest(url: url)
        message.setValue("application/json", forHTTPHeaderField: "Accept")
        if let authorization = request.authorization {
            message.setValue(authorization, forHTTPHeaderField: "Authorization")
        }
        if let form = request.form {
            message.httpMethod = "POST"
            message.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            message.httpBody = Data(
                form.map { "\(PercentEncoding.text($0.name))=\(PercentEncoding.text($0.value))" }.joined(separator: "&")
                    .utf8)
        }
        let bytes = try await Self.bytes(message, host, request)
        guard let json = try? JSONValue(strictly: bytes), case .object = json else {
            throw Problem(description: "What '\(host)' answered is no JSON object.")
        }
        return json
    }

    private static func bytes(_ message: URLRequest, _ host: String, _ request: Request) async throws -> [UInt8] {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpCookieStorage = nil
        configuration.urlCredentialStorage = nil
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.timeoutIntervalForRequest = TimeInterval(request.readTimeoutSeconds)
        let limit = request.connectTimeoutSeconds + request.readTimeoutSeconds
        configuration.timeoutIntervalForResource = TimeInterval(limit)
        #if !canImport(FoundationNetworking)
            // On Linux it is OpenSSL that speaks nothing older than TLS 1.2, at any security level but 0.
            configuration.tlsMinimumSupportedProtocolVersion = request.needsTLS13 ? .TLSv13 : .TLSv12
        #endif
        let transfer = Transfer(host: host)
        let session = URLSession(configuration: configuration, delegate: transfer, delegateQueue: nil)
        // Foundation on Linux can crash if a transfer is cancelled that has ended.
        defer {
            if transfer.hasEnded { session.finishTasksAndInvalidate() } else { session.invalidateAndCancel() }
        }
        let task = session.dataTask(with: message)
        return try await withTaskCancellationHandler {
            try await withThrowingTaskGroup(of: [UInt8].self) { group in
                group.addTask { try await transfer.run { task.resume() } }
                group.addTask {
                    try await Task.sleep(for: .seconds(limit))
                    transfer.finish(.failure(Problem(description: "'\(host)' took longer than \(limit) seconds.")))
                    try await Task.sleep(for: .seconds(60))
                    return []
                }
                defer { group.cancelAll() }
                return try await group.next() ?? []
            }
        } onCancel: {
            transfer.finish(.failure(CancellationError()))
        }
    }
}

/// Receives one answer.
private final class Transfer: NSObject, URLSessionDataDelegate, Sendable {
    private struct State {
        var bytes: [UInt8] = []
        var continuation: CheckedContinuation<[UInt8], any Error>?
        var result: Result<[UInt8], any Error>?
        /// The reason why the answer is not accepted, which is reported when the transfer has ended.
        var problem: String?
        var hasEnded = false
    }

    private let state = Locked(State())
    private let host: String

    init(host: String) { self.host = host }

    func run(_ start: () -> Void) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            let early = state.withLock { state -> Result<[UInt8], any Error>? in
                if state.result == nil { state.continuation = continuation }
                return state.result
            }
            if let early { continuation.resume(with: early) } else { start() }
        }
    }

    /// Ends the transfer. Only the first call has an effect.
    func finish(_ result: Result<[UInt8], any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<[UInt8], any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            defer { state.continuation = nil }
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    /// Whether Foundation has ended the transfer.
    var hasEnded: Bool { state.withLock { $0.hasEnded } }

    private func note(_ problem: String) { state.withLock { $0.problem = $0.problem ?? problem } }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        note("'\(host)' redirects elsewhere. Configure the address that it redirects to.")
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // There are no other credentials. Without an answer, Foundation on Linux would wait for ever.
        guard challenge.protectionSpace.authenticationMethod.contains("ServerTrust") else {
            note("'\(host)' asks for a name and a password.")
            return completionHandler(.cancelAuthenticationChallenge, nil)
        }
        completionHandler(.performDefaultHandling, nil)
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        guard status == 200 else {
            note("'\(host)' answers with status \(status).")
            return completionHandler(.cancel)
        }
        guard response.expectedContentLength <= Int64(DocumentFetcher.maximumBytes) else {
            note("'\(host)' answers with more than \(DocumentFetcher.maximumBytes) bytes.")
            return completionHandler(.cancel)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLong = state.withLock { state in
            guard state.bytes.count + data.count <= DocumentFetcher.maximumBytes else { return true }
            state.bytes += data
            return false
        }
        if isTooLong {
            note("'\(host)' answers with more than \(DocumentFetcher.maximumBytes) bytes.")
            dataTask.cancel()
        }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let (problem, bytes) = state.withLock { state in
            state.hasEnded = true
            return (state.problem, state.bytes)
        }
        if let problem {
            finish(.failure(DocumentFetcher.Problem(description: problem)))
        } else if let error {
            finish(
                .failure(
                    DocumentFetcher.Problem(
                        description: "'\(host)' cannot be asked: \(error.localizedDescription)")))
        } else {
            finish(.success(bytes))
        }
    }
}

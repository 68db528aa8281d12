package import Foundation
import RosterOpenID
package import RosterText
package import RosterTransport

/// Sends small requests to the endpoints of an OpenID provider.
///
/// The deadlines of the requests of a sign-in, or of a renewal, add up to half a minute at most.
package struct ProviderConnection: Sendable {
    let transport: Transport
    /// The time of this device.
    let clock: @Sendable () -> Date

    package init(transport: Transport, clock: @escaping @Sendable () -> Date) {
        (self.transport, self.clock) = (transport, clock)
    }

    /// An answer. Whether the request succeeded is not decided yet.
    package struct Reply: Sendable {
        package let status: Int
        /// The body if it is a JSON object in which each name occurs once.
        package let json: JSONValue?
        /// The time of the server's clock.
        let date: Date?
        /// `Retry-After`, at most an hour; nil if the field is missing or malformed, or names a time that has passed.
        let retryAfter: Duration?
        let host: String

        init(_ response: TransportResponse, host: String, now: Date) {
            status = response.status
            let json = try? JSONValue(parsing: response.body)
            if case .object? = json { self.json = json } else { self.json = nil }
            date = response.headers["Date"].flatMap(HTTPDate.date)
            retryAfter = RetryAfter.delay(response.headers.values(of: "Retry-After"), now: date ?? now)
            self.host = host
        }

        /// The registered error code of a refusal by an OAuth endpoint (RFC 6749, section 5.2); nil for any other answer, such as
        /// an error page of a proxy.
        package var refusal: String? {
            guard (400..<500).contains(status), let code = json?["error"]?.text else { return nil }
            return Self.codes.contains(code) ? code : nil
        }

        private static let codes: Set<String> = [
            "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
            "invalid_scope", "invalid_target", "access_denied", "authorization_pending", "slow_down", "expired_token",
            "temporarily_unavailable", "unsupported_token_type", "mfa_required", "login_required", "consent_required",
            "interaction_required", "server_error", "invalid_token",
        ]

        /// The error for an answer that is not a success.
        ///
        /// - Parameter place: The endpoint, such as "token endpoint".
        package func failure(at place: String) -> ClientError {
            let name = "The \(place) of '\(host)'"
            switch status {
            case 300..<400: return .badAnswer("\(name) redirects elsewhere, and tokens are not sent elsewhere.")
            case 429, 503:
                return ClientError(
                    .serverBusy, "\(name) has no time for the request now (\(status)).",
                    advice: "Try again \(retryAfter.map { "in \($0.components.seconds) seconds" } ?? "later").",
                    retryAfter: retryAfter)
            case 500...:
                return ClientError(
                    .serverFailed, "\(name) failed (\(status)).", advice: "Try again later.", retryAfter: retryAfter)
            default: break
            }
            switch refusal {
            case "temporarily_unavailable"?:
                return ClientError(
                    .serverBusy, "\(name) has no time for the request now.", advice: "Try again later.",
                    retryAfter: retryAfter)
            case let code? where ["invalid_client", "unauthorized_client", "unsupported_grant_type"].contains(code):
                return ClientError(
                    .badConfiguration,
                    "\(name) does not accept the app as it is registered (\(code)). The user's sign-in is not the reason.",
                    advice: "Check the client id, the secret and the grants in the app's registration at the server.",
                    retryAfter: retryAfter)
            case let code?:
                return ClientError(
                    .refused, "\(name) refused the request (\(code)).",
                    advice: "Check the scopes and the registration of the app, or sign in again.",
                    retryAfter: retryAfter)
            case nil:
                return ClientError(
                    .badAnswer,
                    status == 200
                        ? "\(name) answered with something that is not a JSON object."
                        : "\(name) answered with status \(status) and no registered error code.",
                    advice: ClientError.wrongServer, retryAfter: retryAfter)
            }
        }
    }

    /// Fetches a JSON document.
    ///
    /// - Throws: ``ClientError``, `CancellationError`.
    func document(_ url: String, _ place: String) async throws -> JSONValue {
        var request = TransportRequest("GET", url, headers: ["Accept": "application/json"])
        request.maximumBodyBytes = 1 << 20
        do {
            let reply = try await send(request)
            guard reply.status == 200, let json = reply.json else { throw reply.failure(at: place) }
            return json
        } catch let error as TransportError {
            throw ClientError(error)
        }
    }

    /// Sends a form.
    ///
    /// - Throws: `TransportError`, `CancellationError`.
    func post(
        _ url: String, _ form: [(name: String, value: String)], authorization: String?, deadline: Duration
    ) async throws -> Reply {
        var request = TransportRequest(
            "POST", url,
            headers: ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"],
            body: Array(FormEncoding.text(form).utf8))
        request.headers["Authorization"] = authorization
        return try await send(request, deadline: deadline)
    }

    /// Sends a request whose answer is small.
    ///
    /// - Throws: `TransportError`, `CancellationError`.
    package func send(_ request: TransportRequest, deadline: Duration = .seconds(7)) async throws -> Reply {
        var request = request
        request.deadline = deadline
        request.maximumBodyBytes = min(request.maximumBodyBytes, 1 << 20)
        let host = URL(string: request.url)?.host(percentEncoded: false) ?? ""
        return Reply(try await transport.send(request), host: ShownText.plain(host), now: clock())
    }
}

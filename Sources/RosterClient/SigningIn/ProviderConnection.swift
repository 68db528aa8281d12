import Foundation
import RosterOpenID
import RosterText
import RosterTransport

/// Sends small requests to the endpoints of an OpenID provider.
///
/// The deadlines of the requests of a sign-in, or of a renewal, add up to half a minute at most.
struct ProviderConnection: Sendable {
    let transport: Transport

    /// An answer. Whether the request succeeded is not decided yet.
    struct Reply: Sendable {
        let status: Int
        /// The body if it is a JSON object in which each name stands once.
        let json: JSONValue?
        /// The time of the server's clock.
        let date: Date?
        /// `Retry-After`, at most five minutes.
        let retryAfter: Duration?
        let host: String

        init(_ response: TransportResponse, host: String) {
            status = response.status
            let json = try? JSONValue(parsing: response.body)
            if case .object? = json { self.json = json } else { self.json = nil }
            date = response.headers["Date"].flatMap(Self.date)
            let seconds = response.headers["Retry-After"].flatMap { Int($0) }
            retryAfter = seconds.map { .seconds(min(max($0, 1), 300)) }
            self.host = host
        }

        /// Reads a date such as `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110, section 5.6.7).
        private static func date(_ text: String) -> Date? {
            let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
            let words = text.words
            guard words.count == 6, words[5] == "GMT", let month = months.firstIndex(of: words[2]) else { return nil }
            let number = month < 9 ? "0\(month + 1)" : "\(month + 1)"
            return Timestamp.date("\(words[3])-\(number)-\(words[1])T\(words[4])Z", .dateTime)
        }

        /// The registered error code of a refusal by an OAuth endpoint (RFC 6749, section 5.2); nil for any other answer, such as
        /// an error page of a proxy.
        var refusal: String? {
            guard (400..<500).contains(status), let code = json?["error"]?.text else { return nil }
            return Self.codes.contains(code) ? code : nil
        }

        private static let codes: Set<String> = [
            "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
            "invalid_scope", "invalid_target", "access_denied", "authorization_pending", "slow_down", "expired_token",
            "temporarily_unavailable", "unsupported_token_type", "mfa_required", "login_required", "consent_required",
            "interaction_required", "server_error", "invalid_token",
        ]

        /// The error for an answer that is no success.
        ///
        /// - Parameter place: The endpoint, such as "token endpoint".
        func failure(at place: String) -> ClientError {
            let name = "The \(place) of '\(host)'"
            switch status {
            case 300..<400: return .badAnswer("\(name) redirects elsewhere, and tokens are not sent elsewhere.")
            case 429, 503:
                return ClientError(
                    .serverBusy, "\(name) has no time for the request now (\(status)).",
                    advice: "Try again \(retryAfter.map { "in \($0.components.seconds) seconds" } ?? "later").",
                    retryAfter: retryAfter)
            case 500...: return ClientError(.serverFailed, "\(name) failed (\(status)).", advice: "Try again later.")
            default: break
            }
            switch refusal {
            case "temporarily_unavailable"?:
                return ClientError(
                    .serverBusy, "\(name) has no time for the request now.", advice: "Try again later.",
                    retryAfter: retryAfter)
            case let code? where ["invalid_client", "unauthorized_client", "unsupported_grant_type"].contains(code):
                return ClientError(
                    .badConfiguration, "\(name) does not accept the app for this kind of sign-in (\(code)).",
                    advice: "Check the client id, the secret and the grants in the app's registration at the server.")
            case let code?:
                return ClientError(
                    .refused, "\(name) refused the request (\(code)).",
                    advice: "Check the scopes and the registration of the app, or sign in again.")
            case nil:
                return .badAnswer(
                    status == 200
                        ? "\(name) answered with something that is no JSON object."
                        : "\(name) answered with status \(status) and no registered error code.")
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
    func send(_ request: TransportRequest, deadline: Duration = .seconds(7)) async throws -> Reply {
        var request = request
        request.deadline = deadline
        request.maximumBodyBytes = min(request.maximumBodyBytes, 1 << 20)
        let host = URL(string: request.url)?.host(percentEncoded: false) ?? ""
        return Reply(try await transport.send(request), host: ShownText.plain(host))
    }
}

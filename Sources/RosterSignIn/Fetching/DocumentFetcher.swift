package import Foundation
import Roster
package import RosterText
import RosterTransport

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
        /// Whether TLS 1.2 is too old as well.
        package var needsTLS13 = false

        package init(_ url: String) { self.url = url }
    }

    private let transport: Transport

    /// - Parameter authorities: The PEM file with further certificate authorities; nil for the system's only.
    package init(authorities: URL? = nil) {
        var settings = TransportSettings()
        settings.furtherAuthoritiesFile = authorities?.path
        transport = Transport(settings)
    }

    /// Fetches a JSON object. The answer must have status 200.
    ///
    /// - Throws: ``Problem``, `CancellationError`.
    package func object(_ request: Request) async throws -> JSONValue {
        guard let url = URL(string: request.url), let host = url.host(percentEncoded: false), !host.isEmpty,
            url.user == nil, url.scheme == "https" || url.scheme == "http" && request.allowsHTTP
        else { throw Problem(description: "The address is not an https URL of a document.") }
        var message = TransportRequest("GET", request.url, headers: ["Accept": "application/json"])
        message.headers["Authorization"] = request.authorization
        if let form = request.form {
            message.method = "POST"
            message.headers["Content-Type"] = "application/x-www-form-urlencoded"
            message.body = Array(FormEncoding.text(form).utf8)
        }
        message.connectTimeout = .seconds(request.connectTimeoutSeconds)
        message.deadline = .seconds(request.connectTimeoutSeconds) + .seconds(request.readTimeoutSeconds)
        message.maximumBodyBytes = Self.maximumBytes
        message.allowsPlainHTTP = request.allowsHTTP
        message.minimumTLS = request.needsTLS13 ? .version13 : .version12
        message.allowsAddress = { [mustBePublic = request.mustBePublic] address in
            !HostAddress.isLinkLocal(address) && (!mustBePublic || HostAddress.isPublic(address))
        }
        let answer: TransportResponse
        do { answer = try await transport.send(message) } catch let error as TransportError {
            throw Problem(description: error.message)
        }
        switch answer.status {
        case 200: break
        case 300..<400:
            throw Problem(
                description: "'\(host)' redirects elsewhere. Configure the address that it redirects to.")
        default: throw Problem(description: "'\(host)' answers with status \(answer.status).")
        }
        guard let json = try? JSONValue(strictly: answer.body), case .object = json else {
            throw Problem(description: "What '\(host)' answered is not a JSON object.")
        }
        return json
    }
}

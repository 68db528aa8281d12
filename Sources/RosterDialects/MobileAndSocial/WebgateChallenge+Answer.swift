import Foundation
import RosterCrypto
import RosterREST
import RosterSignIn
import RosterText

/// The challenge `OAM-Auth` of a Webgate, and the context by which its client asks for an access token.
extension ServiceContext {
    /// The longest path that a challenge names. A request with a longer one gets the usual challenge.
    private static let longestPath = 1_024
    /// The seconds for which a client may ask for an access token with a context.
    private static let contextLifetime: TimeInterval = 300
    private static let contextPurpose = "webgate"

    /// The answer to a request without any credential that names a backend with a Webgate; nil for all other requests.
    func webgateChallenge(to request: HTTPRequest) throws -> RequestError? {
        let ids = request.headers.values(of: MobileHub.backendField)
        guard ids.count == 1, ids[0].utf8.count <= 128, try credentials(of: request) == nil,
            interfaceSession(of: request) == nil, let path = Self.relativeURL(request.target),
            let backend = try oauth.clients.backend(.backendID(ids[0])), let webgate = backend.settings.webgate
        else { return nil }
        let end = Int64(oauth.clock().timeIntervalSince1970 + Self.contextLifetime)
        let text = try "\(end)\n\(SHA256.hex(path))\n\(backend.clientID)"
        let sealed = try seal.seal(Base64URL.text(Array(text.utf8)), for: Self.contextPurpose)
        return RequestError(
            .notAuthenticated, "Get an access token for this resource, and repeat the request with the token.",
            headers: [
                "WWW-Authenticate":
                    "OAM-Auth realm=\"\(webgate.name):\(webgate.level) \(path)\", request-ctx=\"\(sealed)\""
            ])
    }

    /// Checks the context of a challenge that a client sends with its request for an access token.
    ///
    /// - Parameters:
    ///   - clientID: The client, which must be that of the challenged backend.
    ///   - resource: The URL of the challenged resource, absolute or relative; nil if the client does not name the resource.
    /// - Throws: 400 for a context that was altered, has expired, or belongs to another client or resource.
    func checkWebgateContext(_ context: String, of clientID: String, for resource: String?) throws {
        let refused = RequestError(
            .badRequest,
            "The application context is not of this server, has expired, or is another's. Repeat the request.")
        guard context.utf8.count <= 1_024, let text = try? seal.open(context, for: Self.contextPurpose),
            let bytes = Base64URL.bytes(text)
        else { throw refused }
        let parts = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        let now = oauth.clock().timeIntervalSince1970
        guard parts.count == 3, let end = Int64(parts[0]), now < Double(end),
            // A clock that was set back makes no context live longer.
            Double(end) <= now + Self.contextLifetime, String(parts[2]).hasSameBytes(as: clientID)
        else { throw refused }
        guard let resource else { return }
        let relative = resource.hasPrefix(baseURL + "/") ? String(resource.dropFirst(baseURL.count)) : resource
        guard let path = Self.relativeURL(relative), try SHA256.hex(path) == parts[1] else { throw refused }
    }

    /// The path of a target, without the query, which can hold secrets; nil if the path is too long for a header field. Characters
    /// that would end the quoted realm are percent-encoded.
    private static func relativeURL(_ target: String) -> String? {
        let path = target.utf8.prefix { $0 != UInt8(ascii: "?") }
        guard path.first == UInt8(ascii: "/"), path.count <= longestPath else { return nil }
        return PercentEncoding.text(path) { 0x21...0x7E ~= $0 && !"\"\\".utf8.contains($0) }
    }
}

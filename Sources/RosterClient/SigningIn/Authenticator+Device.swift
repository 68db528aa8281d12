public import Foundation
import RosterOpenID
public import RosterText
import RosterTransport

/// The code and the address that a device without a browser shows to its user (RFC 8628, section 3.2).
public struct DeviceCode: Sendable {
    /// The code that the user types.
    public let userCode: String
    /// The page where the user types the code, on another device.
    public let verificationURL: URL
    /// The page with the code in its URL, such as for a QR code; nil if the server has none.
    public let completeURL: URL?
    /// The time until the code expires.
    public let lifetime: Duration

    fileprivate let deviceCode: String
    fileprivate let interval: Double

    /// Reads an answer; nil for one that cannot be shown.
    fileprivate init?(_ json: JSONValue, isLocal: Bool) {
        func url(_ name: String) -> URL? {
            guard let text = json[name]?.text, ProviderMetadata.isEndpoint(text, allowsHTTP: isLocal) else {
                return nil
            }
            return URL(string: text)
        }
        guard let deviceCode = json["device_code"]?.text, (1...4_096).contains(deviceCode.utf8.count),
            let userCode = json["user_code"]?.text, (1...64).contains(userCode.utf8.count),
            userCode.utf8.allSatisfy({ (0x20...0x7E).contains($0) }),
            let verificationURL = url("verification_uri"),
            let lifetime = json["expires_in"].flatMap(TokenTimes.seconds), (1...86_400).contains(lifetime)
        else { return nil }
        let interval = json["interval"].flatMap(TokenTimes.seconds) ?? 5
        guard (0...300).contains(interval) else { return nil }
        (self.deviceCode, self.userCode, self.verificationURL) = (deviceCode, userCode, verificationURL)
        completeURL = url("verification_uri_complete")
        self.lifetime = .seconds(lifetime)
        self.interval = max(interval, 1)
    }
}

extension DeviceCode: CustomStringConvertible, Redacted {
    /// The page where the user types the code.
    public var description: String { "device code for \(verificationURL)" }
}

/// Signing in on a device without a browser (RFC 8628).
extension Authenticator {
    /// Signs a user in who approves this device in a browser elsewhere.
    ///
    /// - Parameters:
    ///   - account: The app's own label for the user; most apps need only the default.
    ///   - show: Shows the code to the user, and returns.
    /// - Throws: ``ClientError``: `refused` if the user did not approve; `signInExpired` if the user took too long; the errors of
    ///   ``signIn(account:maximumAge:options:callback:)``.
    public func signInOnDevice(
        account: String = "default", show: @Sendable (DeviceCode) async throws -> Void
    ) async throws -> Account {
        let signIn = try await sessions.beginSignIn(to: account)
        let metadata = try await provider.metadata()
        guard let endpoint = metadata.deviceAuthorizationEndpoint else {
            throw ClientError(
                .badConfiguration, "The server has no sign-in for devices without a browser.",
                advice: "Sign in with a browser.")
        }
        let begun: ProviderConnection.Reply
        do { begun = try await provider.post(endpoint, [scope], metadata) } catch let error as TransportError {
            throw ClientError(error)
        }
        guard begun.status == 200, let json = begun.json else {
            throw begun.failure(at: "device authorization endpoint")
        }
        guard let code = DeviceCode(json, isLocal: provider.registration.isLocal) else {
            throw ClientError.badAnswer("The server's answer to the device has no code that can be shown.")
        }
        try await show(code)
        return try await finish(signIn, try await approved(code, metadata))
    }

    /// Asks until the user has decided.
    ///
    /// - Returns: The answer of the token endpoint.
    private func approved(
        _ code: DeviceCode, _ metadata: ProviderMetadata
    ) async throws -> ProviderConnection.Reply {
        var interval = code.interval
        var left = Double(code.lifetime.components.seconds)
        let form: [(name: String, value: String)] = [
            ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"), ("device_code", code.deviceCode),
        ]
        while left > 0 {
            try await sleep(.seconds(interval))
            left -= interval
            let reply: ProviderConnection.Reply
            do {
                reply = try await provider.post(metadata.tokenEndpoint, form, metadata)
            } catch is TransportError {
                // A network that comes and goes must not end the sign-in (RFC 8628, section 3.5).
                interval = min(interval * 2, 60)
                continue
            }
            switch reply.refusal {
            case "authorization_pending"?: continue
            case "slow_down"?: interval = min(interval + 5, 300)
            case "access_denied"?:
                throw ClientError(
                    .refused, "The user did not approve the device.", advice: "Begin again if that was a mistake.")
            case "expired_token"?, "invalid_grant"?: throw Self.tooLate
            default:
                guard [429, 500, 502, 503, 504].contains(reply.status) else {
                    return reply
                }
                interval = min(max(interval * 2, Double(reply.retryAfter?.components.seconds ?? 0)), 300)
            }
        }
        throw Self.tooLate
    }

    private static let tooLate = ClientError(
        .signInExpired, "The code of the device has expired before the user approved.", advice: "Begin again.")
}

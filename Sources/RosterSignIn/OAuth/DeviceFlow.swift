import Foundation
import Roster
import RosterCrypto
package import RosterText

/// The device authorization grant (RFC 8628).
extension OAuthService {
    /// How long a device waits for somebody, in seconds.
    static let deviceLifetime: TimeInterval = 600
    /// How many devices of a client may wait at once in one place: strangers elsewhere take nobody's.
    static let waitingDevices = 200

    /// Answers a device that wants to be allowed tokens.
    package func deviceAuthorization(
        _ form: Form, authorization: String?, from peer: String
    ) async throws -> JSONValue {
        let backend = try await authenticated(ClientCredentials(authorization: authorization, form: form))
        guard backend.settings.grants.contains(.deviceCode) else {
            throw OAuthError(.unauthorizedClient, "The client may not use this grant.")
        }
        let scopes = try AuthorizationRequest.scopes(form["scope"], backend)
        let code = try SecureRandom.token()
        let userCode = try Self.userCode()
        let audiences = try backend.audiences(form, issuer: issuer)
        if let seconds = devices.insert(
            DeviceRequest(backend: backend, scopes: scopes, audiences: audiences), for: code,
            lifetime: Self.deviceLifetime, of: "\(backend.record.id) \(AttemptThrottle.network(of: peer))",
            atMost: Self.waitingDevices)
        {
            throw OAuthError(
                .temporarilyUnavailable, "Too many devices of this client wait there already. Try again later.",
                retryAfter: max(Int(seconds.rounded(.up)), 1))
        }
        userCodes.insert(code, for: userCode, lifetime: Self.deviceLifetime)
        let page = issuer + "/oauth2/device"
        return [
            "device_code": .string(code), "user_code": .string(userCode), "verification_uri": .string(page),
            "verification_uri_complete": .string(page + "?user_code=" + userCode),
            "expires_in": .integer(Int64(Self.deviceLifetime)), "interval": 5,
        ]
    }

    /// Eight letters that nobody mistakes for others, and that make no words: 34 bits, for ten minutes, behind a sign-in.
    private static func userCode() throws -> String {
        let alphabet = Array("BCDFGHJKLMNPQRSTVWXZ".utf8)
        var letters: [UInt8] = []
        while letters.count < 8 {
            for byte in try SecureRandom.bytes(16) where byte < 240 && letters.count < 8 {
                letters.append(alphabet[Int(byte) % alphabet.count])
            }
        }
        return String(decoding: letters[..<4] + [UInt8(ascii: "-")] + letters[4...], as: UTF8.self)
    }

    /// The request that a code which somebody types belongs to, and the code as the device shows it.
    ///
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts`: who guesses is slowed down (RFC 8628, section 5.1).
    package func device(
        userCode: String, for holder: Holder, from peer: String
    ) throws -> (code: String, request: DeviceRequest, userCode: String)? {
        let account = "device " + holder.description
        if case .wait(let seconds) = deviceThrottle.check(account: account, address: peer) {
            throw AuthenticationFailure.tooManyAttempts(seconds: seconds)
        }
        let letters = userCode.uppercased().filter { $0.isASCII && $0.isLetter }
        let shown = "\(letters.prefix(4))-\(letters.dropFirst(4))"
        guard let code = userCodes.value(shown), let request = devices.value(code) else {
            deviceThrottle.failed(account: account, address: peer)
            return nil
        }
        return (code, request, shown)
    }

    /// Allows a device tokens, or denies them.
    package func decide(device code: String, _ session: SessionKeeper.Session, isAllowed: Bool) {
        _ = devices.change(code) { request in
            guard case .pending = request.state else { return }
            guard isAllowed else {
                request.state = .denied
                return
            }
            var detail = GrantDetail(
                scopes: request.scopes, authenticationTime: session.authenticationTime, means: session.means)
            detail.audiences = request.audiences
            detail.isRefreshable = Self.isRefreshable(request.scopes, request.backend)
            request.state = .allowed(session.holder, detail, session: session.digest)
        }
    }

    func deviceCode(_ form: Form, _ backend: Backend, from peer: String) async throws -> Tokens {
        let code = try form.required("device_code")
        let now = clock()
        let state = try devices.change(code) { request -> DeviceRequest.State in
            guard request.backend.record.id == backend.record.id else {
                throw OAuthError(.invalidGrant, "The device code is another client's.")
            }
            defer { request.lastPoll = now }
            if case .pending = request.state, now.timeIntervalSince(request.lastPoll) < request.interval - 0.5 {
                request.interval = min(request.interval + 5, 60)
                throw OAuthError(.slowDown, "Ask five seconds later than before.")
            }
            return request.state
        }
        switch state {
        case nil: throw OAuthError(.expiredToken, "The device code has expired, or was used.")
        case .pending?: throw OAuthError(.authorizationPending, "Nobody has allowed it yet.")
        case .denied?: throw OAuthError(.accessDenied, "The user did not allow it.")
        case .allowed(let holder, let detail, let session)?:
            guard devices.take(code) != nil, let person = try Person(holder, in: directory) else {
                throw OAuthError(.expiredToken, "The device code has expired, or was used.")
            }
            // The device stays signed in when the browser's session ends; but not before it was.
            let (given, grant) = try await tokens.begin(backend, person, detail)
            guard try directory.session(session) != nil else {
                try await directory.endGrant(grant)
                throw OAuthError(.accessDenied, "Whoever allowed it has signed out meanwhile.")
            }
            tell(.granted, person, backend, from: peer, means: "device_code")
            return given
        }
    }
}

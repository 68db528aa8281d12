import Foundation
import Roster
import RosterCrypto

/// A device that waits for a user's approval (RFC 8628).
package struct DeviceRequest: Sendable, Codable {
    enum State: Sendable, Codable {
        case pending
        case denied
        /// The user approved the device in a session.
        case allowed(Holder, GrantDetail, session: String)
    }
    let backend: BackendID
    package let scopes: [Scope]
    let audiences: [String]
    var state = State.pending
    var lastPoll = Date.distantPast
    var interval: TimeInterval = 5
}

/// The answer to a device that begins to sign in (RFC 8628, section 3.2).
package struct DeviceAuthorization: Sendable, Hashable {
    /// The code that the device brings to the token endpoint.
    package let deviceCode: String
    package let userCode: String
    package let verificationURI: String
    /// The seconds until both codes expire.
    package let lifetime: Int64
    /// The seconds between two requests of the device.
    package let interval: Int64
}

/// The device authorization grant (RFC 8628).
package struct DeviceFlow: Sendable {
    let issuer: String
    /// The devices that wait for a user's approval, by their device codes.
    let devices: PendingCodes<DeviceRequest>
    let userCodes: PendingCodes<String>
    /// Delays guesses of user codes.
    let deviceThrottle: AttemptThrottle
    let clients: ClientDirectory
    let clock: @Sendable () -> Date
    let directory: Directory
    let sessions: CookieSessions
    let audit: AuditTrail
    let clientAuthentication: ClientAuthentication
    let tokenIssuer: TokenIssuer

    /// The seconds for which a device waits for approval.
    static let deviceLifetime: TimeInterval = 600
    /// The number of devices of a client that may wait at once in one network: one of each person in an office of 2,000. Strangers
    /// elsewhere do not use it up.
    static let waitingDevices = 2_000

    /// Begins the sign-in on a device without a browser.
    ///
    /// - Throws: ``OAuthError``.
    package func deviceAuthorization(
        scope: String?, resources: [String], by proof: ClientProof, from origin: ClientOrigin
    ) async throws -> DeviceAuthorization {
        let backend = try await clientAuthentication.authenticated(proof)
        guard backend.settings.grants.contains(.deviceCode) else {
            throw ClientAuthentication.unauthorized(.deviceCode)
        }
        let scopes = try AuthorizationRequest.scopes(scope, backend)
        let code = try SecureRandom.token()
        let userCode = try Self.userCode()
        let audiences = try backend.audiences(resources, issuer: issuer)
        if let seconds = try devices.insert(
            DeviceRequest(backend: backend.id, scopes: scopes, audiences: audiences), for: code,
            lifetime: Self.deviceLifetime, of: "\(backend.id) \(AttemptThrottle.network(of: origin.address))",
            atMost: Self.waitingDevices)
        {
            throw OAuthError(
                .temporarilyUnavailable, "Too many devices of this client wait there already. Try again later.",
                retryAfter: max(Int(seconds.rounded(.up)), 1))
        }
        try userCodes.insert(code, for: userCode, lifetime: Self.deviceLifetime)
        return DeviceAuthorization(
            deviceCode: code, userCode: userCode, verificationURI: issuer + "/oauth2/device",
            lifetime: Int64(Self.deviceLifetime), interval: 5)
    }

    /// Eight letters that cannot be mistaken for each other and form no words. They have 34 bits, live for ten minutes, and can
    /// be tried only after a sign-in.
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

    /// The request of the device whose user code somebody typed, and the code as the device shows it; nil for an unknown code.
    ///
    /// - Throws: ``AuthenticationFailure`` `tooManyAttempts`, which slows down guesses (RFC 8628, section 5.1).
    package func device(
        userCode: String, for holder: Holder, from origin: ClientOrigin
    ) throws -> (code: String, backend: Backend, scopes: [Scope], userCode: String)? {
        let account = "device " + holder.description
        try deviceThrottle.admit(account: account, address: origin.address)
        let letters = userCode.uppercased().filter { $0.isASCII && $0.isLetter }
        let shown = "\(letters.prefix(4))-\(letters.dropFirst(4))"
        guard let code = try userCodes.value(shown), let request = try devices.value(code),
            let backend = try clients.backend(.id(request.backend))
        else {
            try deviceThrottle.failed(account: account, address: origin.address)
            return nil
        }
        return (code, backend, request.scopes, shown)
    }

    /// Approves or denies a device, as the user of a session decided.
    package func decide(device code: String, _ session: Session, isAllowed: Bool) throws {
        guard let backend = try devices.value(code).flatMap({ try clients.backend(.id($0.backend)) }) else { return }
        _ = try devices.change(code) { request in
            guard case .pending = request.state else { return }
            guard isAllowed else {
                request.state = .denied
                return
            }
            let detail = GrantDetail(
                scopes: request.scopes, authenticationTime: session.authenticationTime, amr: session.amr,
                audiences: request.audiences, isRefreshable: AuthorizationCodes.isRefreshable(request.scopes, backend))
            request.state = .allowed(session.holder, detail, session: session.digest)
        }
    }

    func redeem(deviceCode code: String, _ backend: Backend, key: String?, from origin: ClientOrigin) async throws
        -> Tokens
    {
        let now = clock()
        let state = try devices.change(code) { request -> DeviceRequest.State in
            guard request.backend == backend.id else {
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
        case .allowed(let holder, var detail, let session)?:
            detail.key = key
            guard try devices.take(code) != nil, let person = try Person(holder, in: directory) else {
                throw OAuthError(.expiredToken, "The device code has expired, or was used.")
            }
            // The device stays signed in after the browser's session ends, but the session must not have ended before.
            let (given, grant) = try await tokenIssuer.beginGrant(backend, person, detail)
            guard try sessions.session(session) != nil else {
                try await directory.grants.end(grant)
                throw OAuthError(.accessDenied, "The user who allowed it has signed out meanwhile.")
            }
            audit.record(.granted, person, backend, from: origin, method: "device_code")
            return given
        }
    }
}

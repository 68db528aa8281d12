import Foundation
package import Roster
import RosterText

/// Registered devices: an app on a device proves itself by a handle, which a user's sign-in gave it.
package struct DeviceRegistration: Sendable {
    let clients: ClientDirectory
    let clock: @Sendable () -> Date
    let directory: Directory
    let audit: AuditTrail
    let accessTokens: AccessTokens
    let clientAuthentication: ClientAuthentication
    let signingIn: SigningIn
    let tokenIssuer: TokenIssuer

    /// The ``Device/id`` of the device whose handle is a proof; nil for another proof. The handle was checked before.
    func device(of proof: ClientProof) throws -> String? {
        guard case .handle(_, let handle) = proof, let (token, _) = try accessTokens.check(handle),
            case .holder(_, let grant, let salt) = token.subject
        else { return nil }
        return Device.id(grant: grant, salt: salt)
    }

    /// A living access token of a user that was issued to a client, with the user's name; nil for all other tokens, also for
    /// handles.
    package func userToken(_ text: String, givenTo clientID: String) throws -> (token: AccessToken, name: String)? {
        guard let found = try accessTokens.check(text), found.token.clientID == clientID,
            case .holder = found.token.subject, found.token.audiences != [GrantDetail.registrationAudience]
        else { return nil }
        return found
    }

    /// Registers a device. A user who signs in on it gets a handle, which the app on the device sends from then on in place of
    /// a secret that no app can keep. The handle ends when all tokens of the user end. An installation that registers again ends its
    /// older registration.
    ///
    /// - Throws: ``OAuthError``, ``AuthenticationFailure``.
    package func register(
        _ login: Login, _ profile: DeviceProfile, clientID: String, by proof: ClientProof, from origin: ClientOrigin
    ) async throws -> (handle: String, name: String) {
        let backend = try await clientAuthentication.authenticated(proof)
        guard !proof.isDevice, backend.clientID == clientID else { throw ClientDirectory.refused }
        do {
            try clientAuthentication.check(BackendSettings.Grant.password.rawValue, of: backend)
            try check(profile, backend)
            let person = try await signingIn.signIn(login, at: .registration(backend), from: origin)
            var detail = GrantDetail(
                authenticationTime: Int64(clock().timeIntervalSince1970), amr: person.amr,
                audiences: [GrantDetail.registrationAudience])
            detail.device = profile
            let (given, grant) = try await tokenIssuer.beginGrant(
                backend, person, detail, lifetime: backend.settings.refreshTokenLifetime)
            if case .user(let user) = person.holder { try await directory.devices.end(before: grant, of: user) }
            audit.record(.granted, person, backend, from: origin, method: "register")
            return (given.accessToken, person.name)
        } catch let failure as AuthenticationFailure {
            throw OAuthError(failure) ?? failure
        } catch let error as OAuthError {
            audit.record(
                .refused, nil, backend, from: origin, method: "", reason: error.code.rawValue, name: login.name)
            throw error
        }
    }

    /// Refuses a device whose app does not tell the facts that the app's policy requires.
    private func check(_ profile: DeviceProfile, _ backend: Backend) throws {
        let missing = backend.settings.app.requiredClaims.filter { profile[$0] == nil }.map(\.rawValue).sorted()
        guard missing.isEmpty else {
            let names = missing.map { "'\($0)'" }.joined(separator: ", ")
            throw OAuthError(.invalidRequest, "The app must tell \(names) of the device in 'deviceProfile'.")
        }
    }

    /// Ends a registered device of a user, as the user asks.
    ///
    /// - Returns: Whether there was such a device.
    package func endDevice(_ id: String, of user: UserID, from origin: ClientOrigin) async throws -> Bool {
        guard try await directory.devices.end(id, of: user) else { return false }
        audit.record(.revoked, try Person(.user(user), in: directory), nil, from: origin, method: "register")
        return true
    }
}

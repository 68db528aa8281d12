import Foundation
import Roster
import RosterCrypto
import RosterOpenID
import RosterText

/// The authentication of clients (RFC 6749, section 2.3).
package struct ClientAuthentication: Sendable {
    let clients: ClientDirectory
    let issuer: String
    let clock: @Sendable () -> Date
    let directory: Directory
    let accessTokens: AccessTokens

    /// The backend of a client that has proved who it is, or that is public and needs no proof.
    ///
    /// - Throws: ``OAuthError`` `invalid_client`, `invalid_request`.
    func authenticated(_ proof: ClientProof) async throws -> Backend {
        let backend =
            if case .assertion(let text, let id) = proof { try await proven(by: text, clientID: id) } else {
                try authenticatedAtOnce(proof)
            }
        try backend.check(proof)
        return backend
    }

    /// The same for a proof that is not an assertion, which would have to be recorded as used.
    func authenticatedAtOnce(_ proof: ClientProof) throws -> Backend {
        let backend = try known(proof)
        try backend.check(proof)
        return backend
    }

    private func known(_ proof: ClientProof) throws -> Backend {
        switch proof {
        case .secret(let id, let secret): return try clients.authenticate(clientID: id, secret: secret)
        case .named(let id): return try clients.authenticate(clientID: id, secret: nil)
        case .handle(let id, let handle): return try backend(id, handle: handle)
        case .unreadable(let error): throw error
        case .assertion, .missing: throw ClientDirectory.refused
        }
    }

    /// The backend of an app on a registered device.
    ///
    /// - Throws: ``OAuthError`` `invalid_client`.
    func backend(_ clientID: String, handle: String) throws -> Backend {
        guard let (token, _) = try accessTokens.check(handle), token.clientID == clientID,
            token.audiences == [GrantDetail.registrationAudience],
            let backend = try clients.backend(.clientID(clientID))
        else { throw ClientDirectory.refused }
        return backend
    }

    /// Refuses a grant that a backend does not have.
    func check(_ grantType: String, of backend: Backend) throws {
        guard let grant = BackendSettings.Grant(rawValue: grantType) else {
            throw OAuthError(.unsupportedGrantType, "There is no such grant here.")
        }
        // A backend with the setting 'sso' may exchange tokens in the standard's way as well. One with a Webgate gets tokens for the
        // Webgate so.
        let isExchange =
            grant == .tokenExchange && (backend.settings.allowsExchange || backend.settings.webgate != nil)
        guard backend.settings.grants.contains(grant) || isExchange else {
            throw Self.unauthorized(grant)
        }
    }

    /// The refusal of a grant that the backend does not have.
    static func unauthorized(_ grant: BackendSettings.Grant) -> OAuthError {
        OAuthError(
            .unauthorizedClient,
            "The client may not use the grant '\(grant.rawValue)'. Add the grant to the backend's 'grant_types'.")
    }

    /// The backend of a client that proves itself, or only names itself, and whether it has proved itself. The name alone is
    /// enough where an issuer of tokens does not require more.
    func claimed(_ proof: ClientProof) async throws -> (Backend, isProven: Bool) {
        if case .named(let id) = proof, let backend = try clients.backend(.clientID(id)) {
            return (backend, backend.settings.isPublic)
        }
        // The mobile cloud's clients send their own client-credentials token as an assertion.
        if case .assertion(let text, let id) = proof, let (token, _) = try accessTokens.check(text),
            case .client = token.subject, id == nil || id == token.clientID, token.audiences == [issuer],
            token.claims[AccessToken.assertionClaim]?.text == "client_assertion",
            let backend = try clients.backend(.clientID(token.clientID))
        {
            return (backend, true)
        }
        return (try await authenticated(proof), true)
    }

    /// The backend that signed an assertion: `private_key_jwt` (RFC 7523, section 3). A key of the backend's settings must have
    /// made the signature, the audience must be this service, and an assertion is accepted once.
    private func proven(by text: String, clientID: String?) async throws -> Backend {
        guard let token = try? JSONWebToken(text), token.kind(otherThan: ["client-authentication+jwt"]) == nil,
            let id = token.claims["iss"]?.text, id == token.claims["sub"]?.text,
            clientID == nil || clientID == id, let backend = try clients.backend(.clientID(id)),
            let keys = backend.settings.assertionKeys.flatMap({ VerificationKeySet($0.document) }),
            try token.isSigned(by: keys, allowing: SignatureAlgorithm.published),
            TokenTimes.problem(with: token.claims, now: clock(), skew: ExternalTokenChecker.skew) == nil,
            case .integer(let end)? = token.claims["exp"],
            Double(end) - clock().timeIntervalSince1970 < 3_600,
            let audience = token.claims["aud"], let use = token.claims["jti"]?.text, !use.isEmpty
        else { throw ClientDirectory.refused }
        let audiences = audience.texts
        // An audience may be the issuer, or any endpoint where clients prove themselves.
        let places = [
            "", "/oauth2/token", "/oauth2/introspect", "/oauth2/revoke", "/oauth2/device_authorization",
            "/oauth2/par",
            "/mobile/platform/auth/token",
        ]
        guard places.contains(where: { audiences.contains(issuer + $0) }) else { throw ClientDirectory.refused }
        try backend.check(token, issuer: issuer)
        let until = Date(timeIntervalSince1970: Double(end) + ExternalTokenChecker.skew)
        let issued = token.claims["iat"]?.seconds.map { Date(timeIntervalSince1970: $0) }
        guard
            try await directory.spentTokens.spend(
                .init("client:" + SHA256.hex(id + "\n" + use), issued: issued, until: until))
        else {
            throw ClientDirectory.refused
        }
        return backend
    }
}

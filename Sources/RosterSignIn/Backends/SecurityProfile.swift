import Roster
import RosterOpenID
import RosterText

/// A set of rules for a backend that is stricter than its single settings.
public enum SecurityProfile: String, Sendable, Hashable, CaseIterable {
    /// The settings of the backend alone decide.
    case standard
    /// The FAPI 2.0 Security Profile: the client proves itself with `private_key_jwt`, pushes its authorization requests (RFC 9126), and
    /// binds its tokens to a key (DPoP, RFC 9449). Refresh tokens are not rotated. Everything else is refused with the reason.
    case fapi2 = "fapi_2_0"

    /// The algorithms of client assertions.
    static let assertionAlgorithms: Set<SignatureAlgorithm> = [.es256, .ps256, .edDSA]
}

extension BackendSettings {
    /// Whether the FAPI 2.0 Security Profile applies.
    var isFAPI: Bool { profile == .fapi2 }
    /// Whether authorization requests have to be pushed.
    package var needsPushedRequests: Bool { requiresPushedRequests || isFAPI }
    /// Whether tokens have to be bound to a key.
    var needsPossession: Bool { requiresPossession || isFAPI }

    /// Checks that the security profile allows the settings.
    ///
    /// - Throws: `DirectoryError` with the path of the first setting that the profile does not allow.
    func checkProfile() throws {
        guard isFAPI else { return }
        func refuse(_ path: String, _ problem: String, _ advice: String) -> DirectoryError {
            DocumentObject.problem(path, problem + " under the security profile fapi_2_0.", advice)
        }
        guard !isPublic else {
            throw refuse("public", "cannot be true", "Make the client a confidential one.")
        }
        guard assertionKeys != nil else {
            throw refuse("jwks", "is needed", "Give the client's public keys, with which it proves itself.")
        }
        let allowed: Set<Grant> = [.authorizationCode, .refreshToken, .clientCredentials]
        if let grant = grants.subtracting(allowed).map(\.rawValue).min() {
            throw refuse("grant_types", "cannot have \(grant)", "Leave it out.")
        }
        guard guardedOrigins.isEmpty else {
            throw refuse("auth_request_origins", "cannot be given", "Leave it out.")
        }
        if let uri = redirectURIs.first(where: { !$0.lowercased().hasPrefix("https:") }) {
            throw refuse("redirect_uris", "cannot have '\(uri.prefix(128))', which is not https,", "Use https.")
        }
        guard signing != .clientSecret, signing != .key(.rs256) else {
            throw refuse(
                "id_token_signed_response_alg", "cannot be \(signing.rawValue)", "Take ES256 or EdDSA.")
        }
        for (name, isOn) in [("http_basic", allowsBasic), ("social_login", allowsSocialLogin), ("sso", allowsExchange)]
        where isOn {
            throw refuse(name, "cannot be true", "Set it to false.")
        }
    }
}

extension Backend {
    /// Checks that the security profile of the client allows the way in which the client proves itself.
    ///
    /// - Throws: ``OAuthError`` `invalid_client`.
    func check(_ proof: ClientProof) throws {
        guard settings.isFAPI else { return }
        guard case .assertion = proof else {
            throw OAuthError(
                .invalidClient, "The security profile of this client takes private_key_jwt, and no secret.")
        }
    }

    /// Checks that the security profile of the client allows the algorithm and the audience of an assertion.
    ///
    /// - Throws: ``OAuthError`` `invalid_client`.
    func check(_ assertion: JSONWebToken, issuer: String) throws {
        guard settings.isFAPI else { return }
        guard SecurityProfile.assertionAlgorithms.contains(assertion.algorithm) else {
            throw OAuthError(
                .invalidClient, "The security profile of this client takes assertions with ES256, PS256 or EdDSA.")
        }
        guard case .string(let audience)? = assertion.claims["aud"], audience.hasSameBytes(as: issuer) else {
            throw OAuthError(
                .invalidClient, "The security profile of this client takes the issuer as the audience of assertions.")
        }
    }
}

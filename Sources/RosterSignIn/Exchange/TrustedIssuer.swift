package import Roster

/// An issuer whose tokens are exchanged for ours, and the conditions.
///
/// The document of ``TrustedIssuers`` lists JWT issuers under `issuers` and SAML issuers under `samlIssuers`. Fields that SAML issuers do
/// not have keep their defaults.
package struct TrustedIssuer: Sendable, Hashable {
    /// The source of the keys that the issuer signs with.
    package enum KeySource: Sendable, Hashable {
        case keySet(KeySetSource)
        /// The keys are in certificates that are stored here, named by their subjects (`certificateSubjectNames`). The list is never
        /// empty.
        case certificates(subjectNames: [String])
    }

    /// The property by which a local user is found (`userMappingAttribute`).
    package enum UserMapping: String, Sendable, CaseIterable {
        case name = "uid"
        case mail
    }

    /// The roles that replace a role of a token (`roleMappings`).
    package struct RoleMapping: Sendable, Hashable {
        package let tokenRole: String
        package let mappedRoles: [String]
    }

    package let format: VerifiedToken.Format
    /// `issuerName`: the exact name of the issuer in its tokens.
    package let name: String
    /// `enabled`: whether its tokens are accepted. The default is true.
    package internal(set) var isEnabled = true
    package let keys: KeySource
    /// `audience`: a token must name one of these. If the list is empty, a token that names audiences must name one of
    /// ``defaultAudience(baseURL:)``.
    package internal(set) var audience: [String] = []
    /// `virtualUserEnabled`: whether users need no account here. The default is false.
    package internal(set) var hasVirtualUsers = false
    /// `usernameAttribute`: the claim that names the user; nil for the token's subject.
    package internal(set) var usernameAttribute: String?
    /// `requireClientAuth`: whether a client must prove who it is, and not only name itself. The default is true.
    package internal(set) var requiresClientAuthentication = true
    /// Whether the entry says `requireClientAuth: true`. Then `GET sso/exchange-token`, which has no place for a secret, refuses the
    /// issuer's tokens.
    package internal(set) var requiresClientAuthenticationAlways = false
    /// `tokenUsedOnce`: whether each token is accepted once, and must have a `jti`. The default is false. A SAML assertion is always
    /// accepted once.
    package internal(set) var takesTokensOnce = false
    /// `clientIdAttribute`: the claim whose value must not be the user's name; nil for none.
    package internal(set) var clientIDAttribute: String?
    /// `tokenTimeoutSeconds`: the lifetime of our token; nil for that of ``TokenExchangePolicy``.
    package internal(set) var timeoutSeconds: Int?
    /// `tokenTimeoutPolicy`: the rule for the lifetime; nil for that of ``TokenExchangePolicy``.
    package internal(set) var timeoutPolicy: TokenTimeoutPolicy?
    /// `filters`: the conditions that a token must all fulfil.
    package internal(set) var filters: [IssuerFilter] = []
    /// `allowedMbes`: the backends that may use the issuer; nil for all.
    package internal(set) var allowedBackends: [AllowedBackend]?
    /// `userMappingAttribute`: the property by which a local user is found. It has no effect where users are virtual. A name that
    /// nobody has is not looked for among addresses.
    package internal(set) var userMapping = UserMapping.name
    /// `userMappingIgnoresCase`: whether the case of ASCII letters is ignored when a local user is looked for. The default is false.
    /// All other characters must match exactly.
    package internal(set) var nameComparison = NameComparison.exact
    /// `emailVerificationWaived`: whether a local user is found by an address although the token has no `email_verified`. The default
    /// is false. A token with another value than `true` is refused in any case.
    package internal(set) var waivesMailVerification = false
    /// `defaultRoles`: the roles of users to whom ``roleAttributes`` gave none.
    package internal(set) var defaultRoles: [String] = []
    /// `issuerRoles`: the roles of all users of the issuer.
    package internal(set) var issuerRoles: [String] = []
    /// `roleAttributes`: the claims that name roles.
    package internal(set) var roleAttributes: [String] = []
    /// `roleMappings`: the roles that replace those of tokens. A role without a mapping counts only if the directory has a role with
    /// exactly this name that does not lead to the administrators' role (``Credentials/accepted(_:)``).
    package internal(set) var roleMappings: [RoleMapping] = []

    /// The audiences of which a token must name one if the issuer's ``audience`` is empty.
    ///
    /// For JWTs these are the ten URLs of Oracle's reference, for SAML assertions the exchange endpoint.
    /// - Parameter baseURL: The configured address of the server without a path, never the `Host` of a request. A slash at its end
    ///   does not count.
    package func defaultAudience(baseURL: String) -> [String] {
        let base = baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL
        switch format {
        case .saml: return [base + "/mobile/platform/sso/exchange-token"]
        case .jwt:
            let paths = ["", "/mobile", "/mobile/platform", "/mobile/platform/auth", "/mobile/platform/auth/token"]
            return paths.flatMap { [base + $0, base + $0 + "/"] }
        }
    }
}

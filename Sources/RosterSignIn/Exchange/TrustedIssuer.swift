package import Roster

/// Somebody whose tokens are exchanged for ours, and on which conditions.
///
/// JWT issuers stand in the document of ``TrustedIssuers`` under `issuers`, SAML issuers under `samlIssuers`. The rules
/// are the same ones for both; what a SAML issuer cannot say has the default.
package struct TrustedIssuer: Sendable, Hashable {
    /// What the keys come from that the issuer signs with.
    package enum KeySource: Sendable, Hashable {
        /// The issuer publishes them (`jwks`).
        case keySet(KeySetSource)
        /// Certificates stored with us, by their subject names (`certificateSubjectNames`); never empty.
        case certificates(subjectNames: [String])
    }

    /// By what a local user is found (`userMappingAttribute`).
    package enum UserMapping: String, Sendable, CaseIterable {
        /// By the user's name.
        case name = "uid"
        /// By the primary mail address.
        case mail
    }

    /// What takes the place of a role that a token names (`roleMappings`).
    package struct RoleMapping: Sendable, Hashable {
        /// The role in the token, compared code for code.
        package let tokenRole: String
        /// Our roles; never empty.
        package let mappedRoles: [String]
    }

    /// What kind of tokens it issues.
    package let format: VerifiedToken.Format
    /// `issuerName`: what tokens call the issuer, code for code.
    package let name: String
    /// `enabled`: false refuses every token. True where nothing is said.
    package internal(set) var isEnabled = true
    /// Where its keys are.
    package let keys: KeySource
    /// `audience`: one of these must be named by a token. Where empty, one of ``defaultAudience(baseURL:)`` must be named by a
    /// token that names any.
    package internal(set) var audience: [String] = []
    /// `virtualUserEnabled`: whether users need no account here. False where nothing is said.
    package internal(set) var hasVirtualUsers = false
    /// `usernameAttribute`: the claim that names the user; where nil, the token's subject.
    package internal(set) var usernameAttribute: String?
    /// `requireClientAuth`: false where a client may give its `client_id` alone. True where nothing is said.
    package internal(set) var requiresClientAuthentication = true
    /// Whether `requireClientAuth: true` is written out: then it holds also on `GET sso/exchange-token`, which has no place
    /// for a secret, and so refuses the issuer's tokens.
    package internal(set) var requiresClientAuthenticationAlways = false
    /// `tokenUsedOnce`: whether each token is taken once, and must have a `jti`. False where nothing is said. A SAML
    /// assertion is always taken once.
    package internal(set) var takesTokensOnce = false
    /// `clientIdAttribute`: the claim whose value must not be the user's name; not looked at where nil.
    package internal(set) var clientIDAttribute: String?
    /// `tokenTimeoutSeconds`: the lifetime of our token; from ``TokenExchangePolicy`` where nil.
    package internal(set) var timeoutSeconds: Int?
    /// `tokenTimeoutPolicy`: what the lifetime is taken from; from ``TokenExchangePolicy`` where nil.
    package internal(set) var timeoutPolicy: TokenTimeoutPolicy?
    /// `filters`: all of them must hold.
    package internal(set) var filters: [IssuerFilter] = []
    /// `allowedMbes`: the backends that may use the issuer; any where nil, none where empty.
    package internal(set) var allowedBackends: [AllowedBackend]?
    /// `userMappingAttribute`: how a local user is found; means nothing where users are virtual. Never by both: a name that
    /// nobody has is not looked for among addresses.
    package internal(set) var userMapping = UserMapping.name
    /// `userMappingIgnoresCase` (false where nothing is said): whether the case of ASCII letters does not count when a local
    /// user is found. Everything else of a name or address is compared byte for byte.
    package internal(set) var nameComparison = NameComparison.exact
    /// `emailVerificationWaived` (false where nothing is said): whether a local user is found by an address although the token
    /// does not say `email_verified`. A token that says it with another value than `true` is refused all the same.
    package internal(set) var waivesMailVerification = false
    /// `defaultRoles`: granted only where ``roleAttributes`` gave none.
    package internal(set) var defaultRoles: [String] = []
    /// `issuerRoles`: always granted.
    package internal(set) var issuerRoles: [String] = []
    /// `roleAttributes`: the claims that name roles.
    package internal(set) var roleAttributes: [String] = []
    /// `roleMappings`: what takes the place of roles in tokens. A role that no mapping names counts only where the directory
    /// has a role of that very name that does not lead to the administrators' role (``Credentials/accepted(_:)``).
    package internal(set) var roleMappings: [RoleMapping] = []

    /// The audience of tokens where the issuer's ``audience`` is empty.
    ///
    /// For JWTs these are the ten URLs of the reference, for SAML assertions the exchange endpoint.
    /// - Parameter baseURL: The server's address without a path, as it is configured; never the `Host` of a request. A
    ///   slash at its end does not count.
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

package import RosterOpenID

/// A backend's request to the token endpoint: a grant, and the requested scopes.
public struct TokenRequest: Sendable, Hashable, CustomStringConvertible {
    package enum Grant: Sendable, Hashable {
        /// The client asks for itself (RFC 6749, section 4.4).
        case clientCredentials
        /// A user's name and password (RFC 6749, section 4.3).
        case password(Login)
        /// A code that a browser brought (RFC 6749, section 4.1.3), and the verifier of its challenge (RFC 7636). An empty
        /// verifier matches a code without a challenge only.
        case code(String, verifier: String, redirectURI: String?)
        /// The client presents a refresh token for new tokens (RFC 6749, section 6).
        case refreshToken(String)
        /// The code of a device (RFC 8628).
        case deviceCode(String)
        /// A JWT, or a SAML assertion in base64, of a trusted issuer (RFC 7523).
        case assertion(String)
        /// A token that is exchanged for another one (RFC 8693).
        case exchange(TokenExchangeRequest)
        /// The request names an unknown grant type, or lacks a parameter that its grant type needs. `OAuthService` throws the
        /// error after it has authenticated the client. The name is that of the user, for the audit.
        case unusable(grantType: String, name: String?, OAuthError)
    }

    package let grant: Grant
    /// The scopes that the client requests, separated by spaces. Nil requests every scope that the backend may have.
    package let scope: String?
    /// The audiences that the client requests for its token (RFC 8707). An empty list requests every audience that the
    /// backend may have.
    package let resources: [String]
    /// The proof of a key that came with the request (RFC 9449).
    package var possession: PossessionProof.Sent?
    /// The thumbprint of that key, once ``OAuthService`` has checked the proof.
    var key: String?

    package init(_ grant: Grant, scope: String? = nil, resources: [String] = []) {
        (self.grant, self.scope, self.resources) = (grant, scope, resources)
    }

    /// Tokens for the backend itself (RFC 6749, section 4.4).
    public static func clientCredentials(scopes: [Scope]? = nil) -> TokenRequest {
        TokenRequest(.clientCredentials, scope: scopes?.text)
    }

    /// Tokens for a user's name and password, where the backend may see them (RFC 6749, section 4.3).
    public static func password(
        name: String, password: String, proof: SecondFactorProof = SecondFactorProof(), scopes: [Scope]? = nil
    ) -> TokenRequest {
        TokenRequest(.password(Login(name: name, password: password, proof: proof)), scope: scopes?.text)
    }

    /// Tokens for a code that a browser brought, with the verifier of its challenge (RFC 6749, section 4.1.3; RFC 7636).
    public static func code(_ code: String, verifier: String, redirectURI: String? = nil) -> TokenRequest {
        TokenRequest(.code(code, verifier: verifier, redirectURI: redirectURI))
    }

    /// Tokens for a refresh token, which can be used once (RFC 6749, section 6).
    public static func refreshToken(_ token: String, scopes: [Scope]? = nil) -> TokenRequest {
        TokenRequest(.refreshToken(token), scope: scopes?.text)
    }

    /// Tokens for a JWT, or a SAML assertion in base64, of a trusted issuer (RFC 7523).
    public static func assertion(_ assertion: String, scopes: [Scope]? = nil) -> TokenRequest {
        TokenRequest(.assertion(assertion), scope: scopes?.text)
    }

    /// A token with fewer rights, or for another audience, in exchange for an access token of this service (RFC 8693).
    public static func exchange(
        accessToken: String, scopes: [Scope]? = nil, audience: String? = nil
    ) -> TokenRequest {
        let request = TokenExchangeRequest(
            subjectToken: accessToken, subjectTokenType: TokenExchangeRequest.accessToken,
            targets: audience.map { [$0] } ?? [])
        return TokenRequest(.exchange(request), scope: scopes?.text)
    }

    /// The grant's registered name, and none of the secrets.
    public var description: String { grantType }

    /// The grant's registered name, or the text that the client sent in its place.
    var grantType: String {
        switch grant {
        case .clientCredentials: BackendSettings.Grant.clientCredentials.rawValue
        case .password: BackendSettings.Grant.password.rawValue
        case .code: BackendSettings.Grant.authorizationCode.rawValue
        case .refreshToken: BackendSettings.Grant.refreshToken.rawValue
        case .deviceCode: BackendSettings.Grant.deviceCode.rawValue
        case .assertion: BackendSettings.Grant.assertion.rawValue
        case .exchange: BackendSettings.Grant.tokenExchange.rawValue
        case .unusable(let grantType, _, _): grantType
        }
    }

    /// The name of the user who is to sign in by the request, for the audit.
    var userName: String? {
        switch grant {
        case .password(let login): login.name
        case .unusable(_, let name, _): name
        default: nil
        }
    }
}

/// A token that is to be exchanged, in the terms of RFC 8693.
package struct TokenExchangeRequest: Sendable, Hashable {
    /// The prefix of the names of all types of tokens.
    static let typePrefix = "urn:ietf:params:oauth:token-type:"
    package static let accessToken = typePrefix + "access_token"

    package let subjectToken: String
    package let subjectTokenType: String
    /// Whether the request has an `actor_token`, which names another party that acts for the user.
    package let hasActor: Bool
    /// The registered name of the type of token that is wanted; nil for an access token.
    package let requestedTokenType: String?
    /// The audiences that are wanted; empty for all that the client may have.
    package let targets: [String]

    /// Makes a request; ``OAuthService`` checks it.
    package init(
        subjectToken: String, subjectTokenType: String, hasActor: Bool = false, requestedTokenType: String? = nil,
        targets: [String] = []
    ) {
        (self.subjectToken, self.subjectTokenType, self.hasActor) = (subjectToken, subjectTokenType, hasActor)
        (self.requestedTokenType, self.targets) = (requestedTokenType, targets)
    }
}

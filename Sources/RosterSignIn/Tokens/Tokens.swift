/// The tokens that a client is given (RFC 6749, section 5.1).
public struct Tokens: Sendable, Hashable, CustomStringConvertible {
    /// A JWT (RFC 9068) for the interfaces that are its audience.
    public let accessToken: String
    /// A token that can be exchanged once for new tokens; nil if the backend uses none, or the user did not allow
    /// `offline_access`.
    public internal(set) var refreshToken: String?
    /// A JWT that says who has signed in; nil if `openid` was not asked for.
    public internal(set) var idToken: String?
    /// The lifetime of the access token from now, in seconds.
    public let lifetime: Int64
    /// The scopes of the access token.
    public let scopes: [Scope]
    /// `issued_token_type` of a token exchange (RFC 8693); nil for other grants.
    package internal(set) var issuedTokenType: String?
    /// Whether the access token counts only with a proof of the client's key (DPoP, RFC 9449).
    public internal(set) var isBound = false
    /// Whether the client may present the access token as a proof of itself, as the mobile cloud's clients do.
    package internal(set) var isClientAssertion = false

    init(accessToken: String, lifetime: Int64, scopes: [Scope]) {
        (self.accessToken, self.lifetime, self.scopes) = (accessToken, lifetime, scopes)
    }

    /// The scopes and the lifetime, and none of the tokens.
    public var description: String { "tokens for '\(scopes.text)', \(lifetime) s" }
}

package import RosterText

/// The tokens that a client is given (RFC 6749, section 5.1).
public struct Tokens: Sendable, Hashable, CustomStringConvertible {
    /// A JWT (RFC 9068), for interfaces that it names as its audience.
    public let accessToken: String
    /// Gets new tokens, once; nil where the backend uses none, or the user did not allow `offline_access`.
    public internal(set) var refreshToken: String?
    /// Says who has signed in; nil where `openid` was not asked for.
    public internal(set) var idToken: String?
    /// How long the access token is good, in seconds, from now.
    public let lifetime: Int64
    /// What the access token allows.
    public let scopes: [String]
    /// What the standard of a grant, or the mobile cloud, wants to have said besides.
    var remarks: [JSONValue.Member] = []

    init(accessToken: String, lifetime: Int64, scopes: [String]) {
        self.accessToken = accessToken
        self.lifetime = lifetime
        self.scopes = scopes
    }

    /// What they allow and for how long, and none of them.
    public var description: String { "tokens for '\(scopes.joined(separator: " "))', \(lifetime) s" }

    /// As a token endpoint answers it.
    package var json: JSONValue {
        var members: [JSONValue.Member] = [
            .init("access_token", .string(accessToken)), .init("token_type", "Bearer"),
            .init("expires_in", .integer(lifetime)),
        ]
        // An empty one cannot be written (RFC 6749, section 3.3).
        if !scopes.isEmpty { members.append(.init("scope", .string(scopes.joined(separator: " ")))) }
        if let refreshToken { members.append(.init("refresh_token", .string(refreshToken))) }
        if let idToken { members.append(.init("id_token", .string(idToken))) }
        return .object(members + remarks)
    }
}

import RosterOpenID
import RosterText

/// How a ``BearerValidator`` checks tokens, and which tokens it accepts (`CMBearerTokenAuthenticationOptions` of Cloud Access
/// Manager's OWIN package).
///
/// The description has the issuer only, because the settings can hold a client secret.
public struct BearerSettings: Sendable {
    /// The way in which tokens are checked.
    public enum Method: Sendable {
        /// Checks tokens locally with the issuer's published keys (RFC 9068). A token that is revoked is accepted until it ends.
        ///
        /// - Parameter audience: The audience (`aud`) that a token must have: the API's own address or name.
        case keys(audience: String)
        /// Asks the issuer's user-info endpoint (OpenID Connect Core, section 5.3), as Cloud Access Manager's package does.
        ///
        /// User info does not tell whom a token is for, so ``BearerSettings/scopes`` must name a scope of the API's own. Standard user
        /// info has no scopes: use this method only with an issuer that adds the token's scopes as `scope`, as Roster and Cloud
        /// Access Manager do. Tokens of other issuers are refused; use ``introspection(audience:clientID:clientSecret:)`` or
        /// ``keys(audience:)`` for them. Do not use this method either if users can edit a claim `scope` or a role claim at the
        /// issuer, because they could then give themselves rights.
        ///
        /// - Parameter endpoint: The URL of the endpoint; nil for the one in the issuer's discovery document.
        case userInfo(endpoint: String? = nil)
        /// Asks the issuer's introspection endpoint (RFC 7662).
        ///
        /// - Parameters:
        ///   - audience: The audience that a token must have, if the issuer tells it.
        ///   - clientID: The client with which the API proves itself to the issuer.
        ///   - clientSecret: The client's secret.
        case introspection(audience: String, clientID: String, clientSecret: String)
    }

    /// The issuer, exactly as tokens name it (`iss`): an `https` URL, or an `http` URL of this machine. The URL is compared byte for
    /// byte.
    public var issuer: String
    /// The way in which tokens are checked.
    public var method: Method
    /// Scopes that a token must have, all of them; an empty list accepts every token that is for the API.
    public var scopes: [String]
    /// The address at which clients reach the API, such as `https://orders.example.com`, without a slash at the end; nil if it is not
    /// known. It begins the addresses that proofs of keys name, so tokens with the scheme DPoP need it. It is also the API's name in
    /// ``BearerValidator/resourceMetadata`` (RFC 9728), which challenges then point to.
    public var resource: String?
    /// Whether a token must be bound to a key of the client (DPoP, RFC 9449); false by default. A token that is bound is never accepted
    /// without a proof of the key.
    public var requiresPossession = false
    /// The protection space in challenges (`realm`), such as the name of the API.
    public var realm = "API"
    /// The signature algorithms (`alg`) that are accepted with ``Method/keys(audience:)``. `none` and HS256 are never accepted.
    public var algorithms: Set<String> = ["ES256", "RS256", "PS256", "EdDSA"]
    /// The longest time by which the clocks of the issuer and of this machine may differ: 0 to 300 seconds.
    public var clockSkew: Duration = .seconds(30)
    /// The longest time for which an answer of user info or introspection is used again: 0 to 600 seconds. A token that is revoked is
    /// accepted for that long. No answer is used after the token's own end.
    public var cacheLifetime: Duration = .seconds(60)
    /// The claims that hold the roles of a user. The values of all of them count.
    public var roleClaims = ["roles", "role"]
    /// The claim that holds the name of a user.
    public var nameClaim = "preferred_username"

    /// Makes settings.
    ///
    /// - Parameters:
    ///   - issuer: The issuer, exactly as tokens name it.
    ///   - method: The way in which tokens are checked.
    ///   - scopes: Scopes that a token must have, all of them.
    public init(issuer: String, method: Method, scopes: [String] = []) {
        (self.issuer, self.method, self.scopes) = (issuer, method, scopes)
    }

    /// The reason why settings cannot be used.
    public struct Problem: Error, Sendable, Hashable, CustomStringConvertible {
        /// The setting, its mistake, and advice on correcting it.
        public let description: String
    }

    /// The accepted algorithms.
    func knownAlgorithms() throws -> Set<SignatureAlgorithm> {
        let known = algorithms.compactMap { SignatureAlgorithm(named: $0) }
        guard !known.isEmpty, known.count == algorithms.count, !known.contains(.hs256) else {
            throw Problem(
                description:
                    "'algorithms' must name public-key signature algorithms, such as ES256 and RS256. HS256 is "
                    + "not accepted, because the API could then make tokens itself.")
        }
        return Set(known)
    }

    /// Refuses settings that are out of their ranges, or that would accept tokens for other APIs.
    func check() throws {
        try Self.check("'issuer'", issuer)
        guard !issuer.contains("?") else {
            throw Problem(description: "'issuer' has a query. Use the URL without query.")
        }
        if let resource {
            try Self.check("'resource'", resource)
            guard !resource.contains("?"), !resource.contains("#"), !resource.contains("\""), !resource.hasSuffix("/")
            else {
                throw Problem(
                    description: "'resource' has a query, a fragment or a slash at its end. Give the address only.")
            }
        }
        guard !requiresPossession || resource != nil else {
            throw Problem(description: "'requiresPossession' needs 'resource', the address of the API.")
        }
        if case .userInfo = method, requiresPossession {
            throw Problem(description: "User info does not tell keys. Use the method 'keys' or 'introspection'.")
        }
        guard .zero <= clockSkew, clockSkew <= .seconds(300) else {
            throw Problem(description: "'clockSkew' must be 0 to 300 seconds.")
        }
        guard .zero <= cacheLifetime, cacheLifetime <= .seconds(600) else {
            throw Problem(description: "'cacheLifetime' must be 0 to 600 seconds.")
        }
        guard scopes.allSatisfy(ScopeSyntax.isValid) else {
            throw Problem(description: "'scopes' must be words of visible ASCII without quotes and backslashes.")
        }
        guard realm.utf8.allSatisfy({ 0x20...0x7E ~= $0 && $0 != 0x22 && $0 != 0x5C }), realm.utf8.count <= 128 else {
            throw Problem(description: "'realm' must be up to 128 characters of ASCII without quotes and backslashes.")
        }
        switch method {
        case .keys(let audience), .introspection(let audience, _, _):
            guard !audience.isEmpty else {
                throw Problem(description: "'audience' is empty. Give the audience of tokens for this API.")
            }
        case .userInfo(let endpoint):
            guard !scopes.isEmpty else {
                throw Problem(
                    description: "User info does not tell whom a token is for. Name a scope of this API in 'scopes'.")
            }
            if let endpoint { try Self.check("'endpoint'", endpoint) }
        }
        _ = try knownAlgorithms()
    }

    /// Refuses a text that is not a URL to which tokens may be sent.
    private static func check(_ name: String, _ text: String) throws {
        guard ProviderMetadata.isEndpoint(text, allowsHTTP: true) else {
            throw Problem(description: "\(name) must be an absolute https URL, such as https://id.example.com.")
        }
        guard ProviderMetadata.isEndpoint(text, allowsHTTP: Loopback.contains(hostOf: text)) else {
            throw Problem(description: "\(name) is an http URL of another machine. Use https.")
        }
    }
}

extension BearerSettings: CustomStringConvertible, CustomReflectable {
    /// The issuer.
    public var description: String { issuer }
    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension BearerSettings.Method: CustomStringConvertible, CustomReflectable {
    /// The name of the method, without a secret.
    public var description: String {
        switch self {
        case .keys: "keys"
        case .userInfo: "user info"
        case .introspection: "introspection"
        }
    }
    /// A mirror without children, so that `dump` shows no secret.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

import RosterText

/// What a backend brings to get tokens: one case for each grant.
public enum TokenRequest: Sendable, Hashable, CustomStringConvertible {
    /// Nothing but itself (RFC 6749, section 4.4).
    case clientCredentials(scope: String? = nil)
    /// A user's name and password, where the backend may see them (RFC 6749, section 4.3).
    case password(name: String, password: String, proof: SecondFactorProof = SecondFactorProof(), scope: String? = nil)
    /// A code that a browser brought, with the verifier of its challenge (RFC 6749, section 4.1.3; RFC 7636).
    case code(String, verifier: String, redirectURI: String? = nil)
    /// A refresh token, which it uses up (RFC 6749, section 6).
    case refreshToken(String, scope: String? = nil)
    /// A JWT, or a SAML assertion in base64, of a trusted issuer (RFC 7523).
    case assertion(String, scope: String? = nil)
    /// One of our access tokens, for one that allows less or is for others (RFC 8693).
    case exchange(accessToken: String, scope: String? = nil, audience: String? = nil)

    /// The grant, and none of the secrets.
    public var description: String { grant.rawValue }

    private var grant: BackendSettings.Grant {
        switch self {
        case .clientCredentials: .clientCredentials
        case .password: .password
        case .code: .authorizationCode
        case .refreshToken: .refreshToken
        case .assertion: .assertion
        case .exchange: .tokenExchange
        }
    }

    /// The same as a client sends it.
    func form(clientID: String, secret: String?) throws -> Form {
        var fields: [(String, String?)]
        switch self {
        case .clientCredentials(let scope): fields = [("scope", scope)]
        case .password(let name, let password, let proof, let scope):
            fields = [("username", name), ("password", password), ("otp", proof.code), ("scope", scope)]
            if !proof.answers.isEmpty {
                let answers = JSONValue.object(proof.answers.map { .init($0.key, .string($0.value)) })
                fields.append(("kba_answers", String(decoding: answers.bytes, as: UTF8.self)))
            }
        case .code(let code, let verifier, let redirectURI):
            fields = [("code", code), ("code_verifier", verifier), ("redirect_uri", redirectURI)]
        case .refreshToken(let token, let scope):
            fields = [("refresh_token", token), ("scope", scope)]
        case .assertion(let assertion, let scope):
            fields = [("assertion", assertion), ("scope", scope)]
        case .exchange(let token, let scope, let audience):
            fields = [
                ("subject_token", token), ("subject_token_type", "urn:ietf:params:oauth:token-type:access_token"),
                ("scope", scope), ("audience", audience),
            ]
        }
        return try Self.form([("grant_type", grant.rawValue)] + fields, clientID: clientID, secret: secret)
    }

    static func form(_ fields: [(String, String?)], clientID: String, secret: String?) throws -> Form {
        let all = fields + [("client_id", clientID), ("client_secret", secret)]
        return try Form(all.compactMap { name, value in value.map { (name: name, value: $0) } })
    }
}

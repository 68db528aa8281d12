import Foundation
import RosterCrypto
package import RosterText

/// A provider of identities with whom anybody can sign in as anybody: for tests of apps and of our own relying party, as Sync
/// Gateway has one. Its keys are its own and end with it; nobody takes its tokens but who is told to.
package struct TestProvider: Sendable {
    /// What was allowed, and waits for its code to be brought.
    private struct Allowed: Sendable {
        let subject: String
        let clientID: String
        let redirectURI: String
        let nonce: String?
        let challenge: String?
        let lifetime: Int64
        /// When it was allowed, in seconds since 1970.
        let time: Int64
        let isOffline: Bool
    }

    /// As whom Sync Gateway's configurations know us, and with which secret. It protects nothing here.
    package static let clientID = "sync_gateway"
    static let secret = "a secret that everybody knows"

    /// Where it stands.
    package let issuer: String
    private let key: SigningKey
    private let clock: @Sendable () -> Date
    private let codes: PendingCodes<Allowed>
    private let refreshTokens: PendingCodes<Allowed>

    /// - Parameter issuer: Of the service that it stands below.
    init(issuer: String, clock: @escaping @Sendable () -> Date) throws {
        self.issuer = issuer + "/db/_oidc_testing"
        key = try SigningKey(generating: .rs256)
        self.clock = clock
        codes = PendingCodes(capacity: 1_000, clock: clock)
        refreshTokens = PendingCodes(capacity: 1_000, clock: clock)
    }

    /// Itself as an entry of `oidc.providers`.
    var entry: JSONValue {
        [
            "issuer": .string(issuer), "client_id": .string(Self.clientID), "validation_key": .string(Self.secret),
            "register": true,
        ]
    }

    /// OpenID Connect Discovery, section 3.
    package var description: JSONValue {
        [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/certs"),
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"], "scopes_supported": ["openid", "email", "profile"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
            "code_challenge_methods_supported": ["S256"], "authorization_response_iss_parameter_supported": true,
            "claims_supported": [
                "iss", "sub", "aud", "exp", "iat", "auth_time", "nonce", "email", "email_verified",
            ],
        ]
    }

    /// The keys that check its tokens.
    package var keys: JSONValue {
        get throws { ["keys": .array(try key.publicKey().map { [$0] } ?? [])] }
    }

    /// Refuses a request that no client would send.
    package func check(_ form: Form) throws {
        guard form["response_type"] == "code", form["client_id"] != nil, let uri = form["redirect_uri"],
            RedirectURI.problem(with: uri) == nil
        else {
            throw OAuthError(
                .invalidRequest, "Give 'response_type=code', 'client_id' and a 'redirect_uri' that an app can have.")
        }
    }

    /// Signs somebody in: whoever they say they are.
    ///
    /// - Parameter lifetime: Of the id token, in seconds.
    package func code(for subject: String, _ form: Form, lifetime: Int64) throws -> String {
        try check(form)
        guard (1...255).contains(subject.utf8.count) else {
            throw OAuthError(.invalidRequest, "A name has 1 to 255 bytes.")
        }
        let code = try SecureRandom.token()
        let allowed = Allowed(
            subject: subject, clientID: try form.required("client_id"), redirectURI: try form.required("redirect_uri"),
            nonce: form["nonce"], challenge: form["code_challenge"], lifetime: lifetime,
            time: Int64(clock().timeIntervalSince1970),
            isOffline: form["access_type"] == "offline"
                || form["scope"]?.split(separator: " ").contains("offline_access") == true)
        codes.insert(allowed, for: code, lifetime: 60)
        return code
    }

    /// Answers a request for tokens.
    package func tokens(_ form: Form, authorization: String?) throws -> JSONValue {
        let allowed: Allowed
        let credentials = try ClientCredentials(authorization: authorization, form: form)
        switch form["grant_type"] {
        case "authorization_code"?:
            guard let found = codes.take(try form.required("code")), form["redirect_uri"] == found.redirectURI else {
                throw OAuthError(.invalidGrant, "The code is wrong, was used, or has expired.")
            }
            if let challenge = found.challenge {
                let digest = try SHA256.digest(Array(try form.required("code_verifier").utf8))
                guard Base64URL.text(digest) == challenge else {
                    throw OAuthError(.invalidGrant, "The 'code_verifier' is wrong.")
                }
            }
            allowed = found
        case "refresh_token"?:
            guard let found = refreshTokens.value(try form.required("refresh_token")) else {
                throw OAuthError(.invalidGrant, "The refresh token is wrong, or has expired.")
            }
            allowed = found
        default: throw OAuthError(.unsupportedGrantType, "There is no such grant here.")
        }
        guard credentials?.clientID == allowed.clientID else {
            throw OAuthError(.invalidClient, "The code is another client's.")
        }
        let time = Int64(clock().timeIntervalSince1970)
        var claims: [JSONValue.Member] = [
            .init("iss", .string(issuer)), .init("sub", .string(allowed.subject)),
            .init("aud", .string(allowed.clientID)), .init("iat", .integer(time)),
            .init("exp", .integer(time &+ allowed.lifetime)), .init("auth_time", .integer(allowed.time)),
            .init("email", .string(allowed.subject + "@test.invalid")), .init("email_verified", false),
        ]
        if form["grant_type"] == "authorization_code", let nonce = allowed.nonce {
            claims.append(.init("nonce", .string(nonce)))
        }
        var answer: [JSONValue.Member] = [
            .init("id_token", .string(try key.sign(claims, type: "JWT"))),
            .init("access_token", .string(try SecureRandom.token())), .init("token_type", "Bearer"),
            .init("expires_in", .integer(allowed.lifetime)),
        ]
        if form["grant_type"] == "authorization_code", allowed.isOffline {
            let token = try SecureRandom.token()
            refreshTokens.insert(allowed, for: token, lifetime: 86_400)
            answer.append(.init("refresh_token", .string(token)))
        }
        return .object(answer)
    }
}

extension ClientCredentials {
    /// As whom a client names itself; nil where only its assertion says so.
    fileprivate var clientID: String? {
        switch self {
        case .secret(let id, _), .named(let id): id
        case .assertion(_, let id): id
        }
    }
}

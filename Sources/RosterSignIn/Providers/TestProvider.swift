import Foundation
import RosterCrypto
import RosterOpenID
package import RosterText

/// An identity provider for tests, with which anybody can sign in as anybody. Sync Gateway has one as well. Its keys exist in memory
/// only, and nobody accepts its tokens unless configured to.
package struct TestProvider: Sendable {
    /// A sign-in whose code was not redeemed yet.
    private struct Allowed: Sendable, Codable {
        let subject: String
        let clientID: String
        let redirectURI: String
        let nonce: String?
        let challenge: String?
        let lifetime: Int64
        /// The time of the sign-in, in seconds since 1970.
        let time: Int64
        let isOffline: Bool
    }

    /// The client id that Sync Gateway's configurations use.
    package static let clientID = "sync_gateway"
    /// The client secret, which protects nothing here.
    static let secret = "a secret that everybody knows"

    package let issuer: String
    private let key: SigningKey
    private let clock: @Sendable () -> Date
    private let codes: PendingCodes<Allowed>
    private let refreshTokens: PendingCodes<Allowed>

    /// Makes a provider.
    ///
    /// - Parameter issuer: The address of the service that it belongs to.
    init(issuer: String, clock: @escaping @Sendable () -> Date) throws {
        self.issuer = issuer + "/db/_oidc_testing"
        key = try SigningKey(generating: .rs256)
        self.clock = clock
        codes = PendingCodes(capacity: 1_000, clock: clock)
        refreshTokens = PendingCodes(capacity: 1_000, clock: clock)
    }

    /// Its entry in `oidc.providers`.
    var entry: JSONValue {
        [
            "issuer": .string(issuer), "client_id": .string(Self.clientID), "validation_key": .string(Self.secret),
            "register": true,
        ]
    }

    /// Its discovery document (OpenID Connect Discovery, section 3).
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

    /// The keys that verify its tokens.
    package var keys: JSONValue { ["keys": [key.publicKey]] }

    /// Refuses a request that no client would send.
    package func check(_ sent: AuthorizationParameters) throws {
        guard sent["response_type"] == "code", sent["client_id"] != nil, let uri = sent["redirect_uri"],
            RedirectURI.problem(with: uri) == nil
        else {
            throw OAuthError(
                .invalidRequest, "Give 'response_type=code', 'client_id' and a 'redirect_uri' that an app can have.")
        }
    }

    /// Signs somebody in under any name.
    ///
    /// - Parameters:
    ///   - lifetime: The lifetime of the id token, in seconds.
    ///   - isOffline: Whether there is a refresh token.
    package func code(
        for subject: String, _ sent: AuthorizationParameters, lifetime: Int64, isOffline: Bool
    ) throws -> String {
        try check(sent)
        guard let clientID = sent["client_id"], let uri = sent["redirect_uri"] else {
            throw OAuthError.missing("client_id")
        }
        guard (1...255).contains(subject.utf8.count) else {
            throw OAuthError(.invalidRequest, "A name has 1 to 255 bytes.")
        }
        let code = try SecureRandom.token()
        let allowed = Allowed(
            subject: subject, clientID: clientID, redirectURI: uri, nonce: sent["nonce"],
            challenge: sent["code_challenge"],
            lifetime: lifetime, time: Int64(clock().timeIntervalSince1970), isOffline: isOffline)
        try codes.insert(allowed, for: code, lifetime: 60)
        return code
    }

    /// Answers a request for tokens.
    package func tokens(_ request: TokenRequest, by proof: ClientProof) throws -> JSONValue {
        let clientID: String?
        switch proof {
        case .secret(let id, _), .named(let id), .handle(let id, _): clientID = id
        case .assertion(_, let id): clientID = id
        case .missing: clientID = nil
        case .unreadable(let error): throw error
        }
        let allowed: Allowed
        var isFirst = false
        switch request.grant {
        case .code(let code, let verifier, let uri):
            guard let found = try codes.take(code), uri == found.redirectURI else {
                throw OAuthError(.invalidGrant, "The code is wrong, was used, or has expired.")
            }
            if let challenge = found.challenge {
                guard !verifier.isEmpty else { throw OAuthError.missing("code_verifier") }
                guard Base64URL.text(try SHA256.digest(Array(verifier.utf8))) == challenge else {
                    throw OAuthError(.invalidGrant, "The 'code_verifier' is wrong.")
                }
            }
            (allowed, isFirst) = (found, true)
        case .refreshToken(let token):
            guard let found = try refreshTokens.value(token) else {
                throw OAuthError(.invalidGrant, "The refresh token is wrong, or has expired.")
            }
            allowed = found
        case .unusable(_, _, let error): throw error
        default: throw OAuthError(.unsupportedGrantType, "There is no such grant here.")
        }
        guard clientID == allowed.clientID else {
            throw OAuthError(.invalidClient, "The code is another client's.")
        }
        let time = Int64(clock().timeIntervalSince1970)
        var claims: [JSONValue.Member] = [
            .init("iss", .string(issuer)), .init("sub", .string(allowed.subject)),
            .init("aud", .string(allowed.clientID)), .init("iat", .integer(time)),
            .init("exp", .integer(time &+ allowed.lifetime)), .init("auth_time", .integer(allowed.time)),
            .init("email", .string(allowed.subject + "@test.invalid")), .init("email_verified", false),
        ]
        if isFirst, let nonce = allowed.nonce { claims.append(.init("nonce", .string(nonce))) }
        var answer: [JSONValue.Member] = [
            .init("id_token", .string(try key.sign(claims, type: "JWT"))),
            .init("access_token", .string(try SecureRandom.token())), .init("token_type", "Bearer"),
            .init("expires_in", .integer(allowed.lifetime)),
        ]
        if isFirst, allowed.isOffline {
            let token = try SecureRandom.token()
            try refreshTokens.insert(allowed, for: token, lifetime: 86_400)
            answer.append(.init("refresh_token", .string(token)))
        }
        return .object(answer)
    }
}
